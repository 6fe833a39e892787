"""The guide in `demo/`, as data: its fenced blocks, and the commands in its prose.

An answer that the guide shows carries its call in the words behind the block's language, where no
reader meets it: "```text read {"file_path": "Start here.md"}" shows what `read` answers. A block of
JSON with the name of a tool alone shows arguments. `…` stands for anything.
"""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "demo"

_BLOCK = re.compile(r"^(`{3,})([^\n`]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`(commonplace [^`\n]+)`")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: where it stands, its language, its call, its text."""

    note: str
    line: int
    language: str
    call: str
    text: str

    @property
    def tool(self) -> str:
        """The tool that is called."""
        return self.call.partition(" ")[0]

    @property
    def arguments(self) -> dict[str, Any] | None:
        """What it is called with, or None where the text itself is that."""
        given = self.call.partition(" ")[2]
        return json.loads(given) if given else None

    def __str__(self) -> str:
        """Name it for a test's list."""
        return f"{self.note}:{self.line}"


def notes() -> list[Path]:
    """Return all notes of the guide."""
    return sorted(DEMO.rglob("*.md"))


def blocks() -> Iterator[Block]:
    """Return all fenced blocks of the guide."""
    for path in notes():
        text = path.read_text("utf-8")
        for found in _BLOCK.finditer(text):
            language, _, call = found[2].strip().partition(" ")
            line = text.count("\n", 0, found.start()) + 1
            yield Block(str(path.relative_to(DEMO)), line, language, call.strip(), found[3])


def shell_lines() -> Iterator[tuple[str, list[str]]]:
    """Return each line of the shell blocks, and where it stands, as words without comments."""
    for block in blocks():
        if block.language != "sh":
            continue
        for line in block.text.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words:
                yield str(block), words


def prose_commands() -> Iterator[tuple[str, str]]:
    """Return the commands that stand in the prose, and in which note."""
    for path in notes():
        prose = _BLOCK.sub("", path.read_text("utf-8"))
        for found in _INLINE.finditer(prose):
            yield str(path.relative_to(DEMO)), found[1]


def fits(shown: str, answer: str) -> bool:
    """Tell whether an answer is what the guide shows, `…` being anything."""
    pattern = ".*?".join(re.escape(part) for part in shown.strip("\n").split("…"))
    return re.fullmatch(pattern, answer.strip("\n"), re.DOTALL) is not None


def fits_json(shown: Any, answer: Any) -> bool:
    """Tell whether data is what the guide shows, in any order of keys, "…" being anything."""
    if shown == "…":
        return True
    if isinstance(shown, dict) and isinstance(answer, dict):
        wanted, given = cast("dict[str, Any]", shown), cast("dict[str, Any]", answer)
        return wanted.keys() == given.keys() and all(
            fits_json(value, given[key]) for key, value in wanted.items()
        )
    return shown == answer
