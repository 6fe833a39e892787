"""What an agent tells in the protocol's own types, as events and questions of ours."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from commonplace.agent.events import (
    EVENT_TITLE_CHARS_MAX,
    INPUT_CHARS_MAX,
    ITEMS_MAX,
    Event,
    Question,
    full_input,
    input_of,
    mapping_of,
    text_of,
)

if TYPE_CHECKING:
    from acp import schema

    ConfigOption = schema.SessionConfigOptionSelect | schema.SessionConfigOptionBoolean

__all__ = ["event_of", "mode_option", "modes_of", "question_of", "text_of"]

MODES_MAX = 50
_PATH_CHARS_MAX = 1_000
_DIFF_CHARS_MAX = 20_000
_COMMANDS = frozenset(("command", "cmd", "script", "code"))


def event_of(update: Any) -> Event | None:  # noqa: ANN401 (one of the protocol's many kinds)
    """Return an update as an event; None for a kind that nobody is shown."""
    match update.session_update:
        case "agent_message_chunk":
            return _said("said", update)
        case "agent_thought_chunk":
            return _said("thought", update)
        case "plan":
            entries = [_planned(each) for each in update.entries[:ITEMS_MAX]]
            return {"kind": "plan", "entries": entries} if entries else None
        case "tool_call" | "tool_call_update":
            return _step(update)
        case "available_commands_update":
            return {"kind": "commands", "offered": _commands(update.available_commands)}
        case "current_mode_update":
            return {"kind": "modes", "current": text_of(update.current_mode_id, 100)}
        case "config_option_update":
            return modes_of(None, update.config_options)
        case _:
            return None


def modes_of(
    modes: "schema.SessionModeState | None", options: "Sequence[ConfigOption] | None"
) -> Event | None:
    """Return the modes that an agent offers: as such, or as newer ones do, among its options."""
    if modes is not None:
        offered = [(one.id, one.name) for one in modes.available_modes]
        current = modes.current_mode_id
    elif (option := mode_option(options)) is not None:
        offered = [(one.value, one.name) for one in _values(option)]
        current = option.current_value
    else:
        return None
    return {
        "kind": "modes",
        "current": current,
        "offered": [{"id": id, "name": text_of(name, 100)} for id, name in offered[:MODES_MAX]],
    }


def mode_option(
    options: "Sequence[ConfigOption] | None",
) -> "schema.SessionConfigOptionSelect | None":
    """Return the option of a session that is its mode; None if there is none."""
    found = (one for one in options or () if one.type == "select" and one.category == "mode")
    return next(found, None)


def _values(option: "schema.SessionConfigOptionSelect") -> "list[schema.SessionConfigSelectOption]":
    """Return what can be chosen, whether or not it is put into groups."""
    listed: list[Any] = list(option.options)
    return [each for one in listed for each in getattr(one, "options", [one])]


def question_of(call: "schema.ToolCallUpdate") -> Question:
    """Return what an agent wants to do, in full."""
    given, title, diffs = full_input(call.raw_input), call.title or "", _diffs(call)
    return Question(
        step=text_of(call.tool_call_id, 200),
        title=text_of(title, EVENT_TITLE_CHARS_MAX),
        tool=call.kind or "other",
        given=text_of(given, INPUT_CHARS_MAX),
        paths=tuple(_paths(call)),
        diffs=tuple(diffs),
        runs=call.kind == "execute" or not _COMMANDS.isdisjoint(mapping_of(call.raw_input)),
        whole=len(given) <= INPUT_CHARS_MAX
        and len(title) <= EVENT_TITLE_CHARS_MAX
        and _are_whole(call.content or []),
    )


def _said(kind: str, update: Any) -> Event | None:  # noqa: ANN401
    content = update.content
    if content.type == "text":
        return {"kind": kind, "text": text_of(content.text)}
    if content.type == "resource_link":
        return {"kind": kind, "text": text_of(f"[{content.name}]({content.uri})", 2_000)}
    return {"kind": kind, "text": f"({content.type})"}


def _planned(entry: "schema.PlanEntry") -> Event:
    return {"text": text_of(entry.content, EVENT_TITLE_CHARS_MAX), "status": entry.status}


def _step(call: Any) -> Event:  # noqa: ANN401
    """Tell of a tool call; what an update is silent about is left out, and stays as it was."""
    step: Event = {"kind": "step", "id": text_of(call.tool_call_id, 200)}
    if call.title is not None:
        step["title"] = text_of(call.title, EVENT_TITLE_CHARS_MAX)
    if call.kind is not None:
        step["tool"] = call.kind
    if call.status is not None:
        step["status"] = call.status
    if call.raw_input is not None:
        step["given"] = input_of(call.raw_input)
    if call.locations is not None:
        step["places"] = [
            {"path": text_of(each.path, _PATH_CHARS_MAX), "line": each.line}
            for each in call.locations[:ITEMS_MAX]
        ]
    if call.content is not None:
        step["diffs"] = list(_diffs(call))
        texts = [c.content.text for c in call.content if c.type == "content" and _is_text(c)]
        step["text"] = text_of("\n".join(texts), 20_000)
    return step


def _is_text(content: Any) -> bool:  # noqa: ANN401
    return content.content.type == "text"


def _diffs(call: Any) -> list[Event]:  # noqa: ANN401
    content: list[Any] = call.content or []
    return [
        {
            "path": text_of(each.path, _PATH_CHARS_MAX),
            "old": text_of(each.old_text or "", _DIFF_CHARS_MAX),
            "new": text_of(each.new_text, _DIFF_CHARS_MAX),
        }
        for each in content[:ITEMS_MAX]
        if each.type == "diff"
    ]


def _are_whole(content: list[Any]) -> bool:
    """Tell whether every diff can be shown to its end."""
    diffs = [each for each in content if each.type == "diff"]
    return len(content) <= ITEMS_MAX and all(
        max(len(each.old_text or ""), len(each.new_text)) <= _DIFF_CHARS_MAX for each in diffs
    )


def _paths(call: Any) -> list[str]:  # noqa: ANN401
    """Return every file that a call names: in its places, its diffs and its input."""
    places: list[Any] = call.locations or []
    content: list[Any] = call.content or []
    given = mapping_of(call.raw_input)
    found: list[str] = [each.path for each in places]
    found += [each.path for each in content if each.type == "diff"]
    names = ("path", "file_path", "notebook_path", "abs_path", "filePath")
    found += [given[name] for name in names if isinstance(given.get(name), str)]
    return list(dict.fromkeys(found))[:ITEMS_MAX]


def _commands(offered: "list[schema.AvailableCommand]") -> list[Event]:
    return [
        {"name": text_of(each.name, 100), "description": text_of(each.description, 300)}
        for each in offered[:ITEMS_MAX]
    ]
