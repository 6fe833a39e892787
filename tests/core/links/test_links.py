"""What links mean, against CONTRACT section 6."""

import unicodedata

import pytest
from hypothesis import given, strategies as st

from commonplace.core.links import Candidate, NameKind, Resolved, is_attachment, name_key, resolve


def meaning(
    target: str,
    source: str,
    notes: list[str],
    *,
    aliases: dict[str, str] | None = None,
    titles: dict[str, str] | None = None,
    root: str = "",
) -> Resolved | None:
    """Resolve among notes the way an index does: by the name that each carries."""
    named = [Candidate(path, NameKind.FILE) for path in notes]
    named += [Candidate(path, NameKind.ALIAS, name) for name, path in (aliases or {}).items()]
    named += [Candidate(path, NameKind.TITLE, name) for name, path in (titles or {}).items()]
    carrying = [c for c in named if name_key(c.name or c.path) == name_key(target)]
    return resolve(target, source, carrying, root)


@pytest.mark.parametrize(
    ("target", "source", "notes", "expected"),
    [
        ("B", "A.md", ["A.md", "B.md"], "B.md"),
        ("B.md", "A.md", ["A.md", "B.md"], "B.md"),
        ("b", "A.md", ["B.md"], "B.md"),
        ("B", "x/A.md", ["B.md", "x/B.md"], "x/B.md"),
        ("../B", "x/A.md", ["B.md", "x/B.md"], "B.md"),
        ("../../B", "x/A.md", ["B.md"], "B.md"),
        ("./B", "x/A.md", ["B.md", "x/B.md"], "x/B.md"),
        ("y/B", "x/A.md", ["y/B.md", "x/y/B.md"], "x/y/B.md"),
        ("y/B", "A.md", ["deep/y/B.md"], "deep/y/B.md"),
        ("y/B", "A.md", ["deep/B.md"], None),
        ("/B", "x/A.md", ["B.md", "x/B.md"], "B.md"),
        ("B", "A.md", ["deep/down/B.md"], "deep/down/B.md"),
        ("Note", "A.md", ["note.md", "Note.md"], "Note.md"),
        ("missing", "A.md", ["A.md"], None),
    ],
)
def test_a_path_is_looked_for_nearest_first(
    target: str, source: str, notes: list[str], expected: str | None
) -> None:
    found = meaning(target, source, notes)
    assert (found.path if found else None) == expected


def test_several_files_of_one_name_are_ambiguous_and_the_nearest_is_chosen() -> None:
    notes = ["z/long/B.md", "y/B.md", "w/B.md"]
    assert meaning("B", "A.md", notes) == Resolved("w/B.md", ambiguous=True)
    assert meaning("B", "y/A.md", notes) == Resolved("y/B.md")


def test_an_alias_is_asked_after_file_names_and_before_titles() -> None:
    assert meaning("Ml", "A.md", [], aliases={"ML": "x.md"}, titles={"ml": "y.md"}) == Resolved(
        "x.md"
    )
    assert meaning("ML", "A.md", ["ml.md"], aliases={"ML": "x.md"}) == Resolved("ml.md")


def test_a_title_with_a_slash_can_be_linked_to() -> None:
    assert meaning("TCP/IP", "A.md", [], titles={"TCP/IP": "net.md"}) == Resolved("net.md")


def test_two_notes_with_one_title_are_ambiguous() -> None:
    candidates = [Candidate(p, NameKind.TITLE, "T") for p in ("b.md", "a.md")]
    assert resolve("T", "n.md", candidates) == Resolved("a.md", ambiguous=True)


def test_names_are_compared_under_nfc() -> None:
    decomposed = unicodedata.normalize("NFD", "Démo")
    assert meaning(decomposed, "A.md", ["Démo.md"]) == Resolved("Démo.md")


def test_in_a_vault_of_several_roots_the_own_root_comes_first() -> None:
    notes = ["Work/x/B.md", "Home/x/B.md"]
    assert meaning("x/B", "Home/y/A.md", notes, root="Home") == Resolved("Home/x/B.md")
    assert meaning("Work/x/B", "Home/y/A.md", notes, root="Home") == Resolved("Work/x/B.md")


def test_a_target_that_climbs_out_of_the_vault_does_not_reach_back_in() -> None:
    assert meaning("../../x/B", "y/A.md", ["x/B.md"]) == Resolved("x/B.md")
    assert meaning("../../../etc/passwd", "y/A.md", ["etc.md"]) is None


@pytest.mark.parametrize("target", ["a.png", "x/y.PDF", "song.mp3", "board.canvas"])
def test_a_picture_is_no_note(target: str) -> None:
    assert is_attachment(target)


@pytest.mark.parametrize("target", ["a", "v1.2", "a.md", "Mr. Smith", "2026.11.15"])
def test_a_dot_in_a_name_makes_no_picture(target: str) -> None:
    assert not is_attachment(target)


_names = st.text("ab/.A", min_size=1, max_size=8)


@given(_names, _names, st.lists(_names, max_size=5))
def test_what_is_found_is_one_of_the_candidates(target: str, source: str, notes: list[str]) -> None:
    found = meaning(target, source, [f"{n}.md" for n in notes])
    assert found is None or found.path in {f"{n}.md" for n in notes}


@given(st.lists(_names, min_size=1, max_size=5, unique=True), st.data())
def test_the_order_of_candidates_does_not_matter(notes: list[str], data: st.DataObject) -> None:
    target = data.draw(st.sampled_from(notes))
    shuffled = data.draw(st.permutations(notes))
    first = meaning(target, "q/s.md", [f"{n}.md" for n in notes])
    assert first == meaning(target, "q/s.md", [f"{n}.md" for n in shuffled])
