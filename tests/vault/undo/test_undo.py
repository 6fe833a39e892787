"""Everything that an assistant did, taken back; a person's words stay."""

from collections.abc import AsyncGenerator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, cast

import anyio
import pytest

from commonplace.core import critic
from commonplace.core.text.edits import Edit, diff
from commonplace.tools import history
from commonplace.tools.table import Actor, Answer, Call, Tool, ToolFunction, definition
from commonplace.vault.history.intents import Intent, Json
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.suggestions.authorship import Suggester
from commonplace.vault.vault import Vault
from tests.vault.conftest import Notes, write

pytestmark = pytest.mark.anyio

NOTES: Notes = {
    "a.md": "A cat sat on the mat.\n",
    "b.md": "See [[a]] and more.\n",
    "c.md": "one two three\n",
}
CLAUDE = Suggester("claude", "Claude")
CLAUDE_WRITES = "assistant:Claude"


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    (tmp_path / "vault").mkdir()
    write(tmp_path / "vault", NOTES)
    settings = Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        yield vault


async def suggest(vault: Vault, path: str, old: str, new: str) -> None:
    await vault.reader.read(path, CLAUDE.id, CLAUDE.name)
    await vault.suggestions.suggest(path, old, new, CLAUDE)


async def accept_all(vault: Vault, path: str) -> None:
    ids = [one.id for one in critic.suggestions(await vault.texts.marked(path))]
    await vault.review.decide("accept", {path: ids}, "Ann")


async def rewrite(vault: Vault, path: str, text: str, actor: str) -> None:
    await vault.notes.edit(path, lambda now: diff(now, text), actor)


async def texts(vault: Vault) -> dict[str, str]:
    return {path: await vault.texts.marked(path) for path in NOTES}


async def test_pending_and_accepted_words_go_and_deleted_ones_come_back(vault: Vault) -> None:
    await suggest(vault, "a.md", "cat", "dog")
    await accept_all(vault, "a.md")
    await rewrite(vault, "a.md", "Yes: A dog sat on the soft mat.\n", "person:Ann")
    await suggest(vault, "c.md", "two", "2")
    preview = await vault.undo.preview(by="Claude")
    assert [row["path"] for row in cast("Any", preview["notes"])] == ["a.md", "c.md"]
    assert await vault.texts.marked("c.md") != NOTES["c.md"]  # a preview changes nothing
    done = await vault.undo.undo("Ann", by="Claude")
    assert await vault.texts.marked("a.md") == "Yes: A cat sat on the soft mat.\n"
    assert await vault.texts.marked("c.md") == NOTES["c.md"]
    assert done["needs_you"] == []
    again = await vault.undo.preview(by="Claude")
    assert again["notes"] == []


async def test_an_undo_can_be_undone_to_the_byte(vault: Vault) -> None:
    await suggest(vault, "a.md", "cat", "dog")
    await accept_all(vault, "a.md")
    await rewrite(vault, "c.md", "one 2 three\n", "assistant:Claude")
    before = await texts(vault)
    done = await vault.undo.undo("Ann", by="Claude")
    assert await texts(vault) == dict(NOTES)
    await vault.undo.undo("Ann", set=str(done["undo"]))
    assert await texts(vault) == before
    await vault.undo.undo("Ann", by="Claude")
    assert await texts(vault) == dict(NOTES)


async def test_what_is_unclear_becomes_a_suggestion_once(vault: Vault) -> None:
    await rewrite(vault, "a.md", "A sat on the mat.\n", "assistant:Claude")
    await vault.notes.edit("a.md", lambda _: [Edit(2, 2, "huge dog ")], "person:Ann")
    done = await vault.undo.undo("Ann", by="Claude")
    assert done["needs_you"] == [{"path": "a.md", "text": "cat "}]
    marked = await vault.texts.marked("a.md")
    assert critic.base(marked) == "A huge dog sat on the mat.\n"
    (one,) = critic.suggestions(marked)
    assert (one.old, one.new) == ("", "cat ")
    again = await vault.undo.preview(by="Claude")
    assert again["notes"] == []


async def test_created_notes_go_to_the_trash_unless_a_person_wrote_in_them(vault: Vault) -> None:
    await vault.write.create("x.md", "all by the assistant\n", "assistant:Claude")
    await vault.write.create("y.md", "by the assistant\n", "assistant:Claude")
    await vault.notes.edit("y.md", lambda _: [Edit(0, 0, "my words ")], "person:Ann")
    done = await vault.undo.undo("Ann", by="Claude")
    assert [one.path for one in await vault.trash.listed()] == ["x.md"]
    again = await vault.undo.preview(by="Claude")
    assert again["notes"] == []
    assert await vault.texts.marked("y.md") == "my words "
    await vault.undo.undo("Ann", set=str(done["undo"]))
    assert await vault.texts.marked("x.md") == "all by the assistant\n"
    assert await vault.texts.marked("y.md") == "my words by the assistant\n"


async def test_deleted_notes_come_back_and_renames_go_back_with_links(vault: Vault) -> None:
    await vault.write.delete("c.md", "Claude", "assistant:Claude")
    await vault.renames.rename("a.md", "Folder/z.md", "assistant:Claude")
    done = await vault.undo.undo("Ann", by="Claude")
    assert await texts(vault) == dict(NOTES)
    await vault.undo.undo("Ann", set=str(done["undo"]))
    assert not vault.notes.exists("c.md")
    assert [one.path for one in await vault.trash.listed()] == ["c.md"]
    assert await vault.texts.marked("Folder/z.md") == NOTES["a.md"]


