"""The JSON API over a real vault."""

import json
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from commonplace.core.search.query import RESULTS_MAX
from commonplace.errors import Forbidden, Unavailable
from commonplace.server.api.answers import refusal, routes
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings

pytestmark = pytest.mark.anyio


@pytest.fixture
async def app(tmp_path: Path) -> AsyncGenerator[Starlette]:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "Light.md").write_text("# Light\n\nLight becomes sugar.\n")
    settings = Settings((Root("notes", tmp_path / "notes"),), tmp_path / "state")
    async with open_vault(settings, follow=False) as vault:
        yield Starlette(routes=routes(vault))


async def ask(app: Starlette, path: str, method: str = "GET") -> tuple[int, list[dict[str, Any]]]:
    """Call the app as a server does; the answer comes as its lines of JSON."""
    path, _, query = path.partition("?")
    scope: dict[str, Any] = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(b"x-commonplace", b"1")],
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        await anyio.sleep_forever()
        return {}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    body = b"".join(message.get("body", b"") for message in sent)
    lines = body.splitlines() if sent[0]["status"] != 405 else []
    return sent[0]["status"], [json.loads(line) for line in lines]


async def test_the_index_is_refreshed_on_demand(app: Starlette):
    status, steps = await ask(app, "/api/index", "POST")
    assert status == 200
    assert steps[-1]["status"]["index"]["notes"] == 1
    status, (about,) = await ask(app, "/api/status")
    assert about["index"]["notes"] == 1


async def test_the_steps_of_a_refresh_are_told_and_dropped_when_nobody_can_keep_up():
    class Busy:
        async def refresh(self, *, rebuild: bool, progress: Callable[[int, int], None]) -> None:
            assert rebuild
            for n in range(1000):
                progress(n, 1000)
            raise Unavailable("The disk is full.")

    app = Starlette(routes=list[Route](routes(SimpleNamespace(indexer=Busy()))))  # pyright: ignore[reportArgumentType]
    _, steps = await ask(app, "/api/index?rebuild=1", "POST")
    assert steps[0] == {"done": 0, "total": 1000}
    assert len(steps) < 100
    assert steps[-1] == {"error": {"code": "UNAVAILABLE", "message": "The disk is full."}}


async def test_a_search_gives_paths_titles_scores_and_snippets(app: Starlette):
    await ask(app, "/api/index", "POST")
    status, (found,) = await ask(app, "/api/search?q=sugar&limit=5")
    assert status == 200
    assert found["query"] == "sugar"
    (hit,) = found["hits"]
    assert (hit["path"], hit["title"]) == ("Light.md", "Light")


async def test_the_checks_of_doctor_are_listed(app: Starlette):
    _, (found,) = await ask(app, "/api/doctor")
    names = {check["name"]: check for check in found["checks"]}
    assert names["folder notes"]["ok"] is True
    assert set(names["index"]) == {"name", "ok", "detail", "fix"}


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?q=",
        "?q=%20",
        "?q=x&limit=0",
        f"?q=x&limit={RESULTS_MAX + 1}",
        "?q=x&limit=ten",
        "?q=x&limit=-1",
        "?q=x&limit=%D9%A3",
        "?q=x&limit=" + "9" * 5000,
        "?q=" + "x" * 3000,
    ],
)
async def test_a_wrong_search_is_refused_with_words(app: Starlette, query: str):
    status, (body,) = await ask(app, f"/api/search{query}")
    assert status == 400
    assert body["error"]["code"] == "BAD_ARGUMENT"


async def test_getting_the_index_refreshed_takes_a_post(app: Starlette):
    assert (await ask(app, "/api/index"))[0] == 405


async def test_a_bug_is_a_500_that_tells_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    class Broken:
        def status(self) -> dict[str, object]:
            raise RuntimeError("/secret/path")

    app = Starlette(routes=list[Route](routes(SimpleNamespace(health=Broken()))))  # pyright: ignore[reportArgumentType]
    status, (body,) = await ask(app, "/api/status")
    assert status == 500
    assert "secret" not in json.dumps(body)
    assert "secret" in caplog.text


def test_each_kind_of_error_has_its_status():
    assert refusal(Forbidden("no")) == (403, {"error": {"code": "FORBIDDEN", "message": "no"}})
    assert refusal(Unavailable("later"))[0] == 503
