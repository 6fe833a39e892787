import json
import re
from collections.abc import Callable
from time import process_time

import pytest
from hypothesis import example, given, strategies as st

from commonplace.core import frontmatter
from commonplace.core.frontmatter.entries import cut
from commonplace.core.frontmatter.values import ALIASES_MAX, Json, normalised, same_properties
from commonplace.errors import BadArgument
from tests.core.case_files import cases

MANGLED = r"""
no yes on off y n true False NULL ~ 010 0o10 0x1F 0b1 1e3 1_000 .5 1. +1 -1 12:30 12:30:45 1:2 .nan
.inf -.INF = << 2024-05-06 2024-05-06T10:00:00Z #x a#b a: :a - ? -a ?a --- ... % @x `x !x &x *x |
> {a} [a] [[Note]] [[a|b]] "a" 'a' it's a"b \n a\b 😀 👨‍👩‍👧 é 中文 a,b a]
"""
ODD_TEXTS = [
    *MANGLED.split(),
    *["", " ", "a: b", "a #b", " a", "a ", "a\nb", "a\n", "\na", "a\n\nb\n\n", "  a\nb", "a\n  b"],
    *["a \nb", "\x85", "a\u2028b\u2029", "\ufeff", "\0", "\x7f", "\ufffe", "\U0010ffff", "\u00a0"],
    *["\t", "a\tb\nc", "a\r\nb", "a\rb", "- a", "a\n---\nb", "a\n...\n", "x" * 2000],
]
YAML_1_1_TYPES = re.compile(
    r"""~|null|y|n|yes|no|on|off|true|false|=|<<
      | [-+]?(0b[01_]+|0x[\da-f_]+|[\d_,]+(:[0-5]?\d)*)
      | [-+]?([\d_]*\.[\d_.]*(e[-+]?\d+)?|[\d_]+e[-+]?\d+|[\d_]+(:[0-5]?\d)+\.[\d_]*|\.inf|\.nan)
      | \d{4}-\d\d?-\d\d?([Tt\s].*)?""",
    re.VERBOSE | re.IGNORECASE,
)
TEXTS = st.one_of(
    st.sampled_from(ODD_TEXTS),
    st.text(max_size=12),
    st.text(alphabet="ab:#- \n\"'[]{},|>&*!%@`?\t", max_size=8),
)
NAMES = TEXTS.filter(lambda name: len(name) < 100)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
)
VALUES = st.recursive(
    SCALARS,
    lambda value: st.one_of(st.lists(value, max_size=3), st.dictionaries(NAMES, value, max_size=3)),
    max_leaves=6,
)
PROPERTIES = st.dictionaries(NAMES, VALUES, max_size=4)
# Lines from which people's blocks are made, valid together or not.
LINES = r"""a: 1
b: x # comment
c: "quoted"
d: 'it''s'
e: [x, "y z"]
f: {k: v}
g:
  - one
  - "[[two]]" # comment
  # - three
h:
- x
- y: 1
  z: 2
i: |
  text

  # no comment
  b: no
j: >-
  folded
  text
k:
  nested:
    a: deep
"l: m": 1
n o : 2
p: [
  x
]
q: &anchor v
r: *anchor
s: 2024-05-06
# comment

t: [[Note]]
u:
v: "runs
  on"
w:   spaced
"""
ENTRIES = [
    "".join(part.text for part in pair) for pair in zip(*[iter(cut(LINES)[1:])] * 2, strict=True)
]
BLOCKS = st.one_of(
    st.lists(st.sampled_from(ENTRIES), max_size=8, unique=True).map("".join),
    st.text(alphabet="ab:#- \n\"'[]{},|>&*.é", max_size=40).map(lambda text: f"{text}\n"),
    PROPERTIES.map(frontmatter.dump),
)
BODIES = st.one_of(st.text(max_size=20), st.sampled_from(["---\na\n---\n", "...\n", "\n\ntext"]))


def note(yaml: str, body: str) -> str:
    return f"---\n{yaml}---\n{body}"


NOTES = st.one_of(BODIES, st.builds(note, BLOCKS, BODIES))


def is_valid(text: str) -> bool:
    return frontmatter.read(text).error is None


def body(text: str) -> str:
    block = frontmatter.split(text)
    return text[block.body_start :] if block else text


@pytest.mark.parametrize(("text", "expected"), cases("frontmatter_read.md"))
def test_reading(text: str, expected: str) -> None:
    found = frontmatter.read(text)
    shown = found.error or json.dumps(found.properties, ensure_ascii=False)
    assert shown == expected
    assert found.error is None or found.properties == {}


