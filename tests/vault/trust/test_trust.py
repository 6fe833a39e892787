"""Each setting of a vault's file is stricter, cosmetic, or needs trust."""

from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, strategies as st

from commonplace.vault.permissions.policies import Policies
from commonplace.vault.permissions.requests import Operation
from commonplace.vault.settings import OPERATIONS, POLICIES
from commonplace.vault.settings.config_file import Config, parse_config
from commonplace.vault.trust import ROWS, Person, fingerprint, split

HERE = Path(__file__).parents[1]


def widening(text: str, folder: Path = HERE, person: Person | None = None) -> list[str]:
    return [str(one) for one in split(parse_config(text), folder, person).widening]


def test_every_setting_is_classified():
    assert set(ROWS) == {field.name for field in fields(Config)}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "read_only = true",
        "read_only = false",
        "tools = ['graph']",
        "ignore = ['**']",
        "embeddings = 'local'",
        "embeddings = ' none '",
        "[suggestions]\nmetadata = true",
        "[suggestions]\nauthor = '{client}'",
        "[policy]\n'*' = 'deny'\nupdate = 'ask'",
        "[roots]\nA = '.'",
    ],
)
def test_what_is_stricter_or_cosmetic_counts_by_itself(text: str):
    config = parse_config(text)
    assert widening(text) == []
    assert split(config, HERE).strict == config


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("embeddings = 'https://far.example/v1#m'", "embeddings = https://far.example/v1#m"),
        ("embeddings = 'http://localhost:1#m'", "embeddings = http://localhost:1#m"),
        ("embeddings = '\u00a0http://[::1]/#m'", "embeddings = http://[::1]/#m"),
        ("embeddings = '\u3000http://x.example#m'", "embeddings = http://x.example#m"),
        ("embeddings = '\u2003http://x.example#m'", "embeddings = http://x.example#m"),
        ("[policy]\ndelete = 'allow'", "policy delete = allow"),
        ("[policy]\n'*:A/**@claude' = 'suggest'", "policy *:A/**@claude = suggest"),
        ("[suggestions]\nauthor = 'Anna'", "suggestions author = Anna"),
        ("[suggestions]\nauthor = '{client} '", "suggestions author = {client} "),
        ("[suggestions]\nauthor = 'An\u202ena'", "suggestions author = An<U+202E>na"),
        ("[roots]\nA = '..'", f"roots A = {HERE.parent}"),
        ("[roots]\nA = '/etc'", "roots A = /etc"),
        ("[roots]\nA = '.git'", f"roots A = {HERE}/.git"),
    ],
)
def test_what_widens_counts_for_nothing_by_itself(text: str, named: str):
    assert widening(text) == [named]
    assert split(parse_config(text), HERE).strict == Config()


def test_a_link_out_of_the_vault_is_seen_and_its_end_is_part_of_what_is_trusted(tmp_path: Path):
    vault, one, two = (tmp_path / name for name in ("vault", "one", "two"))
    for folder in (vault, one, two):
        folder.mkdir()
    (vault / "link").symlink_to(one)
    text = "[roots]\nA = 'link'"
    assert widening(text, vault) == [f"roots A = {one}"]
    before = fingerprint(parse_config(text), vault)
    (vault / "link").unlink()
    (vault / "link").symlink_to(two)
    assert fingerprint(parse_config(text), vault) != before


RULES = st.tuples(
    st.sampled_from(("*", *OPERATIONS)),
    st.sampled_from(("", ":A/**", ":A/B/**", ":**")),
    st.sampled_from(("", "@*", "@claude", "@cursor")),
).map("".join)
TABLES = st.dictionaries(RULES, st.sampled_from(POLICIES), max_size=4)
STRICTNESS = ("deny", "ask", "suggest", "allow")


def loosens(named: dict[str, str], own: dict[str, str]) -> bool:
    """Say whether the person's policies allow more with these beside them."""
    mine, together = Policies(own), Policies({**named, **own})
    return any(
        STRICTNESS.index(together.of(operation, path, actor))
        > STRICTNESS.index(mine.of(operation, path, actor))
        for operation in get_args(Operation)
        for path in ("x.md", "A/x.md", "A/B/x.md")
        for actor in ("claude", "cursor", "other")
    )


@given(TABLES, TABLES)
def test_no_rule_of_an_untrusted_vault_is_looser_than_what_the_person_chose(
    named: dict[str, str], own: dict[str, str]
):
    found = split(Config(policies=named), HERE, Person(own))
    assert not loosens(found.strict.policies, own)
    # The control, which also says that nothing is named without need.
    for one in found.widening:
        assert loosens({one.key.removeprefix("policy "): one.after}, {}) is True
