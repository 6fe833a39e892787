"""Which notes match a pattern, and where: ripgrep over the corpus.

Notes that are not in the corpus yet (a first build is under way) are looked up in their files,
so an answer is complete at any time.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

from commonplace.vault import ripgrep
from commonplace.vault.corpus import Corpus, Haystack, Span
from commonplace.vault.ripgrep import Pattern

# So few notes are searched by themselves, whatever the size of the corpus.
FEW_MAX = 64

Hits = dict[int, list[Span]]
Text = Callable[[int], bytes]


def search_corpus(pattern: Pattern, folder: Path, corpus: Corpus) -> Hits:
    """Search every note of the corpus."""
    hits: Hits = {}
    found = ripgrep.search_files(pattern, folder, corpus.file_names)
    for file_name, spans in found.items():
        _collect(hits, corpus.ranges(file_name).locate(spans))
    return _checked(pattern, hits, lambda note: corpus.text(note) or b"")


def search_notes(pattern: Pattern, notes: Collection[int], text: Text) -> Hits:
    """Search a few notes by themselves."""
    haystack = Haystack((note, text(note)) for note in notes)
    hits: Hits = {}
    _collect(hits, haystack.ranges.locate(ripgrep.search_bytes(pattern, haystack.bytes)))
    return _checked(pattern, hits, text)


def _collect(hits: Hits, located: Iterable[tuple[int, Span]]) -> None:
    for note, span in located:
        hits.setdefault(note, []).append(span)


def _checked(pattern: Pattern, hits: Hits, text: Text) -> Hits:
    """Look again at multi-line matches that took in the line end before their note.

    Joined by NUL alone, a note starts right after it, so nothing can be taken in.
    """
    if not pattern.multiline:
        return hits
    doubtful = [note for note, spans in hits.items() if any(start < 0 for start, _ in spans)]
    if not doubtful:
        return hits
    texts = [text(note) for note in doubtful]
    spans = ripgrep.search_bytes(pattern, b"\0".join(texts))
    again = dict(_split(doubtful, texts, spans))
    kept = {note: spans for note, spans in hits.items() if note not in set(doubtful)}
    return kept | {note: spans for note, spans in again.items() if spans}


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
