"""A text made another one: the laws of `revising`, and the diff that people see."""

import pytest
from hypothesis import given, strategies as st

from commonplace.core import composing, critic, revising
from commonplace.core.edits import apply
from commonplace.core.unified import unified
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


@given(changes())
def test_a_revised_text_reads_as_wanted_and_keeps_all_comments(change: tuple[str, str]):
    marked, wanted = change
    try:
        made = apply(marked, revising.revised(marked, wanted))
    except (BadArgument, Conflict):
        return
    assert critic.accepted(made) == wanted
    assert len(critic.suggestions(made)) <= len(critic.suggestions(marked))
    comments = [len(critic.parse(text).comments) for text in (marked, made)]
    assert comments[0] == comments[1]


@given(changes())
def test_a_proposed_text_reads_as_wanted_and_as_before_when_rejected(change: tuple[str, str]):
    marked, wanted = change
    try:
        made = apply(marked, revising.proposed(marked, wanted))
    except (BadArgument, Conflict):
        return
    assert critic.accepted(made) == wanted
    assert critic.base(made) == critic.base(marked)


def test_suggestions_elsewhere_stay_to_the_letter():
    marked = "One {++two++} three.\n\nFour {--five--}{++5++} six.{>>hm<<}\n\nSeven.\n"
    wanted = critic.accepted(marked).replace("Seven", "7").replace("One two", "1 2")
    made = apply(marked, revising.revised(marked, wanted))
    assert made == "1 2 three.\n\nFour {--five--}{++5++} six.{>>hm<<}\n\n7.\n"


def test_a_fence_over_suggestions_takes_them_in():
    marked = "a\n\nb {++c++}\n"
    made = apply(marked, revising.revised(marked, "a\n```\nb c\n"))
    assert made == "a\n```\nb c\n"


def test_text_that_reads_as_markup_is_refused_but_not_what_stood_there():
    with pytest.raises(critic.HasDelimiter, match=r"'\{--'"):
        revising.refuse_markup("a {--b--} c")
    revising.refuse_markup("`` \n```\n{--b--}\n```\n")
    revising.refuse_markup("a {--b c")
    assert revising.revised("same {--b", "same {--b") == []


def test_proposals_are_of_whole_words():
    made = apply("A bright day.\n", revising.proposed("A bright day.\n", "A brought day.\n"))
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


def test_a_unified_diff_of_large_texts_that_share_nothing_is_quick():
    old, new = "ab\n" * 300_000, "cd\n" * 300_000
    assert unified(old, new, lines_max=2).endswith("more lines")


def test_content_keeps_the_blank_line_below_the_frontmatter():
    text = "---\na: 1\n---\n\n\nbody\n"
    assert composing.rewritten(text, "new\n", None) == "---\na: 1\n---\n\n\nnew\n"
    assert composing.rewritten(text, "\nnew\n", None) == "---\na: 1\n---\n\nnew\n"
    assert composing.rewritten(text, "", None) == "---\na: 1\n---\n\n\n"
    assert composing.rewritten(text, "---\nb: 2\n---\nnew\n", None) == "---\nb: 2\n---\nnew\n"
    assert composing.rewritten("body\n", "new\r\n", None) == "new\n"


def test_properties_changed_by_two_at_once_in_one_line_are_a_conflict():
    base = "---\na: [1]\n---\nbody\n"
    ours, theirs = base.replace("[1]", "[1, 2]"), base.replace("[1]", '{"x": 3}')
    with pytest.raises(Conflict, match="changed since last read"):
        composing.merged(base, ours, theirs)
    assert composing.merged(base, base.replace("body", "corpus"), theirs).endswith("corpus\n")
