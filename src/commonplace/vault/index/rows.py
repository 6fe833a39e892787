"""Notes as rows of the index: plain tuples, made by whoever read them, stored by the one writer.

They hold no objects of ours, so they cross from one process to another as fast as bytes are
copied, and go into the tables as they come. What comes out of `packed` is for processes of the
same program alone.
"""

import marshal
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from commonplace.core.digest import Digest
from commonplace.core.text.words import fold
from commonplace.vault.files.reader import Listed

Row = tuple[Any, ...]
# (note, text, title to search, body to search: a text, or how much of the end of the note's own)
TextRow = tuple[int, str, str, str | int]


@dataclass(frozen=True, slots=True)
class Fresh:
    """A note file as it was just read: digested, or the reason why it cannot be."""

    listed: Listed
    sha: bytes
    digest: Digest | None
    problem: str | None = None


@dataclass(slots=True)
class Rows:
    """What several notes put into each table; `notes` are digested, `broken` could not be."""

    notes: list[Row] = field(default_factory=list[Row])
    broken: list[Row] = field(default_factory=list[Row])
    texts: list[TextRow] = field(default_factory=list[TextRow])
    names: list[tuple[str, int, int, str]] = field(default_factory=list[tuple[str, int, int, str]])
    links: list[Row] = field(default_factory=list[Row])
    tags: list[Row] = field(default_factory=list[Row])
    properties: list[Row] = field(default_factory=list[Row])
    suggestions: list[Row] = field(default_factory=list[Row])

    def add(self, note: int, fresh: Fresh) -> None:
        """Take a note that has this number in the index."""
        _, *identity = identified(fresh.listed)
        if fresh.digest is None:
            self.broken.append((note, *identity, fresh.sha, fresh.problem))
        else:
            self._add_digest(note, (note, *identity, fresh.sha), fresh.digest)

    def ids(self) -> list[int]:
        """Tell the numbers of all notes."""
        return [row[0] for row in chain(self.notes, self.broken)]

    def known(self) -> Iterator[tuple[int, tuple[int, bytes]]]:
        """Tell the number, inode and hash of all notes."""
        return ((row[0], (row[4], row[5])) for row in chain(self.notes, self.broken))

    def packed(self) -> bytes:
        """Write the rows as bytes."""
        # Version 2 spares looking for values that are the same object: there are hardly any.
        return marshal.dumps(self._lists(), 2)

    @classmethod
    def unpacked(cls, data: bytes) -> "Rows":
        """Read what `packed` wrote."""
        return cls(*marshal.loads(data))  # noqa: S302 (from a worker of this very process)

    def _lists(self) -> tuple[list[Row], ...]:
        lists = (self.notes, self.broken, self.texts, self.names)
        return (*lists, self.links, self.tags, self.properties, self.suggestions)

    def _add_digest(self, note: int, identity: Row, made: Digest) -> None:
        counts = (made.words, made.chars, made.headings, made.code_blocks, made.wikilinks)
        self.notes.append((*identity, made.title, *counts, made.frontmatter, made.fault))
        self.texts.append((note, made.text, made.search_title, _shortened(made)))
        self.names += [(key, note, int(kind), name) for key, kind, name in made.names]
        self.links += [(note, n, *row) for n, row in enumerate(made.links)]
        self.tags += [(note, n, tag, fold(tag)) for n, tag in enumerate(made.tags)]
        self.properties += [(note, key, value) for key, value in made.properties]
        self.suggestions += [(note, row[0], n, *row[1:]) for n, row in enumerate(made.pending)]


def identified(listed: Listed) -> tuple[str, str | None, int, int, int]:
    """Give a file's path, its name on disk if that differs, and its stamp."""
    stamp = listed.stamp
    return listed.path, listed.on_disk, stamp.mtime_ns, stamp.size, stamp.inode


def searched(row: TextRow) -> tuple[int, str, str]:
    """Give a text as the full-text index takes it: number, title, body."""
    note, text, title, body = row
    return note, title, text[len(text) - body :] if isinstance(body, int) else body


def _shortened(made: Digest) -> str | int:
    """Most bodies are searched as they are written: their length says which part they are."""
    same = made.text.endswith(made.search_body)
    return len(made.search_body) if same else made.search_body
