"""Documents of folders: what the vault holds, as Yjs clients list it."""

import asyncio
import random
import shutil
import uuid
from pathlib import Path
from typing import Any

import pytest
from pycrdt import Doc, Map

from commonplace.errors import NotFound
from commonplace.vault.settings import Root, Settings
from tests.vault.folders.client import MakeSettings, at, client_of, new_id, opened, truth

pytestmark = pytest.mark.anyio


async def test_a_folder_lists_its_notes_folders_and_backlinks(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "[[b]] [[c]]", "Sub/b.md": "[[c]]", "Sub/Deep/c.md": "x"})
    async with at(settings) as (vault, client, _):
        ids = {
            path: await vault.notes.ids.id_of(path)
            for path in ("a.md", "Sub/b.md", "Sub/Deep/c.md")
        }
        assert client.listed == {f"/{path}": id for path, id in ids.items()}
        assert client.folders == {"/Sub", "/Sub/Deep"}
        assert client.docs.to_py() == client.listed
        assert client.files["/a.md"] == {"id": ids["a.md"], "type": "markdown", "version": 0}
        assert client.config.to_py() == {"name": "vault"}
        assert client.backlinks.to_py() == {
            ids["Sub/b.md"]: [ids["a.md"]],
            ids["Sub/Deep/c.md"]: sorted([ids["a.md"], ids["Sub/b.md"]]),
        }


async def test_the_id_of_a_folder_is_stable_and_others_are_unknown(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "x"})
    async with opened(settings) as vault:
        id = await vault.folders.id_of("vault")
        assert await vault.folders.id_of("vault") == id
        with pytest.raises(NotFound):
            await vault.folders.id_of("elsewhere")
        with pytest.raises(NotFound):
            await vault.folders.open(f"folder-{uuid.uuid4()}")
    async with opened(settings) as vault:
        assert await vault.folders.id_of("vault") == id


async def test_notes_that_programs_add_rename_and_delete_are_followed(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "[[b]]", "b.md": "bee", "c.md": "see"})
    async with at(settings) as (vault, client, folder):
        ids = dict(client.listed)
        (folder / "New").mkdir()
        (folder / "New" / "d.md").write_text("[[b]]")
        (folder / "b.md").rename(folder / "New" / "b2.md")
        (folder / "c.md").unlink()
        await vault.indexer.update(["New/d.md", "b.md", "New/b2.md", "c.md"])
        await client.settled()
        assert client.listed.keys() == {"/a.md", "/New/b2.md", "/New/d.md"}
        assert client.listed["/New/b2.md"] == ids["/b.md"]
        assert client.folders == {"/New"}
        assert client.docs.to_py() == client.listed


async def test_a_rename_is_one_transaction(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "x", "b.md": "y"})
    async with at(settings) as (vault, client, folder):
        updates: list[bytes] = []
        vault.notes.documents.follow(
            lambda change: updates.append(change.update) if change.id == client.id else None
        )
        (folder / "a.md").rename(folder / "z.md")
        await vault.indexer.update(["a.md", "z.md"])
        await vault.folders.settle()
        await asyncio.sleep(0)
        assert len(updates) == 1
        client.doc.apply_update(updates[0])
        assert client.listed.keys() == {"/b.md", "/z.md"}


async def test_backlinks_follow_links_as_they_come_move_and_go(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "[[b]]", "Sub/b.md": "x", "c.md": "[[later]]"})
    async with at(settings) as (vault, client, folder):
        a, b, c = (client.listed[key] for key in ("/a.md", "/Sub/b.md", "/c.md"))
        assert client.backlinks.to_py() == {b: [a]}
        (folder / "a.md").write_text("[[c]]")
        (folder / "later.md").write_text("[[b]]")
        await vault.indexer.update(["a.md", "later.md"])
        await client.settled()
        later = client.listed["/later.md"]
        assert client.backlinks.to_py() == {c: [a], later: [c], b: [later]}
        (folder / "later.md").unlink()
        await vault.indexer.update(["later.md"])
        await client.settled()
        assert client.backlinks.to_py() == {c: [a]}


