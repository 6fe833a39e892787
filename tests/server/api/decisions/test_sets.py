"""The JSON API of change sets, over a real vault in which an assistant has worked."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from commonplace.server.api.decisions import sets
from commonplace.vault.open import open_vault
from commonplace.vault.vault import Vault
from tests.server.api.decisions.test_review import ask
from tests.vault.conftest import write
from tests.vault.sets.deciding import create, delete, edit, settings

pytestmark = pytest.mark.anyio


class Site:
    def __init__(self, vault: Vault, folder: Path) -> None:
        self.vault, self.folder = vault, folder
        self.app = Starlette(routes=sets.routes(vault))
        self.closed = Starlette(routes=sets.routes(vault, read_only=True))

    async def ask(self, path: str, body: Any = None) -> Any:
        status, answer = await ask(self.app, f"/api/sets{path}", body)
        assert status == 200, answer
        return answer

    async def text(self, path: str) -> str:
        await self.vault.notes.queue.catch_up_index()
        return (self.folder / path).read_text()


@pytest.fixture
async def site(tmp_path: Path) -> AsyncGenerator[Site]:
    chosen = settings(tmp_path)
    notes = {"a.md": "A red folder.\n", "b.md": "Calm.\n", "c.md": "See [[b]].\n"}
    write(tmp_path / "vault", {**notes})
    async with open_vault(chosen) as vault:
        await vault.indexer.settled()
        await edit(vault, "a.md", "red", "green")
        await edit(vault, "a.md", "folder", "folder of https://evil.example")
        await create(vault, "New.md", "Hello.\n")
        await delete(vault, "b.md")
        yield Site(vault, tmp_path / "vault")


async def test_a_set_is_listed_with_what_it_comes_to(site: Site) -> None:
    (one,) = (await site.ask(""))["sets"]
    assert (one["number"], one["who"], one["state"], one["notes"]) == (1, "Claude", "open", 3)
    assert (one["waiting"], one["parked"]) == (4, 2)


async def test_what_is_risky_comes_first(site: Site) -> None:
    found = await site.ask("/1")
    kinds = {n["path"]: [risk["kind"] for risk in n["risks"]] for n in found["notes"]}
    assert kinds == {"a.md": ["other sites"], "b.md": ["deletes", "broken links"], "New.md": []}
    assert [n["path"] for n in found["notes"]] == ["a.md", "b.md", "New.md"]
    (a, *_) = found["notes"]
    assert (a["changes"][0]["old"], a["changes"][0]["new"]) == ("red", "green")


async def test_changes_are_decided_and_undone(site: Site) -> None:
    (a, b, new) = (await site.ask("/1"))["notes"]
    changes = [{"path": "a.md", "id": each["id"]} for each in a["changes"]]
    one = {"decision": "accept", "changes": changes[:1], "text": "dark green", "who": "Ann"}
    await site.ask("/1/decide", one)
    assert (await site.text("a.md")).startswith("A dark green folder{++")
    writes = [write["id"] for note in (b, new) for write in note["writes"]]
    rest = {"decision": "accept", "changes": changes[1:], "writes": writes, "who": "Ann"}
    done = await site.ask("/1/decide", rest)
    assert done["decision"]["count"] == 3
    assert await site.text("New.md") == "Hello.\n"
    found = await site.ask("/1")
    assert found["set"]["state"] == "accepted"
    assert [each["count"] for each in found["decisions"]] == [3, 1]
    assert found["ended"][0]["decision"] == "modified"
    await site.ask("/1/undo", {})
    await site.ask("/1/undo", {"decision": found["decisions"][1]["id"]})
    assert (await site.ask("/1"))["set"]["waiting"] == 4
    assert (await site.text("a.md")).startswith("A {--red--}{++green++} folder{++")


async def test_what_follows_a_decision_is_told(site: Site) -> None:
    (a, *_) = (await site.ask("/1"))["notes"]
    changes = [{"path": "a.md", "id": each["id"]} for each in a["changes"]]
    done = await site.ask("/1/decide", {"decision": "accept", "changes": changes, "soon": True})
    assert done["decision"]["count"] == 2
    await site.vault.sets.decisions.close()
    await site.text("a.md")
    told = await site.ask("/1/following")
    assert told == {"following": {"carried_out": True, "notes": 0, "refused": ""}}


async def test_people_arrange_sets(site: Site) -> None:
    assert (await site.ask("/1/rename", {"title": "Colours"}))["set"]["title"] == "Colours"
    fresh = await site.ask("/1/split", {"paths": ["b.md"], "title": "Tidying"})
    assert (fresh["set"]["number"], fresh["set"]["waiting"]) == (2, 1)
    assert (await site.ask("/1/send_back", {"reason": "Why?"}))["set"]["sent_back"] == "Why?"
    assert (await site.ask("/merge", {"sets": [1, 2]}))["set"]["waiting"] == 4


async def test_what_cannot_be_is_refused(site: Site) -> None:
    for path, body, status in [
        ("/9", None, 404),
        ("/1/decide", {"decision": "perhaps"}, 400),
        ("/1/decide", {"decision": "accept", "changes": "all"}, 400),
        ("/1/decide", {"decision": "accept", "writes": [1], "text": "x"}, 400),
        ("/1/decide", {"decision": "accept", "changes": [{"path": "a.md", "id": "?"}]}, 409),
        ("/1/undo", {}, 404),
        ("/1/split", {"paths": 1}, 400),
    ]:
        assert (await ask(site.app, f"/api/sets{path}", body))[0] == status, (path, body)
    assert (await ask(site.closed, "/api/sets/1/decide", {"decision": "accept"}))[0] == 404
    assert (await ask(site.app, "/api/sets/1/undo", {}, "x-other"))[0] == 403
