"""What a review at the terminal says where another change set begins."""

from dataclasses import dataclass
from typing import Any, cast

import pytest

from commonplace.cli.set_headings import SetHeadings, counted, waiting
from commonplace.vault.index.queries.suggestions import PendingSuggestion


@dataclass(frozen=True)
class Change:
    path: str
    id: str


def change(path: str, id: str) -> PendingSuggestion:
    return cast("PendingSuggestion", Change(path, id))


def found(number: int, notes: dict[str, str], **more: Any) -> dict[str, Any]:
    told = {"title": "", "who": "Claude", "why": "", "parked": 0, "waiting": len(notes)}
    rows = [
        {"path": path, "changes": [{"id": id}], "risks": more.get("risks", [])}
        for path, id in notes.items()
    ]
    return {"set": {**told, "number": number, **more}, "notes": rows}


ONE, TWO, LOOSE = change("a.md", "x"), change("b.md", "x"), change("c.md", "x")


@pytest.fixture
def headings() -> SetHeadings:
    first = found(1, {"a.md": "x"})
    second = found(2, {"b.md": "x"}, title="Tidy\x1b up", why="Spring", parked=2)
    none = found(0, {"d.md": "x"})
    return SetHeadings([first, second, none], "~/Notes")


def test_the_latest_set_comes_first_and_what_is_in_none_last(headings: SetHeadings) -> None:
    assert sorted([LOOSE, ONE, TWO], key=headings.order) == [TWO, ONE, LOOSE]
    assert [headings.number(each) for each in (ONE, TWO, LOOSE)] == [1, 2, 0]
    assert headings.number(change("d.md", "x")) == 0


def test_a_heading_is_said_once_where_its_set_begins(headings: SetHeadings) -> None:
    assert headings.heading(TWO) == [
        "Set 2: Tidy<U+001B> up  (Claude, 1 change waits)",
        "  Spring",
        "  It asks 2 questions: commonplace sets show 2 ~/Notes",
    ]
    assert headings.heading(TWO) == []
    assert headings.heading(ONE) == ["Set 1  (Claude, 1 change waits)"]
    assert headings.heading(LOOSE) == []
    assert headings.heading(ONE) == ["Set 1  (Claude, 1 change waits)"]


def test_what_is_risky_is_named_with_its_note() -> None:
    risky = found(3, {"日.md": "x"}, risks=[{"kind": "deletes much"}, {"kind": "links"}])
    (_, line) = SetHeadings([risky], "v").heading(change("日.md", "x"))
    assert line == "  ! 日.md: deletes much, links"


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 changes wait"), (1, "1 change waits"), (1234, "1,234 changes wait")]
)
def test_numbers_agree_with_their_words(number: int, said: str) -> None:
    assert waiting(number) == said
    assert counted(number, "change") in said
