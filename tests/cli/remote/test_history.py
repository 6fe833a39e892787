"""The history of a vault of another process, what is undone there, and its trash."""

import time
from typing import Any

import pytest

from commonplace.core.text.edits import Edit
from commonplace.errors import BadArgument, NotFound
from commonplace.vault.history.timeline import TimelineQuery
from tests.cli.remote.conftest import Both

pytestmark = pytest.mark.anyio
NAME = "日記/あ 😀.md"


async def written(both: Both, text: str = "New. ") -> int:
    """Let a person write at the beginning of a note; gives the newest revision."""
    await both.own.notes.edit(NAME, lambda _: [Edit(0, 0, text)], "person:Ada")
    await both.own.notes.queue.flush_all()
    found: Any = await both.own.timeline.page(TimelineQuery(path=NAME))
    return int(found["revisions"][0]["revision"])


async def test_a_page_of_the_history_is_the_same_from_both_sides(both: Both) -> None:
    revision = await written(both)
    for asked in (TimelineQuery(path=NAME), TimelineQuery(since=time.time() + 1_000)):
        assert await both.remote.timeline.page(asked) == await both.own.timeline.page(asked)
    assert await both.remote.timeline.diff(revision) == await both.own.timeline.diff(revision)
    assert await both.remote.timeline.blame(NAME) == await both.own.timeline.blame(NAME)
    with pytest.raises(NotFound, match=r"No & \?\.md"):
        await both.remote.timeline.blame("No & ?.md")
    with pytest.raises(NotFound):
        await both.remote.timeline.page(TimelineQuery(path="No.md"))


async def test_a_note_is_made_as_it_was(both: Both) -> None:
    first = await written(both, "One. ")
    await written(both, "Two. ")
    done = await both.remote.timeline.restore(first, "Ada")
    assert (done["path"], done["changed"]) == (NAME, True)
    assert (await both.own.texts.accepted(NAME)).startswith("One. 今日")
    with pytest.raises(NotFound):
        await both.remote.timeline.restore(999_999, "Ada")


async def test_a_passage_is_forgotten(both: Both) -> None:
    await written(both, "secret ")
    with pytest.raises(BadArgument):
        await both.remote.timeline.forget("")


async def test_what_would_be_undone_is_the_same_from_both_sides(both: Both) -> None:
    await written(both)
    assert await both.remote.undo.preview(by="Ada") == await both.own.undo.preview(by="Ada")
    with pytest.raises(NotFound, match="Nobody called nobody"):
        await both.remote.undo.preview(by="nobody")


async def test_a_deleted_note_is_listed_and_comes_back(both: Both) -> None:
    assert await both.remote.trash.listed() == []
    await both.own.write.delete(NAME, "Ada")
    (gone,) = await both.remote.trash.listed()
    assert [gone] == await both.own.trash.listed()
    assert await both.remote.trash.restore(gone.trash) == NAME
    with pytest.raises(NotFound):
        await both.remote.trash.restore(gone.trash)
