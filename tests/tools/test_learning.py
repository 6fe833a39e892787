"""What people decide and say reaches the assistant: by any reading tool, in any process, once."""

import json
import shutil
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from mcp import Client

from commonplace.server.mcp.actors import acting
from commonplace.server.mcp.server import build
from commonplace.server.mcp.vault_resources import VaultResources
from commonplace.tools import sets
from commonplace.tools.table import Actor, Toolbox
from commonplace.vault.documents.file.stable_read import Caution
from commonplace.vault.documents.file.versions import OVERLAP_SECONDS
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from tests.clock import Clock
from tests.tools.conftest import Desk, OpenDesk, every_tool
from tests.wait import eventually

pytestmark = pytest.mark.anyio

NOTE = {"a.md": "The folder is red.\n"}
EDIT = {"file_path": "a.md", "old_string": "red", "new_string": "blue"}


@asynccontextmanager
async def process(
    tmp_path: Path, number: int, *, by_set: bool = False, **policies: str
) -> AsyncGenerator[Desk]:
    """Open the vault anew, as another process of the same assistant would."""
    root = Root("vault", tmp_path / "vault")
    settings = Settings((root,), tmp_path / "state", policies=policies)
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        tools = every_tool(vault)
        tools = [sets.telling(vault, tool) for tool in tools] if by_set else tools
        with acting(Actor(f"process:{number}", "assistant")):
            async with Client(build(Toolbox(tools), VaultResources(vault), version="0")) as client:
                yield Desk(client, tmp_path / "vault", vault)


@pytest.mark.parametrize("tool", ["read", "read_note", "get_node"])
async def test_another_process_of_the_assistant_learns_it_once(tmp_path: Path, tool: str) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault/a.md").write_text(NOTE["a.md"])
    async with process(tmp_path, 1) as first:
        await first.call("read", file_path="a.md")
        await first.call("edit", **EDIT)
        (waiting,) = await first.vault.pending.listed()
        await first.vault.review.decide("reject", {"a.md": [waiting.id]}, "Anna", "It IS red.")
    given = {"read": "file_path", "read_note": "path", "get_node": "id"}[tool]
    async with process(tmp_path, 2) as second:
        told = await second.call(tool, **{given: "a.md"})
        if tool == "read":
            assert 'rejected by Anna: {--red--}{++blue++} (reason: "It IS red.")' in told
        else:
            (decided,) = json.loads(told)["decided"]
            assert decided == {
                "verdict": "reject",
                "old": "red",
                "new": "blue",
                "who": "Anna",
                "reason": "It IS red.",
            }
        for other, name in (("read", "file_path"), ("read_note", "path"), ("get_node", "id")):
            assert "Anna" not in await second.call(other, **{name: "a.md"})


async def told_of(at: Desk, saved: str) -> str:
    """Save a note as another program does; return what the assistant reads once it is told."""
    (at.folder / "a.md").write_text(saved)

    async def decided() -> str:
        told = await at.call("read", file_path="a.md")
        return told if "[Decided" in told else ""

    told = await eventually(decided)
    assert "[Pending" not in told
    await at.vault.notes.queue.flush_all()
    assert (at.folder / "a.md").read_text() == saved
    return told


async def looked_at(at: Desk) -> None:
    """Write the file and look at it, as is done every few seconds."""
    id = await at.vault.notes.ids.id_of("a.md")
    await at.vault.notes.queue.catch_up(id)
    await at.vault.notes.queue.flush(id)


@pytest.mark.parametrize("saved", ["The folder is blue.\n", "The old folder is blue, so to say.\n"])
async def test_what_is_accepted_in_the_file_at_once_is_told(desk: OpenDesk, saved: str) -> None:
    at = await desk(NOTE)
    await at.call("read", file_path="a.md")
    await at.call("edit", **EDIT)
    told = await told_of(at, saved)
    assert told.endswith("accepted by another program, in the file: {--red--}{++blue++}")


