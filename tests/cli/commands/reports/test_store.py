"""`commonplace store`: the mirror of a vault in a database; the engines' tests have a real one."""

import pytest

from tests.cli.commands.conftest import Say


@pytest.mark.parametrize("words", [(), ("--store", "vault")])
def test_without_a_mirror_there_is_nothing_to_compare(say: Say, words: tuple[str, ...]) -> None:
    assert "Only a mirror in Neo4j can be compared" in say("store", "check", *words, code=2)


def test_a_store_that_is_none_is_refused(say: Say) -> None:
    assert "--store" in say("store", "check", "--store", "mysql://x", code=2)
