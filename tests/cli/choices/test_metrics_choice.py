"""Where monitors ask: an address of its own."""

import socket

import pytest

from commonplace.cli.choices.metrics_choice import listening
from commonplace.errors import BadArgument, Unavailable


@pytest.mark.parametrize("named", [None, ""])
def test_nobody_listens_where_no_place_was_named(named: str | None) -> None:
    assert listening(named) is None


@pytest.mark.parametrize("named", ["127.0.0.1:0", "[::1]:0"])
def test_it_listens_where_it_was_told_to(named: str) -> None:
    found = listening(named)
    assert found is not None
    with found, socket.create_connection(found.getsockname()[:2], timeout=30):
        assert found.getsockname()[1] > 0


@pytest.mark.parametrize(
    "named", ["9420", ":9420", "127.0.0.1:", "127.0.0.1:-1", "127.0.0.1:65536", "127.0.0.1:²", "x"]
)
def test_what_is_no_place_is_refused(named: str) -> None:
    with pytest.raises(BadArgument, match=r"is not HOST:PORT"):
        listening(named)


@pytest.mark.parametrize("host", ["192.0.2.1", "a..b", "x" * 70])
def test_a_place_that_cannot_be_had_is_told(host: str) -> None:
    with pytest.raises(Unavailable, match=f"Cannot listen for monitors on {host}:1 "):
        listening(f"{host}:1")


def test_a_port_that_is_taken_is_told() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(Unavailable, match="a port that is free"),
    ):
        listening(f"127.0.0.1:{taken.getsockname()[1]}")
