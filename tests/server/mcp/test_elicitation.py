"""Questions to the person at the client.

2026 era: a question ends a call; answered, forged, kept, sent twice, sent by another. 2025 era: the
server waits for the answer, for a while.
"""

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client, MCPError

from commonplace.server.mcp import elicitation
from commonplace.server.mcp.server import NoteServer, build
from commonplace.server.mcp.vault_resources import VaultResources
from commonplace.tools import notes
from commonplace.tools.table import CALL_SECONDS_MAX, Toolbox
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault

pytestmark = pytest.mark.anyio

YES = {"permission": types.ElicitResult(action="accept", content={"allow": "once"})}
NO = {"permission": types.ElicitResult(action="decline")}
CREATE = {"path": "a.md", "content": "new\n"}


@asynccontextmanager
async def served(tmp_path: Path) -> AsyncGenerator[tuple[Vault, NoteServer]]:
    folder = tmp_path / "vault"
    folder.mkdir(exist_ok=True)
    async with open_vault(Settings((Root("vault", folder),), tmp_path / "state")) as vault:
        await vault.indexer.settled()
        yield (
            vault,
            build(
                Toolbox(notes.tools(vault)),
                VaultResources(vault),
                version="0",
                state_keys=[b"k" * 32],
            ),
        )


async def unused(context: Any, params: Any) -> types.ElicitResult:
    raise NotImplementedError


def modern(server: NoteServer, **more: Any) -> Client:
    return Client(server, mode="auto", elicitation_callback=unused, **more)


async def send(client: Client, arguments: dict[str, Any], **more: Any) -> Any:
    return await client.session.call_tool(
        "create_note", arguments, allow_input_required=True, **more
    )


async def asked(client: Client, arguments: dict[str, Any] = CREATE) -> str:
    result = await send(client, arguments)
    assert isinstance(result, types.InputRequiredResult)
    assert result.request_state is not None
    return result.request_state


async def test_a_call_ends_with_a_question_and_goes_on_with_its_answer(tmp_path: Path):
    async with served(tmp_path) as (_, server), modern(server) as client:
        result = await send(client, CREATE)
        assert isinstance(result, types.InputRequiredResult)
        (question,) = (result.input_requests or {}).values()
        assert isinstance(question, types.ElicitRequest)
        params = question.params
        assert isinstance(params, types.ElicitRequestFormParams)
        assert params.message == "mcp wants to create a.md (4 bytes, 1 word)\n\n@@ line 1 @@\n+new"
        choices = params.requested_schema["properties"]["allow"]["enum"]
        assert choices == ["once", "for this session", "always", "no"]
        assert "every program on this machine" in str(params.requested_schema)
        assert not (tmp_path / "vault/a.md").exists()
        state = result.request_state
        done = await send(client, CREATE, input_responses=YES, request_state=state)
        assert json.loads(done.content[0].text)["status"] == "created"


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_question_has_a_title_for_a_client_that_shows_one(tmp_path: Path, era: Any):
    shown: list[Any] = []

    async def decline(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        shown.append(params.meta)
        return types.ElicitResult(action="decline")

    path = "Garten/Hügel  und Tal.md"
    async with (
        served(tmp_path) as (_, server),
        Client(server, mode=era, elicitation_callback=decline) as client,
    ):
        await client.call_tool("create_note", {"path": path, "content": "new"})
    assert shown == [
        {
            "anthropic/permissionDisplay": {
                "title": "Create Garten/Hügel und Tal.md",
                "displayName": "Commonplace",
                "description": "mcp wants to create Garten/Hügel und Tal.md (3 bytes, 1 word)",
            }
        }
    ]


def test_a_title_is_one_line_of_visible_characters_and_not_too_long():
    for text in ("a\nb\tc", "x\u200by\u202e", "é" * 500, "🌱" * 500, "a" + "🌱" * 500):
        line = elicitation._line(text, elicitation.TITLE_CHARS_MAX)
        assert len(line.encode("utf-16-le")) // 2 <= elicitation.TITLE_CHARS_MAX
        assert line.isprintable()
    assert elicitation._line("Update Plan.md", 200) == "Update Plan.md"


async def test_an_answer_sent_twice_does_its_work_once(tmp_path: Path):
    async with served(tmp_path) as (vault, server), modern(server) as client:
        state = await asked(client)
        first = await send(client, CREATE, input_responses=YES, request_state=state)
        await vault.write.delete("a.md", "Ada")
        again = await send(client, CREATE, input_responses=YES, request_state=state)
        assert again.content == first.content
        assert not (tmp_path / "vault/a.md").exists()


async def test_a_no_cannot_be_turned_into_a_yes_later(tmp_path: Path):
    async with served(tmp_path) as (_, server), modern(server) as client:
        state = await asked(client)
        for answer in (NO, YES):
            result = await send(client, CREATE, input_responses=answer, request_state=state)
            assert (result.is_error, result.content[0].text) == (True, "User denied permission")
        assert not (tmp_path / "vault/a.md").exists()


@pytest.mark.parametrize("answers", [None, {}, {"other": YES["permission"]}])
async def test_state_without_an_answer_parks_the_write(tmp_path: Path, answers: Any):
    async with served(tmp_path) as (vault, server), modern(server) as client:
        state = await asked(client)
        result = await send(client, CREATE, input_responses=answers, request_state=state)
        assert "It waits as number 1." in result.content[0].text
        assert [one.operation for one in await vault.permissions.waiting()] == ["create"]


async def test_an_answer_without_its_state_asks_again(tmp_path: Path):
    async with served(tmp_path) as (_, server), modern(server) as client:
        await asked(client)
        result = await send(client, CREATE, input_responses=YES)
        assert isinstance(result, types.InputRequiredResult)


async def test_forged_state_and_state_of_another_operation_are_refused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.CRITICAL)
    other = {"path": "b.md", "content": "new\n"}
    async with served(tmp_path) as (_, server), modern(server) as client:
        state = await asked(client)
        forged = state[:-2] + ("AA" if not state.endswith("AA") else "BB")
        for arguments, token in ((CREATE, forged), (CREATE, "x"), (other, state)):
            with pytest.raises(MCPError, match="Invalid or expired requestState"):
                await send(client, arguments, input_responses=YES, request_state=token)
        assert list((tmp_path / "vault").iterdir()) == []


