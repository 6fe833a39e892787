"""`commonplace serve` on a disk that returns errors for a while, as an assistant meets it."""

from pathlib import Path

import anyio
import pytest

from tests import strace
from tests.live.assistants import call, over_http
from tests.live.product import Product

pytestmark = pytest.mark.slow

WORDS = [f"word{n:02}" for n in range(60)]


async def edited(product: Product) -> tuple[list[str], list[str]]:
    """Edit word after word; tell which were acknowledged, and what was said of the others."""
    saved: list[str] = []
    said: list[str] = []
    async with over_http(product, "Assistant") as assistant:
        await call(assistant, "read", file_path="note.md")
        for word in WORDS:
            text, worked = await call(
                assistant, "edit", file_path="note.md", old_string=word, new_string=f"{word} new"
            )
            (saved if worked else said).append(word if worked else text)
    return saved, said


async def shown(product: Product) -> list[str]:
    async with over_http(product, "Reader") as reader:
        text, _ = await call(reader, "read", file_path="note.md")
    return [row.partition("\t")[2] for row in text.splitlines() if "\tword" in row]


# Many in a row: every ninth one, say, could each time be a record that may come late.
@pytest.mark.parametrize(("calls", "when"), [("pwrite64", "60..90"), ("fdatasync,fsync", "15..25")])
def test_no_edit_is_acknowledged_that_a_failing_disk_lost_and_later_ones_work(
    tmp_path: Path, calls: str, when: str
) -> None:
    product = Product(tmp_path, "".join(f"{word}\n" for word in WORDS))
    with product:
        product.document()
    (state,) = product.state.iterdir()
    log = [str(state / name) for name in ("live.db", "live.db-wal")]
    product.under = strace.failing(calls, when, log)
    with product:
        saved, said = anyio.run(edited, product)
        now = anyio.run(shown, product)
    assert said, "nothing failed"
    assert saved[-3:] != saved[:3], "it did not recover"
    assert {text.partition("(")[0] for text in said} == {"Error: The log could not be written "}
    product.under = []
    with product:
        replayed = anyio.run(shown, product)
    assert replayed == now == [f"{word} new" if word in saved else word for word in WORDS]
