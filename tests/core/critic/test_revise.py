"""A text made another one: the laws of `revising`, and the diff that people see."""

import pytest
from hypothesis import given, strategies as st

from commonplace.core import compose, critic
from commonplace.core.critic import revise
from commonplace.core.text.unified_diff import unified
from commonplace.errors import BadArgument, Conflict

PIECES = (
    *("cat", "dog", " ", "\n", "\n\n", "😀", "漢", "# Head\n", "- item\n", "```\ncode\n```\n"),
    *("{++new++}", "{--gone--}", "{--a--}{++b++}", "{~~x~>y~~}", "{>>note<<}", "{==lit==}"),
)
PLAIN = tuple(piece for piece in PIECES if "{" not in piece)
LINES = st.lists(st.sampled_from(("a\n", "b\n", "c", "x", "\n", " d ")), max_size=12).map("".join)
MARKED = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, str]:
    """A marked text, and what its accepted view shall become."""
    marked = draw(MARKED)
    view = critic.accepted(marked)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(view)))
        end = draw(st.integers(start, min(len(view), start + 6)))
        view = view[:start] + draw(st.sampled_from(("", *PLAIN))) + view[end:]
    return marked, view


def raws(text: str) -> list[str]:
    return [text[each.start : each.end] for each in critic.suggestions(text)]


@given(changes())
def test_a_revised_text_reads_as_wanted_and_keeps_all_comments(change: tuple[str, str]):
    marked, wanted = change
    try:
        revision = revise.revised(marked, wanted)
    except (BadArgument, Conflict):
        return
    made = revision.text
    assert critic.accepted(made) == wanted
    if revision.count:
        assert critic.base(made) == critic.base(marked)
    else:
        assert raws(made) == raws(marked)
    comments = [len(critic.parse(text).comments) for text in (marked, made)]
    assert comments[0] == comments[1]


@given(changes())
def test_a_proposed_text_reads_as_wanted_and_as_before_when_rejected(change: tuple[str, str]):
    marked, wanted = change
    try:
        made = revise.proposed(marked, wanted).text
    except (BadArgument, Conflict):
        return
    assert critic.accepted(made) == wanted
    assert critic.base(made) == critic.base(marked)


def test_suggestions_elsewhere_stay_to_the_letter():
    marked = "One {++two++} three.\n\nFour {--five--}{++5++} six.{>>hm<<}\n\nSeven.\n"
    wanted = critic.accepted(marked).replace("Seven", "7").replace("One", "1")
    made = revise.revised(marked, wanted).text
    assert made == "1 {++two++} three.\n\nFour {--five--}{++5++} six.{>>hm<<}\n\n7.\n"


def test_a_change_that_touches_a_suggestion_is_one():
    marked = "One {++two++} three.\n\nFour {--five--}{++5++} six.{>>hm<<}\n\nSeven.\n"
    wanted = critic.accepted(marked).replace("Seven", "7").replace("One two", "1 2")
    revision = revise.revised(marked, wanted)
    assert revision.text == (
        "{--One --}{++1 2++} three.\n\nFour {--five--}{++5++} six.{>>hm<<}\n\n{--Seven--}{++7++}.\n"
    )
    first, second, _ = critic.suggestions(revision.text)
    assert list(revision.ended.values()) == [first.id]
    assert second.old == "five"


def test_a_fence_over_suggestions_takes_none_in():
    marked = "a\n\nb {++c++}\n"
    made = revise.revised(marked, "a\n```\nb c\n").text
    assert made == "a\n{++```++}\nb {++c++}\n"


@pytest.mark.parametrize(
    ("marked", "old", "new", "made"),
    [
        ("{--old--}{++new++} coat", "new", "newest", "{--old--}{++newest++} coat"),
        ("{--old--}{++new++}{>>hm<<} coat", "new", "newest", "{--old--}{++newest++}{>>hm<<} coat"),
        ("old{--er--} coat", "old", "oldest", "old{--er--}{++est++} coat"),
        ("a {++b++} c", "c", "d", "a {++b++} {--c--}{++d++}"),
    ],
)
def test_no_mark_is_made_inside_anothers_words(marked: str, old: str, new: str, made: str):
    wanted = critic.accepted(marked).replace(old, new)
    revision = revise.proposed(marked, wanted)
    assert revision.text == made
    assert critic.base(revision.text) == critic.base(marked)


