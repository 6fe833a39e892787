"""NUL in a note: nobody brings one in, and one that is there can be seen and deleted."""

from pathlib import Path

from tests.live.processes import Clients
from tests.live.product import Product


def test_a_client_that_types_nul_is_told_and_the_note_stays_as_it_is(
    product: Product, clients: Clients
) -> None:
    before = product.note.read_bytes()
    clients.tell("websocket", name="eve", url=product.ws, document=product.document())
    clients.tell("synced", names=["eve"])
    clients.tell("insert", name="eve", at=0, text="a\0b")
    assert clients.tell("closed", name="eve") == 4400
    assert "NUL" in clients.tell("reason", name="eve")
    clients.tell("websocket", name="ana", url=product.ws, document=product.document())
    clients.tell("synced", names=["ana"])
    assert clients.tell("text", name="ana").encode() == before
    assert product.note.read_bytes() == before


def test_a_note_that_has_nul_is_opened_edited_and_mended(tmp_path: Path, clients: Clients) -> None:
    with Product(tmp_path, "one\0two\n") as product:
        clients.tell("websocket", name="ana", url=product.ws, document=product.document())
        clients.tell("synced", names=["ana"])
        assert clients.tell("text", name="ana") == "one\u2400two\n"
        clients.tell("insert", name="ana", at=-1, text="three\n")
        product.settled_file("one\0two\nthree\n")  # what nobody edited keeps its bytes
        clients.tell("remove", name="ana", at=3, length=1)
        product.settled_file("onetwo\nthree\n")
