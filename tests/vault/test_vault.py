"""A vault over real files: found, read, linked, searched, and kept current."""

import os
import shutil
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path

import anyio
import pytest

from commonplace.core.text.edits import Edit
from commonplace.errors import BadPath, NotFound, Unavailable, Unreadable
from commonplace.vault.files import reader
from commonplace.vault.files.openat import open_beneath
from commonplace.vault.index import database, updates
from commonplace.vault.index.build.builder import Builder, BuildNews
from commonplace.vault.index.mirror import NoteChange
from commonplace.vault.open import open_vault
from commonplace.vault.search.ripgrep import Pattern
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests.vault.conftest import Notes, write
from tests.wait import PATIENCE, becomes, eventually

pytestmark = pytest.mark.anyio

NOTES: Notes = {
    "Home.md": "# Home\n\nSee [[ideas]] and [[Projects/Plan|the plan]] and [[Nowhere]].\n",
    "Ideas.md": "---\naliases: [Sparks]\ntags: [seed/fresh]\n---\n# Ideas\n\nBack to [[Home]].\n",
    "Projects/Plan.md": "# The Plan\n\n[[../Home|up]] ![[Sparks]] [list](List%20of%20all.md)\n",
    "Projects/List of all.md": "plain words about otters\n",
    "日本/メモ.md": "# メモ\n\n知識の庭について [[Home]]\n",
}

MakeSettings = Callable[..., Settings]


@asynccontextmanager
async def current(settings: Settings) -> AsyncGenerator[Vault]:
    """Open a vault and wait until its index is complete."""
    async with open_vault(settings) as vault:
        with anyio.fail_after(PATIENCE):
            await vault.indexer.settled()
        yield vault


def folder(settings: Settings) -> Path:
    return settings.roots[0].path


async def test_notes_are_read_at_once_though_nothing_is_indexed(
    make_settings: MakeSettings,
) -> None:
    async with open_vault(make_settings(NOTES), follow=False) as vault:
        assert (await vault.texts.accepted("Projects/Plan.md")).startswith("# The Plan")
        assert vault.texts.find("Projects/Plan") == "Projects/Plan.md"