def test_text_that_reads_as_markup_is_refused_but_not_what_stood_there():
    with pytest.raises(critic.HasDelimiter, match=r"'\{--'"):
        revise.refuse_markup("a {--b--} c")
    revise.refuse_markup("`` \n```\n{--b--}\n```\n")
    revise.refuse_markup("a {--b c")
    assert revise.revised("same {--b", "same {--b").edits == []


def test_proposals_are_of_whole_words():
    made = revise.proposed("A bright day.\n", "A brought day.\n").text
    assert made == "A {--bright--}{++brought++} day.\n"


@given(LINES, LINES)
def test_a_unified_diff_takes_away_and_adds_whole_lines(old: str, new: str):
    shown = unified(old, new).split("\n") if old != new else []
    gone = [line[1:] for line in shown if line[:1] == "-"]
    come = [line[1:] for line in shown if line[:1] == "+"]
    before, after = old.split("\n"), new.split("\n")
    assert all(line in before for line in gone)
    assert all(line in after for line in come)
    assert (gone or come or shown) if old != new else not shown


def test_a_unified_diff_shows_a_little_around_each_change_and_says_what_it_cut():
    old = "\n".join(f"line {n}" for n in range(30)) + "\n"
    new = old.replace("line 4\n", "line four\n").replace("line 20\n", "")
    assert unified(old, new) == (
        "@@ line 5 @@\n line 2\n line 3\n-line 4\n+line four\n line 5\n line 6\n"
        "@@ line 21 @@\n line 18\n line 19\n-line 20\n line 21\n line 22"
    )
    assert unified("", "x\n" * 50, lines_max=3) == "@@ line 1 @@\n+x\n+x\n… and 48 more lines"
    assert unified("a", "a\n") == "(only the line end at the end of the text differs)"
    assert unified("", "a\u202eb") == "@@ line 1 @@\n+a<U+202E>b"


def test_a_change_far_inside_a_long_line_is_shown():
    old = "a " * 2_000 + "Ann" + " z" * 2_000 + "\n"
    shown = unified(old, old.replace("Ann", "Mallory")).split("\n")
    assert shown[1].startswith("-…(3,920 characters more)…a a")
    assert "Ann" in shown[1]
    assert "Mallory" in shown[2]
    assert all(len(line) < 400 for line in shown)
    whole = unified("", "x" * 3_000).split("\n")
    assert whole[1] == "+" + "x" * 3_000
    folded = unified("", "x" * 10_000).split("\n")
    assert "…(6,000 characters more)…" in folded[1]


def test_lines_of_a_long_suggestion_are_each_marked():
    text = 'a\n{++{"author":"Ann"}@@b\n\nc++}{>>hm<<}\n{~~d\ne~>f~~}\n'
    assert critic.marked_by_line(text) == (
        "a\n{++b++}\n\n{++c++}{>>hm<<}\n{--d--}\n{--e--}{++f++}\n"
    )


def test_a_unified_diff_of_large_texts_that_share_nothing_is_quick():
    old, new = "ab\n" * 300_000, "cd\n" * 300_000
    assert unified(old, new, lines_max=2).endswith("more lines")


def test_content_keeps_the_blank_line_below_the_frontmatter():
    text = "---\na: 1\n---\n\n\nbody\n"
    assert compose.rewritten(text, "new\n", None) == "---\na: 1\n---\n\n\nnew\n"
    assert compose.rewritten(text, "\nnew\n", None) == "---\na: 1\n---\n\nnew\n"
    assert compose.rewritten(text, "", None) == "---\na: 1\n---\n\n\n"
    assert compose.rewritten(text, "---\nb: 2\n---\nnew\n", None) == "---\nb: 2\n---\nnew\n"
    assert compose.rewritten("body\n", "new\r\n", None) == "new\n"


def test_properties_changed_by_two_at_once_in_one_line_are_a_conflict():
    base = "---\na: [1]\n---\nbody\n"
    ours, theirs = base.replace("[1]", "[1, 2]"), base.replace("[1]", '{"x": 3}')
    with pytest.raises(Conflict, match="changed since last read"):
        compose.merged(base, ours, theirs)
    assert compose.merged(base, base.replace("body", "corpus"), theirs).endswith("corpus\n")
