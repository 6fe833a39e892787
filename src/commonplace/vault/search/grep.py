"""Which notes match a pattern, and where: ripgrep over the corpus.

If the pattern has a text that is rare, the corpus is asked for the lines that hold it; where that
is all of the pattern, they are the answer, else ripgrep looks at their notes alone.

Notes that are not in the corpus yet (a first build is under way) are looked up in their files,
so an answer is complete at any time.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from commonplace.core.search.literals import literals
from commonplace.vault import memory
from commonplace.vault.index.corpus.fragments import LITERAL_BYTES_MIN
from commonplace.vault.index.corpus.ranges import Haystack, Span
from commonplace.vault.index.corpus.shards import Corpus
from commonplace.vault.search import ripgrep
from commonplace.vault.search.ripgrep import Pattern

# So few notes are searched by themselves, whatever the size of the corpus.
FEW_MAX = 64
FEW_BYTES_MAX = 1 << 18
# To read what ripgrep says of so many lines takes memory that is worth giving back.
MANY_MIN = 200_000

Hits = dict[int, Sequence[Span]]
Text = Callable[[int], bytes]


def search_corpus(pattern: Pattern, folder: Path, corpus: Corpus) -> Hits:
    """Search every note of the corpus."""
    wanted = literals(pattern.regex, LITERAL_BYTES_MIN, ignore_case=pattern.ignore_case)
    if wanted and (lines := corpus.lines_with(wanted)) is not None:
        hits = _lines_by_note(lines, corpus)
        if wanted.whole and not pattern.multiline:
            return hits
        if corpus.size_of(hits) <= FEW_BYTES_MAX:
            return search_notes(pattern, hits, lambda note: corpus.text(note) or b"")
    return search_with_ripgrep(pattern, folder, corpus)


def search_with_ripgrep(pattern: Pattern, folder: Path, corpus: Corpus) -> Hits:
    """Let ripgrep search the whole corpus."""
    if not pattern.multiline:
        lines = ripgrep.lines_in_files(pattern, folder, corpus.file_names)
        if sum(map(len, lines.values())) > MANY_MIN:
            memory.give_back()
        return _lines_by_note(lines, corpus)
    spans = ripgrep.spans_in_files(pattern, folder, corpus.file_names)
    located = (pair for name, found in spans.items() for pair in corpus.ranges(name).locate(found))
    return _checked(pattern, _collected(located), lambda note: corpus.text(note) or b"")


def search_notes(pattern: Pattern, notes: Collection[int], text: Text) -> Hits:
    """Search a few notes by themselves."""
    haystack = Haystack((note, text(note)) for note in notes)
    if not pattern.multiline:
        return dict(haystack.ranges.locate_lines(ripgrep.lines_in(pattern, haystack.bytes)))
    located = haystack.ranges.locate(ripgrep.spans_in(pattern, haystack.bytes))
    return _checked(pattern, _collected(located), text)


def _lines_by_note(lines: Mapping[str, Sequence[int]], corpus: Corpus) -> Hits:
    return {
        note: found
        for name, offsets in lines.items()
        for note, found in corpus.ranges(name).locate_lines(offsets)
    }


def _collected(located: Iterable[tuple[int, Span]]) -> dict[int, list[Span]]:
    hits: dict[int, list[Span]] = {}
    for note, span in located:
        hits.setdefault(note, []).append(span)
    return hits


def _checked(pattern: Pattern, hits: dict[int, list[Span]], text: Text) -> Hits:
    """Look again at multi-line matches that took in the line end before their note.

    Joined by NUL alone, a note starts right after it, so nothing can be taken in.
    """
    doubtful = [note for note, spans in hits.items() if any(start < 0 for start, _ in spans)]
    if not doubtful:
        return {**hits}
    texts = [text(note) for note in doubtful]
    spans = ripgrep.spans_in(pattern, b"\0".join(texts))
    again = dict(_split(doubtful, texts, spans))
    return {note: spans for note, spans in (hits | again).items() if spans}


def _split(
    notes: list[int], texts: list[bytes], spans: list[Span]
) -> Iterator[tuple[int, list[Span]]]:
    start, rest = 0, iter([*spans, (1 << 62, 1 << 62)])
    span = next(rest)
    for note, text in zip(notes, texts, strict=True):
        mine: list[Span] = []
        while span[0] <= start + len(text) and span[0] < 1 << 62:
            mine.append((span[0] - start, span[1] - start))
            span = next(rest)
        yield note, mine
        start += len(text) + 1
