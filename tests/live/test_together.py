"""All at once on one note of a real server: assistants, a person who types, two who decide.

`COMMONPLACE_ROUNDS` asks for more rounds than a test can take; `make laws` does.
"""

import json
import os
import random
import re
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client

from commonplace.core import critic
from tests.live.assistants import call, over_http, over_stdio
from tests.live.product import Product
from tests.live.typist import Typist, free_places, typist

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

ROUNDS = int(os.environ.get("COMMONPLACE_ROUNDS", "60"))
LEDGER_MAX = 500
REFUSALS = ("not unique", "not found", "changed since")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def product(tmp_path: Path) -> Generator[Product]:
    flags = ("--policy", "update=allow", "--embeddings", "none")
    with Product(tmp_path, "start middle end\n", *flags) as product:
        yield product


class Assistant:
    """Goes on with a word that it has read, or puts one of its own in the place of another."""

    def __init__(self, client: Client, name: str, seed: int) -> None:
        self._client = client
        self._name = name
        self._rng = random.Random(seed)
        self.suggested: set[str] = set()
        self.replaced: set[str] = set()
        self.works = True

    async def work(self) -> None:
        for number in range(ROUNDS):
            # All of one length: none becomes another by letters put in, which would split it.
            await self._suggest(f"{self._name}{number:05}z")
        self.works = False

    async def _suggest(self, word: str) -> None:
        shown, _ = await call(self._client, "read", file_path="note.md")
        paragraph = shown.split("\n\n[")[0].partition("\t")[2]
        old = self._rng.choice(re.findall(r"[a-z]+(?:\d+z)?", paragraph.partition("...")[0]))
        replaces = old.startswith(("ant", "bee")) and self._rng.random() < 0.3
        new = word if replaces else f"{old} {word}"
        said, done = await call(
            self._client, "edit", file_path="note.md", old_string=old, new_string=new
        )
        assert done or any(refusal in said for refusal in REFUSALS), said
        if done:
            self.suggested.add(word)
            self.replaced |= {old} if replaces else set()


class Reviewers:
    """Two people who decide the same suggestion at the same moment, differently."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self.decided: list[str] = []
        self.discarded: list[str] = []
        self.conflicts = 0

    async def work(self, assistants: Sequence[Assistant]) -> None:
        rng = random.Random(5)
        while any(each.works for each in assistants):
            waiting = await self.waiting()
            if waiting:
                row = rng.choice(waiting[:5])
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._decide, row, "accept")
                    tasks.start_soon(self._decide, row, "reject")
            await anyio.sleep(0.01)

    async def waiting(self) -> list[dict[str, Any]]:
        query = {"path": "note.md", "limit": 1000}
        return (await self._http.get("/api/suggestions", params=query)).json()["suggestions"]

    async def _decide(self, row: dict[str, Any], verdict: str) -> None:
        named = [{"path": row["path"], "id": row["id"]}]
        body = {"decision": verdict, "suggestions": named, "who": verdict}
        answer = await self._http.post("/api/review", json=body)
        if answer.status_code == 409:
            self.conflicts += 1
            return
        assert answer.status_code == 200, answer.text
        self.decided.append(row["id"])
        self.discarded.append(row["old" if verdict == "accept" else "new"])


async def type_words(person: Typist, typed: list[str]) -> None:
    rng = random.Random(7)
    for number in range(ROUNDS):
        typed.append(f"typed{number}z")
        await person.type(free_places(str(person))(rng), f"{typed[-1]} ")
        await anyio.sleep(0.005)


async def test_nothing_is_lost_when_all_work_on_one_paragraph(product: Product) -> None:
    typed: list[str] = []
    async with (
        over_stdio(product, "ant") as ant,
        over_http(product, "bee") as bee,
        httpx.AsyncClient(base_url=product.http, headers={"x-commonplace": "1"}) as http,
        typist(f"{product.ws}/{product.document()}") as person,
    ):
        assistants = Assistant(ant, "ant", 1), Assistant(bee, "bee", 2)
        reviewers = Reviewers(http)
        async with anyio.create_task_group() as tasks:
            for each in assistants:
                tasks.start_soon(each.work)
            tasks.start_soon(type_words, person, typed)
            tasks.start_soon(reviewers.work, assistants)
        await person.in_step()
        marked = str(person)
        waiting = await reviewers.waiting()
        entries = (await http.get(f"/api/review/ledger?limit={LEDGER_MAX}")).json()["entries"]
    for text in (critic.accepted(marked), critic.base(marked)):
        assert not [sign for sign in critic.DELIMITERS if sign in text], text
    kept = set(re.findall(r"[a-z]+\d+z", " ".join([marked, *reviewers.discarded])))
    assert set(typed) <= kept
    for one in assistants:
        assert one.suggested <= kept | assistants[0].replaced | assistants[1].replaced
        assert len(one.suggested) > ROUNDS / 5
    assert len(set(reviewers.decided)) == len(reviewers.decided) > ROUNDS / 20
    # The ledger tells of every end; besides decisions, of what another suggestion replaced.
    decisions = [entry for entry in entries if entry["decision"] in ("accept", "reject")]
    assert len(decisions) <= len(reviewers.decided)
    assert len(entries) == LEDGER_MAX or len(decisions) == len(reviewers.decided)
    assert reviewers.conflicts >= len(reviewers.decided)
    assert {row["id"] for row in waiting} == {id for id, _, _ in critic.places(marked)}
    product.settled_file(marked)


class Writer:
    """Writes a whole note back, with a line more each time."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.written: list[str] = []

    async def work(self, typed: list[str]) -> None:
        while len(self.written) < ROUNDS // 2 or len(typed) < ROUNDS:
            said, _ = await call(self._client, "read_note", path="note.md")
            word = f"written{len(self.written)}z"
            content = f"{json.loads(said)['content']}{word}\n"
            said, done = await call(self._client, "update_note", path="note.md", content=content)
            assert done, said
            self.written.append(word)


async def test_no_typed_word_is_lost_when_an_assistant_rewrites_the_note(product: Product) -> None:
    typed: list[str] = []
    async with (
        over_http(product, "ant") as ant,
        typist(f"{product.ws}/{product.document()}") as person,
    ):
        writer = Writer(ant)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(type_words, person, typed)
            tasks.start_soon(writer.work, typed)
        await person.in_step()
        text = str(person)
    assert sorted(re.findall(r"[a-z]+\d+z", text)) == sorted([*typed, *writer.written])
    assert len(typed) == ROUNDS
    product.settled_file(text)
