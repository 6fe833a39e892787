"""How well search finds things: nDCG@10, recall@10 and MRR@10 on labelled sets, and how fast.

    python bench/eval.py FOLDER [--data DIR] [--threads N] [--json]

Each sub-folder of FOLDER is a set in the layout of BEIR:

    corpus.jsonl      {"_id": "d1", "title": "…", "text": "…"}     one document a line
    queries.jsonl     {"_id": "q1", "text": "…"}                   one question a line
    qrels/test.tsv    query-id <tab> corpus-id <tab> score         a header, then one label a line
    source.txt        optional: one line that says where the set comes from, printed below the table

A document is indexed as a note with that title. Three ways to search are compared: by text (the
words, as the index searches them), by meaning (the local model), and both, fused. None of the data
is part of this repository. Vectors are kept in FOLDER/.vectors, because making them is slow.
"""

import argparse
import hashlib
import json
import math
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, quantiles
from typing import Any

import numpy as np
import platformdirs

from commonplace.core.search.chunks import Chunk, chunks
from commonplace.core.search.ranking import best_passages, fuse
from commonplace.core.text import words
from commonplace.vault.embeddings.local import LocalEmbedder
from commonplace.vault.embeddings.model import install
from commonplace.vault.embeddings.provider import Embedder, Floats
from commonplace.vault.embeddings.vectors import Vectors, packed

NOTES, PASSAGES, TOP = 100, 300, 10
WAYS = ("text", "meaning", "both")
BATCH = 256

Scores = dict[int, float]


@dataclass(frozen=True, slots=True)
class Document:
    name: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class LabelledSet:
    name: str
    documents: list[Document]
    queries: dict[str, str]
    labels: dict[str, dict[str, int]]
    source: str


@dataclass(frozen=True, slots=True)
class Measured:
    """One way of searching on one set; times in milliseconds."""

    set: str
    way: str
    documents: int
    queries: int
    ndcg: float
    recall: float
    mrr: float
    p50: float
    p95: float


def read_set(folder: Path) -> LabelledSet:
    labels: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels/test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, score = line.split("\t")
        labels.setdefault(query, {})[document] = int(score)
    documents = [
        Document(row["_id"], row.get("title") or "", row["text"])
        for row in _rows(folder / "corpus.jsonl")
    ]
    queries = {row["_id"]: row["text"] for row in _rows(folder / "queries.jsonl")}
    source = folder / "source.txt"
    return LabelledSet(
        folder.name,
        documents,
        {query: text for query, text in queries.items() if query in labels},
        labels,
        source.read_text(encoding="utf-8").strip() if source.exists() else "",
    )