@pytest.mark.parametrize(("text", "properties", "expected"), cases("frontmatter_replace.md"))
def test_replacing(text: str, properties: str, expected: str) -> None:
    wanted = json.loads(properties)
    assert frontmatter.replace(text, wanted) == expected
    assert same_properties(frontmatter.read(expected).properties, wanted)


@pytest.mark.parametrize(("properties", "expected"), cases("frontmatter_dump.md"))
def test_dumping(properties: str, expected: str) -> None:
    assert frontmatter.dump(json.loads(properties)) == f"{expected}\n"


@given(PROPERTIES)
@example({"a": [["x"]], "b": [[["x"], "y"]], "c": float("1e16"), "d": 5e-324})
def test_what_is_dumped_reads_back(properties: dict[str, object]) -> None:
    text = f"---\n{frontmatter.dump(properties)}---\n"
    found = frontmatter.read(text)
    assert found.error is None
    assert same_properties(found.properties, normalised(properties))


@given(TEXTS)
def test_text_that_yaml_1_1_would_take_for_something_else_is_quoted(text: str) -> None:
    value = frontmatter.dump({"a": text}).removeprefix("a: ").removesuffix("\n")
    assert YAML_1_1_TYPES.fullmatch(value) is None


@given(PROPERTIES)
def test_a_yaml_1_1_reader_reads_the_same(properties: dict[str, object]) -> None:
    yaml = pytest.importorskip("yaml")
    read: dict[str, Json] = yaml.safe_load(frontmatter.dump(properties)) or {}
    assert same_properties(read, normalised(properties))


@given(NOTES.filter(is_valid), PROPERTIES)
def test_what_is_put_in_reads_back_and_the_body_stays(
    text: str, properties: dict[str, object]
) -> None:
    replaced = frontmatter.replace(text, properties)
    assert same_properties(frontmatter.read(replaced).properties, normalised(properties))
    assert body(replaced) == body(text)


@given(NOTES.filter(is_valid))
def test_putting_in_what_is_there_changes_nothing(text: str) -> None:
    assert frontmatter.replace(text, frontmatter.read(text).properties) == text


@given(st.lists(st.sampled_from(ENTRIES), min_size=1, unique=True), st.data())
def test_a_change_leaves_every_byte_of_the_other_properties(
    entries: list[str], data: st.DataObject
) -> None:
    text = f"---\n{''.join(entries)}---\nbody"
    names = list(frontmatter.read(text).properties)
    at = data.draw(st.integers(0, len(names) - 1)) if names else 0
    # Aliases and what they stand for change together.
    if not names or names[at] == "q" or "r: *anchor\n" in entries:
        return
    changed = frontmatter.change(text, names[at], data.draw(VALUES))
    before, after = "".join(entries[:at]), "".join(entries[at + 1 :])
    assert changed.startswith(f"---\n{before}")
    assert changed.endswith(f"{after}---\nbody")


@given(st.text(alphabet="-. \na", max_size=30))
def test_the_block_is_the_lines_between_the_first_two_fences(text: str) -> None:
    lines = text.split("\n")
    fences = [at for at, line in enumerate(lines) if at and line.rstrip(" ") in {"---", "..."}]
    block = frontmatter.split(text)
    if lines[0].rstrip(" ") != "---" or not fences:
        assert block is None
        return
    assert block is not None
    assert text[block.start : block.end] == block.yaml
    assert block.yaml == "".join(f"{line}\n" for line in lines[1 : fences[0]])
    assert text[block.body_start :] == "\n".join(lines[fences[0] + 1 :])


@given(st.text(max_size=60).map(lambda yaml: f"---\n{yaml}\n---\n"))
def test_reading_never_fails(text: str) -> None:
    found = frontmatter.read(text)
    assert json.loads(json.dumps(found.properties)) == found.properties


def test_one_property_can_be_set_and_removed() -> None:
    text = frontmatter.change("body", "a", 1)
    assert text == "---\na: 1\n---\nbody"
    assert frontmatter.change(text, "b", [2]) == "---\na: 1\nb:\n  - 2\n---\nbody"
    assert frontmatter.remove(text, "b") == text
    assert frontmatter.remove(text, "a") == "body"


