"""Flags over environment over file; and both readers of flags agree."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st

from commonplace.cli.group import vault_options
from commonplace.cli.options import Flags, TrustQuestion, parse, settle
from commonplace.errors import BadArgument
from commonplace.tools.families import FAMILY_TOOLS
from commonplace.vault.settings import FAMILIES, Settings, vault_key
from commonplace.vault.trust import WiderSetting
from commonplace.vault.trust.records import TrustAnswers


def settled(vault: Path | str, environ: dict[str, str] | None = None, **flags: Any) -> Settings:
    named = (str(vault),) if vault else ()
    return settle(Flags(named, flags), environ or {}, print)


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


WIDE = """
embeddings = "http://localhost:1/v1#m"
[policy]
update = "allow"
"update:Journal/**" = "deny"
[suggestions]
author = "Anna"
metadata = true
"""


def trusting(asked: list[list[str]], answer: bool) -> TrustQuestion:
    def ask(_: Path, widening: Sequence[WiderSetting]) -> bool:
        asked.append([str(one) for one in widening])
        return answer

    return ask


def test_an_answer_holds_for_what_was_asked_about_and_no_longer(vault: Path, tmp_path: Path):
    (vault / "commonplace.toml").write_text(WIDE)
    asked: list[list[str]] = []
    flags = Flags((str(vault),), {"state": str(tmp_path / "state")})
    for answer in (True, False):
        found = settle(flags, {}, print, trusting(asked, answer))
        assert asked == [
            [
                "embeddings = http://localhost:1/v1#m",
                "suggestions author = Anna",
                "policy update = allow",
            ]
        ]
        assert found.withheld == ()
        assert found.policies == {"update": "allow", "update:Journal/**": "deny"}
        assert found.suggestions.author == "Anna"
        assert found.embeddings is not None
    # What was stricter is gone: nobody agreed to that.
    (vault / "commonplace.toml").write_text(WIDE.replace('"update:Journal/**" = "deny"', ""))
    found = settle(flags, {}, print, trusting(asked, False))
    assert (len(asked), found.policies, found.embeddings) == (2, {}, None)
    assert (found.suggestions.author, found.suggestions.metadata) == ("{client}", True)
    assert len(found.withheld) == 3
    settle(flags, {}, print, trusting(asked, True))
    assert len(asked) == 2  # no is an answer, too
    (vault / "commonplace.toml").write_text("# as it was\n" + WIDE)
    assert settle(flags, {}, print).withheld == ()


def test_what_the_person_chose_needs_no_trust_and_is_not_asked_about(vault: Path, tmp_path: Path):
    (vault / "commonplace.toml").write_text(WIDE.replace('author = "Anna"', ""))
    asked: list[list[str]] = []
    flags = Flags(
        (str(vault),),
        {
            "state": str(tmp_path / "state"),
            "policy": "*=allow",
            "embeddings": "http://localhost:2/v1#mine",
        },
    )
    found = settle(flags, {}, print, trusting(asked, True))
    assert asked == []
    assert found.withheld == ()
    assert found.policies == {"update": "allow", "update:Journal/**": "deny", "*": "allow"}
    assert found.embeddings is not None
    assert found.embeddings.url == "http://localhost:2/v1"


def test_answers_inside_the_vault_do_not_count(vault: Path):
    (vault / "commonplace.toml").write_text(WIDE)
    asked: list[list[str]] = []
    flags = Flags((str(vault),), {"state": str(vault / "state")})
    assert len(settle(flags, {}, print, trusting(asked, True)).withheld) == 3
    assert asked == []
    with pytest.raises(BadArgument, match="lies inside this vault"):
        TrustAnswers(vault / "state", vault).write("0", trusted=True, settings=[])
    outside = Flags((str(vault),), {"state": str(vault.parent / "state")})
    settle(outside, {}, print, trusting([], True))
    assert settle(outside, {}, print).withheld == ()
    shutil.copytree(vault.parent / "state" / "trust", vault / "state" / "trust")
    assert len(settle(flags, {}, print).withheld) == 3


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


def test_what_a_client_loads_at_once_is_chosen_like_all_else(vault: Path):
    assert settled(vault).always_load is None
    (vault / "commonplace.toml").write_text("always_load = ['graph']\n")
    assert settled(vault).always_load == FAMILY_TOOLS["graph"]
    environ = {"COMMONPLACE_ALWAYS_LOAD": "read,edit"}
    assert settled(vault, environ).always_load == ("read", "edit")
    assert settled(vault, environ, always_load="none").always_load == ()
    (vault / "commonplace.toml").write_text("always_load = ['web']\n")
    with pytest.raises(BadArgument, match=r"commonplace\.toml: always_load: 'web'"):
        settled(vault)
