"""Bookmarks in a JSON file as a store of the graph tools, and letters counted as embeddings."""

import json
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np

from commonplace.vault.nodes.plain import PlainStore
from commonplace.vault.nodes.store import Node


class Bookmarks(PlainStore):
    def __init__(self, file):
        self.file = file

    def listed(self):
        for id, mark in json.loads(self.file.read_text()).items():
            yield Node(id, mark["title"], mark["url"], tuple(mark["tags"]), tuple(mark["links"]))


@asynccontextmanager
async def open_store(choice, vault):  # --store bookmarks:///path/of/the/file.json
    store = Bookmarks(Path(choice.url.removeprefix("bookmarks://")))
    yield lambda permissions: store


class Letters:
    id, dimensions, max_tokens = "letters", 26, 1000

    def embed_documents(self, texts):
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text):
        counts = np.array([1 + text.lower().count(chr(97 + n)) for n in range(26)], np.float32)
        return counts / np.linalg.norm(counts)

    def close(self):
        pass


def open_embedder(choice, data):  # --embeddings letters
    return Letters()