@pytest.mark.parametrize("anew", [False, True], ids=["", "in a note made anew"])
async def test_what_is_suggested_and_accepted_again_is_told_again(
    desk: OpenDesk, anew: bool
) -> None:
    at = await desk(NOTE)
    for _ in range(3):
        await at.call("read", file_path="a.md")
        await at.call("edit", **EDIT)
        told = await told_of(at, "The folder is blue.\n")
        assert told.endswith("accepted by another program, in the file: {--red--}{++blue++}")
        if anew:
            (at.folder / "a.md").unlink()
            await eventually(lambda: at.vault.index.about("a.md") is None)
        (at.folder / "a.md").write_text(NOTE["a.md"])


@pytest.mark.parametrize(
    ("saved", "verdict"),
    [
        ("The folder is red.\n", "rejected"),
        ("Here the folder is red.\n", "rejected"),
        ("The folder is green.\n", "edited away"),
    ],
)
async def test_what_is_decided_in_the_file_later_is_told(
    desk: OpenDesk, saved: str, verdict: str
) -> None:
    clock = Clock()
    at = await desk(NOTE, caution=Caution(clock, clock.sleep))
    await at.call("read", file_path="a.md")
    await at.call("edit", **EDIT)
    await looked_at(at)
    # A save within this time could be that of a program that had not seen the suggestion.
    clock.now += OVERLAP_SECONDS + 1
    await looked_at(at)
    told = await told_of(at, saved)
    assert told.endswith(f"{verdict} by another program, in the file: {{--red--}}{{++blue++}}")


@pytest.mark.parametrize(
    ("saved", "verdict"),
    [
        ("The folder is blue.\n", "accepted"),
        ("Here the folder is red.\n", "rejected"),
        ("The folder is green.\n", "edited away"),
        ("The folder is dark blue.\n", "modified"),
        ("The folder is {--red--}{++blue++}.\n", ""),
    ],
)
async def test_what_is_decided_in_the_file_while_nothing_runs_is_told(
    tmp_path: Path, saved: str, verdict: str
) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault/a.md").write_text(NOTE["a.md"])
    async with process(tmp_path, 1) as first:
        await first.call("read", file_path="a.md")
        await first.call("edit", **EDIT)
    (tmp_path / "vault/a.md").write_text(saved)
    async with process(tmp_path, 2) as second:
        told = await second.call("read", file_path="a.md")
        if not verdict:
            assert "[Pending suggestions]" in told
            return
        assert f"{verdict} by another program, in the file: {{--red--}}{{++blue++}}" in told
        assert ("accepted as: dark blue" in told) == (verdict == "modified")
        assert "[Decided" not in await second.call("read", file_path="a.md")
        assert len(second.vault.ledger.decisions(5)) == 1
    async with process(tmp_path, 3) as third:
        assert "[Decided" not in await third.call("read", file_path="a.md")


async def test_a_save_that_may_not_have_seen_a_suggestion_decides_nothing(desk: OpenDesk) -> None:
    at = await desk(NOTE)
    await at.call("read", file_path="a.md")
    await at.call("edit", **EDIT)
    (at.folder / "a.md").write_text("Here, the folder is red.\n")
    await at.vault.notes.queue.catch_up(await at.vault.notes.ids.id_of("a.md"))
    told = await at.call("read", file_path="a.md")
    assert told.startswith("     1\tHere, the folder is blue.")
    assert told.endswith("s ago, perhaps rejected in the file"), told
    assert "[Decided" not in told


async def test_an_assistant_learns_that_its_words_were_modified(desk: OpenDesk) -> None:
    at = await desk(NOTE)
    await at.call("read", file_path="a.md")
    await at.call("edit", **EDIT)
    (one,) = await at.vault.pending.listed()
    await at.vault.review.accept_as("a.md", one.id, "dark blue", "Anna")
    told = await at.call("read", file_path="a.md")
    assert told.endswith('modified by Anna: {--red--}{++blue++} (reason: "accepted as: dark blue")')


