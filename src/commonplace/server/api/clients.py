"""The programs that people read their notes with: what each calls a server, and in which file.

One table for the command line, which can write the entry, and for the page, which shows it.
"""

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from commonplace.core import config

DESCRIPTION = "Notes that people and assistants write together"
ENTRY_NAME = "notes"
"""What a client calls the vault, unless a person says otherwise."""

_SCRIPTS = ("commonplace", "commonplace-notes")
"""What our program is called; the second is the distribution, for who starts it by that name."""


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """How a client reaches us: by a program to start, or at an address."""

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def started(self) -> dict[str, object]:
        """The program, as most clients write it."""
        return {"command": self.command[0], "args": list(self.command[1:])}

    def addressed(self, key: str = "url", **more: object) -> dict[str, object]:
        """Return the address, as most clients write it."""
        headers = {"headers": dict(self.headers)} if self.headers else {}
        return {**more, key: self.url, **headers}


@dataclass(frozen=True, slots=True)
class ClientProgram:
    """A program that speaks MCP: the file where it looks for servers, and how they stand there.

    `linux` and `mac` are paths below the person's home. `commands` are what its own program is
    called, to find out whether it is installed.
    """

    id: str
    label: str
    kind: config.Format
    section: str
    linux: str
    entry: Callable[[ServerEntry], dict[str, object]]
    mac: str = ""
    commands: tuple[str, ...] = ()
    home_variable: str = ""
    """The variable of the environment that names another folder for the file."""
    by_address: bool = True
    """Whether it can be given an address; else it starts every server itself."""

    def file(self, platform: str) -> str:
        """Return where its settings are, below the home of its person."""
        return self.mac if self.mac and platform == "darwin" else self.linux

    def text(self, server: ServerEntry) -> str:
        """Write what belongs into its settings, as a file with nothing else in it."""
        return config.put(self.kind, "", self.section, server.name, self.entry(server)).rstrip("\n")


def _plain(server: ServerEntry) -> dict[str, object]:
    return server.addressed() if server.url else server.started


def _typed(server: ServerEntry) -> dict[str, object]:
    if server.url:
        return server.addressed(type="http")
    return {"type": "stdio", **server.started}


def _codex(server: ServerEntry) -> dict[str, object]:
    if not server.url:
        return server.started
    # It takes no token from its file, only from a variable of the environment.
    token = {"bearer_token_env_var": "COMMONPLACE_TOKEN"} if server.headers else {}
    return {"url": server.url, **token}


def _gemini(server: ServerEntry) -> dict[str, object]:
    return server.addressed("httpUrl") if server.url else server.started


def _goose(server: ServerEntry) -> dict[str, object]:
    shown: dict[str, object] = {"name": server.name, "description": DESCRIPTION}
    shown |= {"enabled": True, "timeout": 300}
    if server.url:
        return {**shown, **server.addressed("uri", type="streamable_http")}
    return {**shown, "type": "stdio", "cmd": server.command[0], "args": list(server.command[1:])}


_MAC = "Library/Application Support"

CLIENTS = {
    client.id: client
    for client in (
        ClientProgram(
            *("claude", "Claude Code", "json", "mcpServers", ".claude.json", _typed),
            commands=("claude",),
            home_variable="CLAUDE_CONFIG_DIR",
        ),
        ClientProgram(
            *("desktop", "Claude Desktop", "json", "mcpServers"),
            *(".config/Claude/claude_desktop_config.json", _plain),
            mac=f"{_MAC}/Claude/claude_desktop_config.json",
            by_address=False,
        ),
        ClientProgram(
            *("cursor", "Cursor", "json", "mcpServers", ".cursor/mcp.json", _plain),
            commands=("cursor",),
        ),
        ClientProgram(
            *("vscode", "VS Code", "json", "servers", ".config/Code/User/mcp.json", _typed),
            mac=f"{_MAC}/Code/User/mcp.json",
            commands=("code",),
        ),
        ClientProgram(
            *("codex", "Codex", "toml", "mcp_servers", ".codex/config.toml", _codex),
            commands=("codex",),
            home_variable="CODEX_HOME",
        ),
        ClientProgram(
            *("gemini", "Gemini CLI", "json", "mcpServers", ".gemini/settings.json", _gemini),
            commands=("gemini",),
        ),
        ClientProgram(
            *("zed", "Zed", "json", "context_servers", ".config/zed/settings.json", _plain),
            commands=("zed", "zeditor"),
        ),
        ClientProgram(
            *("goose", "Goose", "yaml", "extensions", ".config/goose/config.yaml", _goose),
            commands=("goose",),
        ),
    )
}


def this_program() -> tuple[str, ...]:
    """Write how this copy of the program is started: by its own script where it has one."""
    for script in (Path(sys.argv[0]).absolute(), Path(sys.executable).with_name(_SCRIPTS[0])):
        if script.name in _SCRIPTS and script.is_file():
            return (str(script),)
    return (sys.executable, "-m", "commonplace")


def line(server: ServerEntry) -> str:
    """Write the command that has Claude Code add a server by itself, for every project."""
    words = ["claude", "mcp", "add", "--scope", "user"]
    if server.url:
        words += ["--transport", "http", server.name, server.url]
        words += [word for pair in server.headers.items() for word in ("--header", ": ".join(pair))]
    else:
        words += [server.name, "--", *server.command]
    return shlex.join(words)


def shown(client: ClientProgram, server: ServerEntry) -> str:
    """Write what a person pastes: a line for the shell where there is one, else settings."""
    return line(server) if client.id == "claude" else client.text(server)
