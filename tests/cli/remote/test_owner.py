"""The owner of a vault, asked over its HTTP socket: whatever it answers, or does not."""

import json
import socket
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from commonplace.cli.remote.owner import Owner
from commonplace.errors import Conflict, Unavailable
from tests.wait import until

HEAD = b"HTTP/1.1 200 OK\r\n"
STREAM = (
    b"HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n"
    b'f\r\n{"ready": true}\r\n1\r\n\n\r\n'
)


@contextmanager
def answering(folder: Path, answer: bytes) -> Generator[Owner]:
    """Listen as an owner does, for one who asks; say this, and hang up."""
    place = folder / "http.sock"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(place))
    listener.listen()

    def attend() -> None:
        client, _ = listener.accept()
        with client, client.makefile("rb") as request:
            head = dict(
                line.lower().split(b": ", 1)
                for line in iter(request.readline, b"\r\n")
                if b": " in line
            )
            # What is left unread when a socket is closed resets it, and the answer is lost.
            request.read(int(head.get(b"content-length", 0)))
            client.sendall(answer)

    thread = Thread(target=attend)
    thread.start()
    try:
        yield Owner(place)
    finally:
        thread.join(30)
        listener.close()


def lines(*rows: object) -> bytes:
    body = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    return HEAD + b"content-length: %d\r\n\r\n%b" % (len(body), body)


def test_an_answer_is_one_line_or_several(tmp_path: Path) -> None:
    with answering(tmp_path, lines({"done": 1}, {"done": 2})) as owner:
        assert [*owner.lines("/x", {"a": "日\ud800"})] == [{"done": 1}, {"done": 2}]


@pytest.mark.parametrize(("code", "kind"), [("CONFLICT", Conflict), ("SOMETHING_NEW", Unavailable)])
def test_an_error_is_raised_as_what_it_is(tmp_path: Path, code: str, kind: type[Exception]) -> None:
    with (
        answering(tmp_path, lines({"error": {"code": code, "message": "No."}})) as owner,
        pytest.raises(kind, match=r"^No\.$"),
    ):
        owner.get("/x")


@pytest.mark.parametrize(
    "answer",
    [b"", b"nonsense\r\n\r\n", HEAD, HEAD + b"content-length: 9\r\n\r\n{", lines("x")[:-4]],
    ids=["nothing", "no HTTP", "half a head", "half a body", "no JSON"],
)
def test_an_owner_that_breaks_off_is_unavailable(tmp_path: Path, answer: bytes) -> None:
    with answering(tmp_path, answer) as owner, pytest.raises(Unavailable, match="Try again"):
        owner.get("/x")


def test_an_owner_that_is_gone_is_unavailable(tmp_path: Path) -> None:
    owner = Owner(tmp_path / "none.sock")
    for asked in (owner.events("/x"), owner.ask("GET", "/x")):
        with pytest.raises(Unavailable):
            next(asked)


def test_an_empty_answer_is_no_answer(tmp_path: Path) -> None:
    with (
        answering(tmp_path, HEAD + b"content-length: 0\r\n\r\n") as owner,
        pytest.raises(Unavailable),
    ):
        owner.get("/x")


def test_events_are_told_from_the_beats_between_them(tmp_path: Path) -> None:
    stream = b': beat\n\nevent: x\ndata: {"a": 1}\n\ndata: {"b": 2}\n\n'
    head = HEAD + b"content-length: %d\r\n\r\n" % len(stream)
    with answering(tmp_path, head + stream) as owner:
        assert [*owner.events("/events")] == [{"a": 1}, {"b": 2}]


def test_events_that_are_refused_say_why(tmp_path: Path) -> None:
    refused = lines({"error": {"code": "CONFLICT", "message": "No."}})
    with (
        answering(tmp_path, refused.replace(b"200 OK", b"409 Conflict")) as owner,
        pytest.raises(Conflict, match=r"^No\.$"),
    ):
        next(owner.events("/events"))


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
