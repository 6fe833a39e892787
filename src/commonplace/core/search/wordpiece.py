"""Text into the token ids of an uncased BERT model: WordPiece.

Gives the ids of the reference tokenizer (the `tokenizers` package with BertNormalizer) without that
package; only some 500 rare marks that are younger than the reference's Unicode tables differ.
Surprise: the names of the special tokens are special inside a text too, as they are for the
reference: a note that says "[SEP]" gets the id that ends every text.
"""

import re
import unicodedata
from collections.abc import Sequence

WORD_CHARACTERS_MAX = 100
CACHED_WORDS_MAX = 100_000

_UNKNOWN, _START, _END = "[UNK]", "[CLS]", "[SEP]"
_SPECIAL = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")
_DROPPED = ("Cc", "Cf", "Co", "Cs", "Mn")
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """A vocabulary, ready to encode."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._ids = {piece: number for number, piece in enumerate(vocabulary)}
        self._unknown = self._ids[_UNKNOWN]
        self._words: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str, tokens_max: int) -> list[int]:
        """Give at most `tokens_max` ids, the start and end tokens included."""
        ids = [self._ids[_START]]
        for part in _SPECIAL.split(text):
            if part in self._ids and _SPECIAL.fullmatch(part):
                ids.append(self._ids[part])
            else:
                self._append_words(part, ids, tokens_max)
            if len(ids) >= tokens_max:
                break
        return [*ids[: tokens_max - 1], self._ids[_END]]

    def _append_words(self, text: str, ids: list[int], tokens_max: int) -> None:
        for word in text.translate(_SPELLING).split():
            ids.extend(self._words.get(word) or self._learn(word))
            if len(ids) >= tokens_max:
                return

    def _learn(self, word: str) -> tuple[int, ...]:
        pieces = self._pieces(word) or (self._unknown,)
        if len(self._words) >= CACHED_WORDS_MAX:
            self._words.clear()
        self._words[word] = pieces
        return pieces

    def _pieces(self, word: str) -> tuple[int, ...] | None:
        """Cut a word greedily, the longest known piece first; None when no cut exists."""
        if len(word) > WORD_CHARACTERS_MAX:
            return None
        pieces: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            for end in range(len(word), start, -1):
                found = self._ids.get(mark + word[start:end])
                if found is not None:
                    pieces.append(found)
                    start = end
                    break
            else:
                return None
        return tuple(pieces)


class _PlainLetters(dict[int, str]):
    """How each character is spelt for the model, learnt as characters are met.

    Decomposing character by character needs no `normalize` of a whole text, which takes quadratic
    time on a long run of combining marks.
    """

    def __missing__(self, code: int) -> str:
        self[code] = spelt = "".join(map(_spell, unicodedata.normalize("NFD", chr(code))))
        return spelt


def _spell(character: str) -> str:
    category = unicodedata.category(character)
    if character in "\t\n\r" or category[0] == "Z":
        return " "
    if category in _DROPPED or character == "\ufffd":
        return ""
    if _stands_alone(character, category):
        return f" {character} "
    return character.lower()


def _stands_alone(character: str, category: str) -> bool:
    code = ord(character)
    if code < 0x80:
        return not character.isalnum()
    return category[0] == "P" or any(first <= code <= last for first, last in _IDEOGRAPHS)


_SPELLING = _PlainLetters()
