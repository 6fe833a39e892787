import json

import pytest

from commonplace.core import critic
from commonplace.core.text.edits import Edit, apply
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


def test_pending_sides_keep_their_newlines() -> None:
    (one,) = critic.suggestions("{--a\nb--}{++c\nd++}")
    assert (one.old, one.new) == ("a\nb", "c\nd")


def test_a_substitution_is_read_and_can_be_edited() -> None:
    document = "The {~~cat~>dog~~} sat."
    assert critic.accepted(document) == "The dog sat."
    after = critic.suggest(document, "dog sat", "fox ran").text
    assert after == "The {--cat sat--}{++fox ran++}."


def test_an_empty_document_can_be_edited() -> None:
    made = critic.suggest("", "", "# Title\n")
    assert made.text == "{++# Title\n++}"
    assert critic.suggest(made.text, "", "# Title\n").repeated


def test_lines_are_those_of_the_accepted_view() -> None:
    document = "{--one\ntwo\n--}three\n{++four\nfive\n++}six {++seven++}"
    assert [one.line for one in critic.suggestions(document)] == [1, 2, 4]
    view = critic.accepted_view(critic.parse(document))
    seven = view.text.index("seven")
    assert view.text.count("\n", 0, seven) == 3
    assert document[view.marked(seven) :].startswith("seven")


def test_a_highlight_is_plain_text_in_the_accepted_view() -> None:
    assert critic.accepted("a {==b==}{>>c<<} d") == "a b d"
    assert critic.suggest("a {==b==} d", "a b d", "x").text == "{=={--a b d--}{++x++}==}"


# Repeated calls, and delimiters in arguments.


@pytest.mark.parametrize(
    ("document", "old", "new"),
    [
        ("The cat sat.", "cat", "dog"),
        ("The cat sat.", "cat", "cat dog"),
        ("The cat sat.", "cat", "dog cat fish"),
        ("The cat sat.", "cat ", ""),
        ("a\nb\n", "a", "a\n\nmore"),
        ("aaa", "aaa", "aa"),
        ("a\n```\ncode\n```\nb", "code", "more code"),
        ("say “no”", 'say "no"', 'say "yes"'),
        ("{++a cat++} sat", "cat", "cat dog"),
        pytest.param("a\n> ~~~\n> code\n", "> ~", "> ", id="a part of a fence, and one is left"),
    ],
)
def test_a_call_that_comes_twice_changes_nothing_more(document: str, old: str, new: str) -> None:
    first = critic.suggest(document, old, new)
    again = critic.suggest(first.text, old, new)
    assert not first.repeated
    assert again.repeated
    assert critic.suggest(first.text, old, new).repeated
    assert (again.edits, again.text, again.count) == ([], first.text, first.count)


def test_replacing_all_twice_changes_nothing_more() -> None:
    first = critic.suggest("cat, cat and cat", "cat", "cat dog", replace_all=True)
    again = critic.suggest(first.text, "cat", "cat dog", replace_all=True)
    assert first.count == again.count == 3
    assert again.repeated


def test_the_same_change_elsewhere_is_no_repetition() -> None:
    first = critic.suggest("a cat, a dog", "cat", "fox").text
    there = first + " and a cat"
    assert critic.suggest(there, "cat", "fox").text.endswith("and a {--cat--}{++fox++}")
    grown = "cat{++ dog++}, another cat"
    assert not critic.suggest(grown, "another cat", "another cat dog").repeated


def test_a_call_that_only_looks_like_a_pending_one_is_made() -> None:
    document = "{--cat--}{++dog++} and cat"
    made = critic.suggest(document, "cat", "dog")
    assert made.text == "{--cat--}{++dog++} and {--cat--}{++dog++}"


@pytest.mark.parametrize("kind", critic.Kind)
def test_marks_in_arguments_are_refused(kind: critic.Kind) -> None:
    divider = "~>" if kind is critic.Kind.REPLACED else ""
    mark = f"{kind.opener}x{divider}y{kind.closer}"
    for param, old, new in (
        ("old_string", f"a {mark}", "b"),
        ("new_string", "a", f"dog {mark} INJECTED"),
    ):
        with pytest.raises(critic.HasDelimiter) as refusal:
            critic.suggest("a", old, new)
        assert (refusal.value.param, refusal.value.token) == (param, kind.opener)
        assert f"{param} contains CriticMarkup syntax '{kind.opener}'" in str(refusal.value)