async def test_a_nearer_note_takes_the_links_of_a_farther_one(make_settings: MakeSettings) -> None:
    settings = make_settings({"Sub/a.md": "[[b]]", "Other/b.md": "far"})
    async with at(settings) as (vault, client, folder):
        a, far = client.listed["/Sub/a.md"], client.listed["/Other/b.md"]
        assert client.backlinks.to_py() == {far: [a]}
        (folder / "Sub" / "b.md").write_text("near")
        await vault.indexer.update(["Sub/b.md"])
        await client.settled()
        near = client.listed["/Sub/b.md"]
        assert client.backlinks.to_py() == {near: [a]}
        (folder / "Sub" / "b.md").unlink()
        await vault.indexer.update(["Sub/b.md"])
        await client.settled()
        assert client.backlinks.to_py() == {far: [a]}


async def test_the_document_is_the_same_after_a_restart(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "[[b]]", "Sub/b.md": "x"})
    async with at(settings) as (_, client, _folder):
        await client.does(lambda: client.put("/c.md", new_id()))
        before = client.doc.get_update()
        listed = dict(client.listed)
        state = client.doc.get_state()
    async with at(settings) as (vault, client, _folder):
        assert client.listed == listed
        old: Doc[Any] = Doc()
        old.apply_update(before)
        assert await vault.notes.documents.answer(client.id, state) == b"\0\0"


async def test_what_happened_while_nobody_looked_is_shown_at_the_next_opening(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "[[b]]", "b.md": "x", "c.md": "y"})
    async with at(settings) as (_, client, folder):
        ids = dict(client.listed)
    (folder / "b.md").rename(folder / "b2.md")
    (folder / "c.md").unlink()
    (folder / "d.md").write_text("[[a]]")
    async with at(settings) as (_, client, _folder):
        assert client.listed.keys() == {"/a.md", "/b2.md", "/d.md"}
        assert client.listed["/b2.md"] == ids["/b.md"]
        assert client.backlinks.to_py() == {ids["/a.md"]: [client.listed["/d.md"]]}


async def test_what_a_crash_cut_short_is_done_at_the_next_opening(
    make_settings: MakeSettings, tmp_path: Path
) -> None:
    settings = make_settings({f"{n}.md": f"note {n}" for n in range(6)})
    crashed = tmp_path / "crashed"
    async with at(settings) as (_, client, _folder):
        ids, fresh = dict(client.listed), new_id()

        def change() -> None:
            client.remove("/0.md")
            client.move("/1.md", "/one.md")
            client.put("/new.md", fresh)

        await client.send(change)
        # what the disk holds now is what a process that dies here leaves behind
        shutil.copytree(tmp_path / "vault", crashed / "vault")
        shutil.copytree(tmp_path / "state", crashed / "state")
    folder = crashed / "vault"
    assert truth(folder) == {f"/{n}.md" for n in range(6)}
    left = Settings((Root("vault", folder),), crashed / "state")
    async with at(left) as (_, client, _folder):
        expected = {"/one.md", "/new.md", *(f"/{n}.md" for n in range(2, 6))}
        assert truth(folder) == expected == client.listed.keys()
        assert client.listed["/one.md"] == ids["/1.md"]
        assert client.listed["/new.md"] == fresh
        assert (folder / ".trash/0.md").read_text() == "note 0"


async def test_a_clean_end_leaves_nothing_undone(make_settings: MakeSettings) -> None:
    settings = make_settings({f"{n}.md": f"note {n}" for n in range(6)})
    async with at(settings) as (_, client, folder):
        await client.send(lambda: client.move("/1.md", "/one.md"))
    assert (folder / "one.md").read_text() == "note 1"
    (folder / "one.md").rename(folder / "1.md")
    async with at(settings) as (_, client, _folder):
        assert truth(folder) == {f"/{n}.md" for n in range(6)} == client.listed.keys()


@pytest.mark.slow
async def test_a_large_root_is_built_loaded_and_followed(make_settings: MakeSettings) -> None:
    notes = {f"D{n % 40}/{n}.md": f"[[{n * 7 % 3000}]] [[{n * 3 % 3000}]]" for n in range(3000)}
    settings = make_settings(notes)
    async with at(settings) as (vault, client, folder):
        assert client.listed.keys() == {f"/{path}" for path in notes}
        assert len(client.folders) == 40
        listed: dict[str, str] = dict(client.listed)
        backlinks: dict[str, Any] = client.backlinks.to_py() or {}
        for path in (f"D1/{n}.md" for n in (41, 81)):
            sources = {each for each in (await vault.listing.links(path)).backlinks if each != path}
            ids = sorted([await vault.notes.ids.id_of(each) for each in sources])
            assert backlinks.get(listed[f"/{path}"], []) == ids
    async with at(settings) as (vault, client, folder):
        assert (client.listed, client.backlinks.to_py()) == (listed, backlinks)
        for n in range(400):
            (folder / f"more {n}.md").write_text("[[1]]")
            (folder / f"D{n % 40}/{n}.md").unlink()
        await vault.indexer.refresh()
        await client.settled()
        assert client.listed.keys() == truth(folder)
        assert len(client.listed) == 3000


