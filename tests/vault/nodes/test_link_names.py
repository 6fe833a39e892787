"""What links mean among nodes of a database: the same rules as in a vault."""

import pytest

from commonplace.core import digest, links
from commonplace.core.links import Candidate, NameKind
from commonplace.vault.nodes.link_names import (
    LinkPicture,
    Mention,
    as_written,
    meant_by,
    mentions,
    names,
    outgoing,
    plan_rename,
    renamed_texts,
    stem_key,
)

TEXTS = {
    "a.md": "See [[b]] and [[B|again]], [[Sparks]], ![[pic.png]] and [[nowhere]].\n",
    "f/b.md": "---\naliases: [Sparks]\n---\n[back](../a.md) and [[b]]\n",
    "c.md": "[[Sparks]] [[f/b]]\n",
}


def picture(texts: dict[str, str]) -> LinkPicture:
    named: dict[str, list[Candidate]] = {}
    written: dict[str, list[Mention]] = {}
    for path, text in texts.items():
        found = digest.digest(path, text)
        written[path] = mentions(found)
        for name in names(found):
            named.setdefault(name.key, []).append(Candidate(path, name.kind, name.name))
    return LinkPicture(written, named)


def test_links_lead_to_each_node_once_and_what_leads_nowhere_is_named() -> None:
    found = digest.digest("a.md", TEXTS["a.md"])
    named = {
        "b": [Candidate("f/b.md", NameKind.FILE)],
        links.name_key("Sparks"): [Candidate("f/b.md", NameKind.ALIAS, "Sparks")],
    }
    leads = outgoing("a.md", mentions(found), named)
    assert leads.targets == {"f/b.md": ["wikilink"]}
    assert leads.broken == ["[[nowhere]]"], "a picture is no node"
    own = outgoing("f/b.md", [Mention("b", "b", "wikilink")], named)
    assert (own.targets, own.broken) == ({}, []), "one to itself leads nowhere, and is not broken"


@pytest.mark.parametrize(
    ("kind", "text"),
    [("wikilink", "[[a]]"), ("embed", "![[a]]"), ("markdown", "[…](a)")],
)
def test_a_link_is_written_as_it_stands(kind: str, text: str) -> None:
    assert as_written(kind, "a") == text


def test_nodes_that_a_name_could_mean_are_told_in_order() -> None:
    carriers = [Candidate(path, NameKind.FILE) for path in ("z/b.md", "a/b.md", "a/b.md")]
    assert meant_by("b", carriers) == ["a/b.md", "z/b.md"]
    assert meant_by("z/b", carriers) == ["z/b.md"]
    assert meant_by("c", []) == []
    assert stem_key("f/Émile.MD") == links.name_key("émile")


def test_a_picture_shows_the_links_of_a_node_both_ways() -> None:
    seen = picture(TEXTS)
    number = seen.number("f/b.md")
    assert number is not None
    assert {(link.source, link.raw) for link in seen.leading_to(number)} >= {
        ("a.md", "b"),
        ("a.md", "Sparks"),
        ("c.md", "f/b"),
    }
    assert {link.raw for link in seen.standing_in(number)} >= {"b"}
    assert seen.number("none.md") is None
    assert [each.path for each in seen.named("b")] == ["f/b.md"]


def test_a_rename_spells_the_links_anew_that_its_name_carries() -> None:
    plan, left = plan_rename(picture(TEXTS), "f/b.md", "f/New, one.md", TEXTS["f/b.md"], "")
    texts = {("f/New, one.md" if path == "f/b.md" else path): text for path, text in TEXTS.items()}
    after = renamed_texts(plan, texts)
    assert left == []
    assert after["a.md"].startswith("See [[New, one]] and [[New, one|again]], [[Sparks]]")
    assert "[[f/New, one]]" in after["c.md"]
    assert after["c.md"].startswith("[[Sparks]]"), "an alias still means it"
