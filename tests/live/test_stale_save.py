"""An editor that read a note before we last wrote it, and saves it when no server runs any more."""

import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests import wait
from tests.live.product import Product
from tests.live.typist import typist

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

BEFORE = "".join(f"line {n}\n" for n in range(20))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def saved_late(folder: Path, how: signal.Signals, *, forget: bool = False) -> str:
    """Type, end the server, save what an editor had read before; return the note after a start."""
    product = Product(folder, BEFORE)
    product.start()
    try:
        async with typist(f"{product.ws}/{product.document()}") as person:
            await person.type(0, "first ")
            await person.in_step()
            product.settled_file("first " + BEFORE)
            read = product.note.read_text()
            await person.type(0, "acknowledged ")
            await person.in_step()
            product.settled_file("acknowledged first " + BEFORE)
            if forget:
                _wait_for_record(product.state)
    finally:
        product.stop(how)
    if forget:
        _forget(product.state)
    product.note.write_text(read + "by the editor\n")
    with product:
        async with typist(f"{product.ws}/{product.document()}") as person:
            await person.in_step()
            text = str(person)
        product.settled_file(text)
    return text


def _wait_for_record(state: Path) -> None:
    """Wait until the write is on record as done: until then its intent says what was before."""
    (found,) = state.rglob("live.db")

    def recorded() -> bool:
        with closing(sqlite3.connect(f"file:{found}?mode=ro", uri=True)) as db:
            (count,) = db.execute("SELECT count(*) FROM disk WHERE before NOT NULL").fetchone()
        return count == 1

    wait.until(recorded)


def _forget(state: Path) -> None:
    (found,) = state.rglob("live.db")
    with sqlite3.connect(found) as db:
        assert db.execute("UPDATE disk SET before = NULL WHERE before NOT NULL").rowcount == 1
    db.close()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
async def test_what_was_acknowledged_and_what_was_saved_are_both_kept(
    tmp_path: Path, how: signal.Signals
) -> None:
    assert await saved_late(tmp_path, how) == f"acknowledged first {BEFORE}by the editor\n"


async def test_a_record_without_what_was_before_would_lose_it(tmp_path: Path) -> None:
    text = await saved_late(tmp_path, signal.SIGKILL, forget=True)
    assert text == f"first {BEFORE}by the editor\n"