async def test_comments_are_listed_with_what_they_are_about(desk: OpenDesk) -> None:
    text = (
        "One {--b--}{++c\nd++}.\n\nThis paragraph is long. {>>please shorten this<<}\n"
        'An {==odd phrase==}{>>{"author":"Anna"}@@unclear?<<} here.\n'
    )
    at = await desk({"a.md": text})
    read = await at.call("read", file_path="a.md")
    assert read.endswith(
        "[Comments]\n"
        '  L4: "please shorten this" on "This paragraph is long."\n'
        '  L5: "unclear?" on "odd phrase" (Anna)'
    )
    wanted = [
        {"line": 4, "text": "please shorten this", "about": "This paragraph is long."},
        {"line": 5, "text": "unclear?", "about": "odd phrase", "author": "Anna"},
    ]
    assert json.loads(await at.call("read_note", path="a.md"))["comments"] == wanted
    assert json.loads(await at.call("get_node", id="a.md"))["comments"] == wanted
    at.folder.joinpath("b.md").write_text("plain\n")
    assert "comments" not in json.loads(await at.call("read_note", path="b.md"))


@pytest.mark.parametrize("verdict", ["accepted", "rejected", ""])
@pytest.mark.parametrize(
    ("known", "moved"),
    [(False, False), (True, False), (True, True)],
    ids=["unseen", "seen", "moved"],
)
async def test_what_became_of_a_suggestion_after_a_kill_is_told(
    tmp_path: Path, verdict: str, known: bool, moved: bool
) -> None:
    """The index may have known nothing of it, or the note be elsewhere."""
    folder, state = tmp_path / "vault", tmp_path / "state"
    folder.mkdir()
    (folder / "a.md").write_text("A {++first++} line.\n\n" + NOTE["a.md"])
    async with process(tmp_path, 1) as first:
        await first.call("read", file_path="a.md")
        keep(state, tmp_path / "before")
        await first.call("edit", **EDIT)
        await first.vault.notes.queue.flush_all()
        keep(state, tmp_path / "killed")
    if not known:
        put_index_back(tmp_path / "before", tmp_path / "killed")
    decided = {"accepted": "blue", "rejected": "red", "": "{--red--}{++blue++}"}[verdict]
    (folder / "a.md").write_text(f"A {{++first++}} line.\n\nHere the folder is {decided}.\n")
    if moved:
        (folder / "elsewhere").mkdir()
        (folder / "a.md").rename(folder / "elsewhere/b.md")
    path = "elsewhere/b.md" if moved else "a.md"
    shutil.rmtree(state)
    (tmp_path / "killed").rename(state)
    async with process(tmp_path, 2) as second:
        told = await second.call("read", file_path=path)
        assert (f"{verdict} by another program, in the file: {{--red--}}" in told) == bool(verdict)
        assert ("{--red--}{++blue++} (mcp)" in told) == (not verdict)
        assert "[Decided" not in await second.call("read", file_path=path)
    async with process(tmp_path, 3) as third:
        assert "[Decided" not in await third.call("read", file_path=path)


async def test_what_is_gone_with_a_note_while_nothing_runs_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "a.md").write_text(NOTE["a.md"])
    (folder / "b.md").write_text("Another.\n")
    async with process(tmp_path, 1) as first:
        await first.call("read", file_path="a.md")
        await first.call("edit", **EDIT)
    (folder / "a.md").unlink()
    async with process(tmp_path, 2, by_set=True) as second:
        await eventually(lambda: second.vault.ledger.decisions(5))
        (one,) = second.vault.ledger.decisions(5)
        assert (one.decision, one.who, one.new) == ("gone with the note", "another program", "blue")
        said = await second.blocks("read", file_path="b.md")
        assert said[1:] == ["Set 1: 1 gone with the note (a.md)."]
        assert len(await second.blocks("read", file_path="b.md")) == 1


def keep(state: Path, to: Path) -> None:
    """Copy the state as a kill would leave it."""
    to.mkdir()
    for file in state.iterdir():
        if file.suffix == ".db":
            with (
                closing(sqlite3.connect(file)) as one,
                closing(sqlite3.connect(to / file.name)) as other,
            ):
                one.backup(other)
        elif file.is_file() and not file.name.endswith(("-wal", "-shm")):
            shutil.copyfile(file, to / file.name)


def put_index_back(before: Path, state: Path) -> None:
    """Let the index know what it knew before."""
    for file in state.iterdir():
        if file.name.startswith(("index", "corpus")):
            file.unlink()
    for file in before.iterdir():
        if file.name.startswith(("index", "corpus")):
            shutil.copyfile(file, state / file.name)
