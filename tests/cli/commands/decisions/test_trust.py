"""A vault that came from elsewhere: what its own file asks for counts once a person trusts it."""

import json
import os
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client as McpClient
from mcp.client.stdio import StdioServerParameters

from tests.cli.commands.decisions.test_token import here
from tests.cli.commands.test_commands import COMMONPLACE, Run, environ, owner, run, start, vault
from tests.server.processes import HERE, Client, get
from tests.terminal import Terminal, terminal
from tests.vault.embeddings import server as embedding_server
from tests.vault.embeddings.server import Behaviour
from tests.wait import PATIENCE, until

__all__ = ["environ", "here", "run", "start", "vault"]

Start = Callable[..., Client]

pytestmark = pytest.mark.slow

WIDE = """
[policy]
delete = "allow"
[suggestions]
author = "Anna"
"""


@pytest.fixture
def elsewhere() -> Generator[Behaviour]:
    with embedding_server.serving() as behaviour:
        yield behaviour


def say(vault: Path, text: str) -> None:
    (vault / "commonplace.toml").write_text(text, encoding="utf-8")


def address(server: Client) -> str:
    return json.loads(server.out[0])["url"]


def tool(client: Client, name: str, **arguments: Any) -> str:
    result = client.call("tools/call", name=name, arguments=arguments)
    return " ".join(part["text"] for part in result["content"])


def suggest(client: Client, old: str, new: str) -> None:
    tool(client, "read", file_path="Sugar.md")
    tool(client, "edit", file_path="Sugar.md", old_string=old, new_string=new)


def ended(process: Client) -> Client:
    process.kill(15)
    process.wait()
    return process


def authors(run: Run) -> set[str]:
    found = json.loads(run("review", "--list", "--json").stdout)
    return {one["author"] for one in found["suggestions"]}


# -- the exploit, and its control: a vault that is trusted


