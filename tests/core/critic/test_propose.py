"""Any change is written as a suggestion that reads as meant, or is refused."""

import pytest

from commonplace.core import critic
from commonplace.core.text.edits import apply


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


def test_an_empty_old_string_needs_an_empty_document() -> None:
    with pytest.raises(critic.NotEmpty):
        critic.suggest("cat", "", "dog")


def test_the_answer_counts_occurrences_and_characters() -> None:
    made = critic.suggest("cat {++cat++} cat", "cat", "fox", replace_all=True)
    assert (made.count, made.replaced) == (3, 9)


def test_a_code_block_with_too_many_delimiters_is_left_alone() -> None:
    with pytest.raises(critic.Unwritable):
        critic.suggest("```\n" + "{++" * 20_000 + "\ncat\n```\n", "cat", "dog")


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
