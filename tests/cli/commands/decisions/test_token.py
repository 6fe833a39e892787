"""Tokens from the command line, and a server that asks for them: real processes."""

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from commonplace import cli
from tests.cli.commands.test_commands import Run, environ, owner, run, start, vault
from tests.server.processes import Client
from tests.wait import until

__all__ = ["environ", "run", "start", "vault"]


@pytest.fixture
def here(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Run a command in this process, which is quicker."""
    for name, value in environ.items():
        monkeypatch.setenv(name, value)

    def command(*words: str, code: int = 0) -> CompletedProcess[str]:
        done = cli.run(words)
        said = capsys.readouterr()
        assert done == code, said.err
        return CompletedProcess(words, done, said.out, said.err)

    return command


def create(here: Run, *words: str) -> dict[str, Any]:
    return json.loads(here("token", "create", *words, "--json").stdout)


def served(start: Callable[..., Client], *words: str) -> str:
    """Start a server; give its address."""
    process = start("serve", "--port", "0", "--json", *words)
    return json.loads(until(lambda: process.out and process.out[0]))["url"]


def status(url: str, token: str = "", path: str = "/api/tree") -> int:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(url + path, headers=headers)) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def test_a_token_is_made_listed_and_revoked(here: Run, tmp_path: Path):
    made = here("token", "create", "Ada's laptop", "--scope", "read", "--expires", "30d")
    secret = made.stdout.strip()
    assert secret.startswith("cp_")
    assert f'--header "Authorization: Bearer {secret}"' in made.stderr
    assert "not shown again" in made.stderr
    listed = here("token", "list").stdout
    assert "read     valid" in listed
    assert "never used  Ada's laptop" in listed
    id = listed.split()[0]
    assert f"Revoked {id} (Ada's laptop)" in here("token", "revoke", id).stderr
    (row,) = json.loads(here("token", "list", "--json").stdout)["tokens"]
    assert (row["state"], row["scope"], "digest" in row) == ("revoked", "read", False)
    state = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert not any(secret[15:].encode() in file.read_bytes() for file in state)
    assert "no token" in here("token", "revoke", "nothing", code=2).stderr
    assert (
        "is no time to expire" in here("token", "create", "x", "--expires", "soon", code=2).stderr
    )


@pytest.mark.slow
def test_a_server_for_others_knows_its_names_and_its_tokens_at_once(
    here: Run, start: Callable[..., Client]
):
    first = create(here, "first")
    url = served(start, "--host", "0.0.0.0", "--allow-host", "127.0.0.3")
    assert url.startswith("http://127.0.0.3:")
    assert status(url.replace("127.0.0.3", "127.0.0.4"), first["token"]) == 421
    assert (status(url), status(url, first["token"])) == (401, 200)
    second = create(here, "second", "--scope", "approve", "--expires", "never")
    assert status(url, second["token"]) == 200
    here("token", "revoke", first["id"])
    assert (status(url, first["token"]), status(url, second["token"])) == (401, 200)
    names = [row["name"] for row in json.loads(here("token", "list", "--json").stdout)["tokens"]]
    assert names == ["first", "second"]
    assert here("status").stdout, "the person's own commands need no token"


@pytest.mark.slow
def test_a_server_beside_an_owner_asks_for_tokens_as_well(
    run: Run, here: Run, start: Callable[..., Client]
):
    owner(start, "mcp")
    assert (
        "Access tokens are required"
        in run("serve", "--require-token", "--port", "0", code=1).stderr
    )
    made = create(here, "one")
    asking, trusting = served(start, "--require-token"), served(start)
    assert (status(asking), status(asking, made["token"])) == (401, 200)
    assert (status(trusting), status(trusting, made["token"])) == (200, 200)
    assert status(trusting, made["token"] + "x") == 401
    assert status(trusting, path="/api/tokens") == 404, "strangers can list tokens"


def test_a_token_for_folders_says_what_it_reaches(here: Run, vault: Path) -> None:
    shown = here("token", "create", "ben", str(vault), "--folder", "Projects/", "--folder", "A/B")
    assert "It reaches A/B/, Projects/ only; nothing else is shown." in shown.stderr
    assert "(A/B/, Projects/ only)" in here("token", "list", str(vault)).stdout
    (row,) = json.loads(here("token", "list", str(vault), "--json").stdout)["tokens"]
    assert row["folders"] == ["A/B", "Projects"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--folder", "Projects", "--scope", "approve"], "cannot approve"),
        (["--folder", "/"], "no folder to be limited to"),
        (["--folder", "../x"], ".."),
    ],
)
def test_folders_that_make_no_sense_are_refused(
    here: Run, vault: Path, words: list[str], said: str
) -> None:
    refused = here("token", "create", "ben", str(vault), *words, code=2)
    assert said in refused.stderr
