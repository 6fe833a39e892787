"""VAULT on the command line: which folders it means, and how a wrong one is named."""

import os
from pathlib import Path

import pytest

from commonplace.cli import roots
from commonplace.cli.options import Flags, settle
from commonplace.errors import BadArgument, CommonplaceError, NotFound, Unreadable
from tests.cli.test_options import settled, vault

__all__ = ["vault"]


def test_the_vault_comes_from_the_environment_else_from_where_one_is(
    vault: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(vault)
    assert settled("").roots[0].path == vault
    assert settled("", {"COMMONPLACE_VAULT": str(vault.parent)}).roots[0].path == vault.parent
    two = {"COMMONPLACE_VAULT": f"A={vault}:B=/usr/bin"}
    assert [root.name for root in settled("", two).roots] == ["A", "B"]


def test_several_folders_are_named_by_hand_or_by_themselves(tmp_path: Path):
    for name in ("one", "two", "a=b"):
        (tmp_path / name).mkdir()
    flags = Flags((f"Lens Edu={tmp_path}/one", f"{tmp_path}/two", f"{tmp_path}/a=b"))
    roots = settle(flags, {}, print).roots
    assert [root.name for root in roots] == ["Lens Edu", "two", "a=b"]
    assert roots[0].path == tmp_path / "one"


def test_the_file_may_split_a_vault_but_not_reach_outside(vault: Path, tmp_path: Path):
    (vault / "lens").mkdir()
    (vault / "commonplace.toml").write_text("[roots]\nLens = 'lens'\n")
    assert [(r.name, r.path) for r in settled(vault).roots] == [("Lens", vault / "lens")]
    (vault / "commonplace.toml").write_text("[roots]\nLens = 'lens'\nAll = '..'\n")
    found = settled(vault)
    assert [(r.name, r.path) for r in found.roots] == [("Lens", vault / "lens")]
    assert found.withheld == (f"roots All = {tmp_path}",)
    (vault / "commonplace.toml").write_text("[roots]\nAll = '..'\n")
    assert [r.path for r in settled(vault).roots] == [vault]


@pytest.mark.parametrize(
    ("named", "kind", "complaint"),
    [
        ("{}/nope", NotFound, "No such folder: {}/nope"),
        ("{}/file.md", BadArgument, "Not a folder: {}/file.md"),
        ("X={}/nope", NotFound, "No such folder: {}/nope"),
        (".hidden={}", BadArgument, "cannot name a folder"),
        ("={}", BadArgument, "cannot name a folder"),
    ],
)
def test_a_bad_vault_is_named_as_it_was_given(
    tmp_path: Path, named: str, kind: type[CommonplaceError], complaint: str
):
    (tmp_path / "file.md").write_text("x")
    with pytest.raises(kind) as error:
        settled(named.format(tmp_path))
    assert complaint.format(tmp_path) in str(error.value)


def test_folders_that_are_the_same_or_inside_each_other_are_refused(tmp_path: Path):
    (tmp_path / "in").mkdir()
    for pair in ((f"a={tmp_path}", f"b={tmp_path}"), (f"a={tmp_path}", f"b={tmp_path}/in")):
        with pytest.raises(BadArgument, match="overlap"):
            settle(Flags(pair), {}, print)
    with pytest.raises(BadArgument, match="Two folders are named"):
        settle(Flags((f"a={tmp_path}/in", f"a={tmp_path}")), {}, print)


@pytest.mark.parametrize("named", ["~nobody-of-this-name", "Notes=~nobody-of-this-name"])
def test_the_home_of_nobody_is_no_folder(named: str) -> None:
    for find in (roots.absolute, settled):
        with pytest.raises(BadArgument, match="no such home: ~nobody-of-this-name"):
            find(named)
    for place in (roots.state_base, roots.personal_file):
        with pytest.raises(BadArgument, match="no such home: ~nobody-of-this-name/below"):
            place("~nobody-of-this-name/below")


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3_000, "a\0b"])
def test_a_name_that_no_folder_can_have_is_no_folder(name: str) -> None:
    with pytest.raises(NotFound, match="No such folder"):
        roots.find([name])
    assert roots.from_environment({"COMMONPLACE_VAULT": name}) == tuple(name.split(":"))


def test_a_folder_that_may_not_be_entered_is_named(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("nothing is closed to this user")
    (tmp_path / "closed/inner").mkdir(parents=True)
    (tmp_path / "closed").chmod(0)
    try:
        for named in ("closed", "closed/inner"):
            with pytest.raises(Unreadable, match="Give yourself permission"):
                roots.find([str(tmp_path / named)])
    finally:
        (tmp_path / "closed").chmod(0o700)


def test_a_settings_file_that_is_too_long_or_no_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "commonplace.toml"
    file.write_text("#" * (roots.CONFIG_BYTES_MAX + 1))
    with pytest.raises(BadArgument, match="is over 64 KiB"):
        roots.find([str(tmp_path)])
    file.unlink()
    file.mkdir()
    with pytest.raises(Unreadable, match=r"commonplace\.toml cannot be read \(Is a directory\)"):
        roots.find([str(tmp_path)])


def test_a_name_is_kept_in_one_form(tmp_path: Path) -> None:
    (found,), _ = roots.find([f"e\u0301te\u0301={tmp_path}"])
    assert found.name == "\u00e9t\u00e9"


@pytest.mark.parametrize(
    ("given", "written"),
    [("a", "{}/a"), ("One=a", "One={}/a"), ("a=b", "{}/a=b"), ("/x", "/x"), ("=", "={}")],
)
def test_a_vault_is_written_so_that_it_means_the_same_from_anywhere(
    given: str, written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a=b").mkdir()
    monkeypatch.chdir(tmp_path)
    assert roots.absolute(given) == written.format(tmp_path)


def test_a_persons_own_file_is_in_the_home_or_where_it_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for given in ("", " ", "not/whole"):
        monkeypatch.setenv("XDG_CONFIG_HOME", given)
        assert roots.personal_file(None) == tmp_path / ".config/commonplace/settings.toml"
    monkeypatch.setenv("XDG_CONFIG_HOME", "/etc/own")
    assert roots.personal_file("") == Path("/etc/own/commonplace/settings.toml")
    assert roots.personal_file("~/mine.toml") == tmp_path / "mine.toml"
