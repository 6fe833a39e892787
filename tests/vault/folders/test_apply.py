"""What Yjs clients change in the document of a folder, and what the vault makes of it."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from pycrdt import Array, Doc, Map, Text

from commonplace.core.text.edits import Edit
from commonplace.core.yjs.encoding import HostileUpdate, var_string, varuint
from commonplace.errors import NotFound
from commonplace.vault.documents.folder_document import HEIRS_MAX
from tests.vault.folders.client import MakeSettings, at, new_id, truth

pytestmark = pytest.mark.anyio


async def test_a_new_entry_makes_an_empty_note_under_the_clients_id(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "x"})
    async with at(settings) as (vault, client, folder):
        id = new_id()
        await client.does(lambda: client.put("/Sub/New.md", id))
        assert (folder / "Sub/New.md").read_bytes() == b""
        assert await vault.notes.ids.id_of("Sub/New.md") == id
        assert client.listed["/Sub/New.md"] == id
        assert client.folders == {"/Sub"}
        await vault.notes.open(id)


async def test_an_id_that_is_taken_is_replaced(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "x", "b.md": "y"})
    async with at(settings) as (vault, client, folder):
        taken = client.listed["/a.md"]
        await client.does(lambda: client.put("/new.md", taken))
        assert not (folder / "new.md").exists()
        assert client.listed == {"/a.md": taken, "/b.md": client.listed["/b.md"]}
        (folder / "b.md").unlink()
        await vault.indexer.update(["b.md"])
        await client.settled()
        used = await vault.notes.ids.id_of("b.md")
        await client.does(lambda: client.put("/new.md", used))
        assert (folder / "new.md").exists()
        assert client.listed["/new.md"] == await vault.notes.ids.id_of("new.md") != used


async def test_an_entry_that_moves_renames_the_note_and_its_links(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "see [[b]]", "b.md": "bee"})
    async with at(settings) as (vault, client, folder):
        id = client.listed["/b.md"]
        await client.does(lambda: client.move("/b.md", "/Sub/bee.md"))
        assert (folder / "Sub/bee.md").read_text() == "bee"
        assert not (folder / "b.md").exists()
        assert await vault.notes.ids.id_of("Sub/bee.md") == id == client.listed["/Sub/bee.md"]
        assert "bee" in await vault.texts.accepted("a.md")
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
        assert await vault.notes.ids.id_of("moved.md") == id == client.listed["/moved.md"]


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
            await vault.texts.accepted("Sub/a.md")


async def test_what_was_typed_last_goes_to_the_trash_too(make_settings: MakeSettings) -> None:
    settings = make_settings({"a.md": "text", "b.md": "other"})
    async with at(settings) as (vault, client, folder):
        await vault.notes.edit("a.md", lambda _: [Edit(0, 0, "typed ")], "person:ben")
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
            await vault.notes.documents.apply(client.id, nested(HEIRS_MAX + 1), "person:eve")
        await vault.notes.documents.apply(client.id, nested(HEIRS_MAX // 2), "person:eve")
        await client.settled()
        assert client.files.to_py() == {"/a.md": client.files["/a.md"]}


@pytest.mark.slow
def test_twenty_thousand_mutated_updates_do_no_harm() -> None:
    command = [sys.executable, "-m", "tests.vault.folders.mutations", "20000", "7"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr[-2000:]
