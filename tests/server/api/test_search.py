"""The page's search and palette, over a real vault."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.applications import Starlette

from commonplace.server.api.search import routes
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from tests.server.api.test_graph import ask
from tests.vault.conftest import write

pytestmark = pytest.mark.anyio

_BEES = """---
aliases: [Honey makers]
tags: [garden]
---
# Bees

They feed in winter on sugar.
"""
_WASPS = """# All about wasps

The winter feed of wasps and bees. #garden/pests

## Nests in winter
"""
_OLD = """# Old bees

Bees, long ago. A {++new++} word.

```sh
# Nests of code
```
"""
NOTES = {
    "Garden/Bees.md": _BEES,
    "Garden/Wasps.md": _WASPS,
    "Archive/Old.md": _OLD,
    "Diary.md": "# Diary\n\n今日は晴れ。 The café was full.\n",
}


@pytest.fixture
async def app(tmp_path: Path) -> AsyncGenerator[Starlette]:
    write(tmp_path / "notes", {**NOTES})
    settings = Settings((Root("notes", tmp_path / "notes"),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        yield Starlette(routes=routes(vault))


async def found(app: Starlette, query: str, more: str = "") -> list[str]:
    status, answer = await ask(app, f"/api/find?q={quote(query)}&limit=50{more}")
    assert status == 200, answer
    return [hit["path"] for hit in answer["hits"]]


_QUERIES = {
    "bees": {"Garden/Bees.md", "Garden/Wasps.md", "Archive/Old.md"},
    '"winter feed"': {"Garden/Wasps.md"},
    "bees -wasps": {"Garden/Bees.md", "Archive/Old.md"},
    "bees tag:garden": {"Garden/Bees.md", "Garden/Wasps.md"},
    "bees tag:garden/pests": {"Garden/Wasps.md"},
    "bees -tag:garden": {"Archive/Old.md"},
    "path:garden": {"Garden/Bees.md", "Garden/Wasps.md"},
    "bees -path:archive": {"Garden/Bees.md", "Garden/Wasps.md"},
    "is:pending": {"Archive/Old.md"},
    "bees -is:pending": {"Garden/Bees.md", "Garden/Wasps.md"},
    '"今日は晴"': {"Diary.md"},
    '"cafe was"': {"Diary.md"},
    "tag:nothing": set[str](),
}


async def test_a_query_finds_what_meets_it(app: Starlette) -> None:
    assert {query: set(await found(app, query)) for query in _QUERIES} == _QUERIES


async def test_hits_are_sorted_as_asked(app: Starlette) -> None:
    by_name = await found(app, "bees", "&sort=name")
    assert by_name == ["Garden/Wasps.md", "Garden/Bees.md", "Archive/Old.md"]  # by their titles
    assert set(await found(app, "bees", "&sort=modified")) == set(by_name)
    assert (await ask(app, "/api/find?q=bees&sort=size"))[0] == 400


async def test_the_words_that_are_looked_for_are_told(app: Starlette) -> None:
    _, answer = await ask(app, f"/api/find?q={quote('what is a bee on tag:garden')}")
    assert answer["terms"] == ["bee"]
    assert {tuple(hit["matched"]) for hit in answer["hits"]} == {("text",)}


async def test_notes_are_found_by_their_other_names(app: Starlette) -> None:
    async def names(typed: str) -> Any:
        status, answer = await ask(app, f"/api/names?q={quote(typed)}")
        assert status == 200, answer
        return [(each["path"], each["name"], each["kind"]) for each in answer["names"]]

    assert await names("HONEY") == [("Garden/Bees.md", "Honey makers", "alias")]
    assert ("Garden/Wasps.md", "All about wasps", "title") in await names("about")
    # a line of code is no heading
    assert await names("nests") == [("Garden/Wasps.md", "Nests in winter", "heading")]
    assert await names("(.*") == []
    assert (await ask(app, "/api/names?q="))[0] == 400
