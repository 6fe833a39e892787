"""A note as rows of the database: what it cannot hold is written so that it can."""

from typing import cast

import pytest

from commonplace.core import digest
from commonplace.vault.nodes.neo4j import rows
from commonplace.vault.nodes.neo4j.rows import PROPERTIES_MAX, PROPERTY_CHARS_MAX

TEXT = "---\ntags: [Seed/Fresh, seed/fresh]\nstatus: open\n---\n# Head\n\n[[a]] ![[b]]\n"


def test_a_node_is_a_row_with_its_text_in_two_parts() -> None:
    row = rows.owned("f/é.md", digest.digest("f/é.md", TEXT), "rev", 5)
    values = cast("rows.Row", row["set"])
    assert f"{values['frontmatter']}{values['content']}" == TEXT
    assert (values["p_status"], values["revision"], row["folders"]) == ("open", "rev", ["f"])
    assert values["faults"] == ["Duplicate tag ignored: seed/fresh"]
    assert row["tags"] == [{"key": "seed/fresh", "name": "Seed/Fresh", "order": 0}]
    mentions = cast("list[rows.Row]", row["mentions"])
    assert [(each["order"], each["raw"], each["kind"]) for each in mentions] == [
        (0, "a", "wikilink"),
        (1, "b", "embed"),
    ]


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (2**63 - 1, 2**63 - 1),
        (2**63, str(2**63)),
        (-(2**63), -(2**63)),
        (-(2**63) - 1, str(-(2**63) - 1)),
        (True, True),
        (1.5, 1.5),
        ("x" * (PROPERTY_CHARS_MAX + 5), "x" * PROPERTY_CHARS_MAX),
        (["a", 1, None], ["a", "1", "null"]),
        ({"a": "é"}, '{"a": "é"}'),
    ],
)
def test_a_property_is_what_the_database_can_hold(value: object, kept: object) -> None:
    row = rows.mirrored("a.md", "A", "text", [], {"k": value, "none": None, "": 1}, 1, "f")
    values = cast("rows.Row", row["set"])
    assert {name: each for name, each in values.items() if name.startswith("p_")} == {"p_k": kept}


def test_properties_have_their_bound() -> None:
    many = {f"k{number}": 1 for number in range(PROPERTIES_MAX + 9)}
    values = cast("rows.Row", rows.mirrored("a.md", "A", "", [], many, 1, "f")["set"])
    assert sum(name.startswith("p_") for name in values) == PROPERTIES_MAX


@pytest.mark.parametrize(
    ("path", "found"), [("a/b/c", ["a/b/c", "a/b", "a"]), ("a", ["a"]), ("", [])]
)
def test_a_folder_lies_in_those_above_it(path: str, found: list[str]) -> None:
    assert rows.ancestors(path) == found


def test_each_folder_is_there_once_with_the_one_around_it() -> None:
    assert rows.folder_pairs(["a/b", "a/c", ""]) == [
        {"path": "a", "parent": ""},
        {"path": "a/b", "parent": "a"},
        {"path": "a/c", "parent": "a"},
    ]
