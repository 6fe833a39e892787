"""How each client's settings name this server: read again by other parsers than wrote them."""

import json
import shlex
import tomllib
from typing import Any

import pytest
import yaml

from commonplace.server.api.clients import CLIENTS, ClientProgram, ServerEntry, line, shown

COMMAND = ("/opt/my tools/commonplace", "mcp", "/home/ä/My 'notes'", "--policy", 'a="b"')
STARTED = ServerEntry("notes", command=COMMAND)
AWAY = ServerEntry("notes", url="https://notes.example/mcp?a=b", headers={"X": "Bearer cp_1"})


def parsed(client: ClientProgram, text: str) -> Any:
    readers = {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}
    return readers[client.kind](text)


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_every_word_of_the_command_arrives(client: ClientProgram) -> None:
    entry = parsed(client, client.text(STARTED))[client.section]["notes"]
    program = entry.get("command", entry.get("cmd"))
    assert (program, *entry["args"]) == COMMAND


@pytest.mark.parametrize(
    "client", [each for each in CLIENTS.values() if each.by_address], ids=lambda each: each.id
)
def test_the_address_and_the_token_arrive(client: ClientProgram) -> None:
    entry = parsed(client, client.text(AWAY))[client.section]["notes"]
    assert AWAY.url in entry.values()
    assert "command" not in entry
    if client.id == "codex":  # it takes a token from the environment alone
        assert entry["bearer_token_env_var"] == "COMMONPLACE_TOKEN"
        assert "cp_1" not in str(entry)
    else:
        assert {"X": "Bearer cp_1"} in entry.values()


def test_the_line_for_the_shell_means_the_same_pasted() -> None:
    assert shlex.split(line(STARTED))[-len(COMMAND) - 2 :] == ["notes", "--", *COMMAND]
    words = shlex.split(line(AWAY))
    assert words[words.index("http") + 1 :] == ["notes", AWAY.url, "--header", "X: Bearer cp_1"]


def test_claude_gets_the_line_and_the_others_their_settings() -> None:
    assert shown(CLIENTS["claude"], STARTED) == line(STARTED)
    assert shown(CLIENTS["zed"], STARTED) == CLIENTS["zed"].text(STARTED)


def test_a_mac_keeps_settings_elsewhere() -> None:
    desktop, cursor = CLIENTS["desktop"], CLIENTS["cursor"]
    assert desktop.file("darwin").startswith("Library/")
    assert desktop.file("linux").startswith(".config/")
    assert cursor.file("darwin") == cursor.file("linux")
