"""Which store is chosen, and where its credentials may stand."""

from pathlib import Path

import pytest

from commonplace.cli.choices import store_choice
from commonplace.cli.options import parse
from commonplace.errors import BadArgument
from commonplace.server.owner.handshake import chosen as chosen_settings, hello, line, parse_hello
from commonplace.vault import trust
from commonplace.vault.settings import Root, Settings
from commonplace.vault.settings.config_file import parse_config
from commonplace.vault.store_settings import StoreChoice

LOCAL = {"url": "neo4j://localhost:7687", "use": "mirror"}


def test_the_vault_is_the_store_unless_another_is_named() -> None:
    assert store_choice.chosen(None, {}, {}) == StoreChoice()
    assert store_choice.chosen("vault", {"COMMONPLACE_STORE": "neo4j://x"}, LOCAL) == StoreChoice()
    assert store_choice.chosen(None, {}, {"url": "vault"}).provider == "vault"


def test_a_flag_wins_over_the_environment_which_wins_over_the_file() -> None:
    environ = {"COMMONPLACE_STORE": "bolt://two"}
    assert store_choice.chosen("neo4j://one", environ, LOCAL).url == "neo4j://one"
    assert store_choice.chosen(None, environ, LOCAL).url == "bolt://two"
    found = store_choice.chosen(None, {}, LOCAL)
    assert (found.url, dict(found.options)) == ("neo4j://localhost:7687", {"use": "mirror"})


def test_options_may_stand_behind_the_address() -> None:
    found = store_choice.chosen("neo4j+s://db.example:7687/?use=mirror&database=notes", {}, {})
    assert (found.provider, found.url) == ("neo4j", "neo4j+s://db.example:7687")
    assert dict(found.options) == {"use": "mirror", "database": "notes"}


def test_the_settings_file_and_the_small_parser_know_the_store() -> None:
    assert parse_config('[store]\nurl = "neo4j://localhost"\nuse = "mirror"\n').store == {
        "url": "neo4j://localhost",
        "use": "mirror",
    }
    flags = parse(["vault", "--store", "neo4j://x"])
    assert flags is not None
    assert flags.get("store") == "neo4j://x"
    with pytest.raises(BadArgument, match="store must be a table of texts"):
        parse_config("store = 3\n")


def test_what_a_vaults_own_file_names_waits_for_trust(tmp_path: Path) -> None:
    config = parse_config('[store]\nurl = "neo4j://localhost"\n')
    found = trust.split(config, tmp_path)
    assert found.strict.store == {}
    assert [one.key for one in found.widening] == ["store"]
    assert trust.split(parse_config('[store]\nurl = "vault"\n'), tmp_path).widening == ()


@pytest.mark.parametrize(
    "url", ["neo4j://me:secret@localhost", "neo4j://localhost?password=secret", "bolt://u@h"]
)
def test_a_password_in_an_address_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(BadArgument, match="a password does not belong here") as told:
        store_choice.chosen(url, {}, {})
    assert "secret" not in str(told.value)


def test_a_password_comes_from_the_environment_or_a_file_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("from-a-file\n")
    file.chmod(0o600)
    environ = {"COMMONPLACE_STORE_PASSWORD_FILE": str(file), "COMMONPLACE_STORE_USER": "me"}
    found = store_choice.chosen("neo4j://h", environ, {})
    assert (found.user, found.password) == ("me", "from-a-file")
    environ["COMMONPLACE_STORE_PASSWORD"] = "from-the-environment"
    assert store_choice.chosen("neo4j://h", environ, {}).password == "from-the-environment"
    assert "from-the" not in repr(store_choice.chosen("neo4j://h", environ, {}))
    del environ["COMMONPLACE_STORE_PASSWORD"]
    file.chmod(0o640)
    with pytest.raises(BadArgument, match="chmod 600"):
        store_choice.chosen("neo4j://h", environ, {})
    file.unlink()
    with pytest.raises(BadArgument, match="cannot be read"):
        store_choice.chosen("neo4j://h", environ, {})


def test_each_front_end_brings_its_own_store_to_the_owner(tmp_path: Path) -> None:
    roots = (Root("v", tmp_path),)
    store = StoreChoice("neo4j://h", {"use": "mirror"}, "me", "secret")
    greeting = hello(Settings(roots, tmp_path, store=store), "mcp")
    assert "secret" not in repr(greeting)
    own = chosen_settings(Settings(roots, tmp_path), parse_hello(line(greeting)))
    assert (own.store.key, own.store.password) == (store.key, "secret")
