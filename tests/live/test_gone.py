"""Clients whose note was deleted, compacted or begun anew, while they watched or were away."""

import shutil
import signal
from urllib.error import HTTPError

import pytest

from commonplace.vault.documents.saver import TAIL_MAX
from tests.live.notes import MIXED
from tests.live.processes import Clients
from tests.live.product import Product

pytestmark = pytest.mark.slow

DELETED = "The note was deleted."


def join(product: Product, clients: Clients, name: str) -> str:
    document = product.document()
    clients.tell("websocket", name=name, url=product.ws, document=document)
    clients.tell("synced", names=[name])
    return document


def sent_away(clients: Clients, name: str) -> None:
    """Expect that a client was told what happened, and stays away."""
    assert clients.tell("closed", name=name) == 4404
    assert clients.tell("reason", name=name) == DELETED


def test_who_has_a_deleted_note_open_is_sent_away_and_its_path_is_free(
    product: Product, clients: Clients
) -> None:
    first = join(product, clients, "ana")
    clients.tell("insert", name="ana", at=-1, text="last words")
    trash = product.tell("/api/notes/delete", path="note.md")["trash"]
    sent_away(clients, "ana")
    assert not product.note.exists()
    assert (product.folder / trash).read_text(encoding="utf-8") == MIXED + "last words"
    clients.tell("websocket", name="late", url=product.ws, document=first)
    assert clients.tell("closed", name="late") == 4404

    product.tell("/api/notes", path="note.md", content="anew\n")
    second = join(product, clients, "bo")
    assert second != first
    clients.tell("insert", name="bo", at=-1, text="by bo")
    product.settled_file("anew\nby bo")

    product.note.unlink()
    sent_away(clients, "bo")
    product.note.write_text("a third\n", encoding="utf-8")
    assert join(product, clients, "cy") not in (first, second)
    assert clients.tell("text", name="cy") == "a third\n"
    assert clients.tell("text", name="bo") == "anew\nby bo"


def test_one_who_was_away_while_the_log_was_compacted_and_restarted_misses_nothing(
    product: Product, clients: Clients
) -> None:
    document = join(product, clients, "ana")
    join(product, clients, "bo")
    clients.tell("insert", name="ana", at=0, text="before ")
    clients.tell("alike", names=["ana", "bo"])
    clients.tell("disconnect", name="ana")
    clients.tell("insert", name="ana", at=-1, text="«offline 😀»")
    for n in range(TAIL_MAX + 20):
        clients.tell("insert", name="bo", at=-1, text=f"«{n}»")
    product.stop(signal.SIGTERM)
    product.start()
    assert product.document() == document
    clients.tell("connect", name="ana")
    clients.tell("synced", names=["ana", "bo"])
    clients.tell("alike", names=["ana", "bo"])
    text = clients.tell("text", name="ana")
    marks = ["before ", "«offline 😀»", *(f"«{n}»" for n in range(TAIL_MAX + 20))]
    assert [text.count(mark) for mark in marks] == [1] * len(marks)
    product.settled_file(text)


def test_a_history_begun_anew_is_not_mixed_with_the_old_one(
    product: Product, clients: Clients
) -> None:
    """A document that is made anew from its file has another id.

    So a client that still has the old history cannot put its text beside the new one, whatever it
    knows of epochs: it is refused, and the page loads the note again.
    """
    old = join(product, clients, "ana")
    clients.tell("disconnect", name="ana")
    clients.tell("insert", name="ana", at=-1, text="never arrived")
    product.stop(signal.SIGTERM)
    shutil.rmtree(product.state)
    product.note.write_text(MIXED + "changed meanwhile\n", encoding="utf-8")
    product.start()
    assert product.document() != old
    clients.tell("connect", name="ana")
    assert clients.tell("closed", name="ana") == 4404
    join(product, clients, "bo")
    assert clients.tell("text", name="bo") == MIXED + "changed meanwhile\n"
    product.settled_file(MIXED + "changed meanwhile\n")


def test_one_who_has_a_renamed_note_open_finds_it_by_its_id(product: Product) -> None:
    document = product.document()
    product.tell("/api/notes/rename", path="note.md", to="away/other.md")
    assert product.ask("/api/document", id=document)["path"] == "away/other.md"
    product.tell("/api/notes/delete", path="away/other.md")
    with pytest.raises(HTTPError, match="404"):
        product.ask("/api/document", id=document)
    with pytest.raises(HTTPError, match="404"):
        product.ask("/api/document", id="nobody")
