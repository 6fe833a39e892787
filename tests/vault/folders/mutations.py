"""Throws mutated updates at a folder's document; run as a process of its own, since it may die.

python -m tests.vault.folders.mutations COUNT SEED     must print "alive"
"""

import random
import sys
from collections.abc import Callable
from typing import Any

from pycrdt import Doc, Map

from commonplace.core.yjs.encoding import HostileUpdate
from commonplace.errors import Unavailable
from commonplace.vault.documents.folder_document import MAPS, FolderDocument, Touches
from tests.vault.documents.mutations import mutated


def genuine(dice: random.Random) -> list[bytes]:
    """The updates of a list that three clients wrote together."""
    found: list[bytes] = []
    docs: list[Doc[Any]] = [Doc(client_id=dice.randrange(2**53)) for _ in range(3)]
    for step in range(60):
        doc = dice.choice(docs)
        heard: list[bytes] = []
        subscription = doc.observe(lambda event, heard=heard: heard.append(event.update))
        change(doc.get(dice.choice(MAPS), type=Map), dice, step)
        doc.unobserve(subscription)
        for update in heard:
            for other in docs:
                other.apply_update(update)
        found += heard
    return [*found, docs[0].get_update()]


def change(files: "Map[Any]", dice: random.Random, step: int) -> None:
    key = f"/{dice.randrange(8)}.md"
    value = {"id": f"{step:032}", "type": "markdown", "version": 0}
    kinds: list[Callable[[], None]] = [
        lambda: files.__setitem__(key, value),
        lambda: files.__setitem__(key, Map(value)),
        lambda: files.pop(key, None),
        lambda: inside(files, key, step),
    ]
    dice.choice(kinds)()


def inside(files: "Map[Any]", key: str, step: int) -> None:
    there = files.get(key)
    if isinstance(there, Map):
        there["id"] = f"{step:032}"


def through_the_checks(count: int, seed: int) -> None:
    dice = random.Random(seed)
    updates = genuine(dice)
    document = FolderDocument("folder-x", Touches())
    log: list[bytes] = []
    for number in range(count):
        try:
            taken = document.apply(mutated(dice, updates), "eve")
            log += [taken.record] if taken.record else []
        except (HostileUpdate, Unavailable):
            if document.broken:
                document.load(log)
        if number % 50 == 0:
            keys = [(name, key) for name in MAPS for key in document.keys(name)]
            record = document.put([(name, key, None) for name, key in keys]).record
            log += [record] if record else []
        if number % 1000 == 999:
            before = listed(document)
            state = document.snapshot()  # none, if what waits contradicts what is there
            document.load(log if state is None else [state])
            assert listed(document) == before
            document, log, updates = FolderDocument("folder-x", Touches()), [], genuine(dice)


def listed(document: FolderDocument) -> dict[str, dict[str, object]]:
    return {name: {key: document.value(name, key) for key in document.keys(name)} for name in MAPS}


if __name__ == "__main__":
    through_the_checks(int(sys.argv[1]), int(sys.argv[2]))
    print("alive", flush=True)  # noqa: T201
