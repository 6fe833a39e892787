"""Joined texts, and ripgrep over them."""

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from commonplace.core.excerpts import matching_lines
from commonplace.errors import BadArgument
from commonplace.vault.index.corpus.shards import Corpus, CorpusWriter
from commonplace.vault.search.grep import Hits, search_corpus, search_notes
from commonplace.vault.search.ripgrep import Pattern


def joined(folder: Path, texts: list[str], shards: int = 2) -> Corpus:
    """Write texts as notes 0, 1, 2, ... and open the corpus."""
    writer = CorpusWriter(folder, 1, shards)
    corpus = Corpus(folder, 1, shards)
    for note, text in enumerate(texts):
        corpus.place(note, writer.append(text))
    writer.close()
    return corpus


def lines(folder: Path, texts: list[str], pattern: Pattern) -> dict[int, list[int]]:
    """Search the corpus; the matching lines by note."""
    corpus = joined(folder, texts)
    hits = search_corpus(pattern, folder, corpus)
    return {
        note: list(matching_lines(corpus.text(note) or b"", spans)) for note, spans in hits.items()
    }


def test_each_note_comes_back_as_it_went_in(tmp_path: Path) -> None:
    corpus = joined(tmp_path, ["one\n", "two", "", "drei\nvier\n"])
    assert [corpus.text(n) for n in range(4)] == [b"one\n", b"two\n", b"", b"drei\nvier\n"]


def test_matching_lines_are_told_by_note_and_number(tmp_path: Path) -> None:
    texts = ["fox\nhen\nfox fox", "hen", "", "x\n\nfox\n"]
    assert lines(tmp_path, texts, Pattern("fox")) == {0: [1, 3], 3: [3]}
    assert lines(tmp_path, texts, Pattern("FOX", ignore_case=True)) == {0: [1, 3], 3: [3]}


def test_anchors_see_the_lines_of_the_note_alone(tmp_path: Path) -> None:
    texts = ["fox\nhen", "hen fox", "", "\nfox"]
    assert lines(tmp_path, texts, Pattern("^fox$")) == {0: [1], 3: [2]}
    assert lines(tmp_path, texts, Pattern("^$")) == {3: [1]}
    assert lines(tmp_path, texts, Pattern("^")) == {0: [1, 2], 1: [1], 3: [1, 2]}


def test_no_separator_is_ever_a_match(tmp_path: Path) -> None:
    texts = ["a", "b\n", ""]
    assert lines(tmp_path, texts, Pattern(r"\x00")) == {}
    assert lines(tmp_path, texts, Pattern(r"[^ab]")) == {}


def test_a_multiline_match_stays_in_its_note(tmp_path: Path) -> None:
    texts = ["start\nmiddle\nend\n", "start only\n", "end only\n", "x\nstart end"]
    pattern = Pattern("start.*end", multiline=True)
    assert lines(tmp_path, texts, pattern) == {0: [1, 2, 3], 3: [2]}


def test_a_multiline_match_does_not_take_in_the_line_end_before_its_note(tmp_path: Path) -> None:
    texts = ["zero\n", "first\n", "x\nfirst\n", "last\n"]
    assert lines(tmp_path, texts, Pattern(r"\nfirst", multiline=True)) == {2: [1, 2]}
    assert lines(tmp_path, texts, Pattern(r"\s*first", multiline=True)) == {1: [1], 2: [1, 2]}


def test_a_changed_note_is_found_by_its_new_text_alone(tmp_path: Path) -> None:
    writer = CorpusWriter(tmp_path, 1, 2)
    corpus = Corpus(tmp_path, 1, 2)
    for note, text in enumerate(["old\n", "", "other old\n"]):
        corpus.place(note, writer.append(text))
    corpus.place(0, writer.append("new\n"))
    corpus.place(1, writer.append("filled\n"))
    corpus.forget(2)
    writer.flush()
    assert search_corpus(Pattern("old"), tmp_path, corpus) == {}
    assert set(search_corpus(Pattern("new|filled"), tmp_path, corpus)) == {0, 1}
    assert corpus.text(2) is None
    writer.close()


@pytest.mark.parametrize("regex", ["(", "[a", "a{1000}{1000}{1000}", r"(?<=a)b", r"(a)\1", "*a"])
def test_a_bad_pattern_is_told_why(tmp_path: Path, regex: str) -> None:
    for multiline in (False, True):
        with pytest.raises(BadArgument, match=r"^Invalid regex pattern: \S"):
            search_corpus(Pattern(regex, multiline=multiline), tmp_path, joined(tmp_path, ["ab"]))


def test_an_overlong_pattern_is_refused_before_anything_runs() -> None:
    with pytest.raises(BadArgument, match="10000 characters"):
        Pattern("a" * 10_000)


def test_a_pattern_that_hangs_other_engines_is_answered_at_once(tmp_path: Path) -> None:
    text = "a" * 100_000 + "!"
    assert lines(tmp_path, [text], Pattern("(a+)+$")) == {}
    assert lines(tmp_path, [text], Pattern("(a|aa)+!")) == {0: [1]}


def test_a_pattern_that_looks_like_an_option_is_a_pattern(tmp_path: Path) -> None:
    texts = ["--files here", "-e x"]
    assert lines(tmp_path, texts, Pattern("--files")) == {0: [1]}
    assert lines(tmp_path, texts, Pattern("-e")) == {1: [1]}


_text = st.text(alphabet="ab\n é漢", max_size=12)
_regex = st.sampled_from(["a", "^a", "b$", "^$", "a.b", r"\s", "é", "[^a]", "a|b", "漢+", "a*"])


@settings(max_examples=60, deadline=None)
@given(st.lists(_text, max_size=6), _regex, st.booleans())
def test_the_corpus_finds_what_each_note_by_itself_would(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], regex: str, multiline: bool
) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    pattern = Pattern(regex, multiline=multiline)
    corpus = joined(folder, texts)
    alone: Hits = {}
    for note in range(len(texts)):
        alone |= search_notes(pattern, [note], lambda n: corpus.text(n) or b"")

    def shown(hits: Hits) -> dict[int, list[int]]:
        return {n: list(matching_lines(corpus.text(n) or b"", spans)) for n, spans in hits.items()}

    assert shown(search_corpus(pattern, folder, corpus)) == shown(alone)
