"""Live notes and their files: what is typed is read, found and written; what is saved is merged."""

import errno
import os
import random
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import anyio
import pytest

from commonplace.core.text import edits
from commonplace.core.text.edits import Edit
from commonplace.errors import NotFound, Unreadable
from commonplace.vault.documents.file.queue import FLUSHES_MAX
from commonplace.vault.files.reader import Stamp
from commonplace.vault.files.roots import Roots
from commonplace.vault.open import open_vault
from commonplace.vault.search.ripgrep import Pattern
from commonplace.vault.settings import Settings
from commonplace.vault.vault import Vault
from tests.wait import PATIENCE, becomes, holds

pytestmark = pytest.mark.anyio

MakeSettings = Callable[..., Settings]


@asynccontextmanager
async def current(settings: Settings) -> AsyncGenerator[Vault]:
    async with open_vault(settings) as vault:
        with anyio.fail_after(PATIENCE):
            await vault.indexer.settled()
        yield vault


def appending(text: str) -> Callable[[str], list[Edit]]:
    """Return a plan that adds a text at the end."""
    return lambda before: [Edit(len(before), len(before), text)]


async def test_an_edit_is_read_and_found_at_once_and_soon_in_the_file(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "one\n", "b.md": "two\n"})
    file = settings.roots[0].path / "a.md"
    async with current(settings) as vault:
        await vault.notes.edit("a.md", appending("otters [[b]]\n"), "person:x")
        assert await vault.texts.accepted("a.md") == "one\notters [[b]]\n"
        assert [m.path for m in await vault.search.grep(Pattern("otters"))] == ["a.md"]
        assert (await vault.listing.links("b.md")).backlinks == ["a.md"]
        assert [hit.path for hit in await vault.search.search("otters", 5)] == ["a.md"]
        await holds(file, b"one\notters [[b]]\n")


async def test_a_question_waits_for_a_file_that_is_being_written(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commonplace.vault.documents.file.queue.TYPING_PAUSE_SECONDS", 0.0)
    settings = make_settings({"a.md": ""})
    async with current(settings) as vault:
        for n in range(50):
            await vault.notes.edit("a.md", appending(f"otter{n}\n"), "person:x")
            await anyio.sleep(n / 10_000)
            assert [hit.path for hit in await vault.search.search(f"otter{n}", 5)] == ["a.md"]


async def test_the_file_follows_by_itself_within_a_second(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "one\n"})
    async with current(settings) as vault:
        await vault.notes.edit("a.md", appending("x"), "person:x")
        await holds(settings.roots[0].path / "a.md", b"one\nx")


