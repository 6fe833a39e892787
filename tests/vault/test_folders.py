"""Documents of folders: what the vault holds, as Yjs clients list it, and what they change."""

import asyncio
import random
import shutil
import subprocess
import sys
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from pycrdt import Array, Doc, Map, Text

from commonplace.core.edits import Edit
from commonplace.core.yjs import HostileUpdate, var_string, varuint
from commonplace.errors import NotFound
from commonplace.vault.folder_document import HEIRS_MAX
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault

pytestmark = pytest.mark.anyio

MakeSettings = Callable[..., Settings]
NAMES = ("filemeta_v0", "docs", "backlinks_v0", "folder_config")


class Client:
    """A Yjs client of a folder's document, without the network."""

    def __init__(self, vault: Vault, id: str) -> None:
        self.vault, self.id = vault, id
        self.doc: Doc[Any] = Doc()
        self.files, self.docs, self.backlinks, self.config = (
            self.doc.get(name, type=Map) for name in NAMES
        )

    async def pull(self) -> None:
        """Learn what is new."""
        answer = await self.vault.shelf.documents.answer(self.id, self.doc.get_state())
        self.doc.apply_update(answer)

    async def send(self, change: Callable[[], None]) -> None:
        """Change something in one transaction, and send it."""
        heard: list[bytes] = []
        subscription = self.doc.observe(lambda event: heard.append(event.update))
        with self.doc.transaction():
            change()
        self.doc.unobserve(subscription)
        for update in heard:
            await self.vault.shelf.documents.apply(self.id, update, "person:ana", origin=self)

    async def does(self, change: Callable[[], None]) -> None:
        """Change something, and see what the vault makes of it."""
        await self.send(change)
        await self.settled()

    async def settled(self) -> None:
        await asyncio.sleep(0)  # followers hear of a saved change in the next turn of the loop
        await self.vault.folders.settle()
        await self.vault.folders.settle()
        await self.pull()

    @property
    def listed(self) -> dict[str, str]:
        """The paths of notes, and their ids."""
        values: dict[str, Any] = self.files.to_py() or {}
        return {k: v["id"] for k, v in values.items() if v["type"] == "markdown"}

    @property
    def folders(self) -> set[str]:
        values: dict[str, Any] = self.files.to_py() or {}
        return {k for k, v in values.items() if v["type"] == "folder"}

    def put(self, key: str, id: str, kind: str = "markdown") -> None:
        self.files[key] = {"id": id, "type": kind, "version": 0}
        if kind == "markdown":
            self.docs[key] = id

    def remove(self, key: str) -> None:
        del self.files[key]
        if key in self.docs:
            del self.docs[key]

    def move(self, old: str, new: str) -> None:
        id = self.files[old]["id"]
        kind = self.files[old]["type"]
        self.remove(old)
        self.put(new, id, kind)


@asynccontextmanager
async def opened(settings: Settings) -> AsyncGenerator[Vault]:
    async with Vault.open(settings) as vault:
        with anyio.fail_after(20):
            await vault.settled()
        yield vault


async def client_of(vault: Vault, root: str = "vault") -> Client:
    id = await vault.folders.id_of(root)
    await vault.shelf.open(id)
    client = Client(vault, id)
    await client.pull()
    return client


@asynccontextmanager
async def at(settings: Settings) -> AsyncGenerator[tuple[Vault, Client, Path]]:
    async with opened(settings) as vault:
        yield vault, await client_of(vault), settings.roots[0].path


def new_id() -> str:
    return str(uuid.uuid4())


def truth(folder: Path) -> set[str]:
    """The keys of all notes that there are on disk."""
    found = (file.relative_to(folder).as_posix() for file in folder.rglob("*.md"))
    return {f"/{path}" for path in found if not path.startswith(".")}


