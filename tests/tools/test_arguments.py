"""What a call's arguments are made of, and how a wrong one is named and put right."""

import json
from typing import Any, cast

import anyio
import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator

from commonplace.core.plain_data import NESTING_MAX
from commonplace.errors import BadArgument
from commonplace.tools.arguments import FAULTS_MAX, checker, plainly_valid, shown
from commonplace.tools.table import (
    Answer,
    definition,
)
from tests.tools.test_definition import WRITTEN
from tests.tools.test_table import CALL, READ, ask, box, tool


@pytest.mark.parametrize(
    ("name", "given", "taken"),
    [
        ("grep", {"pattern": "a", "-i": "true"}, {"-i": True}),
        ("grep", {"pattern": "a", "-n": " False "}, {"-n": False}),
        (
            "create_note",
            {"path": "a.md", "content": "", "frontmatter": '{"a": 1}'},
            {"frontmatter": {"a": 1}},
        ),
        ("search_by_tags", {"tags": '["a", "b"]'}, {"tags": ["a", "b"]}),
        ("create_note", {"path": "a.md", "content": '{"a": 1}'}, {"content": '{"a": 1}'}),
    ],
)
def test_what_comes_as_text_is_taken_where_it_is_unambiguous(
    name: str, given: dict[str, object], taken: dict[str, object]
) -> None:
    found = json.loads(ask(box(tool(name)), name, **given).text)
    assert found | taken == found


@pytest.mark.parametrize("absent", [None, "null", "undefined"])
def test_an_optional_argument_given_as_nothing_counts_as_absent(absent: object) -> None:
    answer = ask(box(tool()), file_path="a.md", offset=absent, limit=absent)
    assert json.loads(answer.text) == {"file_path": "a.md"}


def test_a_required_text_may_well_be_the_word_null() -> None:
    answer = ask(box(tool("grep")), "grep", pattern="null")
    assert json.loads(answer.text) == {"pattern": "null"}


@pytest.mark.parametrize(
    ("text", "number"), [("5", 5), ("-3", -3), (" 2.5 ", 2.5), ("0", 0), ("007", 7)]
)
def test_a_number_given_as_text_is_a_number(text: str, number: float) -> None:
    answer = ask(box(tool()), file_path="7", offset=text)
    assert json.loads(answer.text) == {"file_path": "7", "offset": number}


def test_a_default_of_the_schema_is_filled_in() -> None:
    answer = ask(box(tool("edit")), "edit", file_path="a.md", old_string="x", new_string="y")
    assert json.loads(answer.text)["replace_all"] is False


