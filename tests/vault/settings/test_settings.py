from pathlib import Path

import pytest

from commonplace.errors import BadArgument
from commonplace.vault.settings import Root, policies_of, vault_key


def test_the_key_depends_on_the_folders_and_not_on_names_or_order(tmp_path: Path):
    for name in "ab":
        (tmp_path / name).mkdir()
    one, two = Root("x", tmp_path / "a"), Root("y", tmp_path / "b")
    assert vault_key((one, two)) == vault_key((two, Root("z", tmp_path / "a")))
    assert vault_key((one,)) != vault_key((one, two))


def test_an_edit_is_a_suggestion_or_is_denied() -> None:
    assert policies_of([("edit:a/**", "deny")], "here") == {"edit:a/**": "deny"}
    with pytest.raises(BadArgument, match="'allow' is not one of suggest, deny"):
        policies_of([("edit", "allow")], "here")
