"""Items between any two neighbours: what we take in, real Yjs orders as the engine does.

`ORDER_DOCUMENTS` says with how many documents; each is loaded by both from its updates, one by one,
and from its state.
"""

import base64
import json
import os
import random
import subprocess
from dataclasses import replace
from pathlib import Path

from commonplace.core.yjs.encoding import EarlyUpdate, HostileUpdate, LargeUpdate
from commonplace.core.yjs.policy import PLAIN_TEXT, Policy
from commonplace.vault.documents.document import Document
from commonplace.vault.documents.engine.replica import text_of
from commonplace.vault.documents.trial_worker import try_update
from tests import node
from tests.core.yjs.updates import after, before, between, deleting, first, section, update

DOCUMENTS = int(os.environ.get("ORDER_DOCUMENTS", "400"))
HERE = Path(__file__).parent
Id = tuple[int, int]


def any_item(rng: random.Random, ids: list[Id]) -> bytes:
    """Text between two neighbours, in whichever order, or at one, or none."""
    text = rng.choice(("X", "yz", "pqr"))
    left, right = rng.choice(ids), rng.choice(ids)
    kind = rng.random()
    if kind < 0.1:
        return first(text)
    if kind < 0.2:
        return after(*left, text)
    if kind < 0.3:
        return before(*right, text)
    return between(left, right, text)


def any_update(rng: random.Random, reach: dict[int, int]) -> bytes:
    """Some items of one client, each at what is known or came before it, and a deletion."""
    client = rng.randrange(6)
    clock = reach.get(client, 0)
    items: list[bytes] = []
    ids = [(c, k) for c, end in reach.items() for k in range(end)]
    at = clock
    for _ in range(rng.choice((1, 1, 2, 4))):
        item = any_item(rng, ids)
        size = {b"X": 1, b"z": 2, b"r": 3}[item[-1:]]
        items.append(item)
        ids += [(client, k) for k in range(at, at + size)]
        at += size
    gone = rng.choice(ids)
    deletes = deleting((*gone, 1)) if rng.random() < 0.3 else b"\0"
    return update(section(client, clock, *items), deletes=deletes)


def made(seed: int, policy: Policy) -> tuple[Document, list[bytes]]:
    """Make a document of random updates; those that it took."""
    rng = random.Random(seed)
    note = Document("note", policy=policy)
    begun = update(section(1, 0, first("abcd")))
    note.apply(begun, "eve")
    taken = [begun]
    for _ in range(rng.randrange(1, 9)):
        sent = any_update(rng, dict(note.known))
        try:
            pieces = [sent]
            try:
                note.apply(sent, "eve")
            except LargeUpdate:
                pieces = try_update("note", [note.full_update(), sent])
                for piece in pieces:
                    note.apply(piece, "eve", tried=True)
            taken += pieces
        except (HostileUpdate, EarlyUpdate):
            if note.broken:
                break
    return note, taken


def differing(policy: Policy, count: int) -> tuple[int, int]:
    """Count documents that Yjs orders otherwise, and updates that were taken."""
    documents = [made(seed, policy) for seed in range(count)]
    whole = [(note, taken) for note, taken in documents if not note.broken]
    ways = [[_base64(taken), _base64([note.state()])] for note, taken in whole]
    script = (HERE / "texts.mjs").read_text("utf-8")
    answer = subprocess.run(
        [str(node.node()), "--input-type=module", "--eval", script],
        cwd=node.installed(HERE),
        input="".join(f"{json.dumps(way)}\n" for way in ways),
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    shown = [json.loads(line) for line in answer.stdout.splitlines()]
    assert len(shown) == len(whole)
    ours = [[note.text, text_of(note.state())] for note, _ in whole]
    wrong = sum(one != other for one, other in zip(ours, shown, strict=True))
    return wrong, sum(len(taken) - 1 for _, taken in whole)


def _base64(updates: list[bytes]) -> list[str]:
    return [base64.b64encode(update).decode() for update in updates]


def test_what_is_taken_in_is_shown_alike_by_yjs() -> None:
    wrong, taken = differing(PLAIN_TEXT, DOCUMENTS)
    assert wrong == 0
    assert taken > DOCUMENTS


def test_control_without_the_check_many_are_not() -> None:
    wrong, _ = differing(replace(PLAIN_TEXT, text=False), 200)
    assert wrong > 5