async def test_a_folder_lists_its_notes_folders_and_backlinks(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "[[b]] [[c]]", "Sub/b.md": "[[c]]", "Sub/Deep/c.md": "x"})
    async with at(settings) as (vault, client, _):
        ids = {
            path: await vault.shelf.id_of(path) for path in ("a.md", "Sub/b.md", "Sub/Deep/c.md")
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
            await vault.shelf.open(f"folder-{uuid.uuid4()}")
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
        await vault.update(["New/d.md", "b.md", "New/b2.md", "c.md"])
        await client.settled()
        assert client.listed.keys() == {"/a.md", "/New/b2.md", "/New/d.md"}
        assert client.listed["/New/b2.md"] == ids["/b.md"]
        assert client.folders == {"/New"}
        assert client.docs.to_py() == client.listed


async def test_a_rename_is_one_transaction(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "x", "b.md": "y"})
    async with at(settings) as (vault, client, folder):
        updates: list[bytes] = []
        vault.shelf.documents.follow(
            lambda change: updates.append(change.update) if change.id == client.id else None
        )
        (folder / "a.md").rename(folder / "z.md")
        await vault.update(["a.md", "z.md"])
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
        await vault.update(["a.md", "later.md"])
        await client.settled()
        later = client.listed["/later.md"]
        assert client.backlinks.to_py() == {c: [a], later: [c], b: [later]}
        (folder / "later.md").unlink()
        await vault.update(["later.md"])
        await client.settled()
        assert client.backlinks.to_py() == {c: [a]}


async def test_a_nearer_note_takes_the_links_of_a_farther_one(make_settings: MakeSettings) -> None:
    settings = make_settings({"Sub/a.md": "[[b]]", "Other/b.md": "far"})
    async with at(settings) as (vault, client, folder):
        a, far = client.listed["/Sub/a.md"], client.listed["/Other/b.md"]
        assert client.backlinks.to_py() == {far: [a]}
        (folder / "Sub" / "b.md").write_text("near")
        await vault.update(["Sub/b.md"])
        await client.settled()
        near = client.listed["/Sub/b.md"]
        assert client.backlinks.to_py() == {near: [a]}
        (folder / "Sub" / "b.md").unlink()
        await vault.update(["Sub/b.md"])
        await client.settled()
        assert client.backlinks.to_py() == {far: [a]}


async def test_a_new_entry_makes_an_empty_note_under_the_clients_id(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "x"})
    async with at(settings) as (vault, client, folder):
        id = new_id()
        await client.does(lambda: client.put("/Sub/New.md", id))
        assert (folder / "Sub/New.md").read_bytes() == b""
        assert await vault.shelf.id_of("Sub/New.md") == id
        assert client.listed["/Sub/New.md"] == id
        assert client.folders == {"/Sub"}
        await vault.shelf.open(id)


async def test_an_id_that_is_taken_is_replaced(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "x", "b.md": "y"})
    async with at(settings) as (vault, client, folder):
        taken = client.listed["/a.md"]
        await client.does(lambda: client.put("/new.md", taken))
        assert not (folder / "new.md").exists()
        assert client.listed == {"/a.md": taken, "/b.md": client.listed["/b.md"]}
        (folder / "b.md").unlink()
        await vault.update(["b.md"])
        await client.settled()
        used = await vault.shelf.id_of("b.md")
        await client.does(lambda: client.put("/new.md", used))
        assert (folder / "new.md").exists()
        assert client.listed["/new.md"] == await vault.shelf.id_of("new.md") != used


async def test_an_entry_that_moves_renames_the_note_and_its_links(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "see [[b]]", "b.md": "bee"})
    async with at(settings) as (vault, client, folder):
        id = client.listed["/b.md"]
        await client.does(lambda: client.move("/b.md", "/Sub/bee.md"))
        assert (folder / "Sub/bee.md").read_text() == "bee"
        assert not (folder / "b.md").exists()
        assert await vault.shelf.id_of("Sub/bee.md") == id == client.listed["/Sub/bee.md"]
        assert "bee" in await vault.text("a.md")
        assert client.listed.keys() == truth(folder)


async def test_a_rename_in_two_changes_is_still_a_rename(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "text", "b.md": "other"})
    async with at(settings) as (_, client, folder):
        id = client.listed["/a.md"]
        await client.send(lambda: client.remove("/a.md"))
        await client.does(lambda: client.put("/moved.md", id))
        assert (folder / "moved.md").read_text() == "text"
        assert not (folder / ".trash").exists()


async def test_a_note_whose_move_came_too_late_comes_back_from_the_trash(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "text", "b.md": "other"})
    async with at(settings) as (vault, client, folder):
        id = client.listed["/a.md"]
        await client.does(lambda: client.remove("/a.md"))
        assert (folder / ".trash/a.md").read_text() == "text"
        await client.does(lambda: client.put("/moved.md", id))
        assert (folder / "moved.md").read_text() == "text"
        assert await vault.shelf.id_of("moved.md") == id == client.listed["/moved.md"]


