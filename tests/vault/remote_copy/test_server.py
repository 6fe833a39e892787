"""A server that is not what it says: names that lead elsewhere, sizes without end, nonsense."""

import hashlib
import json
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.vault.remote_copy.processes import Copy, files_in, hidden_in

pytestmark = pytest.mark.slow

EVIL = b"evil\n"
NAMES = [
    "../outside.md",
    "a/../../outside.md",
    "/etc/outside.md",
    "~/outside.md",
    "C:/outside.md",
    "a\\..\\outside.md",
    ".hidden.md",
    ".git/config",
    "a/.obsidian/app.json",
    "a//b.md",
    "a/./b.md",
    "",
    ".",
    "..",
    "nul\0.md",
    "line\nbreak.md",
    "\u202egnp.md",
    "x" * 300 + ".md",
    "a/" * 40 + "deep.md",
    "\ud800.md",
    "link/inside.md",
    "e\u0301.md",  # not in the form that paths have
]
ListedFile = dict[str, object]
Reply = tuple[int, bytes | Generator[bytes]]
Respond = Callable[[str, dict[str, list[str]]], Reply]


def listed(path: str, data: bytes = EVIL, **other: object) -> ListedFile:
    return {"path": path, "sha": hashlib.sha256(data).hexdigest(), "size": len(data), **other}


def listing(*files: ListedFile) -> bytes:
    body = {"cursor": "x-1", "whole": True, "files": files, "gone": ["../outside.md"]}
    return json.dumps({**body, "may": "write"}).encode()


class Forged:
    """What a forged server answers; `asked` is what it was asked for."""

    def __init__(self, answer: Respond) -> None:
        self.answer = answer
        self.asked: list[str] = []
        self.url = ""


@contextmanager
def forged(answer: Respond) -> Generator[Forged]:
    server = Forged(answer)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            place = urlsplit(self.path)
            query = parse_qs(place.query)
            server.asked.append(self.path)
            status, body = server.answer(place.path, query)
            self.send_response(status)
            if isinstance(body, bytes):
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                return
            self.end_headers()
            try:
                for part in body:
                    self.wfile.write(part)
            except OSError:
                pass  # the other side has seen enough

        do_HEAD = do_POST = do_GET  # noqa: N815 (the names of the base class)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=http.serve_forever, daemon=True)
    thread.start()
    server.url = f"http://127.0.0.1:{http.server_address[1]}"
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def test_no_name_leads_out_of_the_folder(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    copy = Copy(inner, "")
    outside = tmp_path / "outside"
    outside.mkdir()
    rows = [listed("good/Good.md")]
    with forged(lambda path, _: (200, EVIL if "content" in path else listing(*rows))) as server:
        copy.url = server.url
        copy.once()
        os.symlink(outside, copy.folder / "link")
        rows += [listed(name) for name in NAMES]
        told = copy.once()
        troubles = [row["path"] for row in told if row["event"] == "trouble" and "path" in row]
        assert len(troubles) >= len(NAMES) - 1
    assert copy.files() == {"good/Good.md": EVIL}
    assert hidden_in(copy.folder) == []
    assert files_in(outside) == {}
    assert sorted(one.name for one in tmp_path.iterdir()) == ["inner", "outside"]
    assert sorted(one.name for one in inner.iterdir()) == ["copy", "state of copy"]


def test_a_careless_copy_would_have_been_led_out(tmp_path: Path) -> None:
    """The control: the names are such that joining them to the folder leads elsewhere."""
    top = tmp_path / "copy"
    led_out = [
        name
        for name in NAMES
        if "\0" not in name and not os.path.normpath(os.path.join(top, name)).startswith(f"{top}/")
    ]
    assert len(led_out) >= 4


def endless() -> Generator[bytes]:
    while True:
        yield b"x" * (1 << 20)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"not JSON", "not one of Commonplace's"),
        (b"[" * 100_000, "not one of Commonplace's"),
        (b'{"files": 1}', "not one of Commonplace's"),
        (listing({"path": 1}), "not one of Commonplace's"),
        (listing(listed("A.md", sha="../../x")), "not one of Commonplace's"),
        (302, "302"),
        (None, "more than"),
    ],
    ids=["text", "deep", "shape", "row", "hash", "redirect", "endless"],
)
def test_an_answer_that_is_none_is_refused(
    tmp_path: Path, answer: bytes | int | None, words: str
) -> None:
    copy = Copy(tmp_path, "")

    def reply(path: str, query: dict[str, list[str]]) -> Reply:
        if isinstance(answer, int):
            return answer, b""
        return 200, endless() if answer is None else answer

    with forged(reply) as server:
        copy.url = server.url
        done = copy.tried()
    assert done.returncode in (1, 2)
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert copy.files() == {}


def test_a_file_without_end_is_left_out(tmp_path: Path) -> None:
    copy = Copy(tmp_path, "")
    rows = [
        listed("Endless.png"),
        listed("Huge.png", size=10**15),
        listed("Huge too.png", sha="", size=1),
        listed("Good.md"),
    ]

    def answer(path: str, query: dict[str, list[str]]) -> Reply:
        if not path.endswith("content"):
            return 200, listing(*rows)
        return 200, EVIL if query["path"] == ["Good.md"] else endless()

    with forged(answer) as server:
        copy.url = server.url
        done = copy.tried()
        assert not any("Huge" in asked for asked in server.asked)
    assert done.returncode == 0
    told = [json.loads(line) for line in done.stdout.splitlines()]
    troubles = {row["path"] for row in told if row["event"] == "trouble"}
    assert troubles == {"Endless.png", "Huge.png", "Huge too.png"}
    assert copy.files() == {"Good.md": EVIL}


def test_deletions_that_a_server_invents_are_asked_for_again(tmp_path: Path) -> None:
    copy = Copy(tmp_path, "")
    rows = [listed("A.md")]

    def answer(path: str, _: object) -> Reply:
        return 200, EVIL if path.endswith("content") else listing(*rows)

    with forged(answer) as server:
        copy.url = server.url
        copy.once()
        rows.clear()
        copy.tried()
    assert copy.files() == {"A.md": EVIL}
