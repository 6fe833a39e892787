"""A whole vault over PostgreSQL: what the log carries goes where the log goes."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from commonplace.core import critic
from commonplace.core.text.edits import Edit
from commonplace.errors import Unavailable
from commonplace.vault.databases import team_databases
from commonplace.vault.history.history import RevisionFilter
from commonplace.vault.lease.leases import Leases
from commonplace.vault.log.postgres import PostgresLog
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.suggestions.authorship import Suggester
from commonplace.vault.vault import Vault
from tests.engines.postgres.node import HeldLease, make_node, take, wait_lost

pytestmark = pytest.mark.anyio

LONG = 300.0
CLAUDE = Suggester("claude", "Claude")
NOTES = {
    "a.md": "A cat sat on the mat.\r\n",
    "b.md": "See [[a]] and more.\n",
    "c.md": "one two three\n",
}


@asynccontextmanager
async def opened(leases: Leases, url: str, folder: Path, state: str) -> AsyncGenerator[Vault]:
    """A node: it takes the lease as soon as it can, and opens the vault under it."""
    lease = await leases.claim("team")
    assert lease is not None
    settings = Settings((Root("notes", folder / "notes"),), folder / state)
    async with open_vault(settings, databases=await team_databases(url, lease, settings)) as vault:
        yield vault
    await leases.release(lease)


def notes_in(folder: Path) -> Path:
    (folder / "notes").mkdir()
    for name, text in NOTES.items():
        (folder / "notes" / name).write_bytes(text.encode())
    return folder / "notes"


async def suggest(vault: Vault, path: str, old: str, new: str) -> None:
    await vault.reader.read(path, CLAUDE.id, CLAUDE.name)
    await vault.suggestions.suggest(path, old, new, CLAUDE)


async def test_the_next_node_has_edits_decisions_history_and_tokens(
    url: str, tmp_path: Path
) -> None:
    """Two nodes over one folder, each with a state folder of its own: nothing but derived."""
    folder = notes_in(tmp_path)
    async with (
        Leases(url, "one", seconds=LONG) as one,
        Leases(url, "two", seconds=LONG) as two,
    ):
        async with opened(one, url, tmp_path, "state of one") as vault:
            await suggest(vault, "a.md", "cat", "dog")
            ids = [each.id for each in critic.suggestions(await vault.texts.marked("a.md"))]
            await vault.review.decide("accept", {"a.md": ids}, "Ann")
            await suggest(vault, "c.md", "two", "2")
            await vault.notes.edit("b.md", lambda _: [Edit(0, 0, "typed ")], "person:Ann")
            _, secret = await vault.tokens.create("Ada", "write")
            document = await vault.timeline.document("a.md")
        assert (folder / "a.md").read_bytes() == b"A dog sat on the mat.\r\n"
        async with opened(two, url, tmp_path, "state of two") as vault:
            await vault.indexer.settled()
            assert await vault.texts.marked("b.md") == "typed See [[a]] and more.\n"
            assert len(critic.suggestions(await vault.texts.marked("c.md"))) == 1
            assert await vault.timeline.document("a.md") == document
            actors = {
                each.actor for each in await vault.history.revisions(RevisionFilter(document))
            }
            assert "assistant:Claude" in actors or "claude" in " ".join(actors).lower()
            assert await vault.tokens.verify(secret) is not None
            done = await vault.undo.undo("Ann", by="Claude")
            assert done["needs_you"] == []
            assert await vault.texts.marked("c.md") == NOTES["c.md"]
        assert (folder / "a.md").read_bytes() == NOTES["a.md"].encode()
    assert not list((tmp_path / "state of one").glob("live.db*"))
    assert not list((tmp_path / "state of one").glob("history.db*"))


async def test_a_vault_whose_lease_is_lost_acknowledges_nothing_more(
    url: str, tmp_path: Path
) -> None:
    notes_in(tmp_path)
    async with Leases(url, "one", seconds=LONG) as one:
        lease = await one.claim("team")
        assert lease is not None
        settings = Settings((Root("notes", tmp_path / "notes"),), tmp_path / "state")
        databases = await team_databases(url, lease, settings)
        node = HeldLease(lease.fence)
        with suppress(Unavailable):  # what is behind at the end cannot be written any more
            async with open_vault(settings, databases=databases) as vault:
                await vault.notes.edit("b.md", lambda _: [Edit(0, 0, "kept ")], "person:Ann")
                with make_node(url) as other:
                    node = take(other)
                with pytest.raises(Unavailable):
                    await vault.notes.edit("b.md", lambda _: [Edit(0, 0, "lost ")], "person:Ann")
                async with asyncio.timeout(20):
                    await wait_lost(lease)
        owner = await asyncio.to_thread(PostgresLog, url, node)
        (known,) = [
            each for each in await owner.known() if each.place and each.place.path == "b.md"
        ]
        updates = b"".join((await owner.replay(known.id)).updates)
        assert b"kept" in updates
        assert b"lost" not in updates
        await owner.close()
