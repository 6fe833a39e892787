"""Conversations with agents over HTTP: what is streamed, and who may."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from socket import create_server
from typing import Any

import httpx
import pytest

from commonplace.server.owner.uvicorn import serving
from commonplace.vault.settings import Access
from tests.agent.conftest import Stage

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
PAGE = {"x-commonplace": "1"}


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


@asynccontextmanager
async def served(stage: Stage, access: Access) -> AsyncGenerator[tuple[httpx.AsyncClient, Any]]:
    async with stage.opened() as (_, served):
        settings = replace(stage.settings, access=access)
        secrets = {
            scope: (await served.vault.tokens.create(f"{scope} {token_hex(4)}", scope))[1]
            for scope in ("read", "suggest", "write", "approve")
        }
        listener = create_server(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        async with (
            serving(await served.app(settings), [listener]),
            httpx.AsyncClient(base_url=url, timeout=120) as http,
        ):
            yield http, secrets


async def test_a_conversation_is_begun_followed_answered_and_deleted(stage: Stage):
    (stage.notes / "A.md").write_text("It was in may.\n")
    stage.plays([["say", "Here "], ["say", "it is."], ["shell", "sed -i s/may/June/ A.md"]])
    async with served(stage, Access()) as (http, _):
        assert (await http.get("/api/agents")).json()["agents"] == [
            {"name": "stand-in", "installed": True}
        ]
        refused = await http.post("/api/agents/begin", json={"agent": "stand-in"})
        assert refused.status_code == 403
        begun = await http.post("/api/agents/begin", json={"agent": "stand-in"}, headers=PAGE)
        at = f"/api/agents/conversations/{begun.json()['id']}"
        said, done = "", {}
        async with http.stream("GET", f"{at}/events") as events:
            async for line in events.aiter_lines():
                if not line.startswith("data: "):
                    continue
                news = json.loads(line[6:])
                entry = news.get("entry", {})
                if "conversation" in news:
                    asked = await http.post(f"{at}/prompt", json={"text": "June"}, headers=PAGE)
                    assert asked.status_code == 200
                elif entry.get("kind") == "said":
                    said = entry["text"]
                elif "more" in news:
                    said += news["more"]
                elif entry.get("kind") == "question" and entry["answer"] is None:
                    again = await http.post(f"{at}/prompt", json={"text": "x"}, headers=PAGE)
                    assert again.status_code == 409
                    wrong = {"question": entry["id"], "choice": "always"}
                    answer = await http.post(f"{at}/answer", json=wrong, headers=PAGE)
                    assert answer.status_code == 400
                    right = {"question": entry["id"], "choice": "once"}
                    await http.post(f"{at}/answer", json=right, headers=PAGE)
                elif entry.get("kind") == "done":
                    done = entry
                    break
        assert (said, done["reason"]) == ("Here it is.", "end_turn")
        assert done["set"]
        [row] = (await http.get("/api/agents/conversations?q=june")).json()["conversations"]
        assert (row["sets"], row["title"]) == ([done["set"]], "June")
        assert "token" not in (await http.get(at)).json()
        await http.post(f"{at}/delete", headers=PAGE)
        assert (await http.get(at)).status_code == 404
        assert (await http.get("/api/agents/conversations/..%2f..%2fx")).status_code == 404


async def test_others_have_no_agents_unless_the_person_says_so_and_then_with_approve(stage: Stage):
    open_to_others = Access(token=True)
    async with served(stage, open_to_others) as (http, secrets):
        bearer = {"authorization": f"Bearer {secrets['approve']}"}
        assert (await http.get("/api/agents", headers=bearer)).status_code == 404
    async with served(stage, Access(hosts=("notes.example",))) as (http, _):
        assert (await http.get("/api/agents")).status_code == 404
    stage.personal.write_text(f"serve_agents = true\n{stage.personal.read_text()}")
    async with served(stage, open_to_others) as (http, secrets):
        statuses = {
            scope: (
                await http.get("/api/agents", headers={"authorization": f"Bearer {secret}"})
            ).status_code
            for scope, secret in secrets.items()
        }
        assert statuses == {"read": 403, "suggest": 403, "write": 403, "approve": 200}
        assert (await http.get("/api/agents")).status_code == 401
