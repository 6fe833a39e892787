"""The laws of `commonplace.core.critic`, on random texts and calls.

Each law runs on some hundred examples; together they run on `EXAMPLES` in the slow test, and on as
many as a profile asks for: `make laws` looks for new ones, 100,000 at a time.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from commonplace.core import critic
from commonplace.core.critic.views import Role, runs
from commonplace.core.text.edits import Edit, apply, diff
from commonplace.errors import CommonplaceError

EXAMPLES = max(3_000, settings().max_examples)
QUICK = 200

TIDY = (
    *("a", "b", "cat", "dog", " ", "\n", "😀", "漢", "“", '"', "\r", "{x}", "++", "--"),
    *("{++cat++}", "{--dog--}", "{--a--}{++b++}", "{~~old~>new~~}", "{>>note<<}", "{==lit==}"),
    *("{++x {>>why<<} y++}", "{==a {--b--}{++c++} d==}", "{--x {==y==} z--}", "{++++}"),
    *("{i++}", "{{!-- x --}}", "f() {--i;}", "\n```\nfor(;;){i++}\n```\n"),
    *("\n```\ncode {++x++}\n```\n", "\n> ~~~\n> code\n", "- ```\n  {--y--}\n  ```\n"),
    '{++{"author":"Ann"}@@mine++}',
    '{--{"author":"Bo","timestamp":1700000000000}@@his--}',
    '{>>{"a":"Cy","t":1700000000}@@hm<<}',
)
WILD = (
    *TIDY,
    *("{++", "++}", "{--", "--}", "{~~", "~>", "~~}", "{==", "==}", "{>>", "<<}", "{}@@", "@@"),
    *(
        "{",
        "}",
        "+",
        "-",
        "~",
        "=",
        "<",
        ">",
        "`",
        "```",
        "```\n",
        "~~~\n",
        "> ",
        "- ",
        "‘",
        "\r\n",
    ),
)
NEW = (
    *(
        "",
        "a",
        "cat",
        "cat dog",
        "{",
        "}",
        "+",
        "-",
        "--",
        "++",
        "{-",
        "{+",
        "+}",
        "-}",
        "} else {",
    ),
    *("\n", "\n\nmore", "```", "\n```\n", "~~~", "> ", "😀", "漢字", "\r", " ", "old", "new", '"'),
    *('{"author":"x"}@@y', "{}@@"),
    *("{i++}", "{{!-- x --}}", "{{-- x --}}", "f() {--i;}", "{++i}", "{--", "--}", "{++", "++}"),
    *("{>>", "<<}", "{==", "==}", "{~~", "~~}", "{--}", "{++x++}", "{>>x<<}", "{==x==}"),
)
PLAIN = (
    *("a", "b", "cat", " ", "\n", "😀", "漢", "{", "}", "-", "+", "```\n", "'", "’", "\r\n"),
    *("{i++}", "{{!-- x --}}", "f() {--i;}"),
)


@dataclass(frozen=True)
class Call:
    """One call of `suggest` on a document."""

    document: str
    old: str
    new: str
    replace_all: bool = False
    metadata: bool = False

    def on(self, document: str) -> critic.Suggested:
        return critic.suggest(
            document,
            self.old,
            self.new,
            replace_all=self.replace_all,
            author="Ann",
            time=5,
            metadata=self.metadata,
        )

    def replaced(self) -> str:
        text = critic.accepted(self.document)
        return text.replace(self.old, self.new, -1 if self.replace_all else 1)


def _call(document: str, at: int, length: int, new: str, mode: str) -> Call:
    text = critic.accepted(document)
    start = at % len(text) if text else 0
    old = text[start : start + length]
    if mode == "around":
        new = old[: at % 3] + new + old[at % 3 :]
    if mode == "restore":
        old, new = text, critic.base(document)
    return Call(document, old, new, replace_all=mode == "all", metadata=mode == "metadata")


def _texts(pieces: tuple[str, ...], size: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(pieces), max_size=size).map("".join)


documents = st.one_of(_texts(TIDY, 10), _texts(WILD, 12))
modes = st.sampled_from(("one", "one", "around", "all", "metadata", "restore"))
calls = st.builds(_call, documents, st.integers(0, 99), st.integers(1, 9), _texts(NEW, 3), modes)


@dataclass(frozen=True)
class Outcome:
    """What became of a call; `made` is None if it was refused or is a repetition."""

    call: Call
    made: critic.Suggested | None
    after: str


def outcome(call: Call) -> Outcome:
    try:
        made = call.on(call.document)
    except CommonplaceError:
        return Outcome(call, None, call.document)
    return Outcome(call, None if made.repeated else made, made.text)


@lru_cache(maxsize=64)
def listed(text: str) -> list[critic.Suggestion]:
    return critic.suggestions(text)


def pending(text: str) -> list[str]:
    return [text[one.start : one.end] for one in listed(text)]


def comments(text: str) -> list[str]:
    return [text[mark.start : mark.end] for mark in critic.parse(text).comments]


@lru_cache(maxsize=64)
def is_settled(text: str) -> bool:
    """Whether deciding everything leaves no text that reads as markup by chance."""
    was = critic.parse(text)
    for end in (apply(text, critic.accept_all(text)), apply(text, critic.reject_all(text))):
        now = critic.parse(end)
        more = len(now.comments) - len(was.comments), len(now.highlights) - len(was.highlights)
        if listed(end) or max(more) > 0:
            return False
    return True


def the_accepted_view_is_the_plain_replacement(one: Outcome) -> None:
    exact = one.call.old in critic.accepted(one.call.document)
    if one.made and exact:
        assert critic.accepted(one.after) == one.call.replaced()


def the_base_view_stays(one: Outcome) -> None:
    assert critic.base(one.after) == critic.base(one.call.document)


def the_edits_lead_to_the_text(one: Outcome) -> None:
    if one.made:
        assert apply(one.call.document, one.made.edits) == one.made.text


def all_comments_survive(one: Outcome) -> None:
    assert Counter(comments(one.after)) == Counter(comments(one.call.document))


def an_edit_that_restores_the_base_leaves_no_suggestion(one: Outcome) -> None:
    document = one.call.document
    whole = critic.accepted(document), critic.base(document)
    if one.made and (one.call.old, one.call.new) == whole:
        assert pending(one.after) == []
    new = Counter(pending(one.after)) - Counter(pending(document))
    added = [part for part in listed(one.after) if one.after[part.start : part.end] in new]
    assert not [part for part in added if part.old == part.new]


def one_call_makes_one_suggestion_an_occurrence(one: Outcome) -> None:
    if one.made:
        assert len(pending(one.after)) <= len(pending(one.call.document)) + one.made.count


def suggestions_apart_from_the_change_stay_to_the_letter(one: Outcome) -> None:
    text, call = one.call.document, one.call
    view = critic.accepted_view(critic.parse(text))
    at = view.text.find(call.old)
    if call.replace_all or at < 0 or "```" in text or "~~~" in text:
        return
    apart = [
        text[part.start : part.end]
        for part in listed(text)
        if view.position(part.end) < at or view.position(part.start) > at + len(call.old)
    ]
    assert not Counter(apart) - Counter(pending(one.after))


def no_character_of_the_base_is_taken_away(one: Outcome) -> None:
    marked = critic.parse(one.call.document)
    for edit in one.made.edits if one.made else ():
        roles = {run.role for run in runs(marked, edit.start, edit.end)}
        assert not roles & {Role.PLAIN, Role.OLD}


def a_settled_document_stays_settled(one: Outcome) -> None:
    if is_settled(one.call.document):
        assert is_settled(one.after)


def deciding_all_takes_away_delimiters_and_the_discarded_side(one: Outcome) -> None:
    text = one.after
    for edits, discarded in (
        (critic.accept_all(text), Role.OLD),
        (critic.reject_all(text), Role.NEW),
    ):
        kept = [
            run
            for run in runs(critic.parse(text))
            if discarded not in (run.role, run.side) and run.role is not Role.DELIMITER
        ]
        assert apply(text, edits) == "".join(text[run.start : run.end] for run in kept)


def deciding_one_leaves_the_others_to_the_letter(one: Outcome) -> None:
    text = one.after
    for part in listed(text)[:2]:
        rest = [other for other in listed(text) if other.id != part.id]
        for decide, view in ((critic.accept, critic.accepted), (critic.reject, critic.base)):
            try:
                after = apply(text, decide(text, [part.id]))
            except critic.Undecidable:
                continue
            if rest:
                assert pending(after) == [text[other.start : other.end] for other in rest]
                assert view(after) == view(text)


def a_repeated_call_changes_nothing(one: Outcome) -> None:
    if one.made and not pending(one.call.document):
        again = one.call.on(one.after)
        assert again.repeated or not pending(one.after)
        assert again.text == one.after or not pending(one.after)


LAWS = (
    the_accepted_view_is_the_plain_replacement,
    the_base_view_stays,
    the_edits_lead_to_the_text,
    all_comments_survive,
    an_edit_that_restores_the_base_leaves_no_suggestion,
    one_call_makes_one_suggestion_an_occurrence,
    suggestions_apart_from_the_change_stay_to_the_letter,
    no_character_of_the_base_is_taken_away,
    a_settled_document_stays_settled,
    deciding_all_takes_away_delimiters_and_the_discarded_side,
    deciding_one_leaves_the_others_to_the_letter,
    a_repeated_call_changes_nothing,
)
Law = Callable[[Outcome], None]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@settings(max_examples=QUICK, deadline=None)
@given(calls)
def test_the_law_that(law: Law, call: Call) -> None:
    law(outcome(call))


@pytest.mark.slow
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(calls)
def test_all_laws_hold_on_thousands_of_examples(call: Call) -> None:
    one = outcome(call)
    for law in LAWS:
        law(one)


@settings(max_examples=5 * QUICK, deadline=None)
@given(documents)
def test_reading_loses_nothing(text: str) -> None:
    assert critic.render(critic.parse(text)) == text


@settings(max_examples=QUICK, deadline=None)
@given(st.text())
def test_reading_loses_nothing_of_any_text(text: str) -> None:
    assert critic.render(critic.parse(text)) == text


@settings(max_examples=5 * QUICK, deadline=None)
@given(documents)
def test_marks_are_read_alike_whether_a_fence_may_come_or_not(text: str) -> None:
    one, other = critic.parse(text), critic.parse(text + "\n\n~~~\n")
    assert (one.suggested, one.comments) == (other.suggested, other.comments)
    assert one.highlights == other.highlights


@settings(max_examples=2 * QUICK, deadline=None)
@given(documents, st.randoms(use_true_random=False))
def test_some_suggestions_are_listed_as_among_all(text: str, drawn: Random) -> None:
    listed = critic.suggestions(text)
    ids = {each.id for each in listed if drawn.random() < 0.5}
    assert critic.some(text, ids) == [each for each in listed if each.id in ids]


@settings(max_examples=2 * QUICK, deadline=None)
@given(documents)
def test_the_maps_lead_from_a_view_to_the_marked_text_and_back(text: str) -> None:
    marked = critic.parse(text)
    for view in (critic.accepted_view(marked), critic.base_view(marked)):
        places = [view.marked(position) for position in range(len(view.text))]
        assert "".join(text[place] for place in places) == view.text
        assert places == sorted(places)
        assert [view.position(place) for place in places] == list(range(len(places)))
        assert view.position(len(text)) == len(view.text)


edits = st.lists(st.tuples(st.integers(0, 99), st.integers(1, 4), _texts(PLAIN, 3)), max_size=30)


@settings(max_examples=QUICK, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_texts(PLAIN, 12), edits)
def test_thirty_edits_then_accepting_all_are_thirty_plain_replacements(
    original: str, steps: list[tuple[int, int, str]]
) -> None:
    assume(critic.accepted(original) == original and not comments(original))
    text = plain = original
    for at, length, new in steps:
        call = _call(text, at, length, new, "one")
        step = outcome(call)
        text = step.after
        plain = call.replaced() if step.made else plain
        assert critic.accepted(text) == plain
    assert apply(text, critic.accept_all(text)) == plain
    assert apply(text, critic.reject_all(text)) == original


@settings(max_examples=2 * QUICK, deadline=None)
@given(documents, st.lists(st.tuples(st.integers(0, 40), _texts(NEW, 2)), min_size=2, max_size=6))
def test_several_edits_are_proposed_at_once(text: str, steps: list[tuple[int, str]]) -> None:
    view = critic.accepted(text)
    steps = sorted((min(at, len(view)), new) for at, new in steps)
    pairs = zip(steps[::2], steps[1::2], strict=False)
    changes = [Edit(start, end, new) for (start, new), (end, _) in pairs]
    assume(all(view[edit.start : edit.end] != edit.text for edit in changes))
    try:
        after = critic.propose(text, changes).text
    except critic.FormsDelimiter:
        return
    assert critic.accepted(after) == apply(view, changes)
    assert critic.base(after) == critic.base(text)
    assert Counter(comments(after)) == Counter(comments(text))


def _sorted_edits(text: str, steps: list[tuple[int, str]]) -> list[Edit]:
    ends = sorted((min(at, len(text)), new) for at, new in steps)
    return [Edit(a, b, new) for (a, new), (b, _) in zip(ends[::2], ends[1::2], strict=False)]


@settings(max_examples=5 * QUICK, deadline=None)
@given(documents, st.lists(st.tuples(st.integers(0, 60), _texts(TIDY, 2)), max_size=6))
def test_what_became_of_each_suggestion_is_what_the_two_lists_tell(
    text: str, steps: list[tuple[int, str]]
) -> None:
    edits = _sorted_edits(text, steps)
    after = apply(text, edits)
    shifts = [len(edit.text) - (edit.end - edit.start) for edit in edits]
    begun = [edit.start + sum(shifts[:at]) for at, edit in enumerate(edits)]
    assert critic.written(after, edits) == [
        part.id
        for part in listed(after)
        if any(
            start < part.end and part.start < start + len(edit.text)
            for start, edit in zip(begun, edits, strict=True)
        )
    ]
    now = {part.start: part.id for part in listed(after)}
    ids: dict[str, str] = {}
    for part in listed(text):
        if not any(edit.start < part.end and part.start < edit.end for edit in edits):
            before = zip(edits, shifts, strict=True)
            moved = sum(shift for edit, shift in before if edit.end <= part.start)
            ids[part.id] = now.get(part.start + moved, part.id)
    changed = {one: other for one, other in ids.items() if one != other}
    assert critic.carried(text, after, edits) == changed


@given(documents, st.integers(0, 9))
def test_an_unknown_id_is_refused_and_changes_nothing(text: str, number: int) -> None:
    with pytest.raises(critic.Undecidable):
        critic.accept(text, [f"{number}"])


def test_the_laws_can_fail() -> None:
    call = Call("Hello {--beautiful --}world.", "Hello world.", "Hello earth.")
    lossy = "{--Hello world.--}{++Hello earth.++}"
    nested = "{--Hello {--beautiful --}world.--}{++Hello earth.++}"
    made = critic.Suggested([Edit(0, len(call.document), lossy)], lossy, 1, 12)
    for text in (lossy, nested):
        with pytest.raises(AssertionError):
            the_base_view_stays(Outcome(call, made, text))
    with pytest.raises(AssertionError):
        no_character_of_the_base_is_taken_away(Outcome(call, made, lossy))


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("a {++b++} c", "a {++bx++} c", {"b": "bx"}),
        ("a {++b++} c", "a b c", {"b": None}),
        ("w {++b++}", "x {++b++}", {}),
        ("# w{++b++}\n", "# {--w--}{++b++}\n", {"b": "b"}),
        ("{++a++} {++b++}", "{++a++} ", {"b": None}),
        ("{++a++}, {++b++}", "{++a, c++}", {"a": "a, c", "b": "a, c"}),
    ],
)
def test_what_ended_is_told_with_what_stands_there_now(
    before: str, after: str, told: dict[str, str | None]
) -> None:
    now = {part.id: part.new for part in listed(after)}
    found = critic.ended(before, after, diff(before, after))
    assert {one.new: None if new is None else now[new] for one, new in found} == told


@settings(max_examples=QUICK, deadline=None)
@given(documents, st.lists(st.tuples(st.integers(0, 60), _texts(TIDY, 2)), max_size=6))
def test_every_suggestion_stays_or_has_ended(text: str, steps: list[tuple[int, str]]) -> None:
    edits = _sorted_edits(text, steps)
    after = apply(text, edits)
    ended = Counter(one.id for one, _ in critic.ended(text, after, edits))
    left = Counter(pending(text)) - Counter(pending(after))
    assert sum(left.values()) <= sum(ended.values())
    assert set(ended) <= {part.id for part in listed(text)}
