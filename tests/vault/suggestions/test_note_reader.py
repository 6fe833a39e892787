"""What an assistant reads of a note: its text, what waits, what people said and decided, once."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.core.critic.suggestions import REMARKS_MAX
from commonplace.core.scopes import assistant_of
from commonplace.core.text.line_pages import LinePage
from commonplace.errors import NotFound, NotRead, PartRead
from commonplace.vault.open import open_vault
from commonplace.vault.vault import Vault
from tests.vault.conftest import write
from tests.vault.sets.deciding import CLAUDE, edit, settings

pytestmark = pytest.mark.anyio
MANY = REMARKS_MAX + 3
NOTES = {
    "a.md": "A red house.\nSecond.{>>why?<<}\n",
    "many.md": "x{>>hm<<}\n" * MANY,
}


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    chosen = settings(tmp_path)
    write(tmp_path / "vault", dict(NOTES))
    async with open_vault(chosen) as vault:
        await vault.indexer.settled()
        yield vault


async def test_it_reads_as_if_all_were_accepted_and_says_what_waits(vault: Vault) -> None:
    await edit(vault, "a.md", "red", "green")
    found = await vault.reader.read("a", CLAUDE.id, CLAUDE.name)
    assert (found.path, found.text) == ("a.md", "A green house.\nSecond.\n")
    (pending,) = found.pending
    assert (pending.line, pending.old, pending.new) == (1, "red", "green")
    assert [(one.line, one.text) for one in found.comments] == [(2, "why?")]
    assert found.said["comments"] == [{"line": 2, "text": "why?", "about": "Second."}]
    assert "decided" not in found.said


async def test_what_was_decided_is_told_once(vault: Vault) -> None:
    await edit(vault, "a.md", "red", "green")
    ids = [one.id for one in await vault.pending.listed("a.md")]
    await vault.review.decide("reject", {"a.md": ids}, "Ann", "it is red")
    first = await vault.reader.read("a.md", CLAUDE.id, CLAUDE.name)
    assert [(one.verdict, one.reason) for one in first.decided] == [("reject", "it is red")]
    assert (await vault.reader.read("a.md", CLAUDE.id, CLAUDE.name)).decided == []


async def test_more_comments_than_are_shown_are_counted(vault: Vault) -> None:
    found = await vault.reader.read("many.md", CLAUDE.id, CLAUDE.name)
    assert (len(found.comments), found.more_comments) == (REMARKS_MAX, 3)
    assert found.said["comments_total"] == MANY


async def test_reading_is_what_permits_an_edit(vault: Vault) -> None:
    readings = vault.reader.readings
    with pytest.raises(NotRead):
        readings.require(CLAUDE.id, "a.md")
    with pytest.raises(NotFound):
        await vault.reader.read("none.md", CLAUDE.id, CLAUDE.name)
    await vault.reader.read("a.md", CLAUDE.id, CLAUDE.name)
    readings.require(CLAUDE.id, "a.md")


async def test_what_was_shown_in_part_is_put_down_until_the_whole_was(vault: Vault) -> None:
    await vault.reader.read("a.md", CLAUDE.id, CLAUDE.name)
    page = LinePage(1, 1, 2, whole=True)
    await vault.reader.show("a.md", CLAUDE.id, CLAUDE.name, page)
    with pytest.raises(PartRead):
        await vault.reader.cuts.refuse(assistant_of(CLAUDE.id, CLAUDE.name), "a.md")
    await vault.reader.show("a.md", CLAUDE.id, CLAUDE.name, None)
    await vault.reader.cuts.refuse(assistant_of(CLAUDE.id, CLAUDE.name), "a.md")
