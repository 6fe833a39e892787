"""The product itself: `commonplace serve`, clients that others wrote, and a program on the file."""

import os
import random
import signal
from pathlib import Path

import pytest

from tests.live.processes import Clients
from tests.live.product import Product
from tests.wait import until

pytestmark = pytest.mark.slow


def rewritten(note: Path, rng: random.Random, mark: str) -> None:
    """Do what an editor does: read the file, change a line, write it, one way or the other."""
    lines = note.read_text(encoding="utf-8").split("\n")
    lines.insert(rng.randint(0, len(lines)), mark)
    text = "\n".join(lines)
    if rng.random() < 0.5:
        spare = note.with_name(".spare")
        spare.write_text(text, encoding="utf-8")
        os.replace(spare, note)
    else:
        note.write_text(text, encoding="utf-8")


def test_sockets_and_a_program_on_the_file_make_one_text(
    product: Product, clients: Clients
) -> None:
    document = product.document()
    for name in ("ana", "bo"):
        clients.tell("websocket", name=name, url=product.ws, document=document)
    clients.tell("sweet", name="cy", url=product.sweet, document=document)
    names = ["ana", "bo", "cy"]
    clients.tell("synced", names=names)
    rng = random.Random(6)
    for n in range(12):
        clients.begin("edit", names=names, count=25, seed=n, pause=5)
        rewritten(product.note, rng, f"saved by a program {n} 漢😀")
        clients.finish()
    clients.tell("saved", names=names)
    rewritten(product.note, rng, "the last that a program saved")
    until(lambda: "the last that a program saved" in clients.tell("text", name="ana"))
    clients.tell("alike", names=names)
    texts = {clients.tell("text", name=name) for name in names}
    assert len(texts) == 1
    product.settled_file(texts.pop())


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_restart_with_clients_open_duplicates_nothing(
    product: Product, clients: Clients, how: signal.Signals
) -> None:
    document = product.document()
    for name in ("ana", "bo"):
        clients.tell("websocket", name=name, url=product.ws, document=document)
    clients.tell("synced", names=["ana", "bo"])
    marks = [f"«{n}»" for n in range(40)]
    for n, mark in enumerate(marks):
        clients.tell("insert", name=("ana", "bo")[n % 2], at=-1, text=mark)
        if n == 20:
            product.stop(how)
    product.start()
    assert product.document() == document
    clients.tell("synced", names=["ana", "bo"])
    clients.tell("alike", names=["ana", "bo"])
    text = clients.tell("text", name="ana")
    assert [text.count(mark) for mark in marks] == [1] * len(marks)
    product.settled_file(text)
