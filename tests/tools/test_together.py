"""Two assistants, a person who types and two who decide, all in one paragraph."""

import random
import re
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from mcp import Client

from commonplace.core import critic
from commonplace.core.text.edits import Edit
from commonplace.errors import Conflict, NotFound
from commonplace.server.mcp.server import build
from commonplace.server.mcp.vault_resources import VaultResources
from commonplace.tools import files
from commonplace.tools.table import Toolbox
from tests.tools.conftest import text_of

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

OpenDesk = Callable[[dict[str, Any]], Any]

ROUNDS = 500


async def test_nothing_is_lost_when_all_work_on_one_paragraph(desk: OpenDesk) -> None:
    at = await desk({"a.md": "start middle end\n"})
    rng = random.Random(11)
    typed: list[str] = []
    suggested: list[str] = []
    other = Client(
        build(Toolbox(files.tools(at.vault)), VaultResources(at.vault), version="0"), mode="legacy"
    )

    async def assistant(client: Client, name: str) -> None:
        for number in range(ROUNDS // 4):
            word = f"{name}{number}"
            shown = text_of(await client.call_tool("read", {"file_path": "a.md"}))
            words = re.findall(r"[a-z]+\d*", shown.split("\n\n[")[0].partition("\t")[2])
            old = rng.choice(words)
            result = await client.call_tool(
                "edit", {"file_path": "a.md", "old_string": old, "new_string": f"{old} {word}"}
            )
            text = text_of(result)
            if not result.is_error:
                suggested.append(word)
            else:
                assert "not unique" in text or "not found" in text or "changed since" in text, text
            await anyio.sleep(0)

    async def person() -> None:
        for number in range(ROUNDS // 4):
            word = f"typed{number}"

            def type_it(text: str, word: str = word) -> list[Edit]:
                # A person types between words of plain text, never inside a mark.
                marks = [(s.start, s.end) for s in critic.suggestions(text)]
                free = [
                    n
                    for n in range(len(text) + 1)
                    if (n == 0 or text[n - 1 : n] in " \n")
                    and not any(start < n < end for start, end in marks)
                ]
                place = rng.choice(free)
                return [Edit(place, place, f"{word} ")]

            await at.vault.notes.edit("a.md", type_it, "person:typist")
            typed.append(word)
            await anyio.sleep(0)

    async def reviewer(name: str) -> None:
        for _ in range(ROUNDS // 8):
            waiting = critic.suggestions(await at.vault.texts.marked("a.md"))
            if waiting:
                one = rng.choice(waiting)
                verdict = rng.choice(["accept", "reject"])
                try:
                    await at.vault.review.decide(verdict, {"a.md": [one.id]}, name)
                except (Conflict, NotFound):
                    continue
            await anyio.sleep(0)

    async with other, anyio.create_task_group() as tasks:
        tasks.start_soon(assistant, at.client, "ant")
        tasks.start_soon(assistant, other, "bee")
        tasks.start_soon(person)
        tasks.start_soon(reviewer, "anna")
        tasks.start_soon(reviewer, "ben")
    marked = await at.vault.texts.marked("a.md")
    base, accepted = critic.base(marked), critic.accepted(marked)
    for word in typed:
        assert word in accepted.split() or word in base.split(), word
    for delimiter in critic.DELIMITERS:
        assert delimiter not in accepted
        assert delimiter not in base
    ledger = at.vault.ledger.decisions(10_000)
    keys = [(one.id, one.time) for one in ledger]
    assert len(keys) == len(set(keys))
    waiting = {s.id for s in critic.suggestions(marked)}
    await at.vault.review.decide("accept", {"a.md": waiting}, "anna")
    assert await at.vault.texts.marked("a.md") == accepted
    await at.vault.notes.queue.flush_all()
    assert (at.folder / "a.md").read_text() == accepted
    assert len(suggested) > ROUNDS // 10
