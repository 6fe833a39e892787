"""The links of the index: what leads where, by which spelling, and what is broken."""

from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from commonplace.core import digest
from commonplace.vault.files.roots import Roots
from commonplace.vault.index.build import scan
from commonplace.vault.index.queries.links import Links, LinkTo
from commonplace.vault.index.reader import Index
from commonplace.vault.index.writer import IndexWriter
from commonplace.vault.settings import Root, Settings
from tests.vault.conftest import write

NOTES = {
    "a.md": "[[b]] [[b|again]] [x](f/c.md) [[nowhere]] ![[pic.png]] [[Sparks]]\n",
    "b.md": "---\naliases: [Sparks, Spark plug]\n---\n[[a]] [[b]]\n",
    "f/c.md": "[[same]]\n",
    "same.md": "alone\n",
    "f/same.md": "alone\n",
    "orphan.md": "[[none]]\n",
}


@pytest.fixture
def index(tmp_path: Path) -> Generator[Index]:
    write(tmp_path / "vault", dict(NOTES))
    (tmp_path / "state").mkdir()
    roots = Roots(Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state"))
    writer = IndexWriter(tmp_path / "state", several_roots=False)
    with writer.batch():
        writer.put([read for each in roots.scan() if (read := scan.read(roots, each))])
        writer.settle_links()
    writer.close()
    found = Index(tmp_path / "state")
    yield found
    found.close()
    roots.close()


@pytest.fixture
def note(index: Index) -> Callable[[str], int]:
    def find(path: str) -> int:
        found = index.known_one(path)
        assert found is not None
        return found.note

    return find


def test_links_of_a_note_are_sorted_and_each_there_once(
    index: Index, note: Callable[[str], int]
) -> None:
    assert index.links.of(note("a.md")) == Links(["b.md"], ["b.md", "f/c.md"], ["nowhere"])
    assert index.links.of(note("b.md")) == Links(["a.md", "b.md"], ["a.md", "b.md"], [])
    assert index.links.of(note("f/same.md")).backlinks == ["f/c.md"]


def test_each_spelling_of_a_link_is_told(index: Index, note: Callable[[str], int]) -> None:
    assert index.links.leading_to(note("b.md")) == [
        LinkTo("a.md", "wikilink", "Sparks", "b.md", ambiguous=False),
        LinkTo("a.md", "wikilink", "b", "b.md", ambiguous=False),
        LinkTo("b.md", "wikilink", "b", "b.md", ambiguous=False),
    ]
    (same,) = index.links.by_name("same")
    assert (same.target, same.ambiguous) == ("f/same.md", False), "the nearer one is meant"
    assert {link.raw for link in index.links.standing_in(note("a.md"))} == {
        "b",
        "f/c.md",
        "nowhere",
        "pic.png",
        "Sparks",
    }


def test_a_note_that_is_not_indexed_yet_links_as_it_says(
    index: Index, note: Callable[[str], int]
) -> None:
    text = "[[b]] [[same]] [[nowhere]] ![[p.png]]\n"
    fresh = digest.digest("f/new.md", text)
    assert index.links.of_unread("f/new.md", None, fresh, "") == Links(
        [], ["b.md", "f/same.md"], ["nowhere"]
    )
    known = index.links.of_unread("a.md", note("a.md"), digest.digest("a.md", ""), "")
    assert (known.backlinks, known.forward) == (["b.md"], [])


def test_broken_links_are_those_to_notes(index: Index, note: Callable[[str], int]) -> None:
    notes = [note("a.md"), note("orphan.md"), note("b.md")]
    found = {(kind, raw) for _, kind, raw in index.links.broken(notes)}
    assert found == {("wikilink", "nowhere"), ("wikilink", "none")}
    assert index.links.broken([]) == []


def test_names_are_found_by_what_was_typed(index: Index) -> None:
    typed = [each.name for each in index.links.other_names("spark", 10)]
    assert typed == ["Sparks", "Spark plug"]
    assert [each.name for each in index.links.other_names("PLUG", 10)] == ["Spark plug"]
    assert index.links.other_names("%", 10) == []
    assert len(index.links.other_names("spark", 1)) == 1


def test_links_come_in_the_order_in_which_they_stand(
    index: Index, note: Callable[[str], int]
) -> None:
    a, b, c = note("a.md"), note("b.md"), note("f/c.md")
    assert index.links.edges_of([a]) == [(a, b), (a, b), (a, c), (a, b)]
    assert set(index.links.edges_of([a])) <= set(index.links.edges())
    assert [raw for _, _, _, raw in index.links.written([a])] == [
        "b",
        "b",
        "f/c.md",
        "nowhere",
        "pic.png",
        "Sparks",
    ]
    assert len(list(index.links.written())) == 10
    places = index.links.with_places(b, 2)
    assert [path for _, path, _, _ in places] == ["a.md", "a.md"]
    assert places[0][3] < places[1][3]


def test_orphans_are_linked_with_no_note(index: Index) -> None:
    assert index.links.orphans() == 2  # `orphan`, whose link is broken, and the other `same`
