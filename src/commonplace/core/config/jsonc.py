"""JSON as editors write it, with comments and commas at the end, changed member by member.

`read` keeps the place of every value, so that a change is a cut in the text and nothing more.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_NESTING_MAX = 100

_BLANK = " \t\r\n"


@dataclass(frozen=True, slots=True)
class _JsonValue:
    """A value, and where in the text it stands; `members` if it is an object."""

    value: object
    start: int
    end: int
    members: "tuple[_Member, ...]" = ()


@dataclass(frozen=True, slots=True)
class _Member:
    key: str
    start: int
    node: _JsonValue
    comma: int | None = None
    """Where the comma after it stands, if there is one."""


def read(text: str) -> object:
    """Return the value of a text."""
    return _parse(text).value


def put(text: str, section: str, name: str, entry: Mapping[str, object]) -> str:
    """Put a member into a section, or in the place of one of the same name."""
    if not text.strip("\ufeff" + _BLANK):
        return text.rstrip(_BLANK) + _dumped("", {section: {name: entry}}, "") + "\n"
    root = _parse(text)
    within = _member(root, section)
    if within is None:
        return _inserted(text, root, section, {name: entry})
    old = _member(within.node, name)
    if old is None:
        return _inserted(text, within.node, name, entry)
    one_line = "\n" not in text[old.node.start : old.node.end]
    written = _one_line(entry) if one_line else _dumped(text, entry, _indent_of(text, old.start))
    return text[: old.node.start] + written + text[old.node.end :]


def remove(text: str, section: str, name: str, *, keep: bool) -> str:
    """Cut a member out of a section, and the section if it is empty then and not kept."""
    root = _parse(text)
    within = _member(root, section)
    found = _member(within.node, name) if within else None
    if within is None or found is None:
        return text
    if not keep and _alone(text, within.node, found):
        return _without(text, root, section)
    return _without(text, within.node, name)


# -- cuts


def _inserted(text: str, into: _JsonValue, key: str, value: object) -> str:
    """Write a member behind the others, in the way in which they are written."""
    close = into.end - 1
    inner = text[into.start + 1 : close]
    last = into.members[-1] if into.members else None
    if last and "\n" not in inner:
        member = f"{json.dumps(key)}: {_one_line(value)}"
        at = _end(last)
        after = "," if last.comma is not None else ""
        before = " " if last.comma is not None else ", "
        return text[:at] + before + member + after + text[at:]
    line, outer = _newline(text), _indent_of(text, into.start)
    indent = (last and _indent_of(text, last.start)) or outer + _unit(text)
    member = f"{line}{indent}{json.dumps(key)}: {_dumped(text, value, indent)}"
    at = into.start + 1 + len(inner.rstrip(_BLANK))
    ending = "" if "\n" in text[at:close] else line + outer
    if last is None:
        return text[:at] + member + ending + text[at:]
    if last.comma is not None:
        return text[:at] + member + "," + ending + text[at:]
    return text[: last.node.end] + "," + text[last.node.end : at] + member + ending + text[at:]


def _without(text: str, within: _JsonValue, key: str) -> str:
    at = next(i for i, member in enumerate(within.members) if member.key == key)
    found, before = within.members[at], within.members[at - 1] if at else None
    if _alone(text, within, found):
        return text[: within.start] + "{}" + text[within.end :]
    start, end = len(text[: found.start].rstrip(_BLANK)), _end(found)
    if before and before.comma is not None and found.comma is None:
        return text[: before.comma] + text[before.comma + 1 : start] + text[end:]
    return text[:start] + text[end:]


def _alone(text: str, within: _JsonValue, member: _Member) -> bool:
    """Say whether an object holds this member and nothing else, not even a comment."""
    around = text[within.start + 1 : member.start] + text[_end(member) : within.end - 1]
    return not around.strip(_BLANK)


def _end(member: _Member) -> int:
    return member.node.end if member.comma is None else member.comma + 1


def _member(node: _JsonValue, key: str) -> _Member | None:
    found = [member for member in node.members if member.key == key]
    if len(found) > 1:
        raise ValueError(f"{key!r} stands in it twice")
    return found[0] if found else None


# -- how it is written


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent_of(text: str, at: int) -> str:
    """Return the blanks that the line of a place begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """Return what one step of indentation is in this text."""
    for line in text.splitlines():
        blanks = line[: len(line) - len(line.lstrip(" \t"))]
        if blanks and line.strip() and line.strip()[0] == '"':
            return "\t" if blanks[0] == "\t" else blanks
    return "  "


def _one_line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _dumped(text: str, value: object, indent: str) -> str:
    dumped = json.dumps(value, indent=_unit(text), ensure_ascii=False)
    return dumped.replace("\n", _newline(text) + indent)


# -- reading


def _parse(text: str) -> _JsonValue:
    reader = _JsonReader(text, 1 if text.startswith("\ufeff") else 0)
    node = reader.value(0)
    if reader.skip() != len(text):
        raise ValueError(f"something follows the end, at character {reader.at}")
    return node


@dataclass(slots=True)
class _JsonReader:
    text: str
    at: int
    decoder: json.JSONDecoder = field(default_factory=json.JSONDecoder)

    def skip(self) -> int:
        """Go past blanks and comments."""
        while True:
            rest = self.text[self.at : self.at + 2]
            if rest[:1] and rest[0] in _BLANK:
                self.at += 1
            elif rest == "//":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif rest == "/*":
                end = self.text.find("*/", self.at + 2)
                if end < 0:
                    raise ValueError("a comment has no end")
                self.at = end + 2
            else:
                return self.at

    def value(self, depth: int) -> _JsonValue:
        if depth > _NESTING_MAX:
            raise ValueError("it is nested too deep")
        start = self.skip()
        opened = self.text[start : start + 1]
        if opened == "{":
            members = tuple(self._members(depth))
            value = {member.key: member.node.value for member in members}
            return _JsonValue(value, start, self.at, members)
        if opened == "[":
            items = [node.value for node in self._items(depth)]
            return _JsonValue(items, start, self.at)
        value, self.at = self.decoder.raw_decode(self.text, start)
        return _JsonValue(value, start, self.at)

    def _members(self, depth: int) -> Iterator[_Member]:
        self.at += 1
        while not self._closed("}"):
            start = self.at
            key, self.at = self.decoder.raw_decode(self.text, start)
            self.skip()
            if not isinstance(key, str) or self.text[self.at : self.at + 1] != ":":
                raise ValueError(f"a name and a colon are missing at character {start}")
            self.at += 1
            node = self.value(depth + 1)
            yield _Member(key, start, node, self._comma("}"))

    def _items(self, depth: int) -> Iterator[_JsonValue]:
        self.at += 1
        while not self._closed("]"):
            yield self.value(depth + 1)
            self._comma("]")

    def _closed(self, bracket: str) -> bool:
        self.skip()
        closed = self.text[self.at : self.at + 1] == bracket
        self.at += closed
        return closed

    def _comma(self, bracket: str) -> int | None:
        at = self.skip()
        if self.text[at : at + 1] == ",":
            self.at += 1
            return at
        if self.text[at : at + 1] != bracket:
            raise ValueError(f"a comma is missing at character {at}")
        return None
