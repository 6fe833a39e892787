"""Who made a mark and when: written so that any name is read back, and read from strangers."""

import pytest
from hypothesis import given, strategies as st

from commonplace.core import critic
from commonplace.core.critic.metadata import Metadata, Signature, read, write


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


def test_a_time_beyond_all_bounds_is_no_time() -> None:
    for digits in ("9" * 400, "1e999", "-1", "NaN", "true"):
        text = '{++{"author":"x","time":' + digits + "}@@a++}"
        (one,) = critic.suggestions(text)
        assert one.time is None


@pytest.mark.parametrize(
    ("source", "meta", "begins"),
    [
        ("x", None, 0),
        ("{}@@x", Metadata(), 4),
        ('{"author":"Ann"}@@x', Metadata("Ann"), 18),
        ('{"a":"Ann","t":5}@@', Metadata("Ann", 5), 19),
        ('{"timestamp":5000,"time":1}@@', Metadata(None, 5), 29),
        ('{"author":"Bo","authors":["Ann","Bo",7,"Ann"]}@@', Metadata("Bo", None, ("Ann",)), 48),
        ('{"unknown":1}@@x', None, 0),
        ('{"author":"Ann"}@x', None, 0),
        ("{x}@@", None, 0),
        ("[]@@", None, 0),
    ],
)
def test_metadata_is_read_in_both_dialects_or_is_text(
    source: str, meta: Metadata | None, begins: int
) -> None:
    assert read(source, 0, len(source)) == (meta, begins)


def test_metadata_ends_where_its_mark_does() -> None:
    assert read("{}@@x", 0, 3) == (None, 0)
    assert read("ab{}@@x", 2, 7) == (Metadata(), 6)


@given(st.text(max_size=8), st.lists(st.text(max_size=5), max_size=3, unique=True))
def test_whoever_is_written_is_read_back_and_the_latest_is_last(
    author: str, earlier: list[str]
) -> None:
    names = [name for name in earlier if name != author]
    text = write(author, 7.9, names)
    meta, begins = read(text, 0, len(text))
    assert begins == len(text)
    assert meta is not None
    assert meta == Metadata(author, 7, tuple(names))
    assert meta.authors == (*names, author)


@pytest.mark.parametrize(
    ("signature", "superseded", "text"),
    [
        (Signature("Ann"), [], ""),
        (Signature("Ann", written=True), [], '{"author":"Ann"}@@'),
        (Signature(), [Metadata("Bo")], '{"author":"Bo"}@@'),
        (Signature("Ann"), [Metadata("Ann")], '{"author":"Ann"}@@'),
        (
            Signature("Ann", 5),
            [Metadata("Bo", 1, ("Cy",)), Metadata("Bo")],
            '{"author":"Ann","authors":["Cy","Bo","Ann"],"time":5}@@',
        ),
        (Signature(written=True), [], ""),
    ],
)
def test_who_is_named_in_what_is_superseded_stays_named(
    signature: Signature, superseded: list[Metadata], text: str
) -> None:
    assert signature.over(superseded) == text
