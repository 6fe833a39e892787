"""Which agents a person has named, in their own settings file."""

from pathlib import Path

import pytest

from commonplace.agent.settings import (
    AGENTS_MAX,
    KNOWN,
    SETTINGS_BYTES_MAX,
    AgentCommand,
    parse_settings,
    read_settings,
)
from commonplace.errors import BadArgument, NotFound

ONE = b"""
serve_agents = true
[agents.mine]
command = ["agent", "--acp"]
env = { KEY = "secret" }
"""


def test_an_agent_is_a_command_and_what_its_environment_gets() -> None:
    found = parse_settings(ONE, "settings.toml")
    assert found.serve_agents
    assert found.agent("mine") == AgentCommand("mine", ("agent", "--acp"), {"KEY": "secret"})
    assert "secret" not in repr(found)


def test_an_agent_that_nobody_named_is_told_beside_those_that_are() -> None:
    with pytest.raises(NotFound, match=r"no agent 'other'\. Named: mine\."):
        parse_settings(ONE, "settings.toml").agent("other")
    with pytest.raises(NotFound, match=r"Named: none\."):
        parse_settings(b"", "settings.toml").agent("x" * 1_000)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("agents =", "not valid TOML"),
        ("\udcff", "not valid TOML"),
        ("agent = 1", "unknown key 'agent'"),
        ("serve_agents = 1", "must be true or false"),
        ("agents = []", "must be tables"),
        ("[agents.x]", "command must be a list of texts"),
        ("agents.x = 5", "command must be a list of texts"),
        ('agents.x.command = "agent"', "command must be a list of texts"),
        ("agents.x.command = []", "command must be a list of texts"),
        ('agents.x.command = ["a", ""]', "command must be a list of texts"),
        ('agents.x.command = ["a", 5]', "command must be a list of texts"),
        ('agents.x = { command = ["a"], args = [] }', "unknown key 'args'"),
        ('agents.x = { command = ["a"], env = [] }', "env must be a table of texts"),
        ('agents.x = { command = ["a"], env = { K = 1 } }', "env must be a table of texts"),
        ('agents.x.command = ["a\\u0000"]', "NUL is no part of a command"),
        ('agents.x = { command = ["a"], env = { K = "\\u0000" } }', "NUL is no part"),
        ('agents.x = { command = ["a"], env = { "K\\u0000" = "" } }', "NUL is no part"),
        ('agents.x = { command = ["a"], env = { "" = "" } }', "no name of a variable"),
        ('agents.x = { command = ["a"], env = { "A=B" = "" } }', "no name of a variable"),
        ('agents." ".command = ["a"]', "1 to 32 printable characters"),
        ('agents."a\\u202e".command = ["a"]', "1 to 32 printable characters"),
        (f'agents.{"x" * 33}.command = ["a"]', "1 to 32 printable characters"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_place(text: str, complaint: str) -> None:
    with pytest.raises(BadArgument, match=complaint) as caught:
        parse_settings(text.encode("utf-8", "surrogateescape"), "settings.toml")
    assert "settings.toml" in str(caught.value)


def test_there_are_bounds(tmp_path: Path) -> None:
    many = "\n".join(f'agents.a{n}.command = ["a"]' for n in range(AGENTS_MAX + 1))
    with pytest.raises(BadArgument, match="at most 50 agents"):
        parse_settings(many.encode(), "settings.toml")
    file = tmp_path / "settings.toml"
    file.write_bytes(b"#" * (SETTINGS_BYTES_MAX + 1))
    with pytest.raises(BadArgument, match="has over 262144 bytes"):
        read_settings(file)


def test_a_file_that_is_not_there_names_nobody(tmp_path: Path) -> None:
    for file in (None, tmp_path / "none.toml"):
        assert read_settings(file).agents == {}
    with pytest.raises(BadArgument, match=r"cannot be read: Is a directory"):
        read_settings(tmp_path)


def test_an_entry_counts_as_soon_as_it_is_saved(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    for name in ("one", "two"):
        file.write_text(f'[agents.{name}]\ncommand = ["no such program"]\n')
        assert [*read_settings(file).agents] == [name]
        assert not read_settings(file).agent(name).installed


def test_what_is_known_of_agents_can_be_written_into_the_file() -> None:
    assert len({known.name for known in KNOWN}) == len(KNOWN)
    for known in KNOWN:
        text = f"[agents.{known.name}]\ncommand = {list(known.words)!r}\n"
        assert parse_settings(text.encode(), "x").agent(known.name).words == known.words
