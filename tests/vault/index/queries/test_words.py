"""Notes ranked by words."""

import pytest

from commonplace.vault.index.queries import words as module
from commonplace.vault.index.queries.words import WordIndex
from tests.vault.index.queries.tables import index_of

NOTES = {
    "Bees.md": "# Bees\nHow to feed them.\n",
    "Garden.md": "# Garden\nBees and flowers, and more flowers.\n",
    "Tea.md": "# Tea\nGreen tea.\n",
    "日本.md": "# 日本\n東京都の天気\n",
}


@pytest.fixture
def words() -> WordIndex:
    return WordIndex(index_of(NOTES))


def found(words: WordIndex, query: str, limit: int = 10) -> list[str]:
    return [hit.path for hit in words.search(query, limit)]


def test_a_word_in_the_title_ranks_first(words: WordIndex) -> None:
    assert found(words, "bees") == ["Bees.md", "Garden.md"]
    assert found(words, "flower") == ["Garden.md"]
    assert found(words, "東京") == ["日本.md"]
    assert found(words, "  ") == found(words, '"') == []


def test_only_notes_that_are_allowed_are_found(words: WordIndex) -> None:
    assert [hit.path for hit in words.search("bees", 10, {2, 3})] == ["Garden.md"]
    assert words.search("bees", 10, set()) == []


def test_words_that_stand_side_by_side(words: WordIndex) -> None:
    assert words.holding("green tea") == {3}
    assert words.holding("green feed") == set()
    assert words.holding("…") == set()


def test_where_very_many_match_the_rarest_words_choose(
    words: WordIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_RANKED_MAX", 2)
    monkeypatch.setattr(module, "_FOUND_MAX", 1)
    assert found(words, "flowers bees") == ["Garden.md"]
