"""TOML, changed table by table: an entry is the block under `[section.name]` and its sub-tables.

A header is recognised by reading the line alone; what looks like one inside a longer value is
found out when the result is read.
"""

import json
import tomllib
from collections.abc import Mapping
from typing import cast


def read(text: str) -> object:
    """Return the table of a text."""
    return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))


def put(text: str, section: str, name: str, entry: Mapping[str, object]) -> str:
    """Write the block of an entry at the end, or in the place of an older one."""
    line = "\r\n" if "\r\n" in text else "\n"
    block = [f"[{_key(section)}.{_key(name)}]"]
    block += [
        f"{_key(key)} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()
    ]
    lines = text.splitlines(keepends=True)
    found = _blocks(lines, section, name)
    if not found:
        gap = "" if not text.strip("\ufeff") else line if text.endswith("\n") else line * 2
        return text + gap + line.join(block) + line
    (first, end), *others = found
    for start, stop in reversed(others):
        del lines[start:stop]
    lines[first:end] = [line.join(block) + line]
    return "".join(lines)


def remove(text: str, section: str, name: str, *, keep: bool) -> str:
    """Cut the block of an entry out, with the blank line before it; a section's header stays."""
    lines = text.splitlines(keepends=True)
    for start, end in reversed(_blocks(lines, section, name)):
        first = start - 1 if start and not lines[start - 1].strip() else start
        del lines[first:end]
    return "".join(lines)


def _blocks(lines: list[str], section: str, name: str) -> list[tuple[int, int]]:
    """Return from which line to which the tables of an entry go."""
    headers = [(at, path) for at, line in enumerate(lines) if (path := _header(line))]
    ends = [*(at for at, _ in headers[1:]), len(lines)]
    return [
        (at, _last(lines, at, end))
        for (at, path), end in zip(headers, ends, strict=False)
        if path[:2] == (section, name)
    ]


def _last(lines: list[str], start: int, end: int) -> int:
    """Return where a block ends; what stands just before the next belongs to that."""
    while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].lstrip()[0] == "#"):
        end -= 1
    return end


def _header(line: str) -> tuple[str, ...]:
    """Return the path of keys that a line is the header of; nothing if it is none."""
    if not line.lstrip().startswith("["):
        return ()
    try:
        table: object = tomllib.loads(line.strip("\ufeff\r\n"))
    except tomllib.TOMLDecodeError:
        return ()
    path: list[str] = []
    while isinstance(table, dict) and len(cast("dict[str, object]", table)) == 1:
        ((key, table),) = cast("dict[str, object]", table).items()
        path.append(key)
    return tuple(path)


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if bare else json.dumps(name, ensure_ascii=False)
