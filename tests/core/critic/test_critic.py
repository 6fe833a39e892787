import json

import pytest

from commonplace.core import critic
from commonplace.core.text.edits import apply
from commonplace.errors import BadArgument, Conflict
from tests.core.case_files import cases


@pytest.mark.parametrize(("marked", "accepted", "base", "pending"), cases("critic_views.md"))
def test_a_text_is_read_as(marked: str, accepted: str, base: str, pending: str) -> None:
    assert critic.accepted(marked) == accepted
    assert critic.base(marked) == base
    rows = [
        [one.kind, one.line, one.old, one.new, one.author, one.time]
        for one in critic.suggestions(marked)
    ]
    assert rows == [json.loads(row) for row in pending.splitlines()]


@pytest.mark.parametrize(("document", "old", "new", "after"), cases("critic_suggest.md"))
def test_a_suggestion_is_written_as(document: str, old: str, new: str, after: str) -> None:
    made = critic.suggest(document, old, new)
    assert made.text == apply(document, made.edits) == after
    assert critic.base(after) == critic.base(document)


# The faults of comparable programs, by the letters of the list that they were collected in.


def test_a_pending_deletion_at_a_word_boundary_can_still_be_rejected() -> None:
    after = critic.suggest("Hello {--beautiful --}world.", "Hello world.", "Hello earth.").text
    assert apply(after, critic.reject_all(after)) == "Hello beautiful world."
    assert apply(after, critic.accept_all(after)) == "Hello earth."


def test_reverting_a_suggestion_leaves_no_markup() -> None:
    assert critic.suggest("a {--quick--}{++fast++} fox", "fast", "quick").text == "a quick fox"


def test_a_substitution_is_read_and_can_be_edited() -> None:
    document = "The {~~cat~>dog~~} sat."
    assert critic.accepted(document) == "The dog sat."
    after = critic.suggest(document, "dog sat", "fox ran").text
    assert after == "The {--cat sat--}{++fox ran++}."


def test_an_empty_document_can_be_edited() -> None:
    made = critic.suggest("", "", "# Title\n")
    assert made.text == "{++# Title\n++}"
    assert critic.suggest(made.text, "", "# Title\n").repeated


def test_a_highlight_is_plain_text_in_the_accepted_view() -> None:
    assert critic.accepted("a {==b==}{>>c<<} d") == "a b d"
    assert critic.suggest("a {==b==} d", "a b d", "x").text == "{=={--a b d--}{++x++}==}"


# Repeated calls, and delimiters in arguments.


# Other refusals.


def test_refusals_belong_to_the_tree_of_errors() -> None:
    arguments = (critic.NoMatch, critic.NotUnique, critic.NoChange, critic.HasDelimiter)
    assert all(issubclass(one, BadArgument) for one in arguments)
    assert all(issubclass(one, BadArgument) for one in (critic.FormsDelimiter, critic.NotEmpty))
    assert all(issubclass(one, Conflict) for one in (critic.Unwritable, critic.Undecidable))


# Authors.


# What a suggestion says, and deciding.
