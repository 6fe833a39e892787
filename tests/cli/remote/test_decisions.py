"""What people decide in a vault of another process is what they would decide in their own."""

import pytest

from commonplace.cli.vault_access import set_desk
from commonplace.errors import Conflict, NotFound
from tests.cli.remote.conftest import Both

pytestmark = pytest.mark.anyio


async def test_what_waits_is_the_same_from_both_sides(both: Both) -> None:
    waiting = await both.remote.pending.listed()
    assert [(one.path, one.old, one.new) for one in waiting] == [
        ("Plan.md", "peas", "beans"),
        ("Plan.md", "", "early "),
    ]
    assert waiting == await both.own.pending.listed()


async def test_more_than_one_answer_holds_are_asked_for_in_turns(both: Both) -> None:
    (both.folder / "Many.md").write_text("{++x++} " * 1_001)
    await both.own.indexer.update(["Many.md"])
    waiting = await both.remote.pending.listed()
    assert sum(one.path == "Many.md" for one in waiting) == 1_001
    assert len({one.id for one in waiting}) == len(waiting)


async def test_a_decision_counts_and_is_taken_back(both: Both) -> None:
    first, second = await both.remote.pending.listed()
    done = await both.remote.review.decide("accept", {"Plan.md": [first.id]}, "Ada", "yes")
    assert done.decided == [("Plan.md", first.id)]
    assert done.undo is not None
    assert await both.remote.review.undo(done.undo) == 1
    assert len(await both.own.pending.listed()) == 2
    await both.remote.review.accept_as("Plan.md", second.id, "late ", "Ada")
    assert "in late March" in await both.own.texts.accepted("Plan.md")


async def test_an_error_of_the_owner_is_the_same_error_here(both: Both) -> None:
    for desk in (both.own, both.remote):
        with pytest.raises(Conflict, match=r"Document not found: No\.md Nothing was decided"):
            await desk.review.decide("accept", {"No.md": ["x"]}, "Ada")
        with pytest.raises(Conflict, match=r"Nothing was decided"):
            await desk.review.decide("reject", {"Plan.md": ["unknown"]}, "Ada")
        with pytest.raises(NotFound):
            await desk.review.undo("no such undo")


async def test_nothing_is_asked_and_nothing_is_remembered_in_a_new_vault(both: Both) -> None:
    assert await both.remote.permissions.waiting() == []
    assert await both.remote.permissions.remembered() == []
    await both.remote.permissions.forget_remembered()
    with pytest.raises(NotFound):
        await both.remote.permissions.revoke("none")
    with pytest.raises(NotFound):
        await set_desk(both.remote).answers.give("Ada", [7])


async def test_sets_are_listed_and_shown_as_the_owner_does(both: Both) -> None:
    own, remote = set_desk(both.own), set_desk(both.remote)
    assert await remote.listed() == await own.listed()
    with pytest.raises(NotFound):
        await remote.shown(99)