async def test_names_may_be_passed_on_in_a_row(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "A", "b.md": "B"})
    async with at(settings) as (_, client, folder):
        fresh = new_id()

        def shift() -> None:
            client.move("/b.md", "/c.md")
            client.move("/a.md", "/b.md")
            client.put("/a.md", fresh)

        await client.does(shift)
        assert (folder / "c.md").read_text() == "B"
        assert (folder / "b.md").read_text() == "A"
        assert (folder / "a.md").read_text() == ""
        assert client.listed.keys() == {"/a.md", "/b.md", "/c.md"}
        assert client.listed["/a.md"] == fresh


async def test_a_removed_entry_puts_the_note_in_the_trash(make_settings: MakeSettings) -> None:
    settings = make_settings({"Sub/a.md": "text", "b.md": "other"})
    async with at(settings) as (vault, client, folder):
        await client.does(lambda: client.remove("/Sub/a.md"))
        assert (folder / ".trash/Sub/a.md").read_text() == "text"
        assert not (folder / "Sub/a.md").exists()
        assert client.listed.keys() == {"/b.md"}
        with pytest.raises(NotFound):
            await vault.text("Sub/a.md")


async def test_what_was_typed_last_goes_to_the_trash_too(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "text", "b.md": "other"})
    async with at(settings) as (vault, client, folder):
        await vault.edit("a.md", lambda _: [Edit(0, 0, "typed ")], "person:ben")
        await client.does(lambda: client.remove("/a.md"))
        assert (folder / ".trash/a.md").read_text() == "typed text"


async def test_folders_are_made_and_removed_when_empty(make_settings: MakeSettings) -> None:
    settings = make_settings({"Full/a.md": "x"})
    async with at(settings) as (_, client, folder):
        id = new_id()
        await client.does(lambda: client.put("/Empty/Deep", id, "folder"))
        assert (folder / "Empty/Deep").is_dir()
        assert client.files["/Empty/Deep"]["id"] == id
        await client.does(lambda: client.remove("/Empty/Deep"))
        assert not (folder / "Empty/Deep").exists()
        await client.does(lambda: client.remove("/Full"))
        assert (folder / "Full/a.md").exists()
        assert "/Full" in client.folders


async def test_a_folder_moves_with_all_that_is_in_it(make_settings: MakeSettings) -> None:
    settings = make_settings({f"Old/{n}.md": f"note {n}" for n in range(5)})
    async with at(settings) as (_, client, folder):
        ids = dict(client.listed)

        def move() -> None:
            for key in list(client.files):
                client.move(key, key.replace("/Old", "/New", 1))

        await client.does(move)
        assert truth(folder) == {f"/New/{n}.md" for n in range(5)} == client.listed.keys()
        assert client.listed["/New/3.md"] == ids["/Old/3.md"]
        assert client.folders == {"/New"}
        assert not (folder / "Old").exists()


HOSTILE_KEYS = [
    "/", "//", "", "a.md", "//a.md", "/Sub//x.md", "/../x.md", "/Sub/../../x.md", "/.x.md",
    "/.git/x.md", "/.trash/x.md", "/CON.md", "/x\0.md", "/x\u202e.md", "/a\\b.md", "/x", "/x.txt",
    "/Sub/", "/x.md/", "/" + "x" * 300 + ".md", "/" + "a/" * 40 + "x.md", "/~/x.md", "/C:/x.md",
    "/x:y.md", "/" + "k" * 100_000,
]  # fmt: skip


async def test_what_no_note_can_be_called_is_taken_back(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "x", "Sub/b.md": "y"})
    async with at(settings) as (_, client, folder):
        before = sorted(folder.rglob("*"))
        listed, folders = dict(client.listed), client.folders

        def hostile() -> None:
            for key in HOSTILE_KEYS:
                client.put(key, new_id())
                client.files[key + "?"] = {"id": new_id(), "type": "folder", "version": 0}

        await client.does(hostile)
        assert sorted(folder.rglob("*")) == before
        assert (client.listed, client.folders) == (listed, folders)
        assert client.docs.to_py() == listed


