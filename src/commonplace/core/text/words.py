"""Words: how many a text holds, and the form in which full-text search sees them.

Chinese, Japanese and Korean are written without reliable spaces. There a character counts as a
word, and search sees overlapping pairs ("bigrams") instead of words, in notes and queries alike.
`search_form` and `query_terms` must therefore change together: an index that was built with one
answers only the queries of the other.
"""

import operator
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

TERMS_MAX = 32

_HAN = "々〇〡-〩〸-〻㐀-䶿一-鿿豈-\ufaff\U00020000-\U0003fffd"
_KANA = "ぁ-ゖ\u3099\u309aゝ-ゟァ-ヺー-ヿㇰ-ㇿｦ-ﾟ\U0001b000-\U0001b16f"
_HANGUL = "ᄀ-ᇿㄱ-ㆎꥠ-ꥼ가-힣ힰ-ퟻﾠ-ￜ"
_CJK = f"{_HAN}{_KANA}{_HANGUL}"
_CJK_RUN = re.compile(f"[{_CJK}]+")
# SQLite's tables end with Unicode 6.1: a symbol that came later would stick to the word beside it.
_YOUNG_SYMBOLS = "\u20ba-\u20cf\U0001f000-\U0001faff"
_SPELLED_OUT = re.compile(f"[{_CJK}{_YOUNG_SYMBOLS}]+")
_PIECE = re.compile(f"[{_CJK}]+|[^\\s{_CJK}]+")
_NOT_ASCII = re.compile("[^\0-\x7f]+")
_KEYCAP = re.compile("[0-9]\ufe0f?\u20e3")

_JOINERS = frozenset("'’‐‑-\u00ad\u200c\u200d")
_STOPWORD_LIST = """
    a about an and are as at be been but by can d did do does for from had has have how i if in
    into is it its ll m me my no not of on or our re s so t than that the their them then there
    these they this to ve was we were what when where which who why will with you your
"""
_STOPWORDS = frozenset(_STOPWORD_LIST.split())


def count(text: str) -> int:
    """Count the words: runs of letters and digits, with the apostrophes and hyphens inside them."""
    plain = _KEYCAP.sub(" ", text) if "\u20e3" in text else text
    kinds = plain.encode(errors="replace").translate(_ASCII_KINDS)
    if not text.isascii():
        # Few characters of most texts are not ASCII; the slower table is for those alone.
        kinds = _NOT_ASCII.sub(_kinds, kinds.decode()).encode("ascii")
    kinds = b" " + kinds
    # A word starts at a letter behind a space, or behind a hyphen that no letter leads to.
    starts = kinds.count(b" a") + kinds.count(b" -a") + kinds.count(b"--a")
    return starts + kinds.count(b"c")


def search_form(text: str) -> str:
    """Spell out every run of CJK characters as its bigrams and drop emoji; lower case.

    SQLite folds case by tables of 2012, so letters that are younger are folded here.
    """
    return text if text.isascii() else _SPELLED_OUT.sub(_spelled_out, text.lower())


def query_terms(query: str) -> list[str]:
    """Give the terms to look for, in order and once each: words without stopwords, or bigrams."""
    every: dict[str, None] = {}
    telling: dict[str, None] = {}
    for term in _terms(query.lower()):
        if len(every) < TERMS_MAX:
            every[term] = None
        if term not in _STOPWORDS:
            telling[term] = None
        if len(telling) == TERMS_MAX:
            break
    return list(telling or every)


def fts_query(terms: Iterable[str]) -> str:
    """Ask FTS5 for any of the terms, each quoted so that none is read as query syntax."""
    quoted = (term.replace("\0", "").replace('"', '""') for term in terms)
    return " OR ".join(f'"{term}"' for term in quoted if term)


def fts_phrase(text: str) -> str:
    """Ask FTS5 for words that stand side by side; empty if the text has none."""
    together = " ".join(_terms(text.lower()))
    return f'"{together.replace(chr(0), "")}"' if together else ""


def _spelled_out(found: re.Match[str]) -> str:
    runs: list[str] = _CJK_RUN.findall(found[0])
    return f" {' '.join(chain.from_iterable(map(_bigrams, runs)))} "


def _terms(text: str) -> Iterator[str]:
    runs = (match[0] for match in _PIECE.finditer(text.translate(_SPACED)))
    return chain.from_iterable(_bigrams(run) if _CJK_RUN.match(run) else (run,) for run in runs)


def _bigrams(run: str) -> Iterable[str]:
    # File systems and input methods differ in how they compose kana and Hangul.
    run = unicodedata.normalize("NFC", run)
    return map(operator.add, run, run[1:]) if len(run) > 1 else (run,)


def _kind(char: str) -> str:
    """Tell a letter or digit (a), CJK character (c), joiner (-) or separator ( ) from a mark.

    Marks (accents, vowel signs, the inner letters of a decomposed Korean syllable) belong to the
    character before them and have no kind of their own.
    """
    if unicodedata.category(char)[0] == "M" or "\u1160" <= char <= "\u11ff":
        return ""
    if _CJK_RUN.match(char):
        return " c "
    if char.isalnum():
        return "a"
    return "-" if char in _JOINERS else " "


class _Kinds(dict[int, str]):
    """A table for `str.translate` that gives each character's kind."""

    def __missing__(self, code: int) -> str:
        kind = self[code] = _kind(chr(code))
        return kind


def _kinds(found: re.Match[str]) -> str:
    return found[0].translate(_KINDS)


class _Spaced(dict[int, str]):
    """A table for `str.translate` that turns all but letters, digits and marks into spaces."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        spaced = self[code] = " " if _kind(char) in {" ", "-"} else char
        return spaced


_KINDS = _Kinds()
_SPACED = _Spaced()
_ASCII_KINDS = "".join(map(_kind, map(chr, range(128)))).encode() + bytes(range(128, 256))


def fold(text: str) -> str:
    """Return a name or a tag in the form in which it is compared: NFC, without case."""
    return text.lower() if text.isascii() else _folded(text)


# Few are kept: they outlive the notes that they stood in, and one note may have a million tags.
@lru_cache(maxsize=4096)
def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
