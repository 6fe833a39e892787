"""What a node of a team's server is started with; the rest is tested by the choice of it."""

import ssl
from dataclasses import replace
from pathlib import Path

import pytest

from commonplace.errors import BadArgument
from commonplace.server.access.state_key import state_key
from commonplace.server.cluster.team import Team, checked_address, checked_name
from tests.server.cluster.test_node_listener import team as made


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Team:
    found = made(tmp_path_factory.mktemp("key"), "node")
    return replace(found, database="postgresql://u:secret@db/notes")


@pytest.mark.parametrize(
    ("name", "kept"), [("Notes", "notes"), ("a-b_9", "a-b_9"), ("n" * 50, "n" * 50)]
)
def test_a_vault_is_called_by_plain_letters(name: str, kept: str) -> None:
    assert checked_name(name) == kept


@pytest.mark.parametrize("name", ["", "-", "_-_", "a b", "é", "a/b", "a;b", "n" * 51, "a\n"])
def test_a_name_that_the_database_could_not_have_is_refused(name: str) -> None:
    with pytest.raises(BadArgument, match="letters, digits, - and _"):
        checked_name(name)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("10.0.0.5:8421", ("10.0.0.5", 8421)),
        ("[fd00::5]:1", ("fd00::5", 1)),
        ("n:65535", ("n", 65535)),
    ],
)
def test_a_place_is_a_host_and_a_port(text: str, place: tuple[str, int]) -> None:
    assert checked_address(text) == place


@pytest.mark.parametrize("text", ["", "n", ":1", "n:", "n:65536", "n:-1", "n:x", "[]:1"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(BadArgument, match="is not HOST:PORT"):
        checked_address(text)


@pytest.mark.parametrize("text", ["0.0.0.0:1", "[::]:1", ":::1"])
def test_every_address_is_no_place_to_be_reached_at(text: str) -> None:
    with pytest.raises(BadArgument, match="the one address"):
        checked_address(text)


def test_the_database_is_not_shown(team: Team) -> None:
    assert "secret" not in repr(team)


def test_each_vault_is_sealed_by_a_key_of_its_own(team: Team, tmp_path: Path) -> None:
    keys = [team.sealing_key(vault) for vault in ("", "one", "two")]
    assert len(set(keys)) == 3
    assert {len(key) for key in keys} == {32}
    assert replace(team, host="10.0.0.6").sealing_key("one") == keys[1]
    for state in (tmp_path / "one", tmp_path / "two"):
        state.mkdir()
        team.seal(state, "one")
        assert state_key(state) == keys[1]


def test_a_key_that_cannot_be_read_is_told(team: Team, tmp_path: Path) -> None:
    without = replace(team, key=tmp_path / "none.pem")
    for use in (without.sealing_key, lambda: without.context(server=True)):
        with pytest.raises(BadArgument, match="openssl req"):
            use()


def test_the_one_vault_at_the_top_has_no_place_of_its_own(team: Team) -> None:
    assert team.place("notes") == ""
    assert team.place("other").endswith("/other")


@pytest.mark.parametrize("server", [True, False])
def test_each_side_asks_for_the_others_key(team: Team, server: bool) -> None:
    context = team.context(server=server)
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.minimum_version == ssl.TLSVersion.TLSv1_3