@pytest.mark.parametrize(
    "value",
    [
        7, "text", None, True, [], {}, {"id": 7, "type": "markdown"},
        {"id": "short", "type": "markdown"},
        {"id": "../../../../etc/passwd", "type": "markdown"}, {"type": "markdown"},
        {"id": "folder-4c5b0a3e-3e5c-4a52-9df8-000000000000", "type": "markdown"},
        {"id": "4c5b0a3e-3e5c-4a52-9df8-000000000000", "type": "canvas"},
        {"id": "4c5b0a3e-3e5c-4a52-9df8-000000000000", "type": ["markdown"]},
    ],
)  # fmt: skip
async def test_values_of_the_wrong_kind_are_taken_back(
    make_settings: MakeSettings, value: object
) -> None:
    settings = make_settings({"a.md": "x"})
    async with at(settings) as (_, client, folder):
        listed = dict(client.listed)

        def hostile() -> None:
            client.files["/new.md"] = value
            client.files["/a.md"] = value
            client.docs["/a.md"] = "another"

        await client.does(hostile)
        assert client.files.to_py() == {"/a.md": {**client.files["/a.md"]}}
        assert (client.listed, client.docs.to_py()) == (listed, listed)
        assert truth(folder) == {"/a.md"}


async def test_maps_inside_are_read_like_plain_values(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "text"})
    async with at(settings) as (_, client, folder):
        first, moved = new_id(), client.listed["/a.md"]

        def nested() -> None:
            client.files["/new.md"] = Map({"id": first, "type": "markdown", "version": 0})
            del client.files["/a.md"]
            client.files["/b.md"] = Map({"id": moved, "type": "markdown", "version": 0})

        await client.does(nested)
        assert (folder / "new.md").read_text() == ""
        assert (folder / "b.md").read_text() == "text"
        assert client.listed == {"/new.md": first, "/b.md": moved} == client.docs.to_py()
        await client.does(lambda: client.files["/b.md"].__setitem__("id", new_id()))
        assert client.listed == {"/new.md": first, "/b.md": moved}


async def test_one_note_cannot_be_put_in_the_place_of_another(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "A", "b.md": "B"})
    async with at(settings) as (_, client, folder):
        listed = dict(client.listed)
        await client.does(lambda: client.put("/a.md", new_id()))
        assert client.listed == listed

        def swap() -> None:
            client.put("/a.md", listed["/b.md"])
            client.put("/b.md", listed["/a.md"])

        await client.does(swap)
        await client.does(lambda: client.move("/a.md", "/b.md"))
        assert client.listed == listed
        assert ((folder / "a.md").read_text(), (folder / "b.md").read_text()) == ("A", "B")


async def test_many_deletions_at_once_are_refused(make_settings: MakeSettings) -> None:
    settings = make_settings({f"{n}.md": "x" for n in range(40)})
    async with at(settings) as (_, client, folder):
        listed = dict(client.listed)

        def delete(count: int) -> None:
            for key in list(client.listed)[:count]:
                client.remove(key)

        await client.does(lambda: delete(11))
        assert client.listed == listed
        assert len(truth(folder)) == 40
        await client.does(lambda: delete(10))
        assert len(client.listed) == 30
        assert client.listed.keys() == truth(folder)


async def test_backlinks_and_settings_that_clients_change_are_put_right(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "[[b]]", "b.md": "x"})
    async with at(settings) as (_, client, _folder):
        right = client.backlinks.to_py()

        def wrong() -> None:
            client.backlinks[client.listed["/b.md"]] = ["nobody"]
            client.backlinks["nonsense"] = [1, 2]
            client.config["name"] = "Mine"
            client.config["other"] = 1
            client.docs["/ghost.md"] = "ghost"

        await client.does(wrong)
        assert client.backlinks.to_py() == right
        assert client.config.to_py() == {"name": "vault"}
        assert client.docs.to_py() == client.listed


async def test_a_vault_opened_read_only_obeys_nobody(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "A", "b.md": "B"}, read_only=True)
    async with at(settings) as (_, client, folder):
        listed = dict(client.listed)
        await client.does(lambda: (client.remove("/a.md"), client.put("/c.md", new_id()))[0])
        assert client.listed == listed
        assert truth(folder) == {"/a.md", "/b.md"}


