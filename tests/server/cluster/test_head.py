"""The head of a request: whose it is, what the vault reads of it, and what is passed on at all."""

import pytest

from commonplace.errors import BadArgument, NotFound
from commonplace.server.cluster.head import RequestHead, parse_head


def head(target: str, *fields: str) -> RequestHead:
    return parse_head("\r\n".join([f"GET {target} HTTP/1.1", *fields]).encode())


@pytest.mark.parametrize(
    ("target", "vault", "prefix", "asked"),
    [
        ("/v/alpha/", "alpha", "/v/alpha", "/"),
        ("/v/alpha/api/document?path=/v/beta/a.md", "alpha", "/v/alpha", "/api/document?path="),
        ("/v/a-b_9/mcp", "a-b_9", "/v/a-b_9", "/mcp"),
        ("/v/alpha//v/beta/mcp", "alpha", "/v/alpha", "//v/beta/mcp"),
        ("/v/alpha/../beta/", "alpha", "/v/alpha", "/../beta/"),
        ("/mcp?at=/v/alpha/", "team", "", "/mcp?at=/v/alpha/"),
        ("/", "team", "", "/"),
        ("/v", "team", "", "/v"),
    ],
)
def test_a_vault_is_found_by_its_place(target: str, vault: str, prefix: str, asked: str) -> None:
    name, place, passed_on = head(target).for_vault("team")
    assert (name, place) == (vault, prefix)
    assert passed_on.target.decode().startswith(asked)


def test_a_place_without_its_slash_has_an_empty_path() -> None:
    _, prefix, asked = head("/v/alpha?note=a.md").for_vault("")
    assert (prefix, asked.path, asked.target) == ("/v/alpha", "", b"?note=a.md")


@pytest.mark.parametrize("target", ["/v/", "/v//", "/v/Alpha/", "/v/%61lpha/", "/v/../", "/v/é/"])
def test_what_is_no_name_is_nobodys(target: str) -> None:
    with pytest.raises((NotFound, BadArgument)):
        head(target).for_vault("team")


def test_without_a_vault_at_the_root_nothing_is_there() -> None:
    for target in ("/", "/mcp", "/v"):
        with pytest.raises(NotFound):
            head(target).for_vault("")


def test_a_connection_is_for_one_request() -> None:
    """The next request on it may be for another vault, which another node may have."""
    written = head("/", "Host: h", "connection: keep-alive", "Keep-Alive: 5").written()
    assert written == b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"


def test_a_socket_stays_open() -> None:
    fields = ("Host: h", "Connection: Upgrade", "Upgrade: websocket")
    assert (
        b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n" in head("/sync/x", *fields).written()
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GET / HTTP/2.0",
        b"GET http://else.where/v/alpha/ HTTP/1.1",
        b"GET  / HTTP/1.1",
        b"GET / HTTP/1.1\r\nHost : h",
        b"GET / HTTP/1.1\r\nHost: h\r\n Continued: line",
        b"GET / HTTP/1.1\r\nHost: h\nX: y",
        b"GET / HTTP/1.1\r\nHost: h\rX: y",
        b"GET / HTTP/1.1\r\nno colon",
        b"GET /\x00 HTTP/1.1",
        b"GET / HTTP/1.1\r\nX: a\x00b",
    ],
)
def test_what_two_servers_could_read_in_two_ways_is_refused(data: bytes) -> None:
    with pytest.raises(BadArgument):
        parse_head(data)
