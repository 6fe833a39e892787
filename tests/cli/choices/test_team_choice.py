"""The options of a team's server: all of them or none, and each one checked."""

import subprocess
from pathlib import Path

import pytest

from commonplace.cli.choices.team_choice import chosen, refuse_shown_password
from commonplace.errors import BadArgument

DATABASE = "postgresql://notes@db/notes"
MAKE_KEY = [
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "9",
    "-subj",
    "/CN=commonplace",
]


@pytest.fixture
def key(tmp_path: Path) -> str:
    file = str(tmp_path / "node.pem")
    subprocess.run([*MAKE_KEY, "-keyout", file, "-out", file], check=True, capture_output=True)
    return file


def test_a_server_of_one_machine_needs_none_of_them() -> None:
    assert chosen(None, None, None, None) is None
    assert chosen("", None, None, None) is None


def test_all_of_them_make_a_node(key: str) -> None:
    team = chosen(DATABASE, "Notes", "[fd00::5]:8421", key)
    assert team is not None
    assert (team.vault, team.host, team.port) == ("notes", "fd00::5", 8421)
    assert "db" not in repr(team)
    assert len(team.sealing_key()) == 32


@pytest.mark.parametrize(
    ("database", "name", "node", "message"),
    [
        (None, "notes", None, "name its --database"),
        (DATABASE, None, "10.0.0.5:8421", "--database needs --vault-name"),
        ("mysql://db/notes", "notes", "10.0.0.5:8421", "begins with postgresql://"),
        (DATABASE, "our notes", "10.0.0.5:8421", "letters, digits"),
        (DATABASE, "n" * 51, "10.0.0.5:8421", "at most 50"),
        (DATABASE, "notes", "10.0.0.5", "not HOST:PORT"),
        (DATABASE, "notes", "0.0.0.0:8421", "the one address"),
    ],
)
def test_what_is_wrong_is_named(
    key: str, database: str | None, name: str | None, node: str | None, message: str
) -> None:
    with pytest.raises(BadArgument, match=message):
        chosen(database, name, node, key)


@pytest.mark.parametrize("content", [None, "", "no key"])
def test_a_key_that_is_none_says_how_to_make_one(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "node.pem"
    if content is not None:
        file.write_text(content)
    with pytest.raises(BadArgument, match="openssl req"):
        chosen(DATABASE, "notes", "10.0.0.5:8421", str(file))


def test_a_password_on_the_command_line_is_refused() -> None:
    secret = "postgresql://notes:secret@db/notes"
    refuse_shown_password(secret, typed=False)
    refuse_shown_password(DATABASE, typed=True)
    with pytest.raises(BadArgument, match="COMMONPLACE_DATABASE") as caught:
        refuse_shown_password(secret, typed=True)
    assert "secret" not in str(caught.value)
