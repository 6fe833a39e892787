"""A set is decided as one: in order, whole or not at all, also after a crash, and undone."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path

import anyio
import pytest

from commonplace.core.text.edits import Edit
from commonplace.errors import Conflict, NotFound
from commonplace.vault.history.intents import Intent, Intents
from commonplace.vault.open import open_vault
from commonplace.vault.permissions.approvals import Approvals
from commonplace.vault.sets import decide
from commonplace.vault.sets.decide import Chosen, Following
from commonplace.vault.sets.steps import Steps
from commonplace.vault.suggestions.pending import PendingSuggestions
from commonplace.vault.vault import Vault
from tests.vault.conftest import Notes, write
from tests.vault.sets.deciding import (
    create,
    delete,
    edit,
    everything,
    files,
    rename,
    settings,
    update,
)

pytestmark = pytest.mark.anyio

NOTES: Notes = {
    "Plan.md": "The red folder.\n\nSee [[Old]].\n",
    "Old.md": "# Old\n\nA red house.\n",
    "Long.md": "One of [[Old]].\n\nTwo.\n",
    "Gone.md": "To go.\n",
}


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    chosen = settings(tmp_path)
    write(tmp_path / "vault", NOTES)
    async with open_vault(chosen) as vault:
        await vault.indexer.settled()
        yield vault


async def work(vault: Vault) -> None:
    """Let the assistant do one of everything, for one purpose."""
    await edit(vault, "Plan.md", "red", "green")
    await edit(vault, "Old.md", "red", "green")
    await create(vault, "New.md", "Made by an assistant.\n")
    await rename(vault, "Old.md", "Named.md")
    await update(vault, "Long.md", "One of [[Old]].\n\nTwo.\n\nThree.\n")
    await delete(vault, "Gone.md")


ACCEPTED = {
    "Long.md": "One of [[Named]].\n\nTwo.\n\nThree.\n",
    "Named.md": "# Old\n\nA green house.\n",
    "New.md": "Made by an assistant.\n",
    "Plan.md": "The green folder.\n\nSee [[Named]].\n",
}


async def test_a_set_of_everything_is_accepted_and_undone_as_one(vault: Vault) -> None:
    await work(vault)
    before = await files(vault)
    done = await vault.sets.decisions.decide(1, "accept", await everything(vault), "Ann")
    assert done.count == 6
    assert await files(vault) == ACCEPTED
    assert (await vault.sets.reader.get(1)).summary.state == "accepted"
    await vault.sets.decisions.undo(1, "Ann")
    assert await files(vault) == before
    summary = (await vault.sets.reader.get(1)).summary
    assert (summary.counts.waiting, summary.counts.decided) == (6, 0)
    with pytest.raises(NotFound, match="undone already"):
        await vault.sets.decisions.undo(1, "Ann")
    again = await vault.sets.decisions.decide(1, "accept", await everything(vault), "Ann")
    assert again.count == 6
    assert await files(vault) == ACCEPTED


async def test_a_rejected_set_leaves_the_notes_as_they_were(vault: Vault) -> None:
    await work(vault)
    before = await files(vault)
    chosen = await everything(vault)
    await vault.sets.decisions.decide(1, "reject", chosen, "Ann", "folder IS red")
    assert await files(vault) == NOTES
    summary = (await vault.sets.reader.get(1)).summary
    assert (summary.state, summary.counts.rejected) == ("rejected", 6)
    await vault.sets.decisions.undo(1, "Ann")
    assert await files(vault) == before


async def test_part_of_a_set_is_decided_and_undone_as_deep_as_there_are_decisions(
    vault: Vault,
) -> None:
    await work(vault)
    before = await files(vault)
    everything_there = await everything(vault)
    for path in ("Plan.md", "Old.md"):
        chosen = Chosen({path: everything_there.changes[path]})
        await vault.sets.decisions.decide(1, "accept", chosen, "Ann")
    assert (await vault.sets.reader.get(1)).summary.state == "partly decided"
    assert len(await vault.sets.decisions.listed(1)) == 2
    for _ in range(2):
        await vault.sets.decisions.undo(1, "Ann")
    assert await files(vault) == before


async def test_a_change_is_accepted_in_other_words(vault: Vault) -> None:
    await edit(vault, "Plan.md", "red", "green")
    before = await files(vault)
    chosen = Chosen((await everything(vault)).changes, words="dark green")
    await vault.sets.decisions.decide(1, "accept", chosen, "Ann")
    assert (await files(vault))["Plan.md"].startswith("The dark green folder.")
    assert (await vault.sets.reader.get(1)).summary.counts.modified == 1
    await vault.sets.decisions.undo(1, "Ann")
    assert await files(vault) == before


async def test_if_one_cannot_be_done_nothing_is(vault: Vault) -> None:
    await work(vault)
    chosen = await everything(vault)
    await vault.write.create("New.md", "A person was first.\n")
    before = await files(vault)
    with pytest.raises(Conflict, match=r"exists already.*Nothing was decided\.$"):
        await vault.sets.decisions.decide(1, "accept", chosen, "Ann")
    assert await files(vault) == before
    assert (await vault.sets.reader.get(1)).summary.counts.waiting == 6
    assert await vault.sets.decisions.listed(1) == []


async def test_what_nobody_has_seen_is_not_decided(vault: Vault) -> None:
    await edit(vault, "Plan.md", "red", "green")
    chosen = await everything(vault)
    await edit(vault, "Plan.md", "folder", "crate")
    await vault.sets.decisions.decide(1, "accept", chosen, "Ann")
    assert "{--folder--}{++crate++}" in (await files(vault))["Plan.md"]
    with pytest.raises(Conflict, match="changed or decided meanwhile"):
        await vault.sets.decisions.decide(1, "accept", chosen, "Ann")
    with pytest.raises(Conflict, match="nothing to decide"):
        await vault.sets.decisions.decide(1, "accept", Chosen({}), "Ann")


async def test_a_suggestion_whose_link_follows_a_rename_of_its_set_is_decided(vault: Vault) -> None:
    await edit(vault, "Plan.md", "folder", "folder of [[Old]]")
    await rename(vault, "Old.md", "Named.md")
    before = await files(vault)
    await vault.sets.decisions.decide(1, "accept", await everything(vault), "Ann")
    assert (await files(vault))["Plan.md"] == "The red folder of [[Named]].\n\nSee [[Named]].\n"
    await vault.sets.decisions.undo(1, "Ann")
    assert await files(vault) == before


async def test_a_decision_looks_at_its_own_notes_alone(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    await work(vault)
    chosen = await everything(vault)

    async def refuse(*_: object) -> None:
        raise AssertionError("everything that waits was read")

    monkeypatch.setattr(PendingSuggestions, "page", refuse)
    await vault.sets.decisions.decide(1, "accept", chosen, "Ann")
    monkeypatch.undo()
    assert await files(vault) == ACCEPTED


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Nothing is carried out before it opens, and nobody is patient."""
    opened, carry_out = asyncio.Event(), Steps.carry_out

    async def slowly(self: Steps, intent: Intent, step: int) -> None:
        await opened.wait()
        await carry_out(self, intent, step)

    monkeypatch.setattr(Steps, "carry_out", slowly)
    monkeypatch.setattr(decide, "PATIENCE_SECONDS", 0.0)
    return opened


