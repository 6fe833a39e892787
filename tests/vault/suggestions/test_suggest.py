"""Suggestions by assistants: only in what they have read, each call once, and why not."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.core.text.edits import Edit
from commonplace.errors import BadArgument, ChangedSinceRead, NotRead
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.suggestions.authorship import Suggester
from commonplace.vault.vault import Vault
from tests.vault.conftest import write

pytestmark = pytest.mark.anyio

ANT = Suggester("ant", "ant")


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    (tmp_path / "vault").mkdir()
    write(tmp_path / "vault", {"a.md": "one two one\n", "b.md": "bees\n"})
    settings = Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        yield vault


async def test_a_note_must_have_been_read_by_the_same_assistant(vault: Vault) -> None:
    await vault.reader.read("a.md", "another", "another")
    with pytest.raises(NotRead, match=r'file_path: "a\.md"'):
        await vault.suggestions.suggest("a.md", "two", "2", ANT)
    await vault.reader.read("a.md", "ant", "ant")
    await vault.suggestions.suggest("a.md", "two", "2", ANT)
    assert await vault.texts.marked("a.md") == "one {--two--}{++2++} one\n"


async def test_a_call_that_comes_twice_changes_nothing_more(vault: Vault) -> None:
    await vault.reader.read("a.md", "ant", "ant")
    made = await vault.suggestions.suggest("a.md", "one", "one more", ANT, replace_all=True)
    again = await vault.suggestions.suggest("a.md", "one", "one more", ANT, replace_all=True)
    assert (made.repeated, again.repeated) == (False, True)
    assert (again.count, again.replaced) == (made.count, made.replaced) == (2, 6)
    assert await vault.texts.marked("a.md") == made.text


async def test_once_decided_the_same_call_is_a_new_one(vault: Vault) -> None:
    await vault.reader.read("b.md", "ant", "ant")
    await vault.suggestions.suggest("b.md", "bees", "wasps", ANT)
    (one,) = await vault.pending.listed("b.md")
    await vault.review.decide("reject", {"b.md": [one.id]}, "Ann")
    again = await vault.suggestions.suggest("b.md", "bees", "wasps", ANT)
    assert not again.repeated
    assert await vault.texts.marked("b.md") == "{--bees--}{++wasps++}\n"


async def test_what_cannot_be_found_says_why(vault: Vault) -> None:
    await vault.reader.read("a.md", "ant", "ant")
    with pytest.raises(BadArgument, match=r"not unique in a\.md \(2 occurrences"):
        await vault.suggestions.suggest("a.md", "one", "1", ANT)
    with pytest.raises(BadArgument, match=r"old_string not found in a\.md"):
        await vault.suggestions.suggest("a.md", "three", "3", ANT)
    await vault.notes.edit("a.md", lambda _: [Edit(4, 7, "2")], "person:Ann")
    with pytest.raises(ChangedSinceRead, match="Please re-read"):
        await vault.suggestions.suggest("a.md", "two", "2", ANT)
    assert await vault.texts.marked("a.md") == "one 2 one\n"