def test_part_of_a_mark_that_stands_in_the_file_is_named_as_markup() -> None:
    with pytest.raises(critic.HasDelimiter) as refusal:
        critic.suggest("the {--red--}{++blue++} one", "{++blue", "green")
    assert refusal.value.token == "{++"
    with pytest.raises(critic.NoMatch):
        critic.suggest("the {--red--}{++blue++} one", "{i++}", "green")


CODE = (
    "for(;;){i++}",
    "{{!-- handlebars --}}",
    "f() {--i;}",
    "if (a) {++i} else {--i}",
    "{~~}",
    "a <<} b",
    "x == y; {==}",
    "dog++} INJECTED {++x",
    "{>>",
    "{--",
    "++}",
)


@pytest.mark.parametrize("code", CODE)
@pytest.mark.parametrize("around", ["{}", "see {} here\n", "a\n```js\n{}\n```\nb\n"])
def test_ordinary_code_is_edited_like_any_text(around: str, code: str) -> None:
    plain = around.replace("{}", "word", 1)
    coded = around.replace("{}", code, 1)
    for document, old, new, after in (
        (plain, "word", code, coded),
        (coded, code, "word", plain),
        (coded, code, f"{code} {code}" if "```" in around else f"{code};", None),
    ):
        made = critic.suggest(document, old, new)
        assert len(critic.suggestions(made.text)) == 1
        wanted = after if after is not None else document.replace(old, new)
        assert critic.accepted(made.text) == wanted
        assert apply(made.text, critic.accept_all(made.text)) == wanted
        assert apply(made.text, critic.reject_all(made.text)) == document
        assert critic.suggest(made.text, old, new).repeated


def test_a_code_block_may_show_markup_and_only_there() -> None:
    document = "a\n```\nword\n```\nb word c\n"
    for shown in ("{++shown++} {>>as is<<}", "{{-- blade --}}"):
        made = critic.suggest(document, "word\n`", f"{shown}\n`")
        coded = f"a\n```\n{shown}\n```\nb word c\n"
        assert apply(made.text, critic.accept_all(made.text)) == coded
        back = critic.suggest(coded, shown, "word").text
        assert (critic.accepted(back), critic.base(back)) == (document, coded)
        with pytest.raises(critic.HasDelimiter):
            critic.suggest(document, "b word", f"b {shown}")


@pytest.mark.parametrize(
    ("document", "old", "new"),
    [
        ("say {>> and end", "end", "x<<}"),
        ("say {== and end", "end", "x==}"),
        ("begin and <<} here", "begin", "{>>x"),
    ],
)
def test_text_that_becomes_a_remark_or_a_highlight_where_it_stands_is_refused(
    document: str, old: str, new: str
) -> None:
    with pytest.raises(critic.FormsDelimiter):
        critic.suggest(document, old, new)


def test_two_calls_cannot_smuggle_a_mark_in() -> None:
    opened = critic.suggest("a {x} b {y} c", "x}", "++ INJECTED").text
    assert critic.accepted(opened) == "a {++ INJECTED b {y} c"
    with pytest.raises(critic.FormsDelimiter):
        critic.suggest(opened, "{y", "++")
    assert critic.base(opened) == "a {x} b {y} c"


def test_code_that_shows_markup_keeps_its_fence() -> None:
    document = "```\n{++shown++}\n```\n"
    with pytest.raises(critic.FormsDelimiter):
        critic.suggest(document, "```\n{", "{")


# Other refusals.


def test_text_that_is_not_there() -> None:
    with pytest.raises(critic.NoMatch):
        critic.suggest("cat", "dog", "fox")


def test_deleted_text_is_not_there() -> None:
    with pytest.raises(critic.NoMatch):
        critic.suggest("a {--cat--}", "cat", "dog")


def test_text_that_is_there_twice() -> None:
    with pytest.raises(critic.NotUnique) as refusal:
        critic.suggest("cat {++cat++} cat", "cat", "dog")
    assert refusal.value.count == 3


def test_no_change() -> None:
    with pytest.raises(critic.NoChange):
        critic.suggest("cat", "cat", "cat")
    with pytest.raises(critic.NoChange):
        critic.suggest("“cat”", '"cat"', "“cat”")


