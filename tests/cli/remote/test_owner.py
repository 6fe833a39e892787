"""Another process's owner, asked over its socket."""

import socket
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from commonplace.cli.remote.owner import Owner
from tests.wait import until

STREAM = (
    b"HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n"
    b'f\r\n{"ready": true}\r\n1\r\n\n\r\n'
)


@pytest.mark.parametrize("closes", [True, False])
def test_who_waits_for_an_answer_waits_no_more_once_it_is_closed(tmp_path: Path, closes: bool):
    """The control closes nothing at first: then the thread waits on."""
    heard: list[dict[str, Any]] = []
    path = tmp_path / "http.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        owner = Owner(path)

        def follow() -> None:
            heard.extend(owner.lines("/api/checkout", {}))

        thread = Thread(target=follow, daemon=True)
        thread.start()
        link, _ = listener.accept()
        with link:
            link.sendall(STREAM)
            until(lambda: heard)
            assert heard == [{"ready": True}]
            if closes:
                owner.close()
            thread.join(30 if closes else 0.2)
            assert thread.is_alive() is not closes
            owner.close()
            thread.join(30)
