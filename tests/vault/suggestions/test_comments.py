"""Comments: in the note as CriticMarkup, their authors in our record, read by assistants."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.errors import BadArgument, Conflict
from commonplace.vault.open import open_vault
from commonplace.vault.vault import Vault
from tests.vault.conftest import write
from tests.vault.sets.deciding import settings

pytestmark = pytest.mark.anyio

MARKED = "A {--red--}{++green++} folder. Twice, twice.\n"


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    chosen = settings(tmp_path)
    write(tmp_path / "vault", {"a.md": MARKED})
    async with open_vault(chosen) as vault:
        await vault.indexer.settled()
        yield vault


async def test_a_comment_on_a_change_stands_behind_it_and_goes_when_resolved(vault: Vault) -> None:
    (one,) = await vault.pending.listed("a.md")
    await vault.comments.on_suggestion("a.md", one.id, "Keep\nthe table", "Ann")
    text = MARKED.replace("++}", "++}{>>Keep the table<<}")
    assert await vault.texts.marked("a.md") == text
    read = await vault.reader.read("a.md", "process:1", "Claude")
    assert [(each.text, each.author) for each in read.comments] == [("Keep the table", "Ann")]
    await vault.comments.resolve("a.md", "Keep the table", "Bo")
    assert await vault.texts.marked("a.md") == MARKED
    with pytest.raises(Conflict, match="resolved already"):
        await vault.comments.resolve("a.md", "Keep the table", "Bo")


async def test_a_comment_on_a_passage_lights_it(vault: Vault) -> None:
    await vault.comments.on_passage("a.md", "folder", "Which one?", "Ann")
    assert "{==folder==}{>>Which one?<<}. Twice" in await vault.texts.marked("a.md")
    for passage in ("nowhere", "wice", "green", " "):
        with pytest.raises(Conflict):
            await vault.comments.on_passage("a.md", passage, "?", "Ann")


async def test_what_would_be_markup_is_refused(vault: Vault) -> None:
    for text in ("", "a <<} b", "x" * 3000):
        with pytest.raises(BadArgument):
            await vault.comments.on_passage("a.md", "folder", text, "Ann")
    with pytest.raises(Conflict, match="gone or has changed"):
        await vault.comments.on_suggestion("a.md", "none", "Hm", "Ann")
    assert await vault.texts.marked("a.md") == MARKED


async def test_answers_are_a_thread_that_is_resolved_as_one(vault: Vault) -> None:
    (one,) = await vault.pending.listed("a.md")
    await vault.comments.on_suggestion("a.md", one.id, "Keep the table", "Ann")
    await vault.comments.reply("a.md", "Keep the table", "Which table?", "Bo")
    await vault.comments.reply("a.md", "Keep the table", "The first.", "Ann")
    await vault.comments.on_passage("a.md", "folder", "Why?", "Bo")
    marked = await vault.texts.marked("a.md")
    assert "++}{>>Keep the table<<}{>>Which table?<<}{>>The first.<<} {==folder" in marked
    about, passage = await vault.comments.threads("a.md", marked)
    assert (about.suggestion, about.line) == (one.id, 1)
    said = [(each.text, each.author) for each in about.said]
    assert said == [("Keep the table", "Ann"), ("Which table?", "Bo"), ("The first.", "Ann")]
    assert (passage.suggestion, passage.about) == ("", "folder")
    await vault.comments.resolve("a.md", "Which table?", "Ann")
    await vault.comments.resolve("a.md", "Why?", "Ann")
    assert await vault.texts.marked("a.md") == MARKED
    with pytest.raises(Conflict, match="no such comment"):
        await vault.comments.reply("a.md", "Why?", "Because.", "Ann")
