"""Which agents a person has named, in their own settings file and nowhere else.

A vault's own file never names one: an entry is a command that runs as the person. The file is read
anew each time, so that an entry counts as soon as it is saved.
"""

import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from commonplace.errors import BadArgument, NotFound

SETTINGS_BYTES_MAX = 256 * 1024
AGENTS_MAX = 50
_NAME_CHARS_MAX = 32


@dataclass(frozen=True, slots=True)
class AgentCommand:
    """How an agent is started, and what its environment gets besides the usual few."""

    name: str
    words: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    @property
    def installed(self) -> bool:
        """Whether its program is on this machine."""
        return shutil.which(self.words[0]) is not None


@dataclass(frozen=True, slots=True)
class PersonalSettings:
    """What a person's settings file says about agents."""

    agents: Mapping[str, AgentCommand] = field(default_factory=dict[str, AgentCommand])
    serve_agents: bool = False
    """Whether agents may be used through a server that others reach, with a token to approve."""

    def agent(self, name: str) -> AgentCommand:
        """Return an agent by its name."""
        if name in self.agents:
            return self.agents[name]
        names = ", ".join(self.agents) or "none"
        raise NotFound(
            f"Your settings name no agent {name[:_NAME_CHARS_MAX]!r}. Named: {names}."
            " `commonplace agents` says how to add one."
        )


@dataclass(frozen=True, slots=True)
class KnownAgent:
    """An agent that is known to speak the protocol, and how to get it."""

    name: str
    title: str
    words: tuple[str, ...]
    install: str
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    """What makes it ask before it runs a command, or wait for our tools before its first step."""


KNOWN = (
    KnownAgent(
        "claude",
        "Claude Code",
        ("claude-agent-acp",),
        "npm install -g @agentclientprotocol/claude-agent-acp",
        {"MCP_CONNECTION_NONBLOCKING": "false"},
    ),
    KnownAgent("codex", "Codex", ("codex-acp",), "npm install -g @agentclientprotocol/codex-acp"),
    KnownAgent("gemini", "Gemini CLI", ("gemini", "--acp"), "npm install -g @google/gemini-cli"),
    KnownAgent(
        "opencode",
        "opencode",
        ("opencode", "acp"),
        "npm install -g opencode-ai",
        {"OPENCODE_CONFIG_CONTENT": '{"permission": {"bash": "ask"}}'},
    ),
    KnownAgent("goose", "goose", ("goose", "acp"), "see the goose project's own page"),
)


def read_settings(file: Path | None) -> PersonalSettings:
    """Read a person's settings file; one that is not there names nobody."""
    if file is None:
        return PersonalSettings()
    try:
        with file.open("rb") as opened:
            data = opened.read(SETTINGS_BYTES_MAX + 1)
    except FileNotFoundError:
        return PersonalSettings()
    except OSError as error:
        raise BadArgument(f"Your {file.name} cannot be read: {error.strerror}.") from None
    if len(data) > SETTINGS_BYTES_MAX:
        raise BadArgument(f"Your {file.name} has over {SETTINGS_BYTES_MAX} bytes.")
    return parse_settings(data, file.name)


def parse_settings(data: bytes, where: str) -> PersonalSettings:
    """Read the text of a settings file."""
    try:
        table = cast("dict[str, object]", tomllib.loads(data.decode()))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadArgument(f"Your {where} is not valid TOML: {error}.") from None
    for key in table.keys() - {"agents", "serve_agents"}:
        raise BadArgument(f"{where}: unknown key {key!r}. Known: agents, serve_agents.")
    serve = table.get("serve_agents", False)
    if not isinstance(serve, bool):
        raise BadArgument(f"{where}: serve_agents must be true or false.")
    given = table.get("agents", {})
    if not isinstance(given, dict):
        raise BadArgument(f"{where}: agents must be tables, like [agents.claude].")
    entries = cast("dict[str, object]", given)
    if len(entries) > AGENTS_MAX:
        raise BadArgument(f"{where}: at most {AGENTS_MAX} agents can be named.")
    return PersonalSettings(
        {name: _entry(name, entry, where) for name, entry in entries.items()}, serve
    )


def _entry(name: str, given: object, where: str) -> AgentCommand:
    place = f"{where}: agents.{name[:_NAME_CHARS_MAX]}"
    if not name.isprintable() or not name.strip() or len(name) > _NAME_CHARS_MAX:
        raise BadArgument(f"{place}: a name has 1 to {_NAME_CHARS_MAX} printable characters.")
    table = cast("dict[str, object]", given) if isinstance(given, dict) else {}
    for key in table.keys() - {"command", "env"}:
        raise BadArgument(f"{place}: unknown key {key!r}. Known: command, env.")
    words, env = table.get("command"), table.get("env", {})
    listed = cast("list[object]", words) if isinstance(words, list) else []
    if not listed or not all(isinstance(word, str) and word for word in listed):
        raise BadArgument(f'{place}: command must be a list of texts, like ["claude-agent-acp"].')
    pairs = cast("dict[str, object]", env) if isinstance(env, dict) else {"": None}
    if not all(isinstance(value, str) for value in pairs.values()):
        raise BadArgument(f"{place}: env must be a table of texts.")
    command, variables = cast("list[str]", listed), cast("dict[str, str]", pairs)
    if any("\0" in each for each in (*command, *variables, *variables.values())):
        raise BadArgument(f"{place}: NUL is no part of a command.")
    for variable in variables:
        if not variable or "=" in variable:
            raise BadArgument(f"{place}: env: {variable!r} is no name of a variable.")
    return AgentCommand(name, tuple(command), variables)
