"""Where a suggestion stands that came after a person's editor had read the file."""

import pytest

from commonplace.core import critic
from commonplace.vault.documents.document import Document, imported
from commonplace.vault.documents.file import versions
from commonplace.vault.documents.file.versions import Held, made_from

CASES = {
    "behind a word that became another": (
        "Buy apples and tea.\n",
        [("apples", "apples today")],
        "Buy appeals and tea.\n",
        "Buy appeals{++ today++} and tea.\n",
    ),
    "between two words that both became others": (
        "Buy apples and tea.\n",
        [("apples", "apples today")],
        "Buy pears with tea.\n",
        "Buy pears{++ today++} with tea.\n",
    ),
    "before a word, and another behind it, that became another": (
        "Buy apples and tea.\n",
        [("apples", "red apples"), ("apples", "apples today")],
        "Buy pears and tea.\n",
        "Buy {++red ++}pears{++ today++} and tea.\n",
    ),
    "between a word and a suggestion that the person rejected": (
        "Buy apples{++ soon++} and tea.\n",
        [("apples", "apples today")],
        "Buy pears and tea.\n",
        "Buy pears{++ today++} and tea.\n",
    ),
    "between a suggestion that the person accepted and a word": (
        "Buy {++some ++}apples and tea.\n",
        [("apples", "red apples")],
        "Buy some pears and tea.\n",
        "Buy some {++red ++}pears and tea.\n",
    ),
    "a whole line before one to which the person added words": (
        "Buy apples.\nTea.\n",
        [("Buy apples.\n", "Buy apples.\nAnd milk.\n")],
        "Sell pears.\nGreen Tea.\n",
        "Sell pears.\n{++And milk.\n++}Green Tea.\n",
    ),
}


def merged(held: str, calls: list[tuple[str, str]], saved: str) -> str:
    """Let suggestions come, then a save of what was held before them."""
    note = Document("note")
    begun = imported("note", held, "file")
    note.load([begun.update] if begun.update else [], begun.authors)
    before = Held(note.state(), held, 0.0)
    for old, new in calls:
        note.edit(lambda text, call=(old, new): critic.suggest(text, *call).edits, "assistant:a")
    origin = made_from(note.state(), note.text, [before], saved)
    assert origin.base == before.base
    note.ingest(origin.base, saved, "file", origin.edits)
    return note.text


@pytest.mark.parametrize("case", CASES)
def test_it_stays_between_the_words_that_took_the_places_of_its_neighbours(case: str) -> None:
    held, calls, saved, wanted = CASES[case]
    assert merged(held, calls, saved) == wanted


def test_merged_as_characters_alone_it_would_stand_inside_a_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The control: the edits as they are."""
    monkeypatch.setattr(versions, "tied_elsewhere", lambda made, *_: made)  # pyright: ignore
    found = [merged(held, calls, saved) != wanted for held, calls, saved, wanted in CASES.values()]
    assert any(found)
