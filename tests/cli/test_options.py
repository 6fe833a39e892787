"""Flags over environment over file; and both readers of flags agree."""

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st

from commonplace.cli.choices import Flags, parse, settle
from commonplace.cli.root import vault_options
from commonplace.errors import BadArgument, CommonplaceError, NotFound
from commonplace.vault.settings import FAMILIES, Settings, vault_key


def settled(vault: Path | str, environ: dict[str, str] | None = None, **flags: Any) -> Settings:
    named = (str(vault),) if vault else ()
    return settle(Flags(named, **flags), environ or {}, print)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    return tmp_path / "notes"


def test_a_folder_alone_is_a_vault_of_one_root(vault: Path, tmp_path: Path):
    found = settled(vault, state=str(tmp_path / "state"))
    assert [(root.name, root.path) for root in found.roots] == [("notes", vault)]
    assert found.state == tmp_path / "state" / vault_key(found.roots)
    assert found.families == FAMILIES
    assert found.read_only is False


def test_flags_win_over_environment_over_file(vault: Path):
    (vault / "commonplace.toml").write_text(
        "tools = ['graph']\nread_only = true\n[policy]\ncreate = 'deny'\nrename = 'deny'\n"
    )
    assert settled(vault).families == ("graph",)
    assert settled(vault).read_only is True
    environ = {
        "COMMONPLACE_TOOLS": "notes",
        "COMMONPLACE_READ_ONLY": "0",
        "COMMONPLACE_POLICY": "create=ask,delete=deny",
        "COMMONPLACE_STATE": "/env",
    }
    by_environment = settled(vault, environ)
    assert by_environment.families == ("notes",)
    assert by_environment.read_only is False
    assert by_environment.policies == {"create": "ask", "rename": "deny", "delete": "deny"}
    assert by_environment.state.parent == Path("/env")
    by_flag = settled(
        vault, environ, tools="files", read_only=True, policy="create=allow", state="/f"
    )
    assert by_flag.families == ("files",)
    assert by_flag.read_only is True
    assert by_flag.policies["create"] == "allow"
    assert by_flag.state.parent == Path("/f")


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


def test_the_file_may_split_a_vault_but_not_reach_outside(vault: Path):
    (vault / "lens").mkdir()
    (vault / "commonplace.toml").write_text("[roots]\nLens = 'lens'\n")
    assert [(r.name, r.path) for r in settled(vault).roots] == [("Lens", vault / "lens")]
    (vault / "commonplace.toml").write_text("[roots]\nLens = '..'\n")
    with pytest.raises(BadArgument, match="outside the vault"):
        settled(vault)


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
        with pytest.raises(BadArgument, match="lie in each other"):
            settle(Flags(pair), {}, print)
    with pytest.raises(BadArgument, match="Two folders are named"):
        settle(Flags((f"a={tmp_path}/in", f"a={tmp_path}")), {}, print)


def test_wrong_values_name_the_flag_or_variable(vault: Path):
    with pytest.raises(BadArgument, match="--tools: 'x' is not one of"):
        settled(vault, tools="files,x")
    with pytest.raises(BadArgument, match="COMMONPLACE_READ_ONLY: 'maybe'"):
        settled(vault, {"COMMONPLACE_READ_ONLY": "maybe"})
    with pytest.raises(BadArgument, match="--policy create: '' is not one of"):
        settled(vault, policy="create")


PLAIN = ("v", "A=/x", "s", "--state", "--state=s", "--tools", "--policy", "--policy=create=ask")
OTHER = (
    "--read-only",
    "--no-read-only",
    "--read-only=1",
    "--help",
    "--bogus",
    "-x",
    "--",
    "--tool",
)
WORDS = st.lists(st.sampled_from(PLAIN + OTHER), max_size=6)


@given(WORDS)
def test_the_fast_reader_of_flags_agrees_with_clicks(words: list[str]):
    seen: list[Flags] = []

    @click.command()
    @vault_options
    def command(flags: Flags) -> None:
        seen.append(flags)

    fast = parse(words)
    CliRunner().invoke(command, words)
    if fast is not None:
        assert seen == [fast]
