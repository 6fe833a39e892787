"""Renames: every link follows, nothing else changes, and a crash leaves nothing half done."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path

import anyio
import pytest

from commonplace.core.text.edits import Edit
from commonplace.errors import BadArgument, BadPath, Conflict, NotFound
from commonplace.vault.index.mirror import NoteChange
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests.vault.conftest import write
from tests.vault.notes.rename_process import NAMES
from tests.wait import becomes, empties, eventually

pytestmark = pytest.mark.anyio

MakeSettings = Callable[..., Settings]

WHO = "person:ana"


async def texts(vault: Vault) -> dict[str, str]:
    queue = vault.notes.queue
    await queue.flush_all()
    # A file that somebody else seems to be writing is tried again a moment later.
    await eventually(lambda: not queue.ids())
    await queue.flush_all()
    top = vault.settings.roots[0].path
    return {str(p.relative_to(top)): p.read_text() for p in sorted(top.rglob("*.md"))}


async def test_a_note_moves_and_every_link_to_it_follows(make_settings: MakeSettings) -> None:
    notes = {
        "Old.md": "# Old\n",
        "a.md": "[[Old]] ![[old#H|x]] [t](Old.md) `[[Old]]`\n",
        "sub/b.md": "[[../Old]] [u](../Old.md)\n",
        "sub/c.md": "[[Other]]\n",
    }
    async with open_vault(make_settings(notes)) as vault:
        await vault.indexer.settled()
        done = await vault.renames.rename("Old.md", "sub/New.md", WHO)
        assert (done.path, done.links, done.left) == ("sub/New.md", 5, [])
        assert await texts(vault) == {
            "a.md": "[[New]] ![[New#H|x]] [t](sub/New.md) `[[Old]]`\n",
            "sub/New.md": "# Old\n",
            "sub/b.md": "[[./New]] [u](./New.md)\n",
            "sub/c.md": "[[Other]]\n",
        }
        assert (await vault.listing.links("sub/New.md")).backlinks == ["a.md", "sub/b.md"]


async def test_one_undo_takes_all_of_it_back(make_settings: MakeSettings) -> None:
    notes = {"Old.md": "[[a]] [[Old]]\n", "a.md": "[[Old]] and [[New]] broken\n", "b.md": "[[Old]]"}
    async with open_vault(make_settings(notes)) as vault:
        await vault.indexer.settled()
        done = await vault.renames.rename("Old.md", "x/New.md", WHO, title="New")
        assert (await texts(vault))["a.md"] == "[[New]] and [[New]] broken\n"
        await vault.notes.edit("b.md", lambda text: [Edit(0, 0, "typed since ")], WHO)
        assert (await vault.renames.undo(done.undo, WHO)).path == "Old.md"
        assert await texts(vault) == notes | {"b.md": "typed since [[Old]]"}
        with pytest.raises(NotFound):
            await vault.renames.undo(done.undo, WHO)


@pytest.mark.parametrize("back", [False, True], ids=["rename", "undo"])
async def test_a_move_is_told_though_the_index_had_not_seen_the_last_save(
    make_settings: MakeSettings, back: bool
) -> None:
    """A save makes another file of it: neither its inode nor its bytes are those of the index."""
    async with open_vault(make_settings({"Old.md": "# Old\n"})) as vault:
        await vault.indexer.settled()
        token = (await vault.renames.rename("Old.md", "New.md", WHO)).undo if back else ""
        told: list[NoteChange] = []
        vault.contents.follow(told.append)
        old, new = ("New.md", "Old.md") if back else ("Old.md", "New.md")
        file = vault.settings.roots[0].path / old
        saved = file.with_name("saved")
        saved.write_text("# Old\n\nsaved by another program\n")
        saved.replace(file)
        if back:
            await vault.renames.undo(token, WHO)
        else:
            await vault.renames.rename(old, new, WHO)
        assert NoteChange(new, "appeared", old) in told


async def test_links_inside_the_note_stay_right(make_settings: MakeSettings) -> None:
    notes = {
        "a/Old.md": "[[./near]] [n](near.md) ![p](pic.png) [[near]] [w](https://x.y) [[Old]]\n",
        "a/near.md": "x",
        "a/pic.png": b"png",
    }
    async with open_vault(make_settings(notes)) as vault:
        await vault.indexer.settled()
        await vault.renames.rename("a/Old.md", "b/c/New.md", WHO)
        assert (await texts(vault))["b/c/New.md"] == (
            "[[../../a/near]] [n](../../a/near.md) ![p](../../a/pic.png) [[near]]"
            " [w](https://x.y) [[New]]\n"
        )


async def test_a_link_by_the_new_name_goes_on_meaning_its_own_note(
    make_settings: MakeSettings,
) -> None:
    notes = {
        "x/Old.md": "1",
        "y/Name.md": "2",
        "x/reader.md": "[[Name]] [[Old]]",
        "far.md": "[[Name]]",
    }
    async with open_vault(make_settings(notes)) as vault:
        await vault.indexer.settled()
        await vault.renames.rename("x/Old.md", "x/Name.md", WHO)
        found = await texts(vault)
        assert found["x/reader.md"] == "[[y/Name]] [[Name]]"
        assert found["far.md"] == "[[y/Name]]"
        assert (await vault.listing.links("y/Name.md")).backlinks == ["far.md", "x/reader.md"]


async def test_ambiguous_links_are_left_and_told(make_settings: MakeSettings) -> None:
    notes = {"x/Same.md": "1", "y/Same.md": "2", "top.md": "[[Same]]", "p.md": "[[x/Same]]"}
    async with open_vault(make_settings(notes)) as vault:
        await vault.indexer.settled()
        done = await vault.renames.rename("x/Same.md", "x/Other.md", WHO)
        assert done.left == ["top.md: [[Same]]"]
        assert (await texts(vault))["p.md"] == "[[x/Other]]"


async def test_a_change_of_case_alone_works(make_settings: MakeSettings) -> None:
    async with open_vault(
        make_settings({"note.md": "x", "a.md": "[[note]] [n](note.md)"})
    ) as vault:
        await vault.indexer.settled()
        await vault.renames.rename("note.md", "Note.md", WHO)
        assert await texts(vault) == {"Note.md": "x", "a.md": "[[note]] [n](note.md)"}
        assert (await vault.listing.links("Note.md")).backlinks == ["a.md"]


async def test_a_title_that_links_use_takes_them_along(make_settings: MakeSettings) -> None:
    notes = {
        "n1.md": "---\ntitle: Long Title\naliases: [Nick]\n---\n",
        "a.md": "[[Long Title]] [[Nick]]",
    }
    async with open_vault(make_settings(notes)) as vault:
        await vault.indexer.settled()
        await vault.renames.rename("n1.md", "n2.md", WHO, title="Other Title")
        found = await texts(vault)
        assert found["a.md"] == "[[n2]] [[Nick]]"
        assert "title: Other Title" in found["n2.md"]


@pytest.mark.parametrize(
    ("to", "error"),
    [
        ("taken.md", Conflict),
        ("TAKEN.md", Conflict),
        ("../up.md", BadPath),
        ("no-suffix", BadPath),
        ("a#b.md", BadArgument),
        ("a[b].md", BadArgument),
    ],
)
async def test_a_name_that_cannot_be_is_refused_and_nothing_changes(
    make_settings: MakeSettings, to: str, error: type[Exception]
) -> None:
    notes = {"a.md": "x", "taken.md": "y", "l.md": "[[a]]"}
    async with open_vault(make_settings(notes)) as vault:
        await vault.indexer.settled()
        with pytest.raises(error):
            await vault.renames.rename("a.md", to, WHO)
        assert await texts(vault) == notes


async def test_a_live_note_and_its_readers_go_on_under_the_new_name(
    make_settings: MakeSettings,
) -> None:
    notes = {"Old.md": "text", "live.md": "[[Old]]"}
    async with open_vault(make_settings(notes)) as vault:
        await vault.indexer.settled()
        await vault.notes.edit("Old.md", lambda text: [Edit(len(text), len(text), " one")], WHO)
        await vault.notes.edit("live.md", lambda text: [Edit(0, 0, "see ")], WHO)
        before = await vault.notes.ids.id_of("Old.md")
        await vault.renames.rename("Old.md", "New.md", WHO)
        assert await vault.notes.ids.id_of("New.md") == before
        await vault.notes.edit("New.md", lambda text: [Edit(len(text), len(text), " two")], WHO)
        assert await texts(vault) == {"New.md": "text one two", "live.md": "see [[New]]"}


async def test_pending_suggestions_keep_their_markup(make_settings: MakeSettings) -> None:
    notes = {"Old.md": "x", "s.md": "{--[[Old]]--}{++[[Old]] again++} [[Old]]\n"}
    async with open_vault(make_settings(notes)) as vault:
        await vault.indexer.settled()
        await vault.renames.rename("Old.md", "New.md", WHO)
        assert (await texts(vault))["s.md"] == "{--[[New]]--}{++[[New]] again++} [[New]]\n"


async def test_line_endings_and_the_mark_at_the_start_survive(make_settings: MakeSettings) -> None:
    notes = {"Old.md": "x", "crlf.md": b"\xef\xbb\xbf[[Old]]\r\nmore\r\n"}
    async with open_vault(make_settings(notes)) as vault:
        await vault.indexer.settled()
        await vault.renames.rename("Old.md", "New.md", WHO)
        await vault.notes.queue.flush_all()
        raw = (vault.settings.roots[0].path / "crlf.md").read_bytes()
        assert raw == b"\xef\xbb\xbf[[New]]\r\nmore\r\n"


async def test_several_roots_rename_within_one_and_link_across(tmp_path: Path) -> None:
    write(tmp_path / "one", {"Old.md": "x", "a.md": "[[Old]] [[One/Old]]"})
    write(tmp_path / "two", {"b.md": "[[One/Old]]"})
    roots = (Root("One", tmp_path / "one"), Root("Two", tmp_path / "two"))
    async with open_vault(Settings(roots, tmp_path / "state")) as vault:
        await vault.indexer.settled()
        with pytest.raises(BadArgument):
            await vault.renames.rename("One/Old.md", "Two/New.md", WHO)
        await vault.renames.rename("One/Old.md", "One/New.md", WHO)
        await vault.notes.queue.flush_all()
        assert (tmp_path / "one/a.md").read_text() == "[[New]] [[One/New]]"
        assert (tmp_path / "two/b.md").read_text() == "[[One/New]]"


async def test_a_rename_of_something_typed_just_now_loses_nothing(
    make_settings: MakeSettings,
) -> None:
    notes = {"Old.md": "x"} | {f"n{n}.md": "[[Old]]" for n in range(20)}
    async with open_vault(make_settings(notes)) as vault:
        await vault.indexer.settled()

        async def type_in(path: str) -> None:
            for n in range(10):
                await vault.notes.edit(
                    path, lambda text, n=n: [Edit(len(text), len(text), f" {n}")], WHO
                )

        async with anyio.create_task_group() as tasks:
            for n in range(0, 20, 2):
                tasks.start_soon(type_in, f"n{n}.md")
            tasks.start_soon(vault.renames.rename, "Old.md", "New.md", WHO)
        found = await texts(vault)
        for n in range(20):
            typed = " 0 1 2 3 4 5 6 7 8 9" if n % 2 == 0 else ""
            assert found[f"n{n}.md"] == f"[[New]]{typed}"


async def test_a_link_that_a_suggestion_runs_through_follows_or_is_reported(
    make_settings: MakeSettings,
) -> None:
    notes = {
        "Old Name.md": "x",
        "both.md": "[[Old Name{--|a--}{++|b++}]]\n",
        "one.md": "[[Ol{--d--}{++d Name++}]] and [[Old Name]]\n",
    }
    async with open_vault(make_settings(notes)) as vault:
        await vault.indexer.settled()
        done = await vault.renames.rename("Old Name.md", "New.md", WHO)
        assert done.left == ["one.md: [[Old Name]] (a suggestion that waits runs through it)"]
        found = await texts(vault)
        assert found["both.md"] == "[[New{--|a--}{++|b++}]]\n"
        assert found["one.md"] == "[[Ol{--d--}{++d Name++}]] and [[New]]\n"


async def test_the_index_sees_every_touched_note_soon_without_a_hint(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_hints(*_: object) -> None:
        await anyio.sleep_forever()

    monkeypatch.setattr("commonplace.vault.files.watch.follow", no_hints)
    monkeypatch.setattr("commonplace.vault.notes.rename.TOUCHED_MAX", 5)
    sources = [f"n{n:02}.md" for n in range(30)]
    async with open_vault(
        make_settings({"Old.md": "x"} | dict.fromkeys(sources, "[[Old]]"))
    ) as vault:
        await vault.indexer.settled()
        done = await vault.renames.rename("Old.md", "New.md", WHO)
        await becomes(lambda: backlinks(vault, "New.md"), sources)
        await vault.renames.undo(done.undo, WHO)
        await becomes(lambda: backlinks(vault, "Old.md"), sources)


async def backlinks(vault: Vault, path: str) -> list[str]:
    return (await vault.listing.links(path)).backlinks


# -- crashes

LINKS = 60


def hub_folder(folder: Path) -> None:
    write(folder, {NAMES[0]: "# The Hub\n"})
    write(folder, {f"n{n:03}.md": "[[Hub]] x\n" for n in range(LINKS)})


@pytest.fixture
def kill_while_renaming(tmp_path: Path) -> Generator[Callable[[float], None]]:
    """Start a process that renames and kill it after some seconds, as often as is asked for."""
    folder, state = tmp_path / "vault", tmp_path / "state"
    hub_folder(folder)
    with subprocess.Popen(
        [sys.executable, "-m", "tests.vault.notes.rename_process", str(folder), str(state)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as processes:
        asked, told = processes.stdin, processes.stdout
        assert asked is not None
        assert told is not None

        def kill(seconds: float) -> None:
            asked.write(b"one\n")
            asked.flush()
            victim = int(told.readline())
            time.sleep(seconds)
            os.kill(victim, signal.SIGKILL)
            assert told.readline() == b"killed\n"

        yield kill


def half_done(folder: Path) -> bool:
    """Tell whether the links, or the files, disagree about the name."""
    there = [name for name in NAMES if (folder / name).exists()]
    spelled = {path.read_text().partition("]]")[0] for path in folder.glob("n*.md")}
    wanted = "[[Hub" if there == [NAMES[0]] else "[[Other Hub"
    return len(there) != 1 or spelled != {wanted}


@pytest.mark.slow
async def test_thirty_kills_leave_no_rename_half_done(
    tmp_path: Path, kill_while_renaming: Callable[[float], None]
) -> None:
    folder, state = tmp_path / "vault", tmp_path / "state"
    rng = random.Random(6)
    for _ in range(30):
        kill_while_renaming(rng.uniform(0.0, 0.3))
        async with open_vault(Settings((Root("vault", folder),), state)) as vault:
            await vault.indexer.settled()
            # Files of live notes follow their log in a moment.
            await eventually(lambda: not half_done(folder))
            assert not list(folder.rglob(f".{'?' * 32}-{'?' * 8}.commonplace"))
        assert not half_done(folder)


@pytest.mark.slow
async def test_without_the_record_some_kill_leaves_one_half_done(
    tmp_path: Path, kill_while_renaming: Callable[[float], None]
) -> None:
    """The control: the same kills, with the record of what was to be done thrown away."""
    folder, state = tmp_path / "vault", tmp_path / "state"
    rng = random.Random(6)
    for _ in range(30):
        kill_while_renaming(rng.uniform(0.0, 0.3))
        db = sqlite3.connect(state / "live.db")
        with db:
            db.execute("DELETE FROM records WHERE kind = 'rename'")
        db.close()
        async with open_vault(Settings((Root("vault", folder),), state)) as vault:
            await vault.indexer.settled()
            await empties(vault.notes.unmended)
        if half_done(folder):
            return
    pytest.fail("every kill missed the rename: the test above proves nothing")


@pytest.mark.slow
async def test_two_thousand_six_hundred_links_follow(make_settings: MakeSettings) -> None:
    notes = {f"n{n:04}.md": f"# {n}\n\n[[Hub|alias]] and [[Hub#H]]\n" for n in range(2600)}
    async with open_vault(make_settings({"Hub.md": "# H\n", **notes})) as vault:
        await vault.indexer.settled()
        start = time.perf_counter()
        done = await vault.renames.rename("Hub.md", "Centre.md", WHO)
        seconds = time.perf_counter() - start
        assert (done.links, done.left) == (5200, [])
        found = await texts(vault)
        assert all(found[path] == text.replace("[[Hub", "[[Centre") for path, text in notes.items())
        assert seconds < 20  # 2 s on a machine that does nothing else: bench/graph.py
        await vault.renames.undo(done.undo, WHO)
        assert await texts(vault) == {"Hub.md": "# H\n", **notes}