async def test_undoing_an_undo_leaves_a_note_that_somebody_wrote_in_since(vault: Vault) -> None:
    await vault.write.delete("c.md", "Claude", CLAUDE_WRITES)
    done = await vault.undo.undo("Ann", by="Claude")
    await rewrite(vault, "c.md", "one two three four\n", "person:Ben")
    await vault.undo.undo("Ann", set=str(done["undo"]))
    assert await vault.texts.marked("c.md") == "one two three four\n"


async def test_what_it_created_and_deleted_itself_stays_in_the_trash(vault: Vault) -> None:
    root = vault.settings.roots[0].path
    await vault.write.create("own.md", "Its words, see [[a]].\n", CLAUDE_WRITES)
    await vault.write.create("kept.md", "Its words.\n", CLAUDE_WRITES)
    await rewrite(vault, "kept.md", "Its words. Mine.\n", "person:Ann")
    await vault.indexer.settled()
    await vault.renames.rename("a.md", "z.md", "person:Ann")  # a link is not what Ann wrote there
    for path in ("own.md", "kept.md"):
        await vault.write.delete(path, "Claude", CLAUDE_WRITES)
    rows = cast("Any", (await vault.undo.preview(by="Claude"))["notes"])
    assert [(row["path"], row["whole"]) for row in rows] == [(".trash/kept.md", "restore")]
    await vault.undo.undo("Ann", by="Claude")
    assert (await vault.texts.marked("kept.md")).strip() == "Mine."
    assert not (root / "own.md").exists()
    assert (root / ".trash" / "own.md").read_text() == "Its words, see [[z]].\n"


async def test_a_created_note_whose_links_followed_a_rename_goes_to_the_trash(vault: Vault) -> None:
    await vault.write.create("own.md", "See [[a]].\n", CLAUDE_WRITES)
    await vault.indexer.settled()
    await vault.renames.rename("a.md", "z.md", "person:Ann")
    await vault.undo.undo("Ann", by="Claude")
    assert not vault.notes.exists("own.md")


async def test_only_since_and_only_there(vault: Vault) -> None:
    await rewrite(vault, "a.md", "A dog sat on the mat.\n", "assistant:Claude")
    await rewrite(vault, "c.md", "one 2 three\n", "assistant:Claude")
    await vault.undo.undo("Ann", by="Claude", path="a.md")
    assert await vault.texts.marked("a.md") == NOTES["a.md"]
    assert await vault.texts.marked("c.md") == "one 2 three\n"
    none = await vault.undo.preview(by="Claude", since=9e9)
    assert none["notes"] == []


@pytest.mark.parametrize("again", [False, True])
async def test_what_the_assistant_writes_meanwhile_comes_after_the_undo(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, *, again: bool
) -> None:
    await rewrite(vault, "a.md", "A dog sat on the mat.\n", "assistant:Claude")
    undo, after = partial(vault.undo.undo, "Ann", by="Claude"), NOTES["a.md"]
    if again:  # the undo itself is taken back
        undo = partial(vault.undo.undo, "Ann", set=str((await undo())["undo"]))
        after = "A dog sat on the mat.\n"
    tool = Tool(definition("edit"), "files", writes=True, run=_writing(vault))
    held = history.held(vault.undo.write_lock, tool)
    carry_out = vault.intents.run

    async def write() -> None:
        await held.run(Call(Actor("claude", "Claude")), {})

    async def write_meanwhile(intent: Intent) -> dict[int, Json]:
        tasks.start_soon(write)
        await anyio.wait_all_tasks_blocked()
        return await carry_out(intent)

    monkeypatch.setattr(vault.intents, "run", write_meanwhile)
    async with anyio.create_task_group() as tasks:
        await undo()
        assert await vault.texts.marked("a.md") == after
    assert await vault.texts.marked("a.md") == "A cow sat on the mat.\n"


def _writing(vault: Vault) -> ToolFunction:
    async def run(_: Call, __: Mapping[str, object]) -> Answer:
        await rewrite(vault, "a.md", "A cow sat on the mat.\n", "assistant:Claude")
        return Answer("")

    return run


FRONT = "---\ntags: [a]\n---\nA cat.\n"


@pytest.mark.parametrize(
    ("steps", "after"),
    [
        # a value that a person changed since stays, and its name with it
        (
            [
                (CLAUDE_WRITES, FRONT.replace("---\nA", "status: draft\n---\nA dog and a")),
                ("person:Ann", FRONT.replace("---\nA", "status: final\n---\nA dog and a")),
            ],
            FRONT.replace("---\nA", "status: final\n---\nA"),
        ),
        # what others gave it last comes back
        (
            [
                ("person:Ann", FRONT.replace("[a]", "[a, b]")),
                (CLAUDE_WRITES, FRONT.replace("tags: [a]", "tags: [c]\nnew: 1")),
            ],
            FRONT.replace("[a]", "[a, b]"),
        ),
        # all of a block that is still the assistant's goes
        (
            [(CLAUDE_WRITES, FRONT.replace("[a]", "[c]").replace("cat", "dog"))],
            FRONT,
        ),
    ],
)
async def test_properties_are_undone_key_by_key(
    vault: Vault, steps: list[tuple[str, str]], after: str
) -> None:
    await rewrite(vault, "a.md", FRONT, "person:Ann")
    for actor, text in steps:
        await rewrite(vault, "a.md", text, actor)
    before = await vault.texts.marked("a.md")
    done = await vault.undo.undo("Ann", by="Claude")
    assert await vault.texts.marked("a.md") == after
    await vault.undo.undo("Ann", set=str(done["undo"]))
    assert await vault.texts.marked("a.md") == before
