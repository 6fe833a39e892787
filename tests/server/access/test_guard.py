from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import anyio
import pytest
from hypothesis import given, strategies as st
from mcp.server.transport_security import TransportSecurityMiddleware
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from commonplace.server.access.guard import BODY_MAX, HEADERS, LOOPBACK, Guard, GuardApp
from commonplace.server.mcp.http.sdk_app import transport_security
from tests.server.small_vault import Shelf, app_on, server_on
from tests.wait import PATIENCE

pytestmark = pytest.mark.anyio

KNOWN = Guard.also(["kb.example.com", "wiki.example.com:8443"], ["https://app.example.org"])


class Heard:
    """What an ASGI app said to one connection."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    @property
    def status(self) -> int:
        return self.messages[0]["status"]

    @property
    def headers(self) -> dict[str, str]:
        return {k.decode(): v.decode() for k, v in self.messages[0]["headers"]}

    @property
    def body(self) -> bytes:
        return b"".join(m.get("body", b"") for m in self.messages[1:])


async def ask(
    app: Any,
    path: str = "/",
    headers: Iterable[tuple[str, str]] = (("host", "localhost:8420"),),
    parts: Iterable[bytes] = (b"",),
    **scope: Any,
) -> Heard:
    heard = Heard()
    bodies = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    bodies[-1]["more_body"] = False
    opening = [{"type": "websocket.connect"}] if scope.get("type") == "websocket" else bodies

    async def receive() -> dict[str, Any]:
        if not opening:
            await anyio.sleep_forever()
        return opening.pop(0)

    async def send(message: Any) -> None:
        heard.messages.append(message)

    base: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "scheme": "http",
        "client": ("127.0.0.1", 5),
        "headers": [(k.encode(), v.encode("latin-1")) for k, v in headers],
    }
    with anyio.fail_after(PATIENCE):
        await app({**base, **scope}, receive, send)
    return heard


async def echo(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


async def strict(request: Request) -> PlainTextResponse:
    return PlainTextResponse("hello", headers={"content-security-policy": "sandbox"})


async def shake(socket: WebSocket) -> None:
    await socket.accept()
    await socket.close()


INNER = Starlette(
    routes=[
        Route("/", echo, methods=["GET", "POST"]),
        Route("/strict", strict, methods=["POST"]),
        Route("/assets/a.js", echo),
        WebSocketRoute("/ws", shake),
    ]
)
APP = GuardApp(INNER, KNOWN)


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "localhost:1", "127.0.0.1:8420", "[::1]", "[::1]:8420",
        "kb.example.com", "kb.example.com:443", "wiki.example.com:8443",
    ],
)  # fmt: skip
async def test_a_name_we_go_by_is_let_in(host: str) -> None:
    assert (await ask(APP, headers=[("host", host)])).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.com", "localhost.evil.com", "evil.com:8420", "localhost:8420.evil.com", "localhost:",
        "localhost:8420:1", "wiki.example.com", "wiki.example.com:1", "wiki.example.com:8443:1",
        "::1", "0.0.0.0", "127.0.0.2", "", "localhost@evil.com", "[::1", "LOCALHOST",
        "localhost:99999999",
    ],
)  # fmt: skip
async def test_any_other_name_is_refused(host: str) -> None:
    answer = await ask(APP, headers=[("host", host)])
    assert (answer.status, b"Invalid Host" in answer.body) == (421, True)


async def test_blanks_around_a_value_are_no_part_of_it() -> None:
    async def telling(scope: Any, receive: Any, send: Any) -> None:
        await PlainTextResponse(dict(scope["headers"])[b"mcp-name"])(scope, receive, send)

    headers = [("host", "localhost \t"), ("mcp-name", " read ")]
    assert (await ask(GuardApp(telling, KNOWN), headers=headers)).body == b"read"


@pytest.mark.parametrize("headers", [[], [("host", "localhost"), ("host", "evil.com")]])
async def test_a_request_must_name_one_host(headers: list[tuple[str, str]]) -> None:
    assert (await ask(APP, headers=headers)).status == 421


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost:8420", "http://localhost:8420"),
        ("kb.example.com", "https://kb.example.com"),
        ("[::1]:8420", "http://[::1]:8420"),
        ("localhost:8420", "https://app.example.org"),
    ],
)
async def test_a_page_of_our_own_or_an_allowed_one_is_let_in(host: str, origin: str) -> None:
    assert (await ask(APP, headers=[("host", host), ("origin", origin)])).status == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.com", "null", "", "http://localhost:3000", "http://localhost:8420.evil.com",
        "http://127.0.0.1:8420", "file://localhost:8420", "https://app.example.org.evil.com",
        "http://evil.com/localhost:8420", "localhost:8420", "HTTP://LOCALHOST:8420",
    ],
)  # fmt: skip
async def test_a_page_of_another_site_is_refused(origin: str) -> None:
    headers = [("host", "localhost:8420"), ("origin", origin)]
    answer = await ask(APP, headers=headers)
    assert (answer.status, b"Invalid Origin" in answer.body) == (403, True)


async def test_two_origins_are_one_too_many() -> None:
    ours = ("origin", "http://localhost")
    assert (await ask(APP, headers=[("host", "localhost"), ours, ours])).status == 403


SOCKET: dict[str, Any] = {"type": "websocket", "path": "/ws", "scheme": "ws"}
DENIAL: dict[str, Any] = {"extensions": {"websocket.http.response": {}}}


async def test_a_socket_of_our_own_is_let_in() -> None:
    headers = [("host", "localhost"), ("origin", "http://localhost")]
    answer = await ask(APP, headers=headers, **SOCKET)
    assert answer.messages[0]["type"] == "websocket.accept"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([("host", "evil.com")], 421),
        ([("host", "localhost"), ("origin", "http://evil.com")], 403),
    ],
)
async def test_a_socket_from_elsewhere_is_refused_before_it_opens(
    headers: list[tuple[str, str]], status: int
) -> None:
    plain = await ask(APP, headers=headers, **SOCKET)
    assert plain.messages == [{"type": "websocket.close", "code": 1008}]
    worded = await ask(APP, headers=headers, **SOCKET, **DENIAL)
    assert (worded.messages[0]["type"], worded.status) == ("websocket.http.response.start", status)


LOCAL = ("host", "localhost")


async def test_a_body_up_to_the_limit_is_read() -> None:
    parts = [b"x" * (BODY_MAX // 4)] * 4
    answer = await ask(APP, headers=[LOCAL, ("content-length", str(BODY_MAX))], parts=parts)
    assert (answer.status, answer.body) == (200, str(BODY_MAX).encode())


async def test_a_body_that_says_it_is_too_long_is_not_read() -> None:
    answer = await ask(APP, headers=[LOCAL, ("content-length", str(BODY_MAX + 1))])
    assert (answer.status, b"too large" in answer.body) == (413, True)


@pytest.mark.parametrize("length", [[], [("content-length", "5")], [("content-length", "x")]])
async def test_a_body_that_turns_out_too_long_is_refused(length: list[tuple[str, str]]) -> None:
    parts = [b"x" * BODY_MAX, b"y"]
    assert (await ask(APP, headers=[LOCAL, *length], parts=parts)).status == 413


async def test_a_route_that_swallows_the_overflow_cannot_answer_over_it() -> None:
    async def stubborn(scope: Any, receive: Any, send: Any) -> None:
        with suppress(Exception):
            while (await receive())["more_body"]:
                pass
        await PlainTextResponse("fine")(scope, receive, send)

    answer = await ask(GuardApp(stubborn, KNOWN), parts=[b"x" * BODY_MAX, b"y"])
    assert answer.status == 413


async def test_an_overflow_after_the_answer_began_leaves_the_answer_alone() -> None:
    async def eager(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while (await receive())["more_body"]:
            pass

    answer = await ask(GuardApp(eager, KNOWN), parts=[b"x" * BODY_MAX, b"y"])
    assert [m["type"] for m in answer.messages] == ["http.response.start"]


async def test_a_fault_of_the_app_is_not_hidden() -> None:
    async def broken(scope: Any, receive: Any, send: Any) -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        await ask(GuardApp(broken, KNOWN))


async def test_every_answer_has_the_headers_that_browsers_heed() -> None:
    refused = await ask(APP, headers=[("host", "evil.com")])
    for answer in (await ask(APP), refused, await ask(APP, "/no-such-route")):
        assert HEADERS.items() <= answer.headers.items()
    own = await ask(APP, "/strict")
    assert own.headers["content-security-policy"] == "sandbox"


def fetched(site: str, mode: str = "no-cors", dest: str = "image") -> list[tuple[str, str]]:
    told = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest}
    return [("host", "localhost:8420"), *told.items()]


@pytest.mark.parametrize("site", ["cross-site", "same-site", "anything"])
@pytest.mark.parametrize(
    ("method", "path", "mode", "dest"),
    [
        ("GET", "/", "no-cors", "image"),
        ("GET", "/", "navigate", "iframe"),
        ("GET", "/strict", "navigate", "document"),
        ("POST", "/", "navigate", "document"),
    ],
)
async def test_what_another_site_has_a_browser_fetch_is_refused(
    site: str, method: str, path: str, mode: str, dest: str
) -> None:
    answer = await ask(APP, path, fetched(site, mode, dest), method=method)
    assert (answer.status, b"another site" in answer.body) == (403, True)


@pytest.mark.parametrize("site", ["same-origin", "none"])
async def test_what_our_page_or_the_person_fetches_is_let_in(site: str) -> None:
    assert (await ask(APP, "/", fetched(site), method="GET")).status == 200


async def test_a_link_on_another_site_may_lead_to_the_page() -> None:
    headers = fetched("cross-site", "navigate", "document")
    assert (await ask(APP, "/", headers, method="GET")).status == 200


async def test_an_allowed_site_may_call_from_elsewhere() -> None:
    headers = [*fetched("cross-site", "cors", "empty"), ("origin", "https://app.example.org")]
    assert (await ask(APP, "/", headers)).status == 200


async def test_other_sites_may_not_embed_an_answer() -> None:
    answer = await ask(APP, "/")
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


async def test_the_sandboxed_frame_may_load_the_code_of_the_page_and_nothing_else() -> None:
    from_frame = fetched("cross-site", "no-cors", "script")
    code = await ask(APP, "/assets/a.js", from_frame, method="GET")
    assert (code.status, code.headers["cross-origin-resource-policy"]) == (200, "cross-origin")
    other = await ask(APP, "/api/notes", from_frame, method="GET")
    assert (other.status, other.headers["cross-origin-resource-policy"]) == (403, "same-origin")


HOSTS = st.sampled_from([*KNOWN.hosts, "evil.com", "localhost.evil.com", "[::2]"])
PORTS = st.sampled_from(["", ":80", ":8443", ":8420", ":x", ":1:2"])
SITES = st.builds(str.__add__, HOSTS, PORTS)
ORIGINS = st.builds(str.__add__, st.sampled_from(["http://", "https://", "file://", ""]), SITES)


@given(SITES, ORIGINS | st.sampled_from(["https://app.example.org", "null"]) | st.none())
def test_the_sdk_lets_in_whatever_the_guard_lets_in(host: str, origin: str | None) -> None:
    headers = [(b"host", host.encode())] + ([(b"origin", origin.encode())] if origin else [])
    if KNOWN.refusal(headers) is None:
        request = Request({"type": "http", "method": "GET", "headers": headers})
        sdk = TransportSecurityMiddleware(transport_security(KNOWN))
        assert anyio.run(sdk.validate_request, request) is None


def test_the_sdk_alone_would_not_let_in_a_stranger_either() -> None:
    sdk = TransportSecurityMiddleware(transport_security(Guard()))
    request = Request({"type": "http", "method": "GET", "headers": [(b"host", b"evil.com")]})
    answer = anyio.run(sdk.validate_request, request)
    assert answer is not None
    assert answer.status_code == 421
    assert transport_security(Guard()).allowed_hosts[:2] == [LOOPBACK[0], f"{LOOPBACK[0]}:*"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/mcp", "/own", "/nothing"])
async def test_every_route_of_the_app_is_guarded(path: str) -> None:
    app = app_on(server_on(Shelf()), [Route("/own", echo)])
    assert (await ask(app, path, [("host", "evil.com")])).status == 421
    evil = [("host", "localhost"), ("origin", "http://evil.com")]
    assert (await ask(app, path, evil)).status == 403


async def test_the_app_says_whether_it_is_well_and_ready() -> None:
    missing = ["the index is being built"]

    async def ready() -> list[str]:
        return [missing.pop()] if missing else []

    app = app_on(server_on(Shelf()), ready=ready)
    assert (await ask(app, "/healthz", method="GET")).body == b'{"status":"ok"}'
    waiting = await ask(app, "/readyz", method="GET")
    assert (waiting.status, b"being built" in waiting.body) == (503, True)
    assert (await ask(app, "/readyz", method="GET")).status == 200
