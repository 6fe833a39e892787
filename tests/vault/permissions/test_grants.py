"""What a person allowed for longer than once."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.errors import BadArgument, NotFound
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.permissions import grants as module
from commonplace.vault.permissions.grants import (
    EVERY_PROGRAM,
    Remembered,
    check,
    choices,
)
from commonplace.vault.permissions.requests import Asker

pytestmark = pytest.mark.anyio

PROGRAM, OTHER = Asker("session:1", "claude"), Asker("session:2", "cursor")
HOLDER, OTHER_HOLDER = Asker("token:1", "Ann's"), Asker("token:2", "Bo's")


class Desk:
    """Grants over a real log, and the time."""

    def __init__(self, log: SqliteLog) -> None:
        self.log, self.now = log, 1_000.0
        self.grants = self.anew()

    def anew(self) -> Remembered:
        return Remembered(self.log, lambda: self.now)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk]:
    async with SqliteLog(tmp_path / "live.db") as log:
        yield Desk(log)


async def test_a_session_is_its_actors_and_ends(desk: Desk) -> None:
    await desk.grants.keep("update", PROGRAM, "session")
    assert await desk.grants.allows("update", PROGRAM)
    assert not await desk.grants.allows("update", OTHER)
    assert not await desk.grants.allows("create", PROGRAM)
    desk.now += module._SESSION_SECONDS_MAX
    assert not await desk.grants.allows("update", PROGRAM)


async def test_once_is_remembered_by_nobody(desk: Desk) -> None:
    await desk.grants.keep("update", PROGRAM, "once")
    assert not await desk.grants.allows("update", PROGRAM)


async def test_always_outlives_the_process_and_is_a_tokens_own(desk: Desk) -> None:
    await desk.grants.keep("update", HOLDER, "always")
    again = desk.anew()
    assert await again.allows("update", HOLDER)
    assert not await again.allows("update", OTHER_HOLDER)
    assert not await again.allows("update", PROGRAM)


async def test_without_a_token_always_is_for_every_program(desk: Desk) -> None:
    await desk.grants.keep("create", PROGRAM, "always")
    assert await desk.grants.allows("create", OTHER)
    assert not await desk.grants.allows("create", HOLDER)
    (grant,) = await desk.grants.always()
    assert grant.meaning == f"{EVERY_PROGRAM} may create notes anywhere without asking"


async def test_what_is_revoked_is_asked_again_in_sessions_too(desk: Desk) -> None:
    await desk.grants.keep("update", PROGRAM, "session")
    await desk.grants.keep("update", PROGRAM, "always")
    (grant,) = await desk.grants.always()
    await desk.grants.revoke(grant.key)
    assert not await desk.grants.allows("update", PROGRAM)
    with pytest.raises(NotFound, match="revoked already"):
        await desk.grants.revoke(grant.key)


async def test_a_deletion_is_asked_for_each_time(desk: Desk) -> None:
    assert choices("delete") == ("once",)
    with pytest.raises(BadArgument, match="asked for each time"):
        check("delete", "always")
    await desk.grants.keep("delete", PROGRAM, "session")
    await desk.grants.keep("delete", PROGRAM, "always")
    assert not await desk.grants.allows("delete", PROGRAM)
    assert await desk.grants.always() == []


async def test_one_who_may_only_suggest_is_never_allowed(desk: Desk) -> None:
    limited = Asker(HOLDER.id, HOLDER.name, suggests_only=True)
    await desk.grants.keep("update", HOLDER, "always")
    assert not await desk.grants.allows("update", limited)