async def test_a_known_note_is_found_and_read_by_one_look_at_its_file(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with current(make_settings(NOTES)) as vault:
        looked: list[str] = []

        def look(directory: int, path: str, flags: int, mode: int = 0o600) -> int:
            looked.append(path)
            return open_beneath(directory, path, flags, mode)

        monkeypatch.setattr(reader, "open_beneath", look)
        assert await vault.texts.find_marked("Ideas.md") == ("Ideas.md", NOTES["Ideas.md"])
        assert looked == ["Ideas.md"]
        assert await vault.texts.find_marked("Ideas") == ("Ideas.md", NOTES["Ideas.md"])


@pytest.mark.parametrize("live", [True, False])
async def test_a_note_whose_file_went_a_moment_ago_is_not_there(
    make_settings: MakeSettings, live: bool
) -> None:
    settings = make_settings(NOTES)
    async with current(settings) as vault:
        if live:
            await vault.notes.edit("Ideas.md", lambda _: [Edit(0, 0, "x")], "person:me")
            await vault.notes.late_files(["Ideas.md"])
        (folder(settings) / "Ideas.md").unlink()
        with pytest.raises(NotFound, match="Document not found"):
            await vault.texts.find_marked("Ideas.md")
        (folder(settings) / "Ideas.md").mkdir()
        with pytest.raises(NotFound, match="is a folder"):
            await vault.texts.find_marked("Ideas.md")


async def test_links_are_told_in_both_directions(make_settings: MakeSettings) -> None:
    async with current(make_settings(NOTES)) as vault:
        home = await vault.listing.links("Home.md")
        assert home.forward == ["Ideas.md", "Projects/Plan.md"]
        assert home.backlinks == ["Ideas.md", "Projects/Plan.md", "日本/メモ.md"]
        assert home.unresolved == ["Nowhere"]
        plan = await vault.listing.links("Projects/Plan.md")
        assert plan.forward == ["Home.md", "Ideas.md", "Projects/List of all.md"]


async def test_a_missing_note_is_told_with_what_may_have_been_meant(
    make_settings: MakeSettings,
) -> None:
    async with current(make_settings(NOTES)) as vault:
        with pytest.raises(NotFound, match=r"Did you mean Projects/Plan\.md\?"):
            vault.texts.find("Projects/Plam.md")
        with pytest.raises(NotFound, match="is a folder"):
            vault.texts.find("Projects")
        with pytest.raises(BadPath):
            vault.texts.find("../etc/passwd")


async def test_notes_are_listed_newest_first(make_settings: MakeSettings) -> None:
    settings = make_settings(NOTES)
    for age, path in enumerate(["Ideas.md", "Home.md", "Projects/Plan.md"]):
        os.utime(folder(settings) / path, (2e9 - age, 2e9 - age))
    async with current(settings) as vault:
        listed = [entry.path for entry in await vault.listing.newest()]
        assert listed[:3] == ["Ideas.md", "Home.md", "Projects/Plan.md"]
        assert len(listed) == len(NOTES)
        inside = [entry.path for entry in await vault.listing.newest("Projects/")]
        assert sorted(inside) == ["Projects/List of all.md", "Projects/Plan.md"]
        with pytest.raises(NotFound, match="Folder does not exist: Nope"):
            await vault.listing.newest("Nope")


async def test_words_are_found_in_any_script(make_settings: MakeSettings) -> None:
    async with current(make_settings(NOTES)) as vault:
        assert [hit.path for hit in await vault.search.search("otters", 5)] == [
            "Projects/List of all.md"
        ]
        assert [hit.path for hit in await vault.search.search("知識", 5)] == ["日本/メモ.md"]
        assert "otters" in (await vault.search.search("otter", 5))[0].snippet
        assert await vault.search.search("zzzz", 5) == []
        assert await vault.search.search('"*(', 5) == []


async def test_a_pattern_is_found_in_every_note_or_in_a_few(make_settings: MakeSettings) -> None:
    async with current(make_settings(NOTES)) as vault:
        found = await vault.search.grep(Pattern("Home"))
        assert {m.path for m in found} == {
            "Home.md",
            "Ideas.md",
            "Projects/Plan.md",
            "日本/メモ.md",
        }
        found = await vault.search.grep(Pattern("Home"), folder="Projects")
        assert [m.path for m in found] == ["Projects/Plan.md"]


async def test_a_file_that_changes_appears_or_goes_is_seen_by_every_question(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings(NOTES)
    async with current(settings) as vault:
        told: list[NoteChange] = []
        vault.contents.follow(told.append)
        write(folder(settings), {"Nowhere.md": "now here [[Ideas]]\n", "Home.md": "# Changed\n"})
        (folder(settings) / "Projects/List of all.md").unlink()
        await eventually(lambda: len({change.path for change in told}) >= 3)
        assert NoteChange("Nowhere.md", "appeared") in told
        assert NoteChange("Home.md", "changed") in told
        assert NoteChange("Projects/List of all.md", "gone") in told
        assert (await vault.listing.links("Ideas.md")).backlinks == [
            "Nowhere.md",
            "Projects/Plan.md",
        ]
        assert (await vault.listing.links("Projects/Plan.md")).unresolved == ["List of all.md"]
        assert [m.path for m in await vault.search.grep(Pattern("now here"))] == ["Nowhere.md"]
        assert await vault.search.search("otters", 5) == []
        assert [hit.path for hit in await vault.search.search("changed", 5)] == ["Home.md"]


async def test_a_link_to_nowhere_leads_somewhere_once_the_note_exists(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings(NOTES)
    async with current(settings) as vault:
        write(folder(settings), {"deep/Nowhere.md": "found\n"})
        await vault.indexer.update(["deep/Nowhere.md"])
        assert "deep/Nowhere.md" in (await vault.listing.links("Home.md")).forward
        (folder(settings) / "deep/Nowhere.md").rename(folder(settings) / "deep/Elsewhere.md")
        await vault.indexer.update(["deep"])
        assert (await vault.listing.links("Home.md")).unresolved == ["Nowhere"]
        write(folder(settings), {"deep/Elsewhere.md": "---\naliases: Nowhere\n---\n"})
        await vault.indexer.update(["deep/Elsewhere.md"])
        assert "deep/Elsewhere.md" in (await vault.listing.links("Home.md")).forward


async def test_notes_in_folders_made_at_once_are_all_found(make_settings: MakeSettings) -> None:
    settings = make_settings(NOTES)
    async with current(settings) as vault:
        deep = "/".join(f"d{n}" for n in range(20))
        write(folder(settings), {f"{deep}/{n}.md": f"note {n}\n" for n in range(50)})

        async def count() -> int:
            return sum(e.path.startswith("d0/") for e in await vault.listing.newest())

        await becomes(count, 50)


async def test_a_folder_that_goes_takes_its_notes_along(make_settings: MakeSettings) -> None:
    settings = make_settings(NOTES)
    async with current(settings) as vault:
        shutil.rmtree(folder(settings) / "Projects")
        await vault.indexer.update(["Projects"])
        assert {e.path for e in await vault.listing.newest()} == {
            "Home.md",
            "Ideas.md",
            "日本/メモ.md",
        }


async def test_the_index_survives_a_restart_and_is_rebuilt_when_deleted(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings(NOTES)
    async with current(settings) as vault:
        before = vault.health.status()["index"]
    async with current(settings) as vault:
        assert vault.health.status()["index"] == before
    for file in settings.state.iterdir():
        file.unlink()
    async with current(settings) as vault:
        assert vault.health.status()["index"] == before


async def test_a_rebuild_starts_from_nothing_and_ends_the_same(
    make_settings: MakeSettings,
) -> None:
    async with current(make_settings(NOTES)) as vault:
        before = vault.health.status()["index"]
        await vault.indexer.refresh(rebuild=True)
        assert vault.health.status()["index"] == before
        assert [m.path for m in await vault.search.grep(Pattern("otters"))] == [
            "Projects/List of all.md"
        ]
        assert [hit.path for hit in await vault.search.search("otters", 5)] == [
            "Projects/List of all.md"
        ]


@pytest.mark.parametrize("damage", [b"", b"not a database" * 100])
async def test_a_damaged_index_is_built_anew(make_settings: MakeSettings, damage: bytes) -> None:
    settings = make_settings(NOTES)
    async with current(settings):
        pass
    (settings.state / "index.db").write_bytes(damage)
    async with current(settings) as vault:
        assert (await vault.listing.links("Home.md")).forward == ["Ideas.md", "Projects/Plan.md"]


async def test_an_index_that_is_only_busy_is_not_thrown_away(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = make_settings(NOTES)
    async with current(settings):
        pass
    before = (settings.state / "index.db").read_bytes()
    monkeypatch.setattr(database, "_BUSY_MS", 10)
    with closing(sqlite3.connect(settings.state / "index.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match="locked"):
            database.connect(settings.state)
    assert (settings.state / "index.db").read_bytes() == before


@pytest.mark.parametrize("large", [False, True])
async def test_changes_made_while_nobody_looked_are_found_at_the_next_start(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch, *, large: bool
) -> None:
    settings = make_settings(NOTES)
    async with current(settings):
        pass
    if large:  # so that another process compares them, while this one loads what it knows
        monkeypatch.setattr(updates, "SCANNED_HERE_MAX", 2)
    write(folder(settings), {"New.md": "[[Home]]\n"})
    (folder(settings) / "Ideas.md").unlink()
    async with current(settings) as vault:
        home = await vault.listing.links("Home.md")
        assert home.backlinks == ["New.md", "Projects/Plan.md", "日本/メモ.md"]
        assert home.unresolved == ["Nowhere", "ideas"]
        await vault.notes.edit("New.md", lambda _: [Edit(0, 0, "otters ")], "ana")
        found = await vault.search.grep(Pattern("otters"))
        assert {match.path for match in found} == {"New.md", "Projects/List of all.md"}


async def test_files_that_are_no_text_are_listed_with_the_reason(
    make_settings: MakeSettings,
) -> None:
    odd: Notes = {
        "latin.md": b"caf\xe9\n",
        "nul.md": b"a\0b\n",
        "empty.md": b"",
        "bomb.md": "---\na: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n---\ntext\n",
        "long.md": "x" * 1_000_000 + "\n",
    }
    async with current(make_settings(NOTES | odd)) as vault:
        assert len(await vault.listing.newest()) == len(NOTES | odd)
        with pytest.raises(Unreadable, match=r"^latin\.md: "):
            await vault.texts.accepted("latin.md")
        assert (await vault.listing.about("latin.md")).problem
        assert await vault.texts.accepted("nul.md") == "a\N{SYMBOL FOR NULL}b\n"
        assert await vault.texts.accepted("empty.md") == ""
        assert (await vault.texts.accepted("bomb.md")).endswith("text\n")
        assert len(await vault.texts.accepted("long.md")) == 1_000_001
        checks = {check.name: check for check in await vault.health.diagnose()}
        assert not checks["notes"].ok
        assert checks["index"].ok


async def test_windows_line_ends_and_marks_are_not_part_of_the_text(
    make_settings: MakeSettings,
) -> None:
    async with current(make_settings({"w.md": b"\xef\xbb\xbfone\r\ntwo\r\n"})) as vault:
        assert await vault.texts.accepted("w.md") == "one\ntwo\n"
        assert len(await vault.search.grep(Pattern("^one$"))) == 1


async def test_a_vault_that_is_removed_is_told_and_comes_back(make_settings: MakeSettings) -> None:
    settings = make_settings(NOTES)
    async with current(settings) as vault:
        folder(settings).rename(folder(settings).parent / "away")
        with pytest.raises(Unavailable, match="not there any more"):
            await vault.texts.accepted("Home.md")
        await vault.indexer.refresh()
        assert vault.health.status()["missing"] == ["vault"]
        (folder(settings).parent / "away").rename(folder(settings))
        assert (await vault.texts.accepted("Home.md")).startswith("# Home")
        assert len(await vault.listing.newest()) == len(NOTES)


async def test_several_roots_are_one_tree(tmp_path: Path) -> None:
    write(tmp_path / "a", {"x.md": "[[y]]\n", "sub/z.md": "[[Two/y]]\n"})
    write(tmp_path / "b", {"y.md": "[[One/x]] [[sub/z]]\n"})
    settings = Settings((Root("One", tmp_path / "a"), Root("Two", tmp_path / "b")), tmp_path / "s")
    async with current(settings) as vault:
        assert {e.path for e in await vault.listing.newest()} == {
            "One/x.md",
            "One/sub/z.md",
            "Two/y.md",
        }
        assert (await vault.listing.links("Two/y.md")).backlinks == ["One/sub/z.md", "One/x.md"]
        assert (await vault.listing.links("Two/y.md")).forward == ["One/sub/z.md", "One/x.md"]
        assert (await vault.texts.accepted("One/x")) == "[[y]]\n"
        with pytest.raises(NotFound, match="One, Two"):
            vault.texts.find("Three/x.md")


async def test_what_the_person_ignores_is_not_there(make_settings: MakeSettings) -> None:
    async with current(make_settings(NOTES, ignore=("Projects/**",))) as vault:
        assert {e.path for e in await vault.listing.newest()} == {
            "Home.md",
            "Ideas.md",
            "日本/メモ.md",
        }
        with pytest.raises(NotFound):
            await vault.texts.accepted("Projects/Plan.md")


async def test_many_edits_of_a_few_notes_do_not_let_the_corpus_grow_for_ever(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings(NOTES)
    async with current(settings) as vault:
        for round_ in range(120):
            write(folder(settings), {"Home.md": f"round {round_} [[Ideas]]\n"})
            await vault.indexer.update(["Home.md"])
        assert [m.path for m in await vault.search.grep(Pattern("round 119"))] == ["Home.md"]
        assert not await vault.search.grep(Pattern("round 118"))
        assert [hit.path for hit in await vault.search.search("round", 5)] == ["Home.md"]
        size = sum(f.stat().st_size for f in settings.state.glob("corpus-*"))
        assert size < 10_000


async def test_a_note_that_was_changed_when_the_corpus_was_compacted_is_found_where_it_is(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings(NOTES)
    async with current(settings) as vault:
        before = vault.texts._contents.corpus
        for round_ in range(24):
            text = f"round{round_}z\n" * 6_000
            write(folder(settings), {"Home.md": text})
            await vault.indexer.update(["Home.md"])
            note = (await vault.listing.about("Home.md")).note
            assert vault.texts.of_note(note) == text.encode()
            assert [m.path for m in await vault.search.grep(Pattern(f"round{round_}z"))] == [
                "Home.md"
            ]
            assert not await vault.search.grep(Pattern(f"round{round_ - 1}z"))
            assert (await vault.search.grep(Pattern("."), lambda path: path == "Ideas.md"))[0]
        assert vault.texts._contents.corpus is not before
        size = sum(f.stat().st_size for f in settings.state.glob("corpus-*"))
        assert size < 12 * 6_000 * len("round10z\n")


async def test_resources_are_paged_by_name(make_settings: MakeSettings) -> None:
    async with current(make_settings({f"n{n}.md": f"# T{n}\n" for n in range(5)})) as vault:
        first, after = await vault.listing.page(None, 2)
        second, after = await vault.listing.page(after, 2)
        third, end = await vault.listing.page(after, 2)
        assert [i.path for i in [*first, *second, *third]] == [f"n{n}.md" for n in range(5)]
        assert first[0].title == "T0"
        assert end is None
        assert await vault.listing.complete("n3", 10) == ["n3.md"]


async def test_a_renamed_file_is_told_as_the_same_note(make_settings: MakeSettings) -> None:
    settings = make_settings(NOTES)
    async with current(settings) as vault:
        told: list[NoteChange] = []
        vault.contents.follow(told.append)
        (folder(settings) / "Ideas.md").rename(folder(settings) / "Thoughts.md")
        await eventually(lambda: len(told) >= 2)
        assert NoteChange("Thoughts.md", "appeared", "Ideas.md") in told
        assert NoteChange("Ideas.md", "gone") in told


async def test_a_title_is_told_before_the_first_build_has_read_a_note(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = anyio.Event()
    told = Builder.news

    async def held(builder: Builder) -> AsyncGenerator[BuildNews]:
        await go_on.wait()
        async for news in told(builder):
            yield news

    monkeypatch.setattr(Builder, "news", held)
    many = {f"many/{n}.md": f"# Number {n}\n" for n in range(3000)}
    async with open_vault(make_settings(many)) as vault:
        (folder(vault.settings) / "broken.md").write_bytes(b"\xff\xfe\x00")
        with anyio.fail_after(PATIENCE):
            await eventually(lambda: vault.listing.unfinished is not None)
            assert await vault.listing.title("many/2999.md") == "Number 2999"
            assert await vault.listing.title("broken.md") is None
        go_on.set()
        await vault.indexer.settled()
        assert await vault.listing.title("many/2999.md") == "Number 2999"
        assert await vault.listing.title("broken.md") is None


async def test_links_are_answered_while_the_first_build_goes_on(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings(NOTES | {f"many/{n}.md": f"# {n}\n[[Home]]\n" for n in range(3000)})
    async with open_vault(settings) as vault:
        await vault.listing.newest()
        answered = 0
        while vault.listing.unfinished is not None:
            with anyio.fail_after(PATIENCE):
                await vault.listing.links("Home.md")
                answered += 1
            await anyio.sleep(0.01)
        assert answered
        await vault.indexer.settled()
        assert len((await vault.listing.links("Home.md")).backlinks) == 3003