def test_an_empty_old_string_needs_an_empty_document() -> None:
    with pytest.raises(critic.NotEmpty):
        critic.suggest("cat", "", "dog")


def test_refusals_belong_to_the_tree_of_errors() -> None:
    arguments = (critic.NoMatch, critic.NotUnique, critic.NoChange, critic.HasDelimiter)
    assert all(issubclass(one, BadArgument) for one in arguments)
    assert all(issubclass(one, BadArgument) for one in (critic.FormsDelimiter, critic.NotEmpty))
    assert all(issubclass(one, Conflict) for one in (critic.Unwritable, critic.Undecidable))


# Authors.


def test_metadata_is_written_in_both_halves() -> None:
    made = critic.suggest("a cat", "cat", "dog", author="Ann", time=1700000000.9, metadata=True)
    head = '{"author":"Ann","time":1700000000}@@'
    assert made.text == f"a {{--{head}cat--}}{{++{head}dog++}}"
    (one,) = critic.suggestions(made.text)
    assert (one.author, one.time) == ("Ann", 1700000000)


def test_an_author_is_not_written_unless_asked_for() -> None:
    made = critic.suggest("a cat", "cat", "dog", author="Ann", time=5)
    assert made.text == "a {--cat--}{++dog++}"


@pytest.mark.parametrize("author", ["{++x++}", "a}@@b", 'quo"te', "漢😀", "new\nline", "\\"])
def test_any_author_is_read_back(author: str) -> None:
    made = critic.suggest("cat", "cat", "dog", author=author, metadata=True)
    assert [one.author for one in critic.suggestions(made.text)] == [author]
    assert critic.accepted(made.text) == "dog"


@pytest.mark.parametrize(
    "metadata",
    [
        '{"author":5,"time":"x"}',
        '{"author":null,"time":true}',
        '{"a":"\\ud800","t":1e999}',
        '{"author":"Ann","timestamp":-1}',
        '{"author":"Ann","time":NaN}',
        '{"time":' + "9" * 5000 + "}",
        '{"author":' + "[" * 2000 + "}",
    ],
)
def test_strange_metadata_does_no_harm(metadata: str) -> None:
    (one,) = critic.suggestions(f"{{++{metadata}@@cat++}}")
    assert one.new.endswith("cat")
    assert one.time is None
    assert one.author in (None, "Ann", "?")


def test_pending_text_of_the_same_author_is_continued() -> None:
    document = '{++{"author":"Ann"}@@one two++}'
    made = critic.suggest(document, "two", "2", author="Ann")
    assert made.text == '{++{"author":"Ann"}@@one 2++}'


# What a suggestion says, and deciding.


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


def test_once_a_twin_is_decided_the_ids_of_all_are_others() -> None:
    document = "{++a++} {++b++} {++a++} {++a++}"
    first, other, second, third = critic.suggestions(document)
    after = apply(document, critic.accept(document, [second.id]))
    left = critic.suggestions(after)
    assert after == "{++a++} {++b++} a {++a++}"
    assert left[1].id == other.id
    assert {left[0].id, left[2].id}.isdisjoint({first.id, second.id, third.id})
    for gone in (first, second, third):
        with pytest.raises(critic.Undecidable, match="changed or decided meanwhile"):
            critic.reject(after, [gone.id])


def test_what_is_remembered_by_id_follows_its_suggestion() -> None:
    document = "one {--cat--}{++dog++} two {--cat--}{++dog++} three {++x++}"
    first, second, _ = critic.suggestions(document)
    edits = critic.accept(document, [first.id])
    after = apply(document, edits)
    assert critic.carried(document, after, edits) == {second.id: critic.suggestions(after)[0].id}
    assert critic.rank(critic.suggestions(after)[0].id) == critic.rank(first.id)
    made = critic.suggest(after, "one", "one {")
    assert critic.written(made.text, made.edits) == [critic.suggestions(made.text)[0].id]
    assert critic.carried(after, made.text, made.edits) == {}
    third = critic.suggest("cat {--cat--}{++dog++}", "cat", "dog")
    names = [each.id for each in critic.suggestions(third.text)]
    assert critic.written(third.text, third.edits) == names[:1]
    (before,) = critic.suggestions("cat {--cat--}{++dog++}")
    assert critic.carried("cat {--cat--}{++dog++}", third.text, third.edits) == {
        before.id: names[1]
    }


