import json
import time

import pytest
from hypothesis import given, strategies as st

from commonplace.core.search import wordpiece
from commonplace.core.search.wordpiece import WordPiece
from tests.core.case_files import cases

_WORDS = """
    [PAD] [UNK] [CLS] [SEP] [MASK] a b e n o s t ! . , ' - [ ] ##a ##b ##e ##n ##s ##t ##ed ##ing
    the note notes embed un ##known cafe resume naive σ ο δ ς ##ο ##σ ##ς 漢 字 か ##か ᄒ ##ᅡ ##ᆫ 한
    sep 😀 © ﬁ i ss ß ##ß и ##и # + $
"""
VOCABULARY = _WORDS.split()
PIECES = WordPiece(VOCABULARY)

HOSTILE = {
    "combining marks": "a" + "\u0300\u0316" * 500_000,
    "one word": "a" * 1_000_000,
    "punctuation": "!" * 1_000_000,
    "brackets": "[SEP" * 250_000,
    "white space": " " * 1_000_000,
    "invisible": "\u200b" * 1_000_000,
    "unknown words": ("z" * 100 + " ") * 10_000,
}


@pytest.mark.parametrize(("text", "tokens"), cases("wordpiece.md"))
def test_the_reference_tokenizer_gives_the_same_tokens(text: str, tokens: str) -> None:
    ids = PIECES.encode(json.loads(text), 1000)
    assert " ".join(VOCABULARY[number] for number in ids) == tokens


@given(st.text(), st.integers(2, 12))
def test_a_limit_cuts_between_the_start_and_end_tokens(text: str, limit: int) -> None:
    whole = PIECES.encode(text, 1_000_000)
    assert PIECES.encode(text, limit) == (
        whole if len(whole) <= limit else [*whole[: limit - 1], whole[-1]]
    )


@given(st.lists(st.text(), max_size=5))
def test_what_was_encoded_before_changes_nothing(texts: list[str]) -> None:
    for text in texts:
        PIECES.encode(text, 50)
    assert [PIECES.encode(text, 50) for text in texts] == [
        WordPiece(VOCABULARY).encode(text, 50) for text in texts
    ]


def test_the_word_cache_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordpiece, "CACHED_WORDS_MAX", 10)
    pieces = WordPiece(VOCABULARY)
    for number in range(100):
        assert pieces.encode(f"note {number}", 10)[1] == VOCABULARY.index("note")
        assert len(pieces._words) <= 10


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_megabyte_takes_linear_time(text: str) -> None:
    started = time.process_time()
    assert len(PIECES.encode(text, 256)) <= 256
    assert time.process_time() - started < 2
