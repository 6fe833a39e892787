"""A vault that opens a moment after its first client was greeted."""

import pytest

from commonplace.server.mcp.late_vault import LateNotes, LateToolbox
from commonplace.server.mcp.ports import NoteEvent
from commonplace.tools.table import Toolbox
from tests.server.small_vault import NOTES, Shelf, toolbox

pytestmark = pytest.mark.anyio


async def test_tools_are_filled_in_once() -> None:
    made: list[Toolbox] = []

    async def fill() -> Toolbox:
        made.append(toolbox(Shelf()))
        return made[-1]

    late = LateToolbox(["read"], fill)
    assert (late.names, made) == (["read"], [])
    assert await late.opened() is await late.opened()
    assert len(made) == 1


async def test_notes_are_asked_for_when_somebody_asks() -> None:
    shelf = Shelf()

    async def opened() -> Shelf:
        return shelf

    late = LateNotes(opened)
    assert await late.text("Garden/Clover.md") == "# Clover\n"
    rows, more = await late.page(None, 2)
    assert ([row.path for row in rows], more) == (sorted(NOTES)[:2], sorted(NOTES)[1])
    assert list(await late.complete("Reading", 5)) == ["Reading list?.md"]


async def test_who_followed_before_hears_from_when_there_is_something_to_hear() -> None:
    shelf, heard = Shelf(), list[str]()

    async def opened() -> Shelf:
        return shelf

    def early(change: NoteEvent) -> None:
        heard.append(f"early {change.path}")

    def left(change: NoteEvent) -> None:
        heard.append(f"left {change.path}")

    def late_one(change: NoteEvent) -> None:
        heard.append(f"late {change.path}")

    late = LateNotes(opened)
    stop = late.follow(early)
    late.follow(left)()
    shelf.put("a.md", "before")
    late.arrived(shelf)
    stop_late = late.follow(late_one)
    shelf.put("b.md", "x")
    assert heard == ["early b.md", "late b.md"]
    stop()
    stop()  # a second time is no fault
    stop_late()
    shelf.put("c.md", "x")
    assert (heard[2:], shelf.listeners) == ([], [])
