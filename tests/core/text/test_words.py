import sqlite3
import unicodedata
from time import process_time

import pytest
from hypothesis import given, strategies as st

from commonplace.core.text import words
from tests.core.case_files import cases

# Further on there are characters that SQLite and Python class differently.
EUROPEAN = st.characters(max_codepoint=0x4FF, exclude_categories=["Cn"])
TEXTS = st.one_of(
    st.text(EUROPEAN, max_size=40),
    st.text(alphabet="ab1 -'’_.\n中文かﾞ한é\u0301ह\u093f\u200c😀🥳₽1\ufe0f\u20e3\"", max_size=40),
)


def fts(*texts: str) -> sqlite3.Connection:
    base = sqlite3.connect(":memory:")
    tokenize = "porter unicode61 remove_diacritics 2"
    base.execute(f"CREATE VIRTUAL TABLE notes USING fts5(text, content='', tokenize='{tokenize}')")
    rows = enumerate(map(words.search_form, texts))
    base.executemany("INSERT INTO notes(rowid, text) VALUES (?, ?)", rows)
    return base


def hits(base: sqlite3.Connection, query: str) -> list[int]:
    terms = words.query_terms(query)
    found = base.execute(
        "SELECT rowid FROM notes WHERE notes MATCH ? ORDER BY rowid", [words.fts_query(terms)]
    )
    return [row[0] for row in found]


@pytest.mark.parametrize(("text", "expected"), cases("words_count.md"))
def test_counting(text: str, expected: str) -> None:
    assert words.count(text) == int(expected)


@pytest.mark.parametrize(("text", "expected"), cases("words_search.md"))
def test_the_form_for_search(text: str, expected: str) -> None:
    assert words.search_form(text).lower().split() == expected.lower().split()


@pytest.mark.parametrize(("query", "expected"), cases("words_query.md"))
def test_the_terms_of_a_query(query: str, expected: str) -> None:
    assert words.query_terms(query) == expected.splitlines()


@given(st.text(alphabet="ab1 -'_.\n", max_size=60))
def test_the_fast_count_of_ascii_agrees_with_the_other(text: str) -> None:
    assert words.count(f"{text} é") == words.count(text) + 1


@given(TEXTS, TEXTS)
def test_counts_add_up(one: str, other: str) -> None:
    assert words.count(f"{one} \n{other}") == words.count(one) + words.count(other)


@given(TEXTS)
def test_composed_and_decomposed_texts_count_alike(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert words.count(composed) == words.count(decomposed)


@pytest.mark.parametrize("word", ["がぎぐ", "한국어", "データベース"])
def test_composed_and_decomposed_cjk_have_the_same_bigrams(word: str) -> None:
    decomposed = unicodedata.normalize("NFD", word)
    assert words.search_form(decomposed) == words.search_form(word)
    assert words.query_terms(decomposed) == words.query_terms(word)


@given(TEXTS)
def test_a_query_made_of_a_note_finds_it(text: str) -> None:
    base = fts(text)
    tokens = [term for term in words.query_terms(text) if any(map(str.isalnum, term))]
    if tokens:
        assert hits(base, text) == [0]


@given(st.lists(st.one_of(TEXTS, st.just('"'), st.just("\0"), st.just("a*")), max_size=5))
def test_any_terms_make_a_query_that_is_no_syntax_error(terms: list[str]) -> None:
    if query := words.fts_query(terms):
        fts("a").execute("SELECT rowid FROM notes WHERE notes MATCH ?", [query]).fetchall()


def test_terms_are_quoted_and_joined_by_or() -> None:
    assert words.fts_query(["a", 'b"c', "d\0e", "", "\0"]) == '"a" OR "b""c" OR "de"'
    assert words.fts_query([]) == ""


def test_search_finds_what_people_look_for() -> None:
    base = fts("Le café noir🥳", "数据库的索引", "running 데이터베이스", "state_of-the art")
    assert hits(base, "CAFE") == hits(base, "noir") == [0]
    assert hits(base, "索引") == [1]
    assert hits(base, "数据") == [1]
    assert hits(base, "引索") == []
    assert hits(base, "the run") == [2]
    assert hits(base, "데이터") == [2]
    assert hits(base, "state-of-the-art") == [3]


def test_a_query_has_at_most_32_terms() -> None:
    assert len(words.query_terms(" ".join(f"w{n}" for n in range(100)))) == words.TERMS_MAX
    assert len(words.query_terms("".join(map(chr, range(0x4E00, 0x4E80))))) == words.TERMS_MAX
    assert len(words.query_terms("the " * 100)) == 1


HOSTILE = {
    "a word": "a" * 1_000_000,
    "a non-ASCII word": "é" * 1_000_000,
    "hyphens": "é" + "-" * 1_000_000,
    "joined": "é-" * 500_000,
    "marks": "e" + "\u0301" * 1_000_000,
    "CJK": "中" * 1_000_000,
    "mixed": "中a" * 500_000,
    "keycaps": "1\ufe0f\u20e3" * 300_000,
    "stopwords": "the " * 250_000,
    "jamo": "\u1100\u1161" * 300_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_megabyte_takes_linear_time(text: str) -> None:
    started = process_time()
    words.count(text)
    words.search_form(text)
    words.query_terms(text)
    assert process_time() - started < 4


def test_ascii_is_fast() -> None:
    text = "The quick brown fox doesn't jump over the lazy-bones dog.\n" * 80_000
    started = process_time()
    words.count(text)
    words.search_form(text)
    assert len(text) / (process_time() - started) > 20_000_000


def test_letters_younger_than_sqlite_are_found_in_any_case() -> None:
    for text in ("Ϳ", "Ა", "Ꭰ", "𞤀"):
        assert hits(fts(text), text) == [0]
        assert hits(fts(text.lower()), text) == [0]
