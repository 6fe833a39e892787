"""What is pending in a text, as a person decides it."""

from commonplace.core import critic


def test_pending_sides_keep_their_newlines() -> None:
    (one,) = critic.suggestions("{--a\nb--}{++c\nd++}")
    assert (one.old, one.new) == ("a\nb", "c\nd")


def test_lines_are_those_of_the_accepted_view() -> None:
    document = "{--one\ntwo\n--}three\n{++four\nfive\n++}six {++seven++}"
    assert [one.line for one in critic.suggestions(document)] == [1, 2, 4]
    view = critic.accepted_view(critic.parse(document))
    seven = view.text.index("seven")
    assert view.text.count("\n", 0, seven) == 3
    assert document[view.marked(seven) :].startswith("seven")


def test_comments_inside_and_behind_belong_to_a_suggestion() -> None:
    document = '{++a {>>one<<}b++}{>>{"author":"Bo"}@@two<<}{>>three<<} {>>four<<}'
    (one,) = critic.suggestions(document)
    assert [(note.text, note.author) for note in one.comments] == [
        ("one", None),
        ("two", "Bo"),
        ("three", None),
    ]


def test_an_id_stays_while_other_text_changes() -> None:
    one, twin, other = critic.suggestions("{++a++} {++a++} {++b++}")
    assert len({one.id, twin.id, other.id}) == 3
    changed = critic.suggestions("New text. {++a++} more {++a++} {++c++} {++b++}")
    assert [changed[0].id, changed[1].id, changed[3].id] == [one.id, twin.id, other.id]
