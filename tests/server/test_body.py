"""JSON bodies: what no route should meet is refused at the door, and nothing else suffers."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from starlette.routing import Route

from tests.server.site import Site, site_in

pytestmark = pytest.mark.anyio

BODIES = {
    "/api/review": '{"decision":"reject","path":"Bees.md","reason":%s}',
    "/api/review/undo": '{"undo":%s}',
    "/api/approvals": '{"approve":[1],"reason":%s}',
    "/api/approvals/{id}": '{"decision":%s}',
    "/api/notes": '{"path":"New.md","content":%s}',
    "/api/notes/delete": '{"path":%s}',
    "/api/notes/restore": '{"trash":%s}',
    "/api/notes/rename": '{"path":"Bees.md","to":%s}',
    "/api/notes/rename/undo": '{"undo":%s}',
    "/api/attachments/rename": '{"path":"a.png","to":%s}',
    "/api/files/delete": '{"path":"a.png","was":%s}',
    "/api/files/rename": '{"path":"a.png","was":"x","to":%s}',
    "/api/folders/create": '{"path":%s}',
    "/api/folders/rename": '{"path":"Plans","to":%s}',
    "/api/history/restore": '{"revision":%s}',
    "/api/history/forget": '{"path":"Bees.md","passage":%s}',
    "/api/undo": '{"by":%s}',
    "/api/comments": '{"path":"Bees.md","text":%s}',
    "/api/comments/resolve": '{"path":"Bees.md","text":%s}',
    "/api/sets/merge": '{"sets":[1,2],"title":%s}',
    "/api/sets/{number:int}/decide": '{"decision":%s}',
    "/api/sets/{number:int}/undo": '{"decision":%s}',
    "/api/sets/{number:int}/rename": '{"title":%s}',
    "/api/sets/{number:int}/split": '{"title":%s}',
    "/api/sets/{number:int}/send_back": '{"reason":%s}',
    "/api/session": '{"token":%s}',
    "/doc/new": '{"docId":%s}',
    "/doc/{document}/auth": '{"userId":%s}',
}
# They take no JSON.
BODILESS = {
    "/api/attachments",
    "/api/files/save",
    "/api/index",
    "/api/remembered/forget",
    "/api/remembered/revoke",
    "/check_store",
    "/d/{document}/update",
}
FLAWED = {
    "half an emoji": (r'"ha\ud83d"', "half of a surrogate pair"),
    "NUL": (r'"a\u0000b"', "NUL"),
    "depth": ("[" * 100 + "]" * 100, "nested"),
    "great depth": ("[" * 100_000 + "]" * 100_000, "nested"),
    "no number": ("NaN", "finite"),
    "no JSON": ("{", "JSON"),
}


@pytest.fixture
async def site(tmp_path: Path) -> AsyncGenerator[Site]:
    async with site_in(tmp_path) as site:
        yield site


@pytest.mark.parametrize("flaw", FLAWED)
async def test_a_body_that_no_route_should_meet_is_refused_and_saving_goes_on(
    site: Site, flaw: str, caplog: pytest.LogCaptureFixture
) -> None:
    value, why = FLAWED[flaw]
    async with site.http("approve", **{"x-commonplace": "1"}) as http:
        for path, body in BODIES.items():
            place = (
                path.replace("{id}", "1").replace("{number:int}", "1").replace("{document}", "x")
            )
            answer = await http.post(place, content=(body % value).encode())
            assert answer.status_code == 400, (path, answer.text)
            assert why in answer.text, (path, answer.text)
        named = '{"decision":"reject","suggestions":[{"path":%s,"id":"x"}]}'.replace("%s", value)
        assert (await http.post("/api/review", content=named)).status_code == 400
        made = await http.post("/api/notes", json={"path": "After.md", "content": "saved 🎉"})
        assert made.status_code in (200, 201), made.text
        ready = await http.get("/readyz")
        assert (ready.status_code, ready.json()) == (200, {"status": "ready"})
    assert (site.folder / "After.md").read_text() == "saved 🎉"
    assert not caplog.records


async def test_every_route_that_takes_json_is_tried(site: Site) -> None:
    routes = [route for route in site.app.routes if isinstance(route, Route)]
    posts = {route.path for route in routes if "POST" in (route.methods or ())}
    assert posts == {*BODIES} | BODILESS