async def test_a_decision_is_answered_when_it_is_on_record(
    vault: Vault, gate: asyncio.Event
) -> None:
    await work(vault)
    decisions = vault.sets.decisions
    done = await decisions.decide_soon(1, "accept", await everything(vault), "Ann")
    assert (done.id, done.count) == (0, 6)
    assert [intent.kind for intent in await vault.intents.open()] == ["decide-set"]
    assert decisions.following(1) == Following(carried_out=False, notes=2)
    gate.set()
    await decisions.close()
    assert decisions.following(1).carried_out
    assert await files(vault) == ACCEPTED
    assert decisions.following(1) == Following(carried_out=True, notes=0)


async def test_one_that_cannot_be_carried_out_says_so_afterwards(
    vault: Vault, gate: asyncio.Event
) -> None:
    await work(vault)
    before, decisions = await files(vault), vault.sets.decisions
    await decisions.decide_soon(1, "accept", await everything(vault), "Ann")
    await vault.notes.edit("Plan.md", lambda text: [Edit(0, len(text), "Else.\n")], "person:Ben")
    gate.set()
    await decisions.close()
    told = decisions.following(1)
    assert (told.carried_out, "Nothing was decided." in told.refused) == (True, True)
    assert await files(vault) == before | {"Plan.md": "Else.\n"}


