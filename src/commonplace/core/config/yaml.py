"""YAML, changed by lines: an entry is a key of a block mapping, and the lines indented below it."""

import json
from collections.abc import Mapping

from ryaml import loads  # pyright: ignore[reportPrivateImportUsage]

_STEP = "  "


def read(text: str) -> object:
    """Return the value of a text."""
    return loads(text.removeprefix("\ufeff"))


def put(text: str, section: str, name: str, entry: Mapping[str, object]) -> str:
    """Write an entry behind the others of its section, or in the place of an older one."""
    line = _line_end(text)
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += line
    found = _block(lines, 0, len(lines), section)
    if found is None:
        return "".join([*lines, f"{section}:{line}", *_written(name, entry, _STEP, line)])
    start, end = found
    if lines[start].rstrip().endswith("{}"):
        lines[start] = f"{section}:{line}"
    indent = next((_indent(each) for each in lines[start + 1 : end] if _says(each)), _STEP) or _STEP
    old = _block(lines, start + 1, end, name, indent)
    first, last = old or (end, end)
    lines[first:last] = _written(name, entry, indent, line)
    return "".join(lines)


def remove(text: str, section: str, name: str, *, keep: bool) -> str:
    """Cut an entry out, and its section if that is empty then and not kept."""
    lines = text.splitlines(keepends=True)
    found = _block(lines, 0, len(lines), section)
    if found is None:
        return text
    start, end = found
    indent = next((_indent(each) for each in lines[start + 1 : end] if _says(each)), _STEP)
    old = _block(lines, start + 1, end, name, indent)
    if old is None:
        return text
    first, last = old
    if not any(map(_says, [*lines[start + 1 : first], *lines[last:end]])):
        first, last = start, end
    lines[first:last] = [f"{section}: {{}}{_line_end(text)}"] if keep and first == start else []
    return "".join(lines)


def _block(
    lines: list[str], start: int, end: int, key: str, indent: str = ""
) -> tuple[int, int] | None:
    """Return from which line to which a key goes, among those of one indentation."""
    keys = (f"{key}:", f'"{key}":', f"'{key}':")
    for at in range(start, end):
        if _indent(lines[at]) == indent and lines[at].strip().startswith(keys):
            last = at + 1
            for below in range(at + 1, end):
                if _says(lines[below]):
                    deeper = len(_indent(lines[below])) > len(indent)
                    if not deeper:
                        break
                    last = below + 1
            return at, last
    return None


def _written(name: str, entry: Mapping[str, object], indent: str, line: str) -> list[str]:
    inner = indent + (indent or _STEP)
    key = name if name.isascii() and name.replace("-", "").isalpha() else json.dumps(name)
    values = [
        f"{inner}{key}: {json.dumps(value, ensure_ascii=False)}{line}"
        for key, value in entry.items()
    ]
    return [f"{indent}{key}:{line}", *values]


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _says(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))]