@pytest.mark.parametrize(
    ("name", "arguments", "complaint"),
    [
        ("read", {}, "The required parameter `file_path` is missing."),
        (
            "edit",
            {"file_path": "a.md"},
            (
                "The required parameter `old_string` is missing.\n"
                "The required parameter `new_string` is missing."
            ),
        ),
        (
            "read",
            {"file_path": "a.md", "bogus": 1},
            "Unknown parameter `bogus`. This tool takes: `file_path`, `offset`, `limit`.",
        ),
        (
            "read",
            {"file_path": "a.md", "bogus": None},
            "Unknown parameter `bogus`. This tool takes: `file_path`, `offset`, `limit`.",
        ),
        (
            "delete_note",
            {"path": "a.md", "dry_run": True},
            "Unknown parameter `dry_run`. This tool takes: `path`.",
        ),
        (
            "create_node",
            {"title": "A", "content": "x", "folder": "Lens"},
            (
                "Unknown parameter `folder`. Did you mean `directory`? This tool takes: `title`,"
                " `content`, `tags`, `directory`."
            ),
        ),
        (
            "list_notes",
            {"path": "Lens"},
            (
                "Unknown parameter `path`. Did you mean `folder`? This tool takes: `folder`,"
                " `include_frontmatter`, `recursive`."
            ),
        ),
        (
            "grep",
            {"pattern": "a", "headlimit": 3},
            (
                "Unknown parameter `headlimit`. Did you mean `head_limit`? This tool takes:"
                " `pattern`,"
                " `path`, `output_mode`, `-i`, `-n`, `-A`, `-B`, `-C`, `multiline`, `head_limit`,"
                " `glob`, `type`, `offset`."
            ),
        ),
        (
            "read",
            {"file_path": "a.md", "offset": "abc"},
            '`offset` must be a number, got the text "abc".',
        ),
        ("read", {"file_path": "a.md", "offset": True}, "`offset` must be a number, got true."),
        ("read", {"file_path": None}, "`file_path` must be text, got null."),
        ("read", {"file_path": 5}, "`file_path` must be text, got 5."),
        ("read", {"file_path": ["a"]}, "`file_path` must be text, got a list of 1."),
        ("read", {"file_path": {}}, "`file_path` must be text, got an object."),
        (
            "grep",
            {"pattern": "x", "-i": "yes"},
            '`-i` must be true or false, got the text "yes".',
        ),
        (
            "grep",
            {"pattern": "x", "output_mode": "all"},
            (
                '`output_mode` must be one of "content", "files_with_matches", "count", '
                'got the text "all".'
            ),
        ),
        (
            "read",
            {"file_path": "a\0b"},
            "`file_path` holds a NUL character. Send plain text.",
        ),
        (
            "read",
            {"file_path": "a\ud800b"},
            "`file_path` holds half of a surrogate pair, which is not text. Send valid Unicode.",
        ),
        (
            "read",
            {"file_path": "a", "limit": float("inf")},
            "`limit` must be a finite number.",
        ),
        (
            "read",
            {"file_path": "a", "x\ud800": 1},
            (
                "Unknown parameter `x\\ud800`. This tool takes: `file_path`, `offset`, `limit`.\n"
                "`x\\ud800` holds half of a surrogate pair, which is not text. "
                "Send valid Unicode."
            ),
        ),
    ],
)
def test_a_wrong_argument_is_named_and_put_right(
    name: str, arguments: dict[str, object], complaint: str
) -> None:
    answer = anyio.run(box(tool(name)).call, name, arguments, CALL)
    assert answer == Answer(f"Error: {complaint}", is_error=True)


GRAPHISH = {
    "type": "object",
    "properties": {
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
        "data": {"type": ["object", "null"]},
        "odd": {"type": "integer", "multipleOf": 3},
    },
    "required": ["tags"],
}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"tags": []}, "`tags` must hold 1 or more items, got an empty list."),
        ({"tags": ["a", 2]}, "`tags[1]` must be text, got 2."),
        ({"tags": ["a"], "limit": 0}, "`limit` must be at least 1, got 0."),
        ({"tags": ["a"], "limit": "51"}, "`limit` must be at most 50, got 51."),
        ({"tags": ["a"], "limit": 1.5}, "`limit` must be a whole number, got 1.5."),
        ({"tags": ["a"], "data": "x"}, '`data` must be an object, got the text "x".'),
        ({"tags": ["a"], "odd": 4}, "`odd` must satisfy multipleOf 3, got 4."),
        ({"tags": ["a", "\0"]}, "`tags` holds a NUL character. Send plain text."),
        (
            {"tags": ["a"], "data": {"k\ud800": 1}},
            "`data` holds half of a surrogate pair, which is not text. Send valid Unicode.",
        ),
    ],
)
def test_bounds_lists_and_objects_are_explained_too(
    arguments: dict[str, object], complaint: str
) -> None:
    with pytest.raises(BadArgument) as caught:
        checker(GRAPHISH)(arguments)
    assert str(caught.value) == complaint


def test_an_unknown_argument_is_refused_where_the_schema_is_open_too() -> None:
    with pytest.raises(BadArgument, match=r"Did you mean `limit`\?"):
        checker(GRAPHISH)({"tags": ["a"], "limits": 1})