CHANGES: list[Callable[[str], str]] = [
    lambda text: frontmatter.replace(text, {"a": 1}),
    lambda text: frontmatter.replace(text, {}),
    lambda text: frontmatter.change(text, "a", 1),
    lambda text: frontmatter.remove(text, "a"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_block_that_is_not_valid_is_not_changed(change: Callable[[str], str]) -> None:
    with pytest.raises(BadArgument, match=r"not valid YAML \(line 3: .*\)\. Mend that first"):
        change("---\na: 1\nb: [\n---\n")


def test_a_block_may_take_64_kib_and_no_more() -> None:
    def note(size: int) -> str:
        return f"---\na: {'é' * (size // 2 - 2)}\n---\nbody"

    full = note(64 * 1024)
    assert frontmatter.split(full) is not None
    assert frontmatter.split(note(64 * 1024 + 2)) is None
    with pytest.raises(BadArgument, match="would take over 64 KiB"):
        frontmatter.change(full, "b", 1)
    with pytest.raises(BadArgument, match="is over 64 KiB"):
        frontmatter.replace(note(64 * 1024 + 2), {"b": 1})
    with pytest.raises(BadArgument, match="would take over 64 KiB"):
        frontmatter.replace("body", {"a": "x" * 70_000})


@pytest.mark.parametrize("end", ["", "\n", "  ", " " * 253])
def test_a_fence_at_the_limit_closes_the_block(end: str) -> None:
    assert frontmatter.split(f"---\n{'#' * (64 * 1024 - 1)}\n---{end}") is not None


@pytest.mark.parametrize("end", ["-", " x", " " * 253 + "x"])
def test_a_line_that_only_starts_like_a_fence_does_not(end: str) -> None:
    assert frontmatter.split(f"---\n{'#' * (64 * 1024 - 1)}\n---{end}") is None


def test_a_name_that_yaml_cannot_hold_on_a_line_is_refused() -> None:
    assert frontmatter.read(f"---\n{frontmatter.dump({'k' * 1000: 1})}---\n").error is None
    with pytest.raises(BadArgument, match="name is over 1000"):
        frontmatter.dump({"\x01" * 200: 1})


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes"])
def test_a_value_that_is_not_json_is_refused(value: object) -> None:
    with pytest.raises(BadArgument, match="A property cannot be a"):
        frontmatter.replace("", {"a": value})


def test_nesting_has_a_limit_in_both_directions() -> None:
    deep: object = 1
    for _ in range(120):
        deep = {"a": deep}
    assert frontmatter.read(frontmatter.change("", "a", deep)).properties == {"a": deep}
    with pytest.raises(BadArgument, match="nested too deep"):
        frontmatter.change("", "a", {"a": [[[[[[[[[[deep]]]]]]]]]]})


def test_an_integer_beyond_64_bits_is_written_as_text() -> None:
    assert frontmatter.dump({"a": 2**64 - 1, "b": 2**64}) == (
        'a: 18446744073709551615\nb: "18446744073709551616"\n'
    )


def _bomb() -> str:
    levels = (
        f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n"
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    return f"a: &a [x]\n{''.join(levels)}"


HOSTILE = {
    "a bomb of aliases": _bomb(),
    "aliases of a long text": f"a: &a {'x' * 30_000}\nb: [{', '.join(['*a'] * 8000)}]\n",
    "open braces": "a: " + "{" * 60_000 + "\n",
    "open brackets": "a: " + "[" * 60_000 + "\n",
    "open maps": "a: " + "{a: " * 15_000 + "\n",
    "keys": "".join(f"k{n}: 1\n" for n in range(4000)),
    "dashes": "- " * 30_000 + "\n",
    "questions": "? " * 30_000 + "\n",
    "quotes": 'a: "' + '\\"' * 30_000 + "\n",
    "spaces": "a" + " " * 60_000 + "\n",
    "spaces and comments": "a: x" + " #" * 30_000 + "\n",
    "long integers": "a: [" + "9" * 30 + (", " + "9" * 30) * 1000 + "]\n",
    "colons": "a" + ":" * 60_000 + "\n",
}


@pytest.mark.parametrize("yaml", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_yaml_is_read_or_refused_at_once(yaml: str) -> None:
    started = process_time()
    text = f"---\n{yaml}---\n"
    found = frontmatter.read(text)
    assert len(json.dumps(found.properties)) < 1_000_000
    if found.error is None:
        frontmatter.change(text, "new", 1)
        frontmatter.replace(text, {name: [1] for name in found.properties})
    assert process_time() - started < 1


def test_a_few_aliases_are_welcome() -> None:
    aliases = ", ".join(["*a"] * ALIASES_MAX)
    assert frontmatter.read(f"---\na: &a x\nb: [{aliases}]\n---\n").error is None
    found = frontmatter.read(f"---\na: &a x\nb: [{aliases}, *a]\n---\n")
    assert found.error is not None
    assert "more than 16 aliases" in found.error
