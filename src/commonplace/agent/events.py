"""What a conversation consists of, as plain JSON values for the page, the terminal and the disk.

Every text of an agent is bounded here, and holds no half characters.
"""

import json
from dataclasses import dataclass, field
from typing import Any, Literal, cast

TEXT_CHARS_MAX = 200_000
EVENT_TITLE_CHARS_MAX = 2_000
INPUT_CHARS_MAX = 20_000
ITEMS_MAX = 100

Event = dict[str, Any]
Choice = Literal["once", "conversation", "no"]


def text_of(given: object, chars_max: int = TEXT_CHARS_MAX) -> str:
    """Return a text that can be kept and sent; what is too long says how much was left out."""
    text = given if isinstance(given, str) else ""
    text = text.encode("utf-8", "replace").decode()
    if len(text) <= chars_max:
        return text
    return f"{text[:chars_max]}… ({len(text) - chars_max:,} more characters)"


def input_of(given: object) -> str:
    """Write what a tool is called with as text, bounded."""
    return text_of(full_input(given), INPUT_CHARS_MAX)


def mapping_of(given: object) -> Event:
    """Return the fields of a JSON object; none of anything else."""
    return cast("Event", given) if isinstance(given, dict) else {}


def full_input(given: object) -> str:
    """Write what a tool is called with as text that shows all of it; a command as it is."""
    fields = mapping_of(given)
    if isinstance(command := fields.get("command"), str):
        others = {key: value for key, value in fields.items() if key != "command"}
        return command + (f"\n{_json(others)}" if others else "")
    return "" if given is None else _json(given)


def _json(given: object) -> str:
    try:
        return json.dumps(given, ensure_ascii=False, indent=1, default=str)
    except (ValueError, RecursionError):
        return "(too deep to show)"


@dataclass(frozen=True, slots=True)
class Question:
    """What an agent asks a person before it does it.

    `tool` is the kind that it says it is of (`execute`, `edit`, …), `given` all that it wants to
    run or write, and `paths` the files of the machine that it names. It `runs` a program by what it
    says or by what it is given, and is `whole` if nothing of that was too long to be shown.
    """

    step: str
    title: str
    tool: str
    given: str
    paths: tuple[str, ...] = ()
    diffs: tuple[Event, ...] = ()
    runs: bool = False
    whole: bool = True

    @property
    def key(self) -> str:
        """What an answer for the whole conversation holds for: exactly this."""
        return json.dumps([self.tool, self.title, self.given, self.paths])


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a person asks: words, and what they mean by "this"."""

    text: str
    notes: tuple[str, ...] = ()
    selection: str = ""
    selected_in: str = ""
    image: str = field(default="", repr=False)
    """A picture, base64."""
    image_type: str = ""
