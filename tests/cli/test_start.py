"""What `commonplace mcp` loads before it answers, and where it keeps its data."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import platformdirs
import pytest

from commonplace.cli import roots
from tests.wait import PATIENCE

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "x", "version": "1"},
}
# Never for a session that only reads: the SDK, HTTP, the page, schemas, vectors, the command line.
NOT_TO_READ = (
    "mcp",
    "mcp_types",
    "pydantic",
    "starlette",
    "uvicorn",
    "httpx",
    "jsonschema",
    "numpy",
    "click",
)
# Nor before the first answer: event loops, the vault and all it needs.
NOT_TO_GREET = (
    *NOT_TO_READ,
    "asyncio",
    "anyio",
    "uvloop",
    "sqlite3",
    "ctypes",
    "logging",
    "platformdirs",
    "tempfile",
    "pycrdt",
)


def loaded(errors: str) -> set[str]:
    """The packages that `-X importtime` told of."""
    rows = (line.rpartition("|") for line in errors.splitlines() if line.startswith("import time"))
    return {name.strip().partition(".")[0] for _, _, name in rows}


class Talk:
    """A client of one process."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process

    def ask(self, method: str, **params: object) -> dict[str, object]:
        assert self.process.stdin
        assert self.process.stdout
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]


@contextmanager
def started(folder: Path) -> Generator[tuple[Talk, Path]]:
    (folder / "vault").mkdir()
    (folder / "vault" / "a.md").write_text("hello\n", encoding="utf-8")
    errors = folder / "errors"
    command = [
        sys.executable,
        "-X",
        "importtime",
        "-m",
        "commonplace",
        "mcp",
        str(folder / "vault"),
    ]
    # Notes are embedded in the background as soon as there is time; here it would be at any moment.
    command += ["--state", str(folder / "state"), "--embeddings", "none"]
    with (
        errors.open("wb") as file,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file
        ) as process,
    ):
        try:
            yield Talk(process), errors
        finally:
            process.kill()


def test_a_session_that_reads_never_loads_the_sdk_nor_what_else_is_heavy(tmp_path: Path) -> None:
    with started(tmp_path) as (talk, errors):
        assert talk.ask("initialize", **INITIALIZE)["serverInfo"]
        assert talk.ask("tools/list")["tools"]
        read = talk.ask("tools/call", name="read", arguments={"file_path": "a.md"})
        assert read["isError"] is False
        assert not loaded(errors.read_text()) & set(NOT_TO_READ)
        talk.ask("resources/list")
        assert "mcp" in loaded(errors.read_text()), "what needs the SDK loads it"


@pytest.mark.parametrize(
    "words",
    [["search", "hello"], ["status"], ["review", "--list"], ["sets", "list"], ["approvals"]],
    ids=" ".join,
)
def test_a_command_loads_neither_the_sdk_nor_http(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "a.md").write_text("hello\n", encoding="utf-8")
    command = [sys.executable, "-X", "importtime", "-m", "commonplace", *words]
    more = {"COMMONPLACE_VAULT": str(tmp_path), "COMMONPLACE_STATE": str(tmp_path / "state")}
    done = subprocess.run(command, env=os.environ | more, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    found = loaded(done.stderr)
    assert not found & {"mcp", "mcp_types", "pydantic", "starlette", "uvicorn", "httpx"}
    assert "sqlite3" in found, "the control: the vault was opened"


def test_a_server_loads_the_sdk_when_a_request_first_needs_it(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_text("hello\n", encoding="utf-8")
    errors = tmp_path / "errors"
    command = [sys.executable, "-X", "importtime", "-m", "commonplace", "serve", "--json"]
    command += [str(tmp_path / "vault"), "--state", str(tmp_path / "state"), "--port", "0"]
    with (
        errors.open("wb") as file,
        subprocess.Popen(
            [*command, "--embeddings", "none"], stdout=subprocess.PIPE, stderr=file
        ) as process,
    ):
        try:
            assert process.stdout
            url = json.loads(process.stdout.readline())["url"].rstrip("/")
            assert httpx.get(url, timeout=PATIENCE).status_code == 200
            found = httpx.get(f"{url}/api/search", params={"q": "hello"}, timeout=PATIENCE)
            assert "a.md" in found.text
            assert not loaded(errors.read_text()) & {"mcp", "mcp_types", "pydantic", "httpx"}
            hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
            accept = {"accept": "application/json, text/event-stream"}
            answer = httpx.post(f"{url}/mcp", json=hello, headers=accept, timeout=PATIENCE)
            assert "mcp-session-id" in answer.headers
            assert "mcp" in loaded(errors.read_text()), "what needs the SDK loads it"
        finally:
            process.kill()


def test_the_relay_greets_with_next_to_nothing() -> None:
    code = (
        "import sys, commonplace.cli.options, commonplace.cli.commands.programs.stdio;"
        "import commonplace.server.owner.thread;"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "commonplace" in done.stdout
    assert not set(done.stdout.split()) & set(NOT_TO_GREET)


@pytest.mark.parametrize("given", [None, "", "  ", "/data/x", "/data/x/", "~/data", "data"])
def test_data_is_kept_where_platformdirs_says(
    given: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    if given is not None:
        monkeypatch.setenv("XDG_DATA_HOME", given)
    assert roots.state_base(None) == platformdirs.user_data_path("commonplace", appauthor=False)
