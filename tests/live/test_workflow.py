"""The whole way of a suggestion: made, made over, commented on, decided, learned."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.live.assistants import call, over_http
from tests.live.product import Product
from tests.wait import becomes, eventually, has_words

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

TEXT = "# Packing\n\nBring the red folder.\n\nTake a pen along.\n\nFeed the cat first.\n"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def review(product: Product, *flags: str) -> str:
    done = subprocess.run(
        [*product.command("review"), *flags],
        env=product.env,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_from_the_first_read_to_what_another_process_learns(
    tmp_path: Path, era: Literal["auto", "legacy"]
) -> None:
    with Product(tmp_path, TEXT, "--embeddings", "none") as product:
        async with over_http(product, "ada", era) as ada:
            assert (await call(ada, "read", file_path="note.md"))[1]
            for old, new in (
                ("red", "blue"),
                ("blue", "green"),  # over what still waits
                ("a pen", "two pens"),
                ("cat", "dog"),
            ):
                edit = {"file_path": "note.md", "old_string": old, "new_string": new}
                said, done = await call(ada, "edit", **edit)
                assert done, said
            marked = product.note.read_text("utf-8")
            assert "{--red--}{++green++}" in marked  # answered means written
            assert marked.count("{++") == 3

            # A person asks for something in the file, and the assistant finds it.
            product.note.write_text(marked.replace("along.", "along. {>>Ada: which colour?<<}"))

            async def found() -> str:
                asked = {"pattern": "which colour", "output_mode": "content"}
                return (await call(ada, "grep", **asked))[0]

            await becomes(found, "note.md:5:{>>Ada: which colour?<<}")
            assert (
                '"Ada: which colour?" on "Take two pens along."'
                in (await call(ada, "read", file_path="note.md"))[0]
            )

            # Decided in the page, in the terminal, and in a text editor.
            rows = product.ask("/api/suggestions")["suggestions"]
            folder, pens, cat = sorted(rows, key=lambda row: row["line"])
            only: Any = [{"path": "note.md", "id": folder["id"]}]
            refusal = {"decision": "reject", "reason": "It IS red.", "suggestions": only}
            product.tell("/api/review", **refusal)
            assert "Bring the red folder." in product.note.read_text("utf-8")
            listed = json.loads(review(product, "--list", "--json"))["suggestions"]
            (name,) = [row["name"] for row in listed if row["new"] == pens["new"]]
            review(product, "--accept", name)
            text = product.note.read_text("utf-8")
            assert "Take two pens along." in text
            assert cat["new"] == "dog"
            product.note.write_text(text.replace("{--cat--}{++dog++}", "dog"))
            await eventually(lambda: len(product.ask("/api/review/ledger")["entries"]) >= 4)

        # Another process, another connection: the assistant learns all of it, once.
        product.stop(signal.SIGTERM)
        product.start()
        async with over_http(product, "ada", era) as ada:
            told = (await call(ada, "read", file_path="note.md"))[0]
            decided = told.partition("[Decided since your last read]\n")[2]
            assert "rejected by " in decided
            assert '{--red--}{++green++} (reason: "It IS red.")' in decided
            assert "{--a pen--}{++two pens++}" in decided
            assert "accepted by another program, in the file: {--cat--}{++dog++}" in decided
            assert "[Pending suggestions]" not in told
            again = (await call(ada, "read_note", path="note.md"))[0]
            assert "decided" not in json.loads(again)
        has_words(product.note, "Feed the dog first.")