@pytest.mark.parametrize(
    ("name", "given", "near"),
    [
        ("get_node", "path", "id"),
        ("create_node", "folder", "directory"),
        ("list_notes", "path", "folder"),
        ("read_note", "offset", "start_line"),
        ("create_note", "tags", "frontmatter"),
        ("update_note", "text", "content"),
        ("grep", "ignore_case", "-i"),
        ("find_path", "from", "source"),
        ("random_node", "tag", "tags"),
        ("get_hubs", "top", "limit"),
    ],
)
def test_what_another_program_calls_it_is_told_by_its_name_here(
    name: str, given: str, near: str
) -> None:
    with pytest.raises(BadArgument, match=rf"Did you mean `{near}`\?"):
        checker(definition(name).input_schema)({given: "x"})


def test_a_rule_about_all_arguments_together_is_not_forgotten() -> None:
    with pytest.raises(BadArgument, match="The arguments together must satisfy anyOf"):
        checker({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]})({})


def test_a_default_that_a_tool_changes_stays_as_it_was() -> None:
    check = checker({"type": "object", "properties": {"tags": {"type": "array", "default": []}}})
    cast("list[str]", check({})["tags"]).append("mine")
    assert check({}) == {"tags": []}


def test_deep_and_wide_arguments_are_refused_in_a_blink() -> None:
    deep: object = "x"
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(BadArgument, match=f"`data` is nested more than {NESTING_MAX} levels"):
        checker(GRAPHISH)({"tags": ["a"], "data": deep})
    many: dict[str, object] = {f"p{n}": 1 for n in range(10_000)}
    with pytest.raises(BadArgument) as caught:
        checker(READ.input_schema)({"file_path": "a", **many})
    assert len(str(caught.value).splitlines()) == FAULTS_MAX


def test_a_long_wrong_value_is_not_repeated_whole() -> None:
    answer = ask(box(tool()), file_path="a", offset="9" * 1_000_000)
    assert len(answer.text) < 200
    assert answer.text.startswith('Error: `offset` must be a number, got the text "999')


@given(st.text(st.characters(exclude_categories=())))
def test_whatever_is_shown_of_an_argument_is_printable_and_short(text: str) -> None:
    out = shown(text)
    out.encode()
    assert out.isprintable()
    assert len(out) <= 10 * 61


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(), part, max_size=3),
    max_leaves=8,
)


NAMES = st.sampled_from(["pattern", "path", "-i", "-A", "head_limit", "output_mode", "x"])


SOME: list[Any] = [0, 1, 20, 10**6, -1, 1.5, True, None, "", "any", "both", [], ["a"], {}]


@given(st.sampled_from(WRITTEN), st.data())
def test_what_is_plainly_valid_is_valid(name: str, data: st.DataObject) -> None:
    schema: dict[str, Any] = {**definition(name).input_schema, "required": ()}
    names = st.sampled_from([*schema["properties"], "none"])
    drawn: dict[str, Any] = data.draw(st.dictionaries(names, st.sampled_from(SOME)))
    given = {key: value for key, value in drawn.items() if key in schema["properties"]}
    validator: Any = Draft202012Validator({**schema, "required": list[str]()})
    if plainly_valid(schema, given):
        assert not list(validator.iter_errors(given))


def test_an_ordinary_call_is_plainly_valid_and_a_wrong_one_is_not() -> None:
    assert plainly_valid(READ.input_schema, {"file_path": "a.md", "offset": 3})
    assert not plainly_valid(READ.input_schema, {"file_path": "a.md", "offset": True})
    assert not plainly_valid(READ.input_schema, {"file_path": 5})


@given(st.dictionaries(NAMES, JSON))
def test_arguments_are_accepted_by_the_schema_or_refused_in_words(raw: dict[str, object]) -> None:
    schema = definition("grep").input_schema
    try:
        fit = checker(schema)(raw)
    except BadArgument:
        return
    valid: Any = Draft202012Validator(schema)
    valid.validate(fit)
    assert set(fit) <= set(raw)
