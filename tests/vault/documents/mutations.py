"""Throws mutated updates at a document; run as a process of its own, since it may die.

python -m tests.vault.documents.mutations COUNT SEED     through the checks: must print "alive"
python -m tests.vault.documents.mutations naive          the control: one update, no checks
"""

import random
import sys

from pycrdt import Doc, Map, Text

from commonplace.core.text.edits import Edit
from commonplace.core.yjs.encoding import EarlyUpdate, HostileUpdate, var_string
from commonplace.vault.documents.document import Document

PIECES = ["a", "word ", "\r\n", "é", "漢", "😀", "👩‍👧"]


def genuine(dice: random.Random) -> list[bytes]:
    """The updates of a note that three actors wrote together."""
    note = Document("note", draw_client=lambda: dice.randrange(2**53))
    found: list[bytes] = []
    for _ in range(60):

        def plan(text: str) -> list[Edit]:
            start = dice.randrange(len(text) + 1)
            end = min(len(text), start + dice.choice([0, 0, 0, 1, 5]))
            return [Edit(start, end, dice.choice(PIECES))]

        found.append(note.edit(plan, dice.choice("abc")).update)
    found = [update for update in found if update]
    return [*found, note.state(), note.update_since(b"\0"), of_a_map()]


def of_a_map() -> bytes:
    """An update of another kind of document."""
    doc: Doc[Map[object]] = Doc()
    files = doc.get("filemeta_v0", type=Map)
    files["/a.md"] = {"id": "1", "version": 0, "tags": [1, 2.5, None, True]}
    return doc.get_update()


def mutated(dice: random.Random, updates: list[bytes]) -> bytes:
    data = bytearray(dice.choice(updates))
    for _ in range(dice.choice([1, 1, 2, 4])):
        at = dice.randrange(len(data) + 1)
        match dice.randrange(6):
            case 0 if at < len(data):
                data[at] ^= 1 << dice.randrange(8)
            case 1 if at < len(data):
                data[at] = dice.choice([0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)])
            case 2:
                del data[at : at + dice.randrange(1, 4)]
            case 3:
                data[at:at] = dice.randbytes(dice.randrange(1, 4))
            case 4:
                other = dice.choice(updates)
                data[at:] = other[dice.randrange(len(other)) :]
            case _:
                data[at:at] = data[at : at + dice.randrange(1, 20)]
    return bytes(data)


def attack(count: int, seed: int) -> None:
    dice = random.Random(seed)
    updates = genuine(dice)
    log: list[bytes] = []
    note = Document("note")
    refused = broken = 0
    for number in range(count):
        if number % 200 == 0:
            check_log(note, log)
            note, log = Document("note"), []
            known = updates[: dice.randrange(60)]
            log += [kept for u in known if (kept := note.apply(u, "someone").record)]
        try:
            record = note.apply(mutated(dice, updates), "stranger").record
        except (EarlyUpdate, HostileUpdate):
            refused += 1
        else:
            log += [record] if record else []
        if note.broken:
            broken += 1
            note.load(log)
    check_log(note, log)
    sys.stdout.write(f"alive {count} refused {refused} broken {broken}\n")


def check_log(note: Document, log: list[bytes]) -> None:
    """The log must load, and give the text that was shown."""
    copy = Document("note")
    copy.load(log)
    assert copy.text == note.text
    assert copy.known == note.known


def naive() -> None:
    doc: Doc[Text] = Doc()
    doc.get("contents", type=Text)
    deep = b"\x75\x01" * 50_000 + b"\x7e"
    doc.apply_update(b"\x01\x01\x01\0\x08\x01" + var_string("contents") + b"\x01" + deep + b"\0")
    sys.stdout.write("alive\n")


if __name__ == "__main__":
    if sys.argv[1] == "naive":
        naive()
    else:
        attack(int(sys.argv[1]), int(sys.argv[2]))
