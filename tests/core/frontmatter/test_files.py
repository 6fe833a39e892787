"""One property of a file changed: every other byte stays. On made-up files, and on real ones.

Real ones are not part of this repository: name folders of notes in `COMMONPLACE_VAULTS`, with the
system's path separator between them, and their blocks are changed as well (in memory alone).
"""

import logging
import os
import random
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from commonplace.core import frontmatter
from commonplace.core.text import endings
from tests.core.frontmatter.blocks import BLOCKS, blocks

VAULTS = [
    Path(folder) for folder in os.environ.get("COMMONPLACE_VAULTS", "").split(os.pathsep) if folder
]
NEW: tuple[object, ...] = (
    *("done", "no", "on", "2024-05-06", "2024-05-06T07:08:09Z", "007", "1e3", "~", "a: b", "# x"),
    *("🌿 text", "two\nlines\n", " spaces ", "- dash", "\"quotes\" and 'more'", "[[Note]]", ""),
    *(True, None, 5, 2.5, [], ["[[A]]", "b c", "no"], {"deep": ["x", {"y": 1}]}),
)

# A name at the margin; what is indented, or an item of a list, belongs to the name before it.
_NAME = re.compile(
    r"""^(?:"([^"]*)"|'([^']*)'|([^\s#"'\-][^\n]*?|-[^\s-][^\n]*?))[ \t]*:(?=\s)""", re.MULTILINE
)


def entries(yaml: str) -> dict[str, tuple[int, int]]:
    """Tell from where to where each property's lines go, less blank lines and comments behind."""
    found = list(_NAME.finditer(yaml))
    ends = [*(match.start() for match in found[1:]), len(yaml)]
    return {
        next(name for name in match.groups() if name is not None): (
            match.start(),
            _stop(yaml, match.start(), end),
        )
        for match, end in zip(found, ends, strict=True)
    }


def _stop(yaml: str, start: int, end: int) -> int:
    lines = yaml[start:end].splitlines(keepends=True)
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].startswith("#")):
        lines.pop()
    return start + len("".join(lines))


Change = Callable[[bytes, str | None, object], bytes]


def changed_bytes(data: bytes, name: str | None, value: object) -> bytes:
    """Change a property of a file as the vault does, or remove it (`...`)."""
    text, form = endings.decode(data)
    if value is ...:
        after = frontmatter.remove(text, name or "")
    else:
        after = frontmatter.change(text, name or "brand new", value)
    found = frontmatter.read(after).properties
    before = frontmatter.read(text).properties
    assert {k: v for k, v in found.items() if k != (name or "brand new")} == {
        k: v for k, v in before.items() if k != name
    }
    if value is not ...:
        assert found[name or "brand new"] == value
    return endings.encode(after, form, text)


def check(data: bytes, rng: random.Random, change: Change = changed_bytes) -> str:
    """Change a property of one file at random; tell what came of it."""
    text, form = endings.decode(data)
    block = frontmatter.split(text)
    if block is None or not frontmatter.read(text).properties:
        return "none"
    known = entries(block.yaml)
    if set(known) != set(frontmatter.read(text).properties):
        return "not by lines"
    name = rng.choice([*known, None])
    value = ... if name is not None and len(known) > 1 and rng.random() < 0.2 else rng.choice(NEW)
    after = change(data, name, value)
    # A new property comes behind all that is there.
    start, end = (len(block.yaml),) * 2 if name is None else known[name]

    def in_bytes(part: str) -> bytes:
        return endings.encode(part, form, text)

    head = in_bytes(text[: block.start + start])
    tail = data[len(in_bytes(text[: block.start + end])) :]
    assert data.startswith(head)
    assert after.startswith(head), (data, after)
    assert after.endswith(tail), (data, after)
    assert len(after) >= len(head) + len(tail)
    return "changed"


def outcomes(files: Iterable[bytes], seed: int) -> dict[str, int]:
    rng = random.Random(seed)
    found: dict[str, int] = {}
    for data in files:
        what = check(data, rng)
        found[what] = found.get(what, 0) + 1
    return found


@pytest.mark.parametrize("seed", range(3))
def test_every_other_byte_of_a_made_up_file_stays(seed: int) -> None:
    found = outcomes(blocks(), seed)
    assert found.get("changed", 0) > 0.9 * BLOCKS, found


def test_the_check_can_fail() -> None:
    def written_anew(data: bytes, name: str | None, value: object) -> bytes:
        text, form = endings.decode(changed_bytes(data, name, value))
        block = frontmatter.split(text)
        assert block is not None
        yaml = frontmatter.dump(frontmatter.read(text).properties)
        return endings.encode(text[: block.start] + yaml + text[block.end :], form, text)

    rng = random.Random(1)
    failed = 0
    for data in blocks():
        try:
            check(data, rng, written_anew)
        except AssertionError:
            failed += 1
    assert failed > BLOCKS / 2


def real_files() -> Iterator[bytes]:
    for vault in VAULTS:
        for file in sorted(vault.rglob("*.md")):
            data = file.read_bytes()
            if data.lstrip(b"\xef\xbb\xbf").startswith(b"---"):
                yield data


@pytest.mark.skipif(not VAULTS, reason="name folders of notes in COMMONPLACE_VAULTS")
def test_every_other_byte_of_a_real_file_stays() -> None:
    found = outcomes(real_files(), 1)
    logging.getLogger(__name__).info("%s", found)
    assert found.get("changed", 0) >= 500, found
