"""Risks are told from the texts alone: nothing in a note can talk them away."""

import pytest
from hypothesis import given, strategies as st

from commonplace.core import risks
from commonplace.core.risks import Risk

LONG = "One two three four five six seven eight nine ten."


def nothing(target: str) -> bool:
    return False


def everything(target: str) -> bool:
    return True


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (LONG, LONG.replace("ten", "eleven"), []),
        (LONG, "Quite another text.", [Risk("rewritten", ("100 %",))]),
        ("Short.", "Other.", []),
        ("---\na: 1\nb: 2\n---\n", "---\na: 2\nc: 3\n---\n", [Risk("properties", ("a", "b", "c"))]),
        ("x", "---\na:\n---\nx", [Risk("properties", ("a",))]),
        ("x", "x [[Nowhere]]", [Risk("broken links", ("Nowhere",))]),
        ("x [[Nowhere]]", "x [[Nowhere]] y", []),
        ("x", "x ![[picture.png]] `[[code]]`", []),
        ("x", "x \u202ey", [Risk("invisible", ("U+202E",))]),
        ("x \u202e", "x \u202e y", []),
        ("x", "see https://evil.example/a?b", [Risk("other sites", ("evil.example",))]),
        ("https://a.example/1", "https://A.example/2", []),
        ("x", "mailto:me@a.example", [Risk("other sites", ("mailto:me@a.example",))]),
    ],
)  # fmt: skip
def test_risks_of_a_note(before: str, after: str, expected: list[Risk]) -> None:
    assert risks.of_note(before, after, nothing) == expected


def test_a_link_to_a_note_that_is_there_is_no_risk() -> None:
    assert risks.of_note("x", "x [[There]]", everything) == []


def test_a_deletion_says_who_links_there() -> None:
    assert risks.of_deletion(0) == [Risk("deletes")]
    assert risks.of_deletion(2)[1].kind == "broken links"
    assert risks.of_rename("New.md") == [Risk("renames", ("New.md",))]


def test_few_are_named_and_the_rest_counted() -> None:
    (one,) = risks.of_change("", " ".join(f"https://{n}.example" for n in range(8)))
    assert one.found[-1] == "3 more"


@given(st.text(), st.text())
def test_a_text_that_stays_has_no_risk_and_none_raises(before: str, after: str) -> None:
    assert risks.of_note(before, before, nothing) == []
    risks.of_note(before, after, nothing)
