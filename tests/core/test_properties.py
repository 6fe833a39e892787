"""Rows and queries over frontmatter, and a plain reading of both to compare with."""

import json
import time
from typing import TypeAlias

import pytest
from hypothesis import given, settings, strategies as st

from commonplace.core import properties
from commonplace.errors import BadArgument
from tests.core.case_files import cases

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Values: TypeAlias = st.SearchStrategy[Json]
Notes: TypeAlias = st.SearchStrategy[dict[str, Json]]

KEYS = st.sampled_from(["k", "K", "n", "tags.x", "é"])
TAGS = st.sampled_from(["a", "#a", "A", "a/b", "#a/B", "b", "a/b/c", "", "#"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.sampled_from([0, 1, 2, 1.0, 0.5, -0.0, 1e22, 10**22])
    | st.sampled_from(["x", "X", "1", "true", "null", "é", "e\u0301", "2024-01-02"])
)


def lists(items: Values) -> Values:
    return st.lists(items, max_size=3)


def maps(values: Values) -> Notes:
    return st.dictionaries(KEYS, values, min_size=1, max_size=2)


def nested(inner: Values) -> Values:
    return lists(inner) | maps(inner)


def merged(parts: tuple[dict[str, Json], dict[str, Json]]) -> dict[str, Json]:
    return parts[0] | parts[1]


def with_tags(rest: Notes, key: str, tags: Values) -> Notes:
    return st.tuples(rest | st.builds(dict[str, Json]), st.dictionaries(st.just(key), tags)).map(
        merged
    )


CHOICES = SCALARS | lists(SCALARS)
NOTES = with_tags(maps(st.recursive(SCALARS, nested)), "tags", lists(TAGS))
QUERIES = with_tags(maps(CHOICES | maps(CHOICES)), "Tags", TAGS | lists(TAGS))


def fold(text: str) -> str:
    return text.replace("e\u0301", "é").casefold()


def is_same(one: Json, other: Json) -> bool:
    """Compare two plain values as a person would."""
    if isinstance(one, bool | None) or isinstance(other, bool | None):
        return as_text(one) == as_text(other)
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    return as_text(one) == as_text(other)


def as_text(value: Json) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text.replace("e\u0301", "é")


def values_at(value: Json, steps: tuple[str, ...]) -> list[Json]:
    """Collect what a note holds under a key, looking into lists."""
    if isinstance(value, list):
        return [found for item in value for found in values_at(item, steps)]
    if not isinstance(value, dict):
        return [] if steps else [value]
    found: list[Json] = []
    for key, inner in value.items():
        own = tuple(fold(key).split("."))
        if steps[: len(own)] == own:
            found += values_at(inner, steps[len(own) :])
    return found


def has_tag(tag: Json, wanted: Json) -> bool:
    one, other = (fold(as_text(each)).lstrip("#") for each in (tag, wanted))
    return other != "" and (one == other or one.startswith(f"{other}/"))


def meets(note: dict[str, Json], query: dict[str, Json], steps: tuple[str, ...] = ()) -> bool:
    return all(
        meets_one(note, (*steps, *fold(key).split(".")), value) for key, value in query.items()
    )


def meets_one(note: dict[str, Json], steps: tuple[str, ...], wanted: Json) -> bool:
    if isinstance(wanted, dict):
        return meets(note, wanted, steps)
    choices = wanted if isinstance(wanted, list) else [wanted]
    alike = has_tag if steps == ("tags",) else is_same
    return any(alike(value, choice) for value in values_at(note, steps) for choice in choices)


@pytest.mark.parametrize(("source", "rows"), cases("properties_rows.md"))
def test_properties_become_rows(source: str, rows: str) -> None:
    found = properties.flatten(json.loads(source))
    assert [f"{key} = {text}" for key, text in found] == rows.splitlines()


@pytest.mark.parametrize(("source", "query", "expected"), cases("properties_search.md"))
def test_a_query_asks(source: str, query: str, expected: str) -> None:
    assert properties.matches(json.loads(source), json.loads(query)) is (expected == "yes")


@settings(max_examples=500)
@given(NOTES, QUERIES)
def test_rows_and_a_plain_reading_agree(note: dict[str, Json], query: dict[str, Json]) -> None:
    rows = properties.flatten(note)
    by_rows = all(
        any((key, text) in rows for text in texts) for key, texts in properties.wanted(query)
    )
    assert by_rows == properties.matches(note, query) == meets(note, query)


@given(NOTES)
def test_a_note_is_found_by_its_own_plain_values(note: dict[str, Json]) -> None:
    plain = {key: value for key, value in note.items() if not isinstance(value, list | dict)}
    assert properties.matches(note, plain)


@given(NOTES, QUERIES, QUERIES)
def test_asking_for_more_finds_no_more(
    note: dict[str, Json], one: dict[str, Json], other: dict[str, Json]
) -> None:
    both = [*properties.wanted(one), *properties.wanted(other)]
    rows = properties.flatten(note)
    meets_both = all(any((key, text) in rows for text in texts) for key, texts in both)
    assert meets_both == (properties.matches(note, one) and properties.matches(note, other))


def test_conditions_are_listed_key_by_key() -> None:
    query = {"Tags": ["#A/B", "a/b", "c"], "book": {"Year": [1969, 1969.0]}, "none": []}
    assert properties.wanted(query) == [
        ("tags", ["a/b", "c"]),
        ("book.year", ["1969"]),
        ("none", []),
    ]


@pytest.mark.parametrize("query", [{"a": [{"b": 1}]}, {"a": [[{"b": 1}]]}])
def test_objects_in_a_list_cannot_be_asked_for(query: dict[str, Json]) -> None:
    with pytest.raises(BadArgument, match="plain values"):
        properties.wanted(query)


@pytest.mark.parametrize("is_list", [True, False])
def test_what_is_nested_too_deep_is_left_out_or_refused(is_list: bool) -> None:
    value: Json = "x"
    for _ in range(500):
        value = [value] if is_list else {"a": value}
    assert properties.flatten({"top": value}) == []
    with pytest.raises(BadArgument, match="levels deep"):
        properties.wanted({"top": value})


def test_a_tag_is_found_by_what_it_is_nested_in() -> None:
    assert properties.tag_forms("#Project/X/y") == ["project/x/y", "project/x", "project"]
    assert properties.tag_forms("##") == []


HOSTILE: list[dict[str, Json]] = [
    {"tags": "a/" * 32_000},
    {"tags": "#" * 64_000},
    {"tags": "a," * 32_000},
    {"n": 10**5_000},
    {"n": [float("inf"), float("nan"), -(10**5_000)]},
    {"x": [[] for _ in range(32_000)]},
]


@pytest.mark.parametrize("note", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_values_are_rows_at_once(note: dict[str, Json]) -> None:
    started = time.process_time()
    rows = properties.flatten(note)
    assert sum(len(text) for _, text in rows) < 400_000
    assert time.process_time() - started < 0.5
