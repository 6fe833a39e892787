"""One entry put into, or taken out of, another program's settings file, as text.

Everything else in the file keeps every byte: comments, order, line ends, the lack of a last
newline. Each format is edited as text at the place found, and the result is then read by a parser:
if it does not say exactly what it should, nothing is changed and the person is told so.

An entry is a table of plain values with a name, inside a section: `mcpServers.notes` in JSON,
`[mcp_servers.notes]` in TOML, `extensions: notes:` in YAML.
"""

from collections.abc import Callable, Mapping
from typing import Literal, Protocol, cast

from commonplace.core.config import jsonc, toml, yaml
from commonplace.errors import BadArgument

Format = Literal["json", "toml", "yaml"]
Entry = Mapping[str, object]


class _Editor(Protocol):
    def read(self, text: str) -> object: ...
    def put(self, text: str, section: str, name: str, entry: Entry) -> str: ...
    def remove(self, text: str, section: str, name: str, *, keep: bool) -> str: ...


_EDITORS: dict[Format, _Editor] = {"json": jsonc, "toml": toml, "yaml": yaml}


def entries(kind: Format, text: str, section: str) -> dict[str, object]:
    """Return what a section holds; nothing if there is none."""
    found = _read(kind, text).get(section)
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}


def is_empty(kind: Format, text: str, section: str) -> bool:
    """Say whether a section is there, and nothing in it."""
    whole = _read(kind, text)
    return section in whole and not whole[section]


def put(kind: Format, text: str, section: str, name: str, entry: Entry) -> str:
    """Return the text with this entry, in the place of an older one of its name."""
    before = _read(kind, text)
    wanted = {**before, section: {**_section(before, section), name: dict(entry)}}
    return _checked(kind, lambda edit: edit.put(text, section, name, entry), wanted)


def remove(kind: Format, text: str, section: str, name: str, *, keep: bool = False) -> str:
    """Return the text without this entry; a section that is empty then goes, unless it is kept."""
    before = _read(kind, text)
    left = {key: value for key, value in _section(before, section).items() if key != name}
    if len(left) == len(_section(before, section)):
        return text
    wanted = {**before, section: left}
    return _checked(kind, lambda edit: edit.remove(text, section, name, keep=keep), wanted, section)


def _checked(
    kind: Format,
    change: Callable[[_Editor], str],
    wanted: Mapping[str, object],
    emptied: str = "",
) -> str:
    """Refuse a text that does not say what it should; an empty section may be there or not."""
    try:
        text = change(_EDITORS[kind])
        found = _read(kind, text)
    except (BadArgument, ValueError):
        text, found = "", None
    if found is not None and emptied and not wanted.get(emptied):
        wanted = {key: value for key, value in wanted.items() if key != emptied}
        found = {key: value for key, value in found.items() if key != emptied or value}
    if found != wanted:
        raise BadArgument(
            "The settings file is written in a way that cannot be changed safely. "
            "Change it by hand: leave out --write to see what belongs into it."
        )
    return text


def _section(whole: Mapping[str, object], section: str) -> dict[str, object]:
    found = whole.get(section)
    if not isinstance(found, dict | None):
        raise BadArgument(f"{section!r} in the settings file is not a table. Mend that by hand.")
    return cast("dict[str, object]", found or {})


def _read(kind: Format, text: str) -> dict[str, object]:
    try:
        found: object = _EDITORS[kind].read(text) if text.strip("\ufeff \t\r\n") else {}
    except (ValueError, RecursionError) as error:
        raise BadArgument(
            f"The settings file is not valid {kind.upper()} ({error}). Mend that first."
        ) from None
    if not isinstance(found, dict | None):
        raise BadArgument("The settings file holds something other than a table. Mend that first.")
    return cast("dict[str, object]", found or {})
