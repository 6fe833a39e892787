"""Who is calling: worked out for each request over HTTP; the rest is tested through clients."""

from typing import Any

import pytest

from commonplace.server.mcp.actors import UNNAMED, actor_over_http
from commonplace.tools.table import Actor


def scope(*hosts: bytes, **more: Any) -> dict[str, Any]:
    headers = [(b"host", host) for host in hosts]
    return {"type": "http", "scheme": "http", "headers": headers, **more}


@pytest.mark.parametrize(
    ("client", "name", "session", "id"),
    [
        (("10.0.0.5", 1), "ada", None, "client:ada@10.0.0.5"),
        (("10.0.0.5", 1), "", None, f"client:{UNNAMED}@10.0.0.5"),
        (None, "ada", None, "client:ada@local"),
        (("10.0.0.5", 1), "ada", "s1", "session:s1"),
        (("10.0.0.5", 1), "ada", "", "client:ada@10.0.0.5"),
    ],
)
def test_without_a_token_a_session_or_an_address_stands_in(
    client: Any, name: str, session: str | None, id: str
) -> None:
    assert actor_over_http(scope(client=client), name, session) == Actor(id, name or UNNAMED)


@pytest.mark.parametrize(
    ("hosts", "page"),
    [
        ((b"notes.example:8420",), "http://notes.example:8420/"),
        ((b"[::1]:1",), "http://[::1]:1/"),
        ((), ""),
        ((b"one", b"two"), ""),  # nobody knows which one counted
    ],
)
def test_the_page_is_where_the_call_came_in(hosts: tuple[bytes, ...], page: str) -> None:
    assert actor_over_http(scope(*hosts), "ada").page == page