class TextSearch:
    """The words of a set, indexed as the product indexes them."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._db = sqlite3.connect(":memory:")
        self._db.execute(
            "CREATE VIRTUAL TABLE fulltext USING fts5(title, body, content='',"
            " tokenize='porter unicode61 remove_diacritics 2')"
        )
        self._db.execute("INSERT INTO fulltext(fulltext, rank) VALUES('rank', 'bm25(5.0, 1.0)')")
        self._db.executemany(
            "INSERT INTO fulltext(rowid, title, body) VALUES (?, ?, ?)",
            (
                (number, words.search_form(each.title), words.search_form(each.text))
                for number, each in enumerate(documents)
            ),
        )

    def search(self, query: str) -> Scores:
        terms = words.query_terms(query)
        if not terms:
            return {}
        rows = self._db.execute(
            "SELECT rowid, -rank FROM fulltext WHERE fulltext MATCH ? ORDER BY rank LIMIT ?",
            (words.fts_query(terms), NOTES),
        )
        return dict(rows.fetchall())


class MeaningSearch:
    """The passages of a set, embedded."""

    def __init__(self, documents: list[Document], embedder: Embedder, kept: Path) -> None:
        cut = [
            (note, chunk)
            for note, document in enumerate(documents)
            for chunk in chunks(document.text, document.title)
        ]
        rows = packed(_vectors([chunk for _, chunk in cut], embedder, kept))
        self._embedder = embedder
        self._vectors = Vectors(embedder.dimensions)
        self._vectors.load(
            (number, note, row)
            for number, ((note, _), row) in enumerate(zip(cut, rows, strict=True))
        )

    def search(self, query: str) -> Scores:
        near = self._vectors.search(self._embedder.embed_query(query), PASSAGES)
        best = sorted(best_passages(near).values(), key=lambda passage: -passage.score)
        return {passage.note: passage.score for passage in best[:NOTES]}


def evaluate(labelled: LabelledSet, embedder: Embedder, kept: Path) -> Iterator[Measured]:
    text = TextSearch(labelled.documents)
    meaning = MeaningSearch(labelled.documents, embedder, kept)
    ways: dict[str, Callable[[str], list[int]]] = {
        "text": lambda query: _best(fuse(text.search(query), {})),
        "meaning": lambda query: _best(fuse({}, meaning.search(query))),
        "both": lambda query: _best(fuse(text.search(query), meaning.search(query))),
    }
    for way in WAYS:
        yield _measure(labelled, way, ways[way])


def ndcg(found: list[str], labels: dict[str, int]) -> float:
    ideal = sorted(labels.values(), reverse=True)[:TOP]
    return _gain(labels.get(name, 0) for name in found[:TOP]) / _gain(ideal)


def recall(found: list[str], labels: dict[str, int]) -> float:
    wanted = {name for name, score in labels.items() if score > 0}
    return len(wanted.intersection(found[:TOP])) / len(wanted)


def mrr(found: list[str], labels: dict[str, int]) -> float:
    places = (place for place, name in enumerate(found[:TOP], 1) if labels.get(name, 0) > 0)
    return 1 / next(places, math.inf)


def main() -> None:
    asked = argparse.ArgumentParser(description="Measure search on labelled sets.")
    asked.add_argument("folder", type=Path)
    asked.add_argument("--data", type=Path, default=platformdirs.user_data_path("commonplace"))
    asked.add_argument("--threads", type=int, default=1)
    asked.add_argument("--json", action="store_true")
    given = asked.parse_args()
    sets = sorted(path.parent for path in given.folder.glob("*/corpus.jsonl"))
    if not sets:
        sys.exit(f"No sets in {given.folder}: it needs sub-folders that hold a corpus.jsonl.")
    install.install(given.data, _say)
    embedder = LocalEmbedder(given.data, given.threads)
    results: list[Measured] = []
    sources: list[str] = []
    for folder in sets:
        labelled = read_set(folder)
        _say(f"{labelled.name}: {len(labelled.documents)} documents")
        sources.append(f"{labelled.name}: {labelled.source or 'source not said'}")
        results.extend(evaluate(labelled, embedder, given.folder / ".vectors"))
    print(_as_json(results) if given.json else _as_table(results, sources))


def _measure(labelled: LabelledSet, way: str, search: Callable[[str], list[int]]) -> Measured:
    names = [document.name for document in labelled.documents]
    scores: list[tuple[float, float, float]] = []
    times: list[float] = []
    for query, text in labelled.queries.items():
        started = time.perf_counter()
        found = [names[note] for note in search(text)]
        times.append((time.perf_counter() - started) * 1000)
        labels = labelled.labels[query]
        scores.append((ndcg(found, labels), recall(found, labels), mrr(found, labels)))
    cuts = quantiles(times, n=20, method="inclusive")
    return Measured(
        labelled.name,
        way,
        len(names),
        len(labelled.queries),
        ndcg=fmean(score[0] for score in scores),
        recall=fmean(score[1] for score in scores),
        mrr=fmean(score[2] for score in scores),
        p50=cuts[9],
        p95=cuts[18],
    )


def _vectors(cut: list[Chunk], embedder: Embedder, kept: Path) -> Floats:
    """Embed passages, or take the vectors from a run before."""
    key = hashlib.sha256(embedder.id.encode() + b"".join(chunk.sha256 for chunk in cut))
    file = kept / f"{key.hexdigest()[:32]}.npy"
    if file.exists():
        return np.load(file)
    parts: list[Floats] = []
    for first in range(0, len(cut), BATCH):
        parts.append(embedder.embed_documents([c.text for c in cut[first : first + BATCH]]))
        _say(f"  {min(first + BATCH, len(cut))} of {len(cut)} passages embedded")
    kept.mkdir(exist_ok=True)
    np.save(file, np.concatenate(parts))
    return np.concatenate(parts)


def _best(ranked: Iterable[Any]) -> list[int]:
    return [hit.note for hit in ranked][:TOP]


def _gain(labels: Iterable[int]) -> float:
    return sum((2**label - 1) / math.log2(place + 1) for place, label in enumerate(labels, 1))


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def _as_table(results: list[Measured], sources: list[str]) -> str:
    head = f"{'set':<16} {'docs':>6} {'asked':>6} {'by':<8} nDCG@10   R@10 MRR@10  p50 ms  p95 ms"
    rows = [
        f"{one.set:<16} {one.documents:>6} {one.queries:>6} {one.way:<8}"
        f" {one.ndcg:>7.4f} {one.recall:>6.4f} {one.mrr:>6.4f} {one.p50:>7.1f} {one.p95:>7.1f}"
        for one in results
    ]
    return "\n".join([head, *rows, "", *sources])


def _as_json(results: list[Measured]) -> str:
    fields = Measured.__slots__
    return json.dumps([{name: getattr(one, name) for name in fields} for one in results], indent=2)


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
