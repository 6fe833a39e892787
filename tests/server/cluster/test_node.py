"""A node as a process, while its database cannot be reached, or something else is in its way."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.cluster.test_node_listener import team
from tests.server.processes import Process
from tests.wait import until

pytestmark = pytest.mark.slow

NOWHERE = {"COMMONPLACE_DATABASE": "postgresql://notes:secret@127.0.0.1:1/notes"}


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    (tmp_path / "notes").mkdir()
    key = team(tmp_path, "key").key
    words = ["serve", str(tmp_path / "notes"), "--state", str(tmp_path / "state"), "--port", "0"]
    words += ["--no-open", "--vault-name", "notes", "--node-key", str(key)]
    return [sys.executable, "-m", "commonplace", *words]


def test_a_node_waits_for_its_database_and_ends_when_it_is_told_to(command: list[str]) -> None:
    with Process(*command, "--node", "127.0.0.1:0", env=NOWHERE) as node:
        until(lambda: "Trying again" in node.complaint())
        assert "secret" not in node.complaint()
        node.kill(signal.SIGTERM)
        assert node.wait() == 0
        assert "Traceback" not in node.complaint()


def test_a_port_that_is_taken_is_named(command: list[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        done = subprocess.run(
            [*command, "--node", place],
            env={**os.environ, **NOWHERE},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    assert done.returncode == 1
    assert "Cannot listen for other nodes" in done.stderr
    assert "Traceback" not in done.stderr
