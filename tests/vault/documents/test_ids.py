"""Which document lives where."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.vault.documents.ids import Ids
from commonplace.vault.files.roots import Roots
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.settings import Root, Settings

pytestmark = pytest.mark.anyio


@pytest.fixture
async def ids(tmp_path: Path) -> AsyncGenerator[Ids]:
    (tmp_path / "vault").mkdir()
    roots = Roots(Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state"))
    (tmp_path / "state").mkdir()
    log = SqliteLog(tmp_path / "state" / "live.db")
    yield Ids(roots, log)
    await log.close()
    roots.close()


async def test_an_id_stays_with_its_path_and_is_found_by_it(ids: Ids) -> None:
    assert ids.known_id("a.md") is None
    id = await ids.id_of("a.md")
    assert await ids.id_of("a.md") == id == ids.known_id("a.md")
    assert await ids.path_of(id) == "a.md" == ids.known_path(id)
    assert await ids.path_of("nobody") is None


async def test_a_document_that_is_placed_puts_out_the_one_that_was_there(ids: Ids) -> None:
    one, two = await ids.id_of("a.md"), await ids.id_of("b.md")
    await ids.place(one, "b.md")
    assert await ids.id_of("b.md") == one
    assert (await ids.path_of(one), await ids.path_of(two)) == ("b.md", None)
    assert await ids.recorded_id("a.md") is None


async def test_a_path_that_is_met_while_a_document_is_placed_there_is_its_own(
    ids: Ids, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a note comes back from the trash: its file is there before the log knows."""
    recorded_id, others = ids.recorded_id, list[str]()

    async def look_and_be_overtaken(path: str) -> str | None:
        found = await recorded_id(path)
        if not others:
            others.append(await ids.id_of(path))
        return found

    monkeypatch.setattr(ids, "recorded_id", look_and_be_overtaken)
    one = await ids.id_of("a.md")
    await ids.place(one, "b.md")
    assert await ids.id_of("b.md") == one == await recorded_id("b.md")
    assert [await ids.path_of(other) for other in others] == [None]


async def test_a_move_that_was_seen_puts_nobody_out(ids: Ids) -> None:
    one, two = await ids.id_of("a.md"), await ids.id_of("b.md")
    await ids.follow_seen("a.md", "b.md")
    assert (await ids.path_of(one), await ids.path_of(two)) == ("a.md", "b.md")
    await ids.follow_seen("a.md", "c.md")
    assert await ids.path_of(one) == "c.md"


async def test_a_document_that_is_removed_lives_nowhere(ids: Ids) -> None:
    id = await ids.id_of("a.md")
    await ids.remove(id)
    assert await ids.path_of(id) is None
    assert await ids.id_of("a.md") != id


async def test_what_another_run_knew_is_learnt_once(ids: Ids, tmp_path: Path) -> None:
    id = await ids.id_of("a.md")
    later = Ids(ids._roots, ids._log)
    assert later.known_id("a.md") is None
    await later.learn()
    assert later.known_id("a.md") == id
