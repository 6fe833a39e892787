"""What is done is put on record and told; what fails is put on record too."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.errors import Conflict
from commonplace.vault.log.late_records import Afterwards
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.permissions.audit import Audit
from commonplace.vault.permissions.performers import Performers
from commonplace.vault.permissions.requests import Asker, Json, Wish, WriteStatus

pytestmark = pytest.mark.anyio
ASKER = Asker("process:1", "Claude")
WISH = Wish("create", "a.md", "make", {"path": "a.md"}, "create a.md", "+ text")


class Desk:
    """Performers with an audit, and one kind of change that is taught."""

    def __init__(self, audit: Audit) -> None:
        self.audit = audit
        self.performers = Performers(audit, lambda: 7.0)
        self.performers.teach("make", self.make)
        self.performers.teach("whole", self.make, suggests=False)
        self.made: list[tuple[Json, bool]] = []
        self.told: list[WriteStatus] = []
        self.performers.follow(self.hear)

    async def make(self, change: Json, by: Asker, *, suggest: bool) -> Json:
        if change.get("fails"):
            raise Conflict("It is taken.")
        self.made.append((change, suggest))
        return {"status": "suggested" if suggest else "done"}

    async def hear(self, status: WriteStatus) -> None:
        self.told.append(status)

    def outcomes(self) -> list[tuple[str, str]]:
        return [(each.answer, each.outcome) for each in self.audit.latest(9)]


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk]:
    async with SqliteLog(tmp_path / "live.db") as log:
        yield Desk(Audit(Afterwards(log)))


async def test_what_is_done_at_once_is_told_and_a_suggestion_is_not(desk: Desk) -> None:
    await desk.performers.do_at_once(WISH, ASKER, "allow", "settings")
    await desk.performers.do_at_once(WISH, ASKER, "suggest", "settings")
    assert [suggest for _, suggest in desk.made] == [False, True]
    assert [(each.state, each.path, each.name) for each in desk.told] == [
        ("done", "a.md", "Claude")
    ]
    assert desk.outcomes() == [("suggest", "done"), ("allow", "done")]


@pytest.mark.parametrize(
    ("answer", "shown"), [("once", True), ("session", True), ("always", True), ("allow", False)]
)
async def test_what_a_person_was_shown_goes_with_their_answer(
    desk: Desk, answer: str, shown: bool
) -> None:
    await desk.performers.do(WISH, ASKER, answer, "Ann")
    ((change, _),) = desk.made
    assert change == ({**WISH.change, "shown": "+ text"} if shown else WISH.change)


async def test_what_fails_is_on_record_and_raised(desk: Desk) -> None:
    wish = Wish("create", "a.md", "make", {"fails": True}, "create a.md")
    with pytest.raises(Conflict):
        await desk.performers.do_at_once(wish, ASKER, "once", "Ann")
    assert desk.outcomes() == [("once", "failed: It is taken.")]
    assert desk.told == []


async def test_what_can_be_made_here_is_known(desk: Desk) -> None:
    assert [desk.performers.knows(kind) for kind in ("make", "other")] == [True, False]
    assert [desk.performers.suggests(kind) for kind in ("make", "whole")] == [True, False]