async def test_peoples_words_stay_when_a_set_is_undone(vault: Vault) -> None:
    await edit(vault, "Plan.md", "red", "green")
    await vault.sets.decisions.decide(1, "accept", await everything(vault), "Ann")
    end = len(await vault.texts.marked("Plan.md"))
    await vault.notes.edit("Plan.md", lambda _: [Edit(end, end, "Mine.\n")], "person:Bo")
    await vault.sets.decisions.undo(1, "Ann")
    text = (await files(vault))["Plan.md"]
    assert text == "The {--red--}{++green++} folder.\n\nSee [[Old]].\nMine.\n"


async def test_what_was_written_over_since_is_not_undone(vault: Vault) -> None:
    await work(vault)
    await vault.sets.decisions.decide(1, "accept", await everything(vault), "Ann")
    await vault.notes.edit("New.md", lambda _: [Edit(0, 0, "Mine. ")], "person:Bo")
    before = await files(vault)
    with pytest.raises(Conflict, match=r"New\.md\. Nothing was undone\."):
        await vault.sets.decisions.undo(1, "Ann")
    assert await files(vault) == before


async def test_what_the_assistant_writes_meanwhile_comes_after_the_undo(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    await work(vault)
    await vault.sets.decisions.decide(1, "accept", await everything(vault), "Ann")
    carry_out, done = Steps.carry_out, list[str]()

    async def write(name: str) -> None:
        async with vault.undo.write_lock.write(name):
            done.append(name)

    async def write_meanwhile(self: Steps, intent: Intent, step: int) -> None:
        if not done:
            tasks.start_soon(write, "Claude")
            await write("Mira")
            await anyio.wait_all_tasks_blocked()
        await carry_out(self, intent, step)
        done.append("undone")

    monkeypatch.setattr(Steps, "carry_out", write_meanwhile)
    async with anyio.create_task_group() as tasks:
        await vault.sets.decisions.undo(1, "Ann")
        assert "Claude" not in done
    assert (done[0], done[-1]) == ("Mira", "Claude")


async def test_undo_outlives_a_restart(tmp_path: Path) -> None:
    write(settings(tmp_path).roots[0].path, NOTES)
    async with open_vault(settings(tmp_path)) as vault:
        await vault.indexer.settled()
        await work(vault)
        before = await files(vault)
        await vault.sets.decisions.decide(1, "accept", await everything(vault), "Ann")
    async with open_vault(settings(tmp_path)) as vault:
        await vault.indexer.settled()
        assert await files(vault) == ACCEPTED
        await vault.sets.decisions.undo(1, "Ann")
        assert await files(vault) == before
        assert (await vault.sets.reader.get(1)).summary.counts.waiting == 6


LINKED: Notes = {
    "Plan.md": "The red folder.\n\nSee [[Old]].\n",
    "Old.md": "# Old\n\nA red house, as [[Old]] says.\n",
    "Else.md": "Go to [[Old]].\n",
}


@pytest.mark.parametrize(
    ("path", "text", "accepted"),
    [
        ("Plan.md", "A green folder.\n\nSee [[Old]] now.\n", "See [[Named]] now."),
        ("Plan.md", "A green folder.\n\nSee [[Named]].\n", "See [[Named]]."),
        ("Plan.md", "[[Old]] and, by its new name, [[Named]].\n", "[[Named]] and, by its new"),
        ("Old.md", "# Old\n\nGreen, as [[Old]] and [[Named]] say.\n", "as [[Named]] and [[Named]]"),
        ("New.md", "New beside [[Old]].\n", "beside [[Named]]."),
        ("New.md", "New beside [[Named]].\n", "beside [[Named]]."),
    ],
)
@pytest.mark.parametrize("restart", [False, True])
async def test_writes_with_links_to_a_note_that_their_set_renames_are_undone_with_it(
    tmp_path: Path, path: str, text: str, accepted: str, *, restart: bool
) -> None:
    write(settings(tmp_path).roots[0].path, LINKED)
    async with AsyncExitStack() as opened:
        vault = await opened.enter_async_context(open_vault(settings(tmp_path)))
        await vault.indexer.settled()
        await rename(vault, "Old.md", "Named.md")
        await (create if path == "New.md" else update)(vault, path, text)
        before = await files(vault)
        await vault.sets.decisions.decide(1, "accept", await everything(vault), "Ann")
        found = await files(vault)
        assert accepted in found[path if path != "Old.md" else "Named.md"]
        assert found["Else.md"] == "Go to [[Named]].\n"
        if restart:
            await opened.aclose()
            vault = await opened.enter_async_context(open_vault(settings(tmp_path)))
            await vault.indexer.settled()
        await vault.sets.decisions.undo(1, "Ann")
        assert await files(vault) == before
        await vault.sets.decisions.decide(1, "accept", await everything(vault), "Ann")
        assert await files(vault) == found


@pytest.mark.parametrize(
    ("path", "text"),
    [("Plan.md", "A green folder.\n\nSee [[Old]] now.\n"), ("New.md", "New beside [[Old]].\n")],
)
async def test_a_write_that_a_person_wrote_over_is_not_undone_with_a_rename_either(
    tmp_path: Path, path: str, text: str
) -> None:
    write(settings(tmp_path).roots[0].path, LINKED)
    async with open_vault(settings(tmp_path)) as vault:
        await vault.indexer.settled()
        await rename(vault, "Old.md", "Named.md")
        await (create if path == "New.md" else update)(vault, path, text)
        await vault.sets.decisions.decide(1, "accept", await everything(vault), "Ann")
        await vault.notes.edit(path, lambda _: [Edit(2, 2, "mine")], "person:Bo")
        before = await files(vault)
        with pytest.raises(Conflict, match=rf"{path}.*Nothing was undone\."):
            await vault.sets.decisions.undo(1, "Ann")
        assert await files(vault) == before
        assert await vault.intents.open() == []
        assert (await vault.sets.reader.get(1)).summary.state == "accepted"


class Crash(BaseException):
    """The process ends here."""


async def cut_short(
    folder: Path, monkeypatch: pytest.MonkeyPatch, after: int, *, on_record: bool
) -> dict[str, str]:
    """Let the process end amid a decision on eight notes; return the files after the next start."""
    notes: Notes = {f"{n}.md": f"Note {n} is red.\n" for n in range(8)}
    write(settings(folder).roots[0].path, notes)
    with monkeypatch.context() as patch:
        count = 0
        carry_out = Steps.carry_out

        async def some(self: Steps, intent: Intent, step: int) -> None:
            nonlocal count
            if count == after:
                raise Crash
            count += 1
            await carry_out(self, intent, step)

        patch.setattr(Steps, "carry_out", some)
        async with open_vault(settings(folder)) as vault:
            await vault.indexer.settled()
            for path in notes:
                await edit(vault, path, "red", "green")
            with pytest.raises(Crash):
                await vault.sets.decisions.decide(1, "accept", await everything(vault), "Ann")
    if not on_record:
        monkeypatch.setattr(Intents, "recover", nothing)
    async with open_vault(settings(folder)) as vault:
        await vault.indexer.settled()
        await vault.sets.decisions.recover()
        return await files(vault)


async def nothing(_: Intents, *, late: bool = False) -> None:
    """Go on with nothing."""


@pytest.mark.parametrize("after", [0, 3, 7])
async def test_a_decision_that_a_crash_cut_short_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    found = await cut_short(tmp_path, monkeypatch, after, on_record=True)
    assert found == {f"{n}.md": f"Note {n} is green.\n" for n in range(8)}


async def test_without_the_record_it_would_stay_half_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = await cut_short(tmp_path, monkeypatch, 3, on_record=False)
    halves = {"green" in text and "{" not in text for text in found.values()}
    assert halves == {True, False}


@pytest.mark.parametrize("place", [(Approvals, "decided"), (Intents, "note")])
@pytest.mark.parametrize("after", range(4))
async def test_a_crash_between_a_write_and_its_record_leaves_it_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: tuple[type, str], after: int
) -> None:
    """Four writes are made: a create, a rename, an update and a delete; each is cut short."""
    write(settings(tmp_path).roots[0].path, NOTES)
    count = 0
    real = getattr(*place)

    async def record(self: object, *given: object, **more: object) -> None:
        nonlocal count
        if count == after:
            raise Crash
        count += 1
        await real(self, *given, **more)

    async with open_vault(settings(tmp_path)) as vault:
        await vault.indexer.settled()
        await work(vault)
        before = await files(vault)
        with monkeypatch.context() as patch:
            patch.setattr(*place, record)
            with pytest.raises(Crash):
                await vault.sets.decisions.decide(1, "accept", await everything(vault), "Ann")
    async with open_vault(settings(tmp_path)) as vault:
        await vault.indexer.settled()
        await vault.sets.decisions.recover()
        assert await files(vault) == ACCEPTED
        summary = (await vault.sets.reader.get(1)).summary
        assert (summary.state, summary.counts.accepted) == ("accepted", 6)
        await vault.sets.decisions.undo(1, "Ann")
        assert await files(vault) == before
