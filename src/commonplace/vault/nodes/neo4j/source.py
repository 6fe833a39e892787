"""The notes of a vault as they are to stand in its mirror, read from the vault's index.

A note's *fingerprint* stands for everything about it that the mirror shows: what its file says, its
title, and where its links lead. Two sets of notes are compared by fingerprints, and all of them
together by their sum, which a change alters by the change alone.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from commonplace.core import links, paths
from commonplace.core.frontmatter import body
from commonplace.vault.index.queries.links import WrittenLink
from commonplace.vault.index.reader import Index
from commonplace.vault.nodes.neo4j import rows
from commonplace.vault.nodes.neo4j.rows import Row

_NONE = "0" * 32


@dataclass(frozen=True, slots=True)
class LinkEnds:
    """Where links lead: to notes, and to names that no note has; with the kinds of links."""

    targets: dict[str, list[str]]
    wants: dict[str, list[str]]


_TAGS_MAX = 100_000


class VaultSource:
    """Reads a vault's index for the mirror; for one thread at a time."""

    def __init__(self, state: Path, text: Callable[[int], bytes]) -> None:
        self._index = Index(state)
        self._text = text

    def close(self) -> None:
        """Let go of the index."""
        self._index.close()

    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of every note, by path."""
        known = self._index.known()
        titles = self._index.titles(known)
        by_number = {each.note: path for path, each in known.items()}
        leading: dict[str, LinkEnds] = {}
        for note, written in groupby(self._index.links.written(), key=lambda link: link[0]):
            if note in by_number:
                leading[by_number[note]] = _leading(by_number[note], written)
        nowhere = LinkEnds({}, {})
        return {
            path: fingerprint(each.sha, titles[path], leading.get(path, nowhere))
            for path, each in known.items()
        }

    def notes(self, wanted: Collection[str]) -> tuple[list[Row], list[Row]]:
        """Return the rows of some notes, and those of their links; what is gone has none."""
        known = {path: one for path in wanted if (one := self._index.known_one(path)) is not None}
        numbers = [each.note for each in known.values()]
        abouts, tags = self._index.abouts(numbers), self._index.tags.of(numbers, _TAGS_MAX)
        titles = self._index.titles(known)
        leading: dict[int, LinkEnds] = {}
        by_number = {each.note: path for path, each in known.items()}
        for note, written in groupby(self._index.links.written(numbers), key=lambda link: link[0]):
            leading[note] = _leading(by_number[note], written)
        notes: list[Row] = []
        linked: list[Row] = []
        for path, each in known.items():
            about, leads = abouts.get(each.note), leading.get(each.note, LinkEnds({}, {}))
            if about is None:
                continue
            # The corpus ends every text with a newline, whether or not the note does.
            content = body(self._text(each.note).decode("utf-8", "replace"))[: about.chars]
            modified = about.mtime_ns // 1_000_000
            title = about.title or paths.stem(path)
            notes.append(
                rows.mirrored(path, title, content, tags[each.note], about.properties, modified, "")
            )
            print_ = fingerprint(each.sha, titles[path], leads)
            linked.append(_linked(path, leads, print_))
        return notes, linked


def fingerprint(sha: bytes | None, title: str, leads: LinkEnds) -> str:
    """Return what stands for all that the mirror shows of a note."""
    told = hashlib.blake2b(sha or b"", digest_size=16)
    told.update(repr((title, list(leads.targets.items()), sorted(leads.wants.items()))).encode())
    return told.hexdigest()


def total(fingerprints: Iterable[str], before: str = _NONE) -> str:
    """Add fingerprints to a sum, or take them out of it: one that is added twice is gone."""
    number = int(before, 16)
    for each in fingerprints:
        number ^= int(each or "0", 16)
    return f"{number:032x}"


def _leading(source: str, written: Iterable[WrittenLink]) -> LinkEnds:
    targets: dict[str, list[str]] = {}
    wants: dict[str, list[str]] = {}
    for _, target, kind, raw in written:
        if target == source or (target is None and links.is_attachment(raw)):
            continue
        kinds = wants.setdefault(raw, []) if target is None else targets.setdefault(target, [])
        if kind not in kinds:
            kinds.append(kind)
    return LinkEnds(targets, wants)


def _linked(id: str, leads: LinkEnds, fingerprint: str) -> Row:
    return {
        "id": id,
        "fingerprint": fingerprint,
        "links": [
            {"id": target, "order": order, "kinds": kinds}
            for order, (target, kinds) in enumerate(leads.targets.items())
        ],
        "wants": [{"name": name, "kinds": kinds} for name, kinds in sorted(leads.wants.items())],
    }


def batches(values: Collection[str], size: int) -> Iterator[list[str]]:
    """Cut a list into pieces."""
    some = list(values)
    for start in range(0, len(some), size):
        yield some[start : start + size]
