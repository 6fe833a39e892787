"""Notes as rows: the same once they were packed, and searched as they are read."""

from hypothesis import given, strategies as st

from commonplace.core import digest
from commonplace.vault.files.reader import Listed, Stamp
from commonplace.vault.index.rows import Fresh, Rows, identified, searched

LISTED = Listed("f/é.md", Stamp(1, 2, 3), "f/e\u0301.md")
TEXT = (
    "---\ntitle: Named\ntags: [Seed]\naliases: [Other]\n---\n"
    "# Head\n\n[[a]] ![[b]] {++new++} words 漢字\n"
)


def rows_of(text: str) -> Rows:
    rows = Rows()
    rows.add(7, Fresh(LISTED, b"sha", digest.digest("f/é.md", text)))
    return rows


def test_a_note_has_a_row_for_all_that_it_holds() -> None:
    rows = rows_of(TEXT)
    rows.add(8, Fresh(LISTED, b"-", None, "It is no text."))
    assert [row[:2] for row in rows.notes] == [(7, LISTED.on_disk)]
    assert [(row[0], row[-1]) for row in rows.broken] == [(8, "It is no text.")]
    assert {row[3] for row in rows.names} >= {"Other", "Named"}
    assert [row[2] for row in rows.links] == ["a", "b"]
    assert [row[2:] for row in rows.tags] == [("Seed", "seed")]
    assert {row[1] for row in rows.properties} == {"title", "tags", "aliases"}
    assert len(rows.suggestions) == 1
    assert rows.ids() == [7, 8]
    assert dict(rows.known()) == {7: (3, b"sha"), 8: (3, b"-")}


def test_rows_are_the_same_once_they_were_packed() -> None:
    rows = rows_of(TEXT)
    assert Rows.unpacked(rows.packed()) == rows
    assert Rows.unpacked(Rows().packed()) == Rows()


@given(st.text(alphabet="a#- \n{+}漢`", max_size=30))
def test_what_is_searched_is_what_the_digest_says(text: str) -> None:
    made = digest.digest("a.md", text)
    rows = Rows()
    rows.add(1, Fresh(LISTED, b"", made))
    (row,) = rows.texts
    assert searched(row) == (1, made.search_title, made.search_body)


def test_a_file_is_known_by_its_names_and_its_stamp() -> None:
    assert identified(LISTED) == (LISTED.path, LISTED.on_disk, 1, 2, 3)
