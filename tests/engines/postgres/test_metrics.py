"""`/metrics` of a team's nodes: whose the lease is, and whose numbers are told where."""

import signal
import socket
import urllib.request
from pathlib import Path

import httpx
import pytest

from tests.engines.postgres.serve_process import ServeProcess, make_key
from tests.server.metrics.exposition import Exposition, parse
from tests.wait import PATIENCE, until

HELD, FENCE = 'commonplace_lease_held{vault="team"}', 'commonplace_lease_fence{vault="team"}'
DOCUMENTS = 'commonplace_documents{vault="team"}'


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def asked(address: str) -> Exposition:
    try:
        with urllib.request.urlopen(f"{address}/metrics", timeout=PATIENCE) as answer:
            return parse(answer.read().decode())
    except OSError:
        return Exposition()


def test_each_node_tells_of_itself_and_the_route_of_the_owner(url: str, tmp_path: Path) -> None:
    key = make_key(tmp_path)
    places = [f"127.0.0.1:{free_port()}" for _ in range(2)]
    with (
        ServeProcess("one", tmp_path, url, key, "--metrics", places[0]) as one,
        ServeProcess("two", tmp_path, url, key, "--metrics", places[1]) as two,
    ):
        httpx.post(
            f"{two.http}/api/notes",
            json={"path": "a.md", "content": "x"},
            headers={"x-commonplace": "1"},
            timeout=PATIENCE,
        ).raise_for_status()
        owner, follower = (asked(f"http://{place}") for place in places)
        assert (owner[HELD], follower[HELD]) == (1, 0)
        assert owner[FENCE] == follower[FENCE] >= 1
        assert 0 < owner['commonplace_lease_seconds_left{vault="team"}'] <= 5
        assert owner['commonplace_commit_seconds_count{vault="team",database="log"}'] >= 1
        assert DOCUMENTS not in follower.samples
        assert 'commonplace_connections_passed_on{vault="team"}' in follower.samples
        passed_on = asked(two.http)
        assert (passed_on[HELD], passed_on[FENCE]) == (1, owner[FENCE])
        assert DOCUMENTS in passed_on.samples
        one.kill(signal.SIGTERM)  # it gives the lease back
        until(lambda: asked(f"http://{places[1]}").samples.get(HELD) == 1)
        assert asked(f"http://{places[1]}")[FENCE] == pytest.approx(owner[FENCE] + 1)
