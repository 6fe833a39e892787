"""A folder that is there keeps its spelling: no twin is made that differs by case alone."""

import json

import pytest

from tests.tools.conftest import OpenDesk

pytestmark = pytest.mark.anyio


async def test_a_note_goes_into_the_folder_that_is_there(desk: OpenDesk) -> None:
    at = await desk({"projects/Été/a.md": "a\n"}, create="allow")
    made = json.loads(await at.call("create_note", path="Projects/ÉTÉ/b.md", content="b\n"))
    assert made["path"] == "projects/Été/b.md"
    assert made["notice"] == "The folder projects/Été is there already; its spelling was kept."
    node = json.loads(await at.call("create_node", title="C", content="c\n", directory="PROJECTS"))
    assert node["id"] == "projects/c.md"
    assert "The folder projects is there already; its spelling was kept." in node["_warnings"]
    assert sorted(each.name for each in at.folder.iterdir() if each.is_dir()) == ["projects"]


async def test_a_folder_that_is_spelt_right_is_not_mentioned(desk: OpenDesk) -> None:
    at = await desk({"projects/a.md": "a\n"}, create="allow")
    assert "notice" not in await at.call("create_note", path="projects/b.md", content="b\n")
    assert "notice" not in await at.call("create_note", path="Other/b.md", content="b\n")
    assert (at.folder / "Other/b.md").exists()