async def test_ignored_paths_are_not_made(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "A"}, ignore=("Private/**",))
    async with at(settings) as (_, client, folder):
        await client.does(lambda: client.put("/Private/x.md", new_id()))
        assert client.listed.keys() == {"/a.md"}
        assert truth(folder) == {"/a.md"}


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
        assert await vault.shelf.documents.answer(client.id, state) == b"\0\0"


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
            ids = sorted([await vault.shelf.id_of(each) for each in sources])
            assert backlinks.get(listed[f"/{path}"], []) == ids
    async with at(settings) as (vault, client, folder):
        assert (client.listed, client.backlinks.to_py()) == (listed, backlinks)
        for n in range(400):
            (folder / f"more {n}.md").write_text("[[1]]")
            (folder / f"D{n % 40}/{n}.md").unlink()
        await vault.refresh()
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
        assert await vault.shelf.path_of(one.listed["/new.md"]) == "One/new.md"
        elsewhere = two.listed["/b.md"]
        await one.does(lambda: one.put("/stolen.md", elsewhere))
        assert await vault.shelf.path_of(elsewhere) == "Two/b.md"


async def test_other_roots_types_and_nesting_are_refused(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "x"})
    async with at(settings) as (_, client, _folder):
        wrong: list[Callable[[], None]] = [
            lambda: client.doc.get("contents", type=Text).insert(0, "x"),
            lambda: client.doc.get("other", type=Map).__setitem__("k", 1),
            lambda: client.files.__setitem__("/x", Map({"id": Map({"a": 1})})),
            lambda: client.files.__setitem__("/x", Text("x")),
            lambda: client.files.__setitem__("/x", Array([1])),
        ]
        for change in wrong:
            with pytest.raises(HostileUpdate):
                await client.send(change)
            client.__init__(client.vault, client.id)
            await client.pull()


def nested(depth: int) -> bytes:
    """Make an update that hides types in types: each takes its place from a plain neighbour."""
    client = 99
    structs = [b"\x27\1" + var_string("filemeta_v0") + var_string("k") + varuint(1)]
    for level in range(depth):
        parent, plain = 2 * level, 2 * level + 1
        structs.append(
            b"\x28\0" + varuint(client) + varuint(parent) + var_string("k") + b"\1\x7d\0"
        )
        structs.append(b"\xa7" + varuint(client) + varuint(plain) + varuint(1))
    body = varuint(len(structs)) + varuint(client) + b"\0" + b"".join(structs)
    return b"\1" + body + b"\0"


async def test_types_cannot_be_hidden_in_types(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "x"})
    async with at(settings) as (vault, client, _folder):
        control: Doc[Any] = Doc()
        control.get("filemeta_v0", type=Map)
        control.apply_update(nested(5))
        with pytest.raises(HostileUpdate):
            await vault.shelf.documents.apply(client.id, nested(HEIRS_MAX + 1), "person:eve")
        await vault.shelf.documents.apply(client.id, nested(HEIRS_MAX // 2), "person:eve")
        await client.settled()
        assert client.files.to_py() == {"/a.md": client.files["/a.md"]}


@pytest.mark.slow
def test_twenty_thousand_mutated_updates_do_no_harm() -> None:
    command = [sys.executable, "-m", "tests.vault.folder_mutations", "20000", "7"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr[-2000:]


async def test_a_snapshot_holds_the_same_maps(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "[[b]]", "b.md": "x"})
    async with at(settings) as (vault, client, _folder):
        for number in range(30):
            await client.send(lambda n=number: client.put(f"/n{n}.md", new_id()))
        await client.settled()
        async with vault.shelf.documents.hold(client.id) as document:
            state = document.snapshot()
        copy: Doc[Any] = Doc()
        copy.apply_update(state or b"")
        assert copy.get("filemeta_v0", type=Map).to_py() == client.files.to_py()


async def test_the_server_hears_no_echo(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "x"})
    async with at(settings) as (vault, client, _folder):
        updates: list[str] = []
        vault.shelf.documents.follow(lambda change: updates.append(change.actor))
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
                    await vault.update([f"disk {step}.md"])
                case _:
                    if (folder / key[1:]).exists():
                        (folder / key[1:]).unlink()
                        await vault.update([key[1:]])
            if chance.random() < 0.3:
                await client.settled()
        for client in (one, two, one, two):
            await client.settled()
        assert one.listed.keys() == truth(folder)
        assert one.files.to_py() == two.files.to_py()
        for key, id in one.listed.items():
            assert await vault.shelf.id_of(key[1:]) == id
            sources = (await vault.listing.links(key[1:])).backlinks
            ids = sorted([await vault.shelf.id_of(path) for path in sources if path != key[1:]])
            assert one.backlinks.get(id, []) == ids
