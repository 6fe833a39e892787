"""Assistants with tokens: who they are, what they are offered, what becomes of their writes."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from commonplace.tools.families import FAMILY_TOOLS, WRITING_TOOLS
from commonplace.vault.index.queries.suggestions import PendingSuggestion
from tests.server.site import Site, site_in
from tests.server.small_vault import text_of
from tests.wait import eventually

pytestmark = pytest.mark.anyio

ERAS = ("auto", "legacy")
EDIT = {"file_path": "Bees.md", "old_string": "dance", "new_string": "waltz"}
NEW: dict[str, Any] = {"path": "New.md", "content": "Fresh.\n"}


@pytest.fixture
async def site(tmp_path: Path) -> AsyncGenerator[Site]:
    async with site_in(tmp_path, {"create": "allow", "update": "allow", "delete": "allow"}) as site:
        yield site


async def call(client: Client, tool: str, **arguments: Any) -> tuple[bool, str]:
    answer = await client.call_tool(tool, arguments)
    return bool(answer.is_error), text_of(answer)


async def pending(site: Site) -> list[PendingSuggestion]:
    """Wait until the index knows of a suggestion."""
    return await eventually(site.vault.pending.listed)


@pytest.mark.parametrize("era", ERAS)
async def test_reading_is_remembered_by_token(site: Site, era: str):
    await site.token("Ada")
    await site.token("Bob")
    async with site.mcp("Ada", era, "same") as ada, site.mcp("Bob", era, "same") as bob:
        await call(ada, "read", file_path="Bees.md")
        failed, text = await call(bob, "edit", **EDIT)
        assert (failed, "You must read this document" in text) == (True, True)
        failed, text = await call(ada, "edit", **EDIT)
        assert (failed, text.startswith("Edited Bees.md: replaced 5")) == (False, True)
    (waiting,) = await pending(site)
    assert waiting.author == "Ada"
    async with site.mcp("Ada", era, "another name") as again:
        failed, _ = await call(again, "edit", **EDIT | {"old_string": "Bees ", "new_string": "X "})
        assert not failed, "a token that comes back is who it was"


@pytest.mark.parametrize("era", ERAS)
async def test_who_may_only_read_is_offered_nothing_else(site: Site, era: str):
    async with site.mcp("read", era) as client:
        offered = {tool.name for tool in (await client.list_tools()).tools}
        assert "read" in offered
        assert not offered & WRITING_TOOLS
        assert (await call(client, "read", file_path="Bees.md"))[0] is False
        for tool, given in (("edit", EDIT), ("create_note", NEW), ("delete_node", {"id": "Bees"})):
            failed, text = await call(client, tool, **given)
            assert failed
            assert "The access token 'read' may only read" in text
        listed = await client.list_resources()
        assert len(listed.resources) == 2
    async with site.mcp("suggest", era) as client:
        offered = {tool.name for tool in (await client.list_tools()).tools}
        assert offered >= WRITING_TOOLS - set(FAMILY_TOOLS["history"])


@pytest.mark.parametrize("era", ERAS)
async def test_what_a_suggesting_token_writes_a_person_decides(site: Site, era: str):
    asked: list[str] = []

    async def yes(_: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"allow": "always"})

    async with site.mcp("suggest", era, elicitation_callback=yes) as client:
        failed, text = await call(client, "create_note", **NEW)
        assert (failed, json.loads(text)["status"]) == (False, "suggested")
        assert (site.folder / "New.md").read_text() == "{++Fresh.\n++}"
        await call(client, "read_note", path="Bees.md")
        text = (await call(client, "update_note", path="Bees.md", content="# Wasps\n"))[1]
        assert json.loads(text)["status"] == "suggested"
        failed, text = await call(client, "delete_note", path="Bees.md")
        assert (failed, "waits as number 1" in text) == (True, True)
        failed, text = await call(client, "update_node", id="Sub/Clover.md", title="Trefoil")
        assert (failed, "waits as number 2" in text) == (True, True)
    assert asked == [], "it was asked to allow its own writes"
    assert (site.folder / "Bees.md").exists()


async def test_what_was_always_allowed_to_a_token_binds_no_suggesting_one(site: Site):
    actors = {token.name: token.actor for token in site.vault.tokens.listed()}
    await site.vault.log.put_record("always", f"delete {actors['suggest']}", "{}")
    async with site.mcp("suggest", "auto") as client:
        assert "waits as number" in (await call(client, "delete_note", path="Bees.md"))[1]
    await site.vault.log.put_record("always", f"rename {actors['write']}", "{}")
    async with site.mcp("write", "auto") as client:
        assert not (await call(client, "update_node", id="Sub/Clover.md", title="Trefoil"))[0]


async def test_a_writing_token_is_bound_by_the_policies_alone(site: Site):
    async with site.mcp("write", "auto") as client:
        assert json.loads((await call(client, "create_note", **NEW))[1])["status"] == "created"
    assert [(w.who, w.operation) for w in site.vault.permissions.audit.latest(1)] == [
        ("write", "create")
    ]


async def test_no_assistant_has_a_tool_to_decide_with_whatever_its_token(site: Site):
    async with site.mcp("write", "auto") as less, site.mcp("approve", "auto") as more:
        names = [[tool.name for tool in (await c.list_tools()).tools] for c in (less, more)]
    assert names[0] == names[1]


async def test_a_decision_is_on_record_under_the_tokens_name(site: Site):
    async with site.mcp("suggest", "auto") as client:
        await call(client, "read", file_path="Bees.md")
        await call(client, "edit", **EDIT)
    await pending(site)
    body = {"decision": "accept", "all": True, "who": "somebody else"}
    header = {"x-commonplace": "1"}
    async with site.http("write", **header) as http:
        refused = await http.post("/api/review", json=body)
        assert (refused.status_code, "needs approve" in refused.text) == (403, True)
    async with site.http("approve", **header) as http:
        assert len((await http.post("/api/review", json=body)).json()["decided"]) == 1
        (entry,) = (await http.get("/api/review/ledger")).json()["entries"]
    assert (entry["who"], entry["author"]) == ("approve", "suggest")


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_without_a_token_is_told_what_to_do(site: Site, era: str):
    async with site.http() as http:
        for path in ("/.well-known/oauth-protected-resource", "/.well-known/x"):
            assert (await http.get(path)).status_code == 404, "no OAuth is spoken here"
    with pytest.raises(BaseExceptionGroup) as failure:
        async with site.mcp("wrong", era) as client:
            await client.list_tools()
    assert "commonplace token create" in repr(failure.value)