async def test_few_of_very_many_files_are_written_at_once_and_all_of_them_soon(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{n}.md" for n in range(100)]
    settings = make_settings(dict.fromkeys(names, ""))
    swap, under_way, most = Roots.swap, [0], [0]

    def counted(self: Roots, path: str, data: bytes, token: str, **how: Any) -> tuple[bytes, Stamp]:
        under_way[0] += 1
        most.append(under_way[0])
        time.sleep(0.02)
        done = swap(self, path, data, token, **how)
        under_way[0] -= 1
        return done

    monkeypatch.setattr(Roots, "swap", counted)
    async with current(settings) as vault:
        for name in names:
            await vault.notes.edit(name, appending("otters"), "person:x")
        for name in names:
            await holds(settings.roots[0].path / name, b"otters")
    assert 1 < max(most) <= FLUSHES_MAX


async def test_a_file_that_could_not_follow_is_tried_again_by_itself(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = make_settings({"a.md": "one\n"})
    swap, failures = Roots.swap, [OSError(errno.ENOSPC, "no space")]

    def failing(self: Roots, path: str, data: bytes, token: str, **how: Any) -> tuple[bytes, Stamp]:
        if failures:
            raise failures.pop()
        return swap(self, path, data, token, **how)

    monkeypatch.setattr(Roots, "swap", failing)
    monkeypatch.setattr("commonplace.vault.documents.file.queue._RETRY_SECONDS", (0.05,))
    async with current(settings) as vault:
        await vault.notes.edit("a.md", appending("x"), "person:x")
        await vault.search.grep(Pattern("x"))  # which has it written at once
        assert not failures
        await holds(settings.roots[0].path / "a.md", b"one\nx")


async def test_a_stop_while_the_file_is_being_written_finishes_it(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commonplace.vault.documents.file.queue.TYPING_PAUSE_SECONDS", 0.005)
    settings = make_settings({"a.md": ""})
    folder, written = settings.roots[0].path, ""
    for n in range(30):
        async with current(settings) as vault:
            await vault.notes.edit("a.md", appending(f"{n}\n"), "person:x")
            await anyio.sleep(0.004 + n * 0.0005)
        written += f"{n}\n"
        assert {p.name: p.read_text() for p in folder.iterdir()} == {"a.md": written}


async def test_opening_and_closing_changes_no_byte(make_settings: MakeSettings) -> None:
    forms = {
        "crlf.md": b"one\r\ntwo\r\n",
        "bom.md": b"\xef\xbb\xbfone\n",
        "mixed.md": b"one\r\ntwo\nthree\r\nfour",
        "bare.md": b"no newline",
        "empty.md": b"",
        "cr.md": b"a\rb\r\n",
    }
    settings = make_settings(forms)
    folder = settings.roots[0].path
    before = {name: (folder / name).stat() for name in forms}
    async with current(settings) as vault:
        for name in forms:
            id = await vault.notes.ids.id_of(name)
            await vault.notes.open(id)
            async with vault.notes.documents.hold(id):
                pass
            await vault.notes.queue.flush(id)
    for name, data in forms.items():
        assert (folder / name).read_bytes() == data
        assert (folder / name).stat().st_ino == before[name].st_ino


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"one\r\ntwo\r\n", b"one\r\ntwo\r\nnew\r\n"),
        (b"\xef\xbb\xbfone\n", b"\xef\xbb\xbfone\nnew\n"),
        (b"one\r\ntwo\nthree\r\n", b"one\r\ntwo\nthree\r\nnew\r\n"),
        (b"", b"new\n"),
    ],
)
async def test_an_edit_changes_its_own_bytes_alone(
    make_settings: MakeSettings, before: bytes, after: bytes
) -> None:
    settings = make_settings({"a.md": before})
    async with current(settings) as vault:
        await vault.notes.edit("a.md", appending("new\n"), "person:x")
    assert (settings.roots[0].path / "a.md").read_bytes() == after


async def test_a_save_by_another_program_is_merged_with_what_is_typed(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "alpha beta gamma\nsecond line\n"})
    file = settings.roots[0].path / "a.md"
    async with current(settings) as vault:
        await vault.notes.edit("a.md", lambda t: [Edit(0, 5, "ALPHA")], "person:x")
        file.write_text("alpha beta gamma\nsecond LINE\n")
        assert await vault.texts.accepted("a.md") == "ALPHA beta gamma\nsecond LINE\n"
        await holds(file, b"ALPHA beta gamma\nsecond LINE\n")


async def test_a_rename_by_another_program_keeps_the_document(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "text\n"})
    folder = settings.roots[0].path
    async with current(settings) as vault:
        id = await vault.notes.ids.id_of("a.md")
        await vault.notes.edit("a.md", appending("live\n"), "person:x")
        await vault.notes.queue.flush(id)
        (folder / "a.md").rename(folder / "moved.md")
        await becomes(lambda: vault.notes.ids.path_of(id), "moved.md")
        assert await vault.notes.ids.id_of("moved.md") == id
        await vault.notes.edit("moved.md", appending("more\n"), "person:x")
        await holds(folder / "moved.md", b"text\nlive\nmore\n")
        assert not (folder / "a.md").exists()


async def test_ids_outlive_a_restart_and_a_rename_while_nobody_looked(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "text\n"})
    folder = settings.roots[0].path
    async with current(settings) as vault:
        id = await vault.notes.ids.id_of("a.md")
        await vault.notes.edit("a.md", appending("live\n"), "person:x")
    (folder / "a.md").rename(folder / "b.md")
    async with current(settings) as vault:
        await becomes(lambda: vault.notes.ids.path_of(id), "b.md")
        assert await vault.texts.accepted("b.md") == "text\nlive\n"


async def test_a_note_deleted_by_another_program_is_gone(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "text\n", "b.md": "x\n"})
    file = settings.roots[0].path / "a.md"
    async with current(settings) as vault:
        await vault.notes.edit("a.md", appending("live\n"), "person:x")
        await vault.notes.queue.flush_all()
        file.unlink()
        await becomes(lambda: listed(vault, "a.md"), False)
        with pytest.raises(NotFound):
            await vault.texts.accepted("a.md")
    assert not file.exists()  # whatever was behind has been written by now