async def test_several_roots_have_a_document_each(tmp_path: Path) -> None:
    roots: list[Root] = []
    notes = {"One": {"a.md": "[[Two/b]]"}, "Two": {"b.md": "[[One/a]]"}}
    for name, files in notes.items():
        (tmp_path / name).mkdir()
        for path, text in files.items():
            (tmp_path / name / path).write_text(text)
        roots.append(Root(name, tmp_path / name))
    async with opened(Settings(tuple(roots), tmp_path / "state")) as vault:
        one, two = await client_of(vault, "One"), await client_of(vault, "Two")
        a, b = one.listed["/a.md"], two.listed["/b.md"]
        assert one.listed == {"/a.md": a}
        assert (one.config["name"], two.config["name"]) == ("One", "Two")
        assert one.backlinks.to_py() == {a: [b]}
        assert two.backlinks.to_py() == {b: [a]}
        await one.does(lambda: one.put("/new.md", new_id()))
        assert (tmp_path / "One/new.md").exists()
        assert await vault.notes.ids.path_of(one.listed["/new.md"]) == "One/new.md"
        elsewhere = two.listed["/b.md"]
        await one.does(lambda: one.put("/stolen.md", elsewhere))
        assert await vault.notes.ids.path_of(elsewhere) == "Two/b.md"


async def test_a_snapshot_holds_the_same_maps(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "[[b]]", "b.md": "x"})
    async with at(settings) as (vault, client, _folder):
        for number in range(30):
            await client.send(lambda n=number: client.put(f"/n{n}.md", new_id()))
        await client.settled()
        async with vault.notes.documents.hold(client.id) as document:
            state = document.snapshot()
        copy: Doc[Any] = Doc()
        copy.apply_update(state or b"")
        assert copy.get("filemeta_v0", type=Map).to_py() == client.files.to_py()


async def test_the_server_hears_no_echo(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "x"})
    async with at(settings) as (vault, client, _folder):
        updates: list[str] = []
        vault.notes.documents.follow(lambda change: updates.append(change.actor))
        await client.does(lambda: client.put("/b.md", new_id()))
        for _ in range(3):
            await client.settled()
        assert updates.count("person:ana") == 1
        assert updates.count("server") <= 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
async def test_clients_and_programs_at_once_agree_in_the_end(
    make_settings: MakeSettings, seed: int
) -> None:
    chance = random.Random(seed)
    settings = make_settings({f"{n}.md": f"[[{(n * 7) % 30}]]" for n in range(30)})
    async with at(settings) as (vault, one, folder):
        two = await client_of(vault)
        for step in range(60):
            client = chance.choice([one, two])
            await client.pull()
            keys = sorted(client.listed)
            key = chance.choice(keys)
            match chance.randrange(5):
                case 0:
                    await client.send(lambda c=client, s=step: c.put(f"/D/new {s}.md", new_id()))
                case 1:
                    await client.send(lambda c=client, k=key, s=step: c.move(k, f"/E/moved {s}.md"))
                case 2:
                    await client.send(lambda c=client, k=key: c.remove(k))
                case 3:
                    (folder / f"disk {step}.md").write_text("[[1]]")
                    await vault.indexer.update([f"disk {step}.md"])
                case _:
                    if (folder / key[1:]).exists():
                        (folder / key[1:]).unlink()
                        await vault.indexer.update([key[1:]])
            if chance.random() < 0.3:
                await client.settled()
        for client in (one, two, one, two):
            await client.settled()
        assert one.listed.keys() == truth(folder)
        assert one.files.to_py() == two.files.to_py()
        for key, id in one.listed.items():
            assert await vault.notes.ids.id_of(key[1:]) == id
            sources = (await vault.listing.links(key[1:])).backlinks
            ids = sorted([await vault.notes.ids.id_of(path) for path in sources if path != key[1:]])
            assert one.backlinks.get(id, []) == ids
