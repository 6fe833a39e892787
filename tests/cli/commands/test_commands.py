"""The commands as a person runs them: real processes, a real vault, with and without an owner."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.server.processes import HERE, Client, get
from tests.wait import until

COMMONPLACE = (sys.executable, "-m", "commonplace")

Run = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.slow


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "Photosynthesis.md").write_text("# Photosynthesis\n\nLight becomes sugar.\n")
    (folder / "Sugar.md").write_text("# Sugar\n\nSee [[Photosynthesis]].\n")
    return folder


@pytest.fixture
def environ(tmp_path: Path, vault: Path) -> dict[str, str]:
    return {"COMMONPLACE_VAULT": str(vault), "XDG_DATA_HOME": str(tmp_path / "data")}


@pytest.fixture
def run(environ: dict[str, str]) -> Run:
    def command(*words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [*COMMONPLACE, *words],
            capture_output=True,
            cwd=HERE,
            env={**os.environ, **environ},
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done

    return command


@pytest.fixture
def start(environ: dict[str, str]) -> Generator[Callable[..., Client]]:
    with ExitStack() as stack:
        yield lambda *words: stack.enter_context(Client(*COMMONPLACE, *words, env=environ))


INITIALIZE: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


def owner(start: Callable[..., Client], how: str) -> Client:
    """Start a process that owns the vault, and wait until it does."""
    if how == "mcp":
        client = start("mcp")
        client.call("initialize", **INITIALIZE)
        return client
    server = start("serve", "--port", "0", "--json")
    until(lambda: server.out)
    return server


def test_status_of_a_vault_that_was_never_indexed_counts_its_files(run: Run):
    said = run("status").stdout
    assert "notes    2, not indexed yet" in said
    assert "index    not built yet" in said
    run("index")
    assert "notes    2, 7 words" in run("status").stdout


def test_the_vault_is_indexed_searched_and_described_without_an_owner(run: Run, vault: Path):
    assert "2 notes are indexed" in run("index").stdout
    found = run("search", "sugar").stdout
    assert "Sugar.md" in found
    status = json.loads(run("status", "--json").stdout)
    assert status["index"]["notes"] == 2
    assert status["owner"] is None
    lines = run("status").stdout
    assert f"folder   notes: {vault}" in lines
    assert "owner    none is running" in lines
    assert sorted(os.listdir(vault)) == ["Photosynthesis.md", "Sugar.md"]


def test_search_needs_no_index_made_beforehand(run: Run):
    hits = json.loads(run("search", "light", "--json").stdout)["hits"]
    assert [hit["path"] for hit in hits] == ["Photosynthesis.md"]


@pytest.mark.parametrize("how", ["mcp", "serve"])
def test_beside_an_owner_the_commands_ask_it(
    run: Run, start: Callable[..., Client], how: str, vault: Path
):
    process = owner(start, how)
    status = json.loads(run("status", "--json").stdout)
    assert status["owner"]["pid"] == process.pid
    assert json.loads(run("index", "--rebuild", "--json").stdout)["index"]["notes"] == 2
    hits = json.loads(run("search", "light", "--json").stdout)["hits"]
    assert [hit["path"] for hit in hits] == ["Photosynthesis.md"]
    assert f"process {process.pid}" in run("doctor").stdout
    assert process.process.poll() is None


def test_doctor_finds_nothing_wrong_with_a_new_vault(run: Run):
    good = run("doctor").stdout
    assert "✗" not in good
    assert "search by meaning: " in good


def test_doctor_says_what_is_wrong_and_how_to_mend_it(run: Run, vault: Path):
    run("index")
    good = run("doctor").stdout
    assert "✗" not in good
    (vault / "New.md").write_text("new")
    assert "✓ index: 3 notes, 1 to be indexed at the next start" in run("doctor").stdout
    (vault / "new").mkdir()
    (vault / "New").mkdir()
    (vault / "new/a.md").write_text("")
    (vault / "New/b.md").write_text("")
    assert "✗ names: New; new" in run("doctor", code=1).stdout
    (vault / "big.md").write_bytes(b"x" * 10_500_000)
    run("index")
    assert "✗ notes: big.md has 10.5 MB" in run("doctor", code=1).stdout
    missing = run("doctor", "/no/such/folder", code=1).stdout
    assert "✗ vault: No such folder: /no/such/folder" in missing


def test_serve_says_where_and_answers_there(start: Callable[..., Client], environ: dict[str, str]):
    server = owner(start, "serve")
    where = json.loads(server.out[0])
    assert get(where["url"] + "/api/status")["roots"][0]["name"] == "notes"
    assert where["mcp"] == where["url"] + "/mcp"
    assert f"serving at {where['url']}" in until(server.complaint)


def test_stdout_carries_nothing_but_the_conversation(start: Callable[..., Client]):
    client = owner(start, "mcp")
    client.call("tools/list")
    client.close_stdin()
    assert client.wait() == 0
    assert [message["id"] for message in client.heard() if "id" in message] == [1, 2]
    assert client.complaint() == ""


def test_a_port_that_is_taken_is_named(run: Run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"Port {port} is taken" in run("serve", "--port", port, code=1).stderr


def test_an_owner_elsewhere_is_named(run: Run, start: Callable[..., Client], tmp_path: Path):
    process = owner(start, "mcp")
    other = str(tmp_path / "other")
    for words in (["status"], ["serve", "--port", "0"], ["mcp"]):
        complaint = run(*words, "--state", other, code=1).stderr
        assert f"already open in Commonplace (process {process.pid})" in complaint


def test_a_state_folder_that_cannot_be_used_is_named_with_the_way_out(run: Run, tmp_path: Path):
    (tmp_path / "file").write_text("")
    complaint = run("status", "--state", str(tmp_path / "file"), code=1).stderr
    assert "state folder" in complaint
    assert "--state" in complaint


def test_a_mistake_in_the_vaults_file_is_named(run: Run, vault: Path):
    (vault / "commonplace.toml").write_text("tols = ['files']\n")
    assert "unknown key 'tols'" in run("mcp", code=2).stderr
    assert "unknown key 'tols'" in run("status", code=2).stderr


def test_help_and_version_need_no_vault(run: Run):
    for words in (["--help"], ["mcp", "--help"], ["serve", "-h"], ["--version"]):
        assert run(*words).stdout
    assert "No such command" in run("bogus", code=2).stderr
    assert "No such option" in run("mcp", "--bogus", code=2).stderr


def test_a_relay_loads_neither_the_protocol_nor_the_index(
    start: Callable[..., Client], environ: dict[str, str]
):
    """What an assistant waits for when it starts."""
    owner(start, "mcp")
    code = (
        "import sys; from commonplace.cli import run\n"
        "run(['mcp'])\n"
        "heavy = {'mcp', 'anyio', 'asyncio', 'click', 'sqlite3', 'numpy', 'pycrdt', 'uvicorn'}\n"
        "print(sorted(heavy & sys.modules.keys()), file=sys.stderr)\n"
    )
    question = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
    relay = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(question),
        capture_output=True,
        text=True,
        env={**os.environ, **environ},
        check=True,
    )
    assert json.loads(relay.stdout)["id"] == 1
    assert relay.stderr.strip() == "[]"