def test_deciding_deletes_only_delimiters_and_the_discarded_side() -> None:
    document = "The {--cat--}{++dog++} and {~~a~>b~~}."
    first, second = critic.suggestions(document)
    assert critic.accept(document, [first.id]) == [Edit(4, 13), Edit(13, 16), Edit(19, 22)]
    assert critic.reject(document, [second.id]) == [Edit(27, 30), Edit(31, 37)]


def test_several_are_decided_at_once() -> None:
    document = "{++a++} {--b--} {~~c~>d~~}"
    one, two, three = critic.suggestions(document)
    assert apply(document, critic.accept(document, [three.id, one.id])) == "a {--b--} d"
    assert apply(document, critic.reject(document, [two.id, three.id])) == "{++a++} b c"


def test_comments_and_highlights_outlive_the_decision() -> None:
    document = "{==a {--b--}{++c {>>in<<}++}==}{>>out<<}"
    assert apply(document, critic.accept_all(document)) == "{==a c {>>in<<}==}{>>out<<}"
    assert apply(document, critic.reject_all(document)) == "{==a b==}{>>out<<}"


def test_a_suggestion_that_is_gone_cannot_be_decided() -> None:
    document = "The {--cat--}{++dog++} sat."
    (one,) = critic.suggestions(document)
    after = apply(document, critic.accept(document, [one.id]))
    with pytest.raises(critic.Undecidable, match="changed or decided"):
        critic.accept(after, [one.id])


def test_a_fence_is_not_accepted_over_other_suggestions() -> None:
    document = "{++```\n++}code {++x++}\n{++```\n++}"
    fence, inner, end = critic.suggestions(document)
    with pytest.raises(critic.Undecidable, match="Decide them together"):
        critic.accept(document, [fence.id])
    together = critic.accept(document, [fence.id, inner.id, end.id])
    assert apply(document, together) == "```\ncode x\n```\n"
    assert apply(document, critic.reject(document, [fence.id])) == "code {++x++}\n{++```\n++}"


def test_the_base_text_is_not_touched_by_the_edits() -> None:
    made = critic.suggest("The cat sat.", "cat", "dog")
    assert made.edits == [Edit(4, 4, "{--"), Edit(7, 7, "--}{++dog++}")]


def test_the_answer_counts_occurrences_and_characters() -> None:
    made = critic.suggest("cat {++cat++} cat", "cat", "fox", replace_all=True)
    assert (made.count, made.replaced) == (3, 9)


def test_a_code_block_with_too_many_delimiters_is_left_alone() -> None:
    with pytest.raises(critic.Unwritable):
        critic.suggest("```\n" + "{++" * 20_000 + "\ncat\n```\n", "cat", "dog")


def test_a_time_beyond_all_bounds_is_no_time() -> None:
    for digits in ("9" * 400, "1e999", "-1", "NaN", "true"):
        text = '{++{"author":"x","time":' + digits + "}@@a++}"
        (one,) = critic.suggestions(text)
        assert one.time is None


def test_a_remark_never_turns_into_suggestions_when_a_fence_comes_before_it() -> None:
    marked = "\n> ~~~\n> code\n{>>\n```\ncode {++x++}\n```\n{++cat++}<<}"
    with pytest.raises(critic.FormsDelimiter):
        critic.suggest(marked, "\n> code\n", "")


def test_a_highlight_never_takes_the_fence_from_code_that_would_be_left() -> None:
    document = "- ```\n  {--y--}\n  ```\n{--x {==y==} z--}{~~old~>new~~}"
    with pytest.raises(critic.FormsDelimiter):
        critic.suggest(document, "}\n  ```\nn", "", author="one")
    assert critic.base(document) == "- ```\n  {--y--}\n  ```\nx y zold"


def test_a_highlight_never_opens_a_fence_behind_it_when_a_suggestion_is_rejected() -> None:
    marked = "```\n```\naa```{==lit==}a\n```\ncode {++x++}\n```\n"
    with pytest.raises(critic.FormsDelimiter):
        critic.suggest(marked, "``\n```\naa", "")