async def test_words_typed_into_a_note_that_is_being_deleted_are_kept(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "text\n"})
    file = settings.roots[0].path / "a.md"
    async with current(settings) as vault:
        id = await vault.notes.ids.id_of("a.md")
        await vault.notes.edit("a.md", appending("one\n"), "person:x")
        await vault.notes.queue.flush_all()
        file.unlink()
        await vault.notes.documents.edit(id, appending("two\n"), "person:x")
        await vault.notes.queue.flush_all()
        assert file.read_bytes() == b"text\none\ntwo\n"


async def test_a_file_that_stops_being_text_is_left_alone(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "text\n"})
    file = settings.roots[0].path / "a.md"
    async with current(settings) as vault:
        await vault.notes.edit("a.md", appending("live\n"), "person:x")
        await vault.notes.queue.flush_all()
        file.write_bytes(b"\xff\xfe no text")
        with pytest.raises(Unreadable):
            await vault.notes.edit("a.md", appending("more\n"), "person:x")
    assert file.read_bytes() == b"\xff\xfe no text"


async def test_our_own_writes_cause_no_echo(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "text\n"})
    folder = settings.roots[0].path
    async with current(settings) as vault:
        heard: list[str] = []
        vault.notes.documents.follow(lambda change: heard.append(change.actor))
        for n in range(5):
            await vault.notes.edit("a.md", appending(f"{n}\n"), "person:x")
            await holds(folder / "a.md", await vault.texts.accepted("a.md") or "")
            (folder / f"{n}.md").write_text("seen after our own write")
            await becomes(partial(listed, vault, f"{n}.md"), True)
            await vault.notes.moves.carry()
    assert heard == ["person:x"] * 5


@pytest.mark.parametrize("seed", range(3))
async def test_no_line_is_lost_between_live_edits_and_saves(
    make_settings: MakeSettings, seed: int
) -> None:
    """Everybody adds and keeps lines of their own; at the end each line is there once."""
    rng = random.Random(seed)
    settings = make_settings({"a.md": "start\n"})
    file = settings.roots[0].path / "a.md"
    expected = ["start"]

    def insert(line: str) -> Callable[[str], list[Edit]]:
        def plan(text: str) -> list[Edit]:
            places = [0, *(n + 1 for n, c in enumerate(text) if c == "\n")]
            at = rng.choice(places)
            return [Edit(at, at, line + "\n")]

        return plan

    async with current(settings) as vault:
        for step in range(40):
            line = f"{seed}-{step} é漢😀"
            expected.append(line)
            match rng.randrange(4):
                case 0 | 1:
                    await vault.notes.edit("a.md", insert(line), f"person:{step % 3}")
                case 2:
                    saved = edits.apply(file.read_text(), insert(line)(file.read_text()))
                    file.write_text(saved)
                case _:
                    saved = edits.apply(file.read_text(), insert(line)(file.read_text()))
                    spare = file.with_suffix(".tmp")
                    spare.write_text(saved)
                    os.replace(spare, file)
            if rng.random() < 0.3:
                await anyio.sleep(rng.choice([0.0, 0.01, 0.1, 0.35]))
            if rng.random() < 0.1:
                await vault.notes.queue.flush_all()
        live = await vault.texts.accepted("a.md")
    assert sorted(live.splitlines()) == sorted(expected)
    assert file.read_text() == live


async def test_a_program_that_read_before_we_wrote_and_saves_after_loses_nobodys_words(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "one\ntwo\nthree\n"})
    file = settings.roots[0].path / "a.md"
    async with current(settings) as vault:
        await vault.notes.edit("a.md", appending("first\n"), "person:x")
        await vault.notes.queue.flush_all()
        seen = file.read_text()
        await vault.notes.edit("a.md", lambda t: [Edit(0, 0, "typed meanwhile\n")], "person:x")
        await vault.notes.queue.flush_all()
        file.write_text(seen.replace("two", "two and a half"))
        text = await vault.texts.accepted("a.md")
        assert text == "typed meanwhile\none\ntwo and a half\nthree\nfirst\n"
        await holds(file, text.encode())


async def test_a_file_put_back_as_it_was_stays_so(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "one\n"})
    file = settings.roots[0].path / "a.md"
    async with current(settings) as vault:
        await vault.notes.edit("a.md", appending("two\n"), "person:x")
        await vault.notes.queue.flush_all()
        file.write_text("one\n")
        assert await vault.texts.accepted("a.md") == "one\n"
    assert file.read_text() == "one\n"


async def listed(vault: Vault, path: str) -> bool:
    return path in {entry.path for entry in await vault.listing.newest()}