def test_a_vault_sends_its_notes_nowhere_until_it_is_trusted(
    elsewhere: Behaviour, vault: Path, here: Run, start: Start, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("COMMONPLACE_EMBEDDINGS")  # it wins over the vault's file
    say(vault, f'embeddings = "\N{NO-BREAK SPACE}{elsewhere.url}/any?q=1#m"')
    server = owner(start, "serve")
    until(lambda: get(address(server) + "/api/status")["current"])
    meaning = get(address(server) + "/api/status")["meaning"]
    assert "model install" in str(meaning["problem"])  # of the local one, which is not there
    assert f"not in force: embeddings = {elsewhere.url}/any?q=1#m." in server.complaint()
    ended(server)
    assert elsewhere.texts == []
    here("trust", "--yes")
    server = owner(start, "serve")
    until(lambda: any("Light becomes sugar" in text for text in elsewhere.texts))
    assert "not in force" not in server.complaint()


def test_a_vault_allows_nothing_and_signs_for_nobody_until_it_is_trusted(
    vault: Path, run: Run, here: Run, start: Start
):
    say(vault, WIDE)
    client = owner(start, "mcp")
    suggest(client, "See", "Look at")
    assert "needs a person's approval" in tool(client, "delete_note", path="Photosynthesis.md")
    assert (vault / "Photosynthesis.md").exists()
    assert authors(run) == {"test"}
    assert client.complaint().count("not in force: suggestions author = Anna, policy") == 1
    assert len(client.complaint().splitlines()) == 1
    ended(client)
    here("trust", "--yes")
    client = owner(start, "mcp")
    suggest(client, "# Sugar", "# Sweet")
    tool(client, "delete_note", path="Photosynthesis.md")
    assert not (vault / "Photosynthesis.md").exists()
    assert "Anna" in authors(run)
    assert client.complaint() == ""


# -- a process that others started


def test_each_process_goes_by_what_was_trusted_when_it_started(
    vault: Path, run: Run, here: Run, start: Start
):
    say(vault, WIDE)
    first = owner(start, "mcp")
    assert "restart it" in here("trust", "--yes").stderr
    lines = run("status").stdout
    assert f"given, but process {first.pid} was started before" in lines
    second = owner(start, "mcp")  # it relays to the first
    assert "needs a person's approval" in tool(first, "delete_note", path="Sugar.md")
    assert '"deleted"' in tool(second, "delete_note", path="Sugar.md")
    assert first.complaint().count("\n") == 1
    assert second.complaint() == ""


def test_status_and_doctor_say_what_is_not_in_force(vault: Path, run: Run):
    say(vault, WIDE)
    run("index")
    for command in ("status", "doctor"):
        said = run(command).stdout
        assert "not in force: suggestions author = Anna, policy delete = allow." in said
        assert f"commonplace trust {vault}" in said
    assert json.loads(run("status", "--json").stdout)["withheld"][1] == "policy delete = allow"
    run("trust", "--yes")
    assert "not in force" not in run("status").stdout + run("doctor").stdout


# -- the command


def test_what_would_be_allowed_is_shown_as_a_difference(vault: Path, here: Run):
    say(vault, WIDE + '\n[roots]\nAll = ".."')
    said = here("trust", code=1)
    assert f"commonplace.toml of {vault} would allow:" in said.stdout
    assert "suggestions author: suggestions of assistants are shown under" in said.stdout
    assert "    - {client}\n    + Anna\n" in said.stdout
    assert "assistants may delete notes without asking you\n    - ask\n    + allow" in said.stdout
    assert f"    - left out\n    + {vault.parent}\n" in said.stdout
    assert "nothing was changed" in said.stderr
    assert json.loads(here("trust", "--json", code=1).stdout)["trusted"] is False


def test_answers_are_listed_and_taken_back(vault: Path, here: Run):
    assert "asks for nothing" in here("trust").stderr
    say(vault, WIDE)
    assert json.loads(here("trust", "--list", "--json").stdout) == {"vaults": []}
    here("trust", "--yes")
    assert "you trust this already" in here("trust").stderr
    (row,) = json.loads(here("trust", "--list", "--json").stdout)["vaults"]
    assert (row["folder"], row["trusted"]) == (str(vault), True)
    assert f"{vault}: trusted" in here("trust", "--list").stdout
    assert "trusted no longer" in here("trust", "--revoke").stderr
    assert "it was not trusted" in here("trust", "--revoke").stderr
    here("trust", code=1)
    here("trust", "--yes", "--revoke", code=2)


# -- the question at a terminal


def at_terminal(environ: dict[str, str], *words: str) -> AbstractContextManager[Terminal]:
    return terminal([*COMMONPLACE, *words], {**os.environ, **environ}, HERE)


def test_serve_asks_once_at_a_terminal_and_again_when_the_file_changes(
    vault: Path, environ: dict[str, str], here: Run
):
    def told(said: str) -> tuple[bool, bool]:
        return "Do you trust" in said, "not in force" in said

    def served(answer: str) -> str:
        with at_terminal(environ, "serve", "--port", "0") as shown:
            if answer:
                shown.wait_for("on this machine? [y/N]")
                shown.answer(answer)
            return shown.wait_for("serving at")

    say(vault, WIDE)
    said = served("n")
    assert "+ Anna" in said
    assert "Do you trust these 2 settings" in said
    assert told(said) == (True, True)
    assert told(served("")) == (False, True)
    say(vault, WIDE + '[roots]\nAll = ".."')
    assert told(served("y")) == (True, False)
    assert told(served("")) == (False, False)
    answers = json.loads(here("trust", "--list", "--json").stdout)["vaults"]
    assert [row["trusted"] for row in answers] == [True, False]


def test_trust_asks_at_a_terminal(vault: Path, environ: dict[str, str], here: Run):
    say(vault, WIDE)
    with at_terminal(environ, "trust") as shown:
        shown.wait_for("on this machine? [y/N]")
        shown.answer("y")
        shown.wait_for("commonplace: trusted.")
        assert shown.process.wait(PATIENCE) == 0
    assert "you trust this already" in here("trust").stderr


# -- a client written by others


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
async def test_a_client_of_the_official_kit_deletes_nothing_in_an_untrusted_vault(
    vault: Path, environ: dict[str, str], here: Run
):
    command, *rest = COMMONPLACE
    env = {**os.environ, **environ}
    server = StdioServerParameters(command=command, args=[*rest, "mcp"], env=env)

    async def delete(path: str) -> str:
        async with McpClient(server) as client:
            return str((await client.call_tool("delete_note", {"path": path})).content)

    say(vault, WIDE)
    assert "needs a person's approval" in await delete("Sugar.md")
    assert (vault / "Sugar.md").exists()
    here("trust", "--yes")
    assert "deleted" in await delete("Photosynthesis.md")
    assert not (vault / "Photosynthesis.md").exists()