async def test_state_of_another_client_asks_again(tmp_path: Path):
    info = types.Implementation(name="other", version="1")
    async with (
        served(tmp_path) as (_, server),
        modern(server) as one,
        modern(server, client_info=info) as another,
    ):
        state = await asked(one)
        result = await send(another, CREATE, input_responses=YES, request_state=state)
        assert isinstance(result, types.InputRequiredResult)
        assert not (tmp_path / "vault/a.md").exists()


async def test_state_that_outlives_its_server_asks_again(tmp_path: Path):
    async with served(tmp_path) as (_, server), modern(server) as client:
        state = await asked(client)
    async with served(tmp_path) as (_, server), modern(server) as client:
        result = await send(client, CREATE, input_responses=YES, request_state=state)
        assert isinstance(result, types.InputRequiredResult)
        assert not (tmp_path / "vault/a.md").exists()


async def test_a_client_that_shows_only_pages_and_no_forms_has_its_writes_parked(tmp_path: Path):
    async with served(tmp_path) as (vault, server), Client(server, mode="auto") as client:
        result = await send(client, CREATE)
        assert "--approve" not in result.content[0].text
        assert [one.who for one in await vault.permissions.waiting()] == ["mcp"]


async def test_a_person_may_think_longer_than_a_tool_may_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async def ponder(context: Any, params: Any) -> types.ElicitResult:
        """Let the loop's clock go on at once, until what the call may take has passed."""
        loop, over = asyncio.get_running_loop(), anyio.Event()
        loop.call_at(loop.time() + CALL_SECONDS_MAX, over.set)
        monkeypatch.setattr(loop, "time", lambda: time.monotonic() + CALL_SECONDS_MAX)
        await over.wait()
        return YES["permission"]

    async with (
        served(tmp_path) as (_, server),
        Client(server, mode="legacy", elicitation_callback=ponder) as client,
    ):
        result = await client.call_tool("create_note", CREATE)
    assert not result.is_error, result


async def test_a_write_whose_question_nobody_answers_is_parked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(elicitation, "ANSWER_SECONDS_MAX", 0.1)

    async def sleep(context: Any, params: Any) -> types.ElicitResult:
        await anyio.sleep_forever()
        raise AssertionError

    async with served(tmp_path) as (vault, server):
        async with Client(server, mode="legacy", elicitation_callback=sleep) as client:
            result = await send(client, CREATE)
        assert "It waits as number 1." in result.content[0].text
        assert [write.answer for write in vault.permissions.audit.latest(5)] == ["parked"]


async def test_a_client_that_fails_to_ask_has_its_writes_parked(tmp_path: Path):
    async def fail(context: Any, params: Any) -> types.ErrorData:
        return types.ErrorData(code=-32603, message="no window")

    async with (
        served(tmp_path) as (_, server),
        Client(server, mode="legacy", elicitation_callback=fail) as client,
    ):
        result = await send(client, CREATE)
    assert "It waits as number 1." in result.content[0].text
