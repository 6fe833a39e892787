"""The entries of a conversation, and what those are told who listen."""

import pytest

from commonplace.agent.events import TEXT_CHARS_MAX, Event
from commonplace.agent.transcript import Transcript


@pytest.fixture
def heard() -> list[Event]:
    return []


@pytest.fixture
def said(heard: list[Event]) -> Transcript:
    said = Transcript([{"n": 7, "kind": "asked", "text": "before"}])
    said.listeners.add(heard.append)
    return said


def test_entries_are_numbered_on_from_what_is_there(said: Transcript) -> None:
    assert said.add({"kind": "done"})["n"] == 8
    assert Transcript([]).add({"kind": "asked"})["n"] == 0


def test_words_are_added_to_the_last_entry_of_their_kind(
    said: Transcript, heard: list[Event]
) -> None:
    for kind, text in (("said", "a"), ("said", "b"), ("thought", "c"), ("said", "d")):
        said.extend(kind, text)
    assert [(one.get("n"), one.get("more")) for one in heard] == [
        (None, None),
        (8, "b"),
        (None, None),
        (None, None),
    ]
    assert [one["entry"]["text"] for one in heard if "entry" in one] == ["ab", "c", "d"]


def test_an_entry_that_is_full_is_followed_by_another(said: Transcript, heard: list[Event]) -> None:
    said.extend("said", "x" * TEXT_CHARS_MAX)
    said.extend("said", "y")
    assert [len(one["entry"]["text"]) for one in heard] == [TEXT_CHARS_MAX, 1]
    Transcript([]).extend("said", "the first of all")


def test_a_step_is_told_of_again_in_its_own_turn_alone(
    said: Transcript, heard: list[Event]
) -> None:
    said.step({"kind": "step", "id": "1", "title": "Look"})
    said.step({"kind": "step", "id": "2"})
    said.step({"kind": "step", "id": "1", "status": "completed"})
    said.add({"kind": "asked"})
    said.step({"kind": "step", "id": "1"})
    entries = [one["entry"] for one in heard]
    assert [entry["n"] for entry in entries] == [8, 9, 8, 10, 11]
    assert (entries[0]["title"], entries[0]["status"]) == ("Look", "completed")
    assert (entries[1]["title"], entries[1]["status"]) == ("", "pending")
    assert entries[4]["status"] == "pending"


def test_a_turn_has_one_plan(said: Transcript, heard: list[Event]) -> None:
    for text in ("one", "two"):
        said.plan({"kind": "plan", "entries": [text]})
    said.add({"kind": "asked"})
    said.plan({"kind": "plan", "entries": ["three"]})
    plans = [one["entry"] for one in heard if one["entry"]["kind"] == "plan"]
    assert [(plan["n"], plan["entries"]) for plan in plans] == [
        (8, ["two"]),
        (8, ["two"]),
        (10, ["three"]),
    ]


def test_who_stops_to_listen_while_it_is_told_disturbs_nobody(said: Transcript) -> None:
    told: list[Event] = []

    def once(event: Event) -> None:
        told.append(event)
        said.listeners.discard(once)

    said.listeners.add(once)
    said.add({"kind": "done"})
    said.add({"kind": "done"})
    assert len(told) == 1
