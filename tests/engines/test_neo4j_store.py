"""The store over Neo4j holds the contract, and some things of its own."""

import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest
from neo4j.exceptions import Neo4jError

from commonplace.errors import Unavailable
from commonplace.vault.embeddings.provider import Floats
from commonplace.vault.nodes.neo4j.connection import Database, Transaction, connected
from commonplace.vault.nodes.neo4j.notes import NodeTexts
from commonplace.vault.nodes.neo4j.schema import MIGRATIONS, prepare
from commonplace.vault.nodes.neo4j.search import NodeSearch
from commonplace.vault.nodes.neo4j.store import Neo4jStore, ReportedProblems
from commonplace.vault.nodes.requests import NodeWishes
from commonplace.vault.nodes.store import Carriers, NewNode, Store
from commonplace.vault.store_settings import StoreChoice
from tests.engines.conftest import Ask, choice_of
from tests.engines.neo4j_server import PASSWORD, Neo4jServer
from tests.vault.nodes.contract import BY, StoreContract, text_of
from tests.vault.nodes.test_memory_store import permitted

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def opened(
    choice: StoreChoice, folder: Path, texts: Mapping[str, str], policy: str = "allow"
) -> AsyncGenerator[tuple[Store, Database]]:
    """Open a store of these texts, without a vault."""
    folder.mkdir(exist_ok=True)
    async with (
        permitted(folder, policy) as permissions,
        connected(choice, partial(prepare, use="own", vault="")) as database,
    ):
        notes = NodeTexts(database)
        await notes.load(texts.items())
        wishes = NodeWishes(notes, choice.url)
        wishes.teach(permissions)
        yield (
            Neo4jStore(database, wishes, NodeSearch(database), permissions, ReportedProblems()),
            database,
        )


class TestNeo4jStore(StoreContract):
    @pytest.fixture(autouse=True)
    def _server(self, server: Neo4jServer) -> None:
        self._choice = choice_of(server)

    def id_of(self, title: str) -> str:
        return f"{title}.md"

    @asynccontextmanager
    async def open_store(
        self,
        folder: Path,
        nodes: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]],
        policy: str,
    ) -> AsyncGenerator[Store]:
        texts = {self.id_of(title): text_of(*parts) for title, parts in nodes.items()}
        async with opened(self._choice, folder, texts, policy) as (store, _):
            yield store


# -- what is its own


@pytest.mark.parametrize("many", [0, 2_000])
async def test_tags_are_found_alike_by_their_notes_and_on_a_walk_over_all(
    choice: StoreChoice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    monkeypatch.setattr("commonplace.vault.nodes.neo4j.store.TAGGED_MANY", many)
    tags = {"a": "x/one", "b": "x/one, y", "c": "x, y/two", "d": "y", "e": "", "f": "x/one, x/two"}
    texts = {f"{name}.md": f"---\ntags: [{each}]\n---\n" for name, each in tags.items()}
    async with opened(choice, tmp_path / "state", texts) as (store, _):
        assert (await store.tagged(["x", "y"], 10, every=True)).ids == ("b.md", "c.md")
        assert (await store.tagged(["#X", "y/two"], 10, every=True)).ids == ("c.md",)
        assert (await store.tagged(["x/one", "x/two"], 10, every=False)).ids == (
            "a.md",
            "b.md",
            "f.md",
        )
        assert await store.tagged(["x"], 2, every=True) == Carriers(("a.md", "b.md"), 4)
        assert await store.tagged(["x/one", "y"], 1, every=False) == Carriers(("a.md",), 5)
        assert await store.tagged(["x", "y"], 1, every=True) == Carriers(("b.md",), 2)
        assert (await store.tagged(["y", "none"], 9, every=False)).ids == ("b.md", "c.md", "d.md")
        assert (await store.tagged(["y", "none"], 9, every=True)).ids == ()
        assert (await store.tagged([], 9, every=False)).ids == ()


async def test_titles_of_a_thousand_nodes_take_one_round_trip(
    choice: StoreChoice, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    texts = {f"n{n}.md": f"# Title {n}" for n in range(1000)}
    async with opened(choice, tmp_path, texts) as (store, _):
        await store.titles(["n1.md"])
        with caplog.at_level(logging.DEBUG, "neo4j.io"):
            titles = await store.titles(list(texts))
        sent = [each.getMessage() for each in caplog.records if " C: " in each.getMessage()]
        assert len(titles) == 1000
        assert sum("C: RUN" in line for line in sent) == 1
        assert sum("C: PULL" in line for line in sent) == 1


async def test_of_very_many_shortest_ways_the_first_is_found(
    choice: StoreChoice, tmp_path: Path
) -> None:
    """Four layers of twelve, each linked to all of the next: 20,736 ways of one length."""
    layers = [[f"l{layer}-{n:02}" for n in range(12)] for layer in range(4)]
    texts = {"start.md": " ".join(f"[[{each}]]" for each in reversed(layers[0])), "end.md": ""}
    for here, there in zip(layers, [*layers[1:], ["end"]], strict=True):
        texts |= {f"{each}.md": " ".join(f"[[{to}]]" for to in there) for each in here}
    async with opened(choice, tmp_path, texts) as (store, _):
        way = await store.path("start.md", "end.md")
        assert way == ["start.md", *(f"l{layer}-00.md" for layer in range(4)), "end.md"]


async def test_the_schema_is_made_once_and_its_migrations_are_numbered(
    choice: StoreChoice, tmp_path: Path, ask: Ask
) -> None:
    async with opened(choice, tmp_path, {"a.md": "[[b]]"}):
        pass
    assert await ask("MATCH (m:Commonplace) RETURN m.schema AS n") == [{"n": len(MIGRATIONS)}]
    made = {row["name"] for row in await ask("SHOW INDEXES YIELD name RETURN name")}
    assert {"commonplace_note", "commonplace_words", "commonplace_tag"} <= made
    # One that was made by an older version goes on from there.
    await ask("DROP INDEX commonplace_modified")
    await ask("MATCH (m:Commonplace) SET m.schema = 1")
    async with opened(choice, tmp_path / "2", {}) as (store, _):
        assert await store.node("a.md") is not None
    made = {row["name"] for row in await ask("SHOW INDEXES YIELD name RETURN name")}
    assert "commonplace_modified" in made
    await ask("MATCH (m:Commonplace) SET m.schema = 99")
    with pytest.raises(Unavailable, match="newer version"):
        async with opened(choice, tmp_path / "3", {"b.md": ""}):
            pass


@pytest.mark.parametrize(
    ("url", "password", "said"),
    [
        ("bolt://127.0.0.1:9", PASSWORD, "does not answer"),
        ("bolt://no-such-host.invalid:7687", PASSWORD, "does not answer"),
        ("", "not-the-password", "refuses the user name or the password"),
    ],
)
async def test_what_is_wrong_with_the_database_is_said_without_a_secret(
    server: Neo4jServer, tmp_path: Path, url: str, password: str, said: str
) -> None:
    choice = StoreChoice(url or server.url, {}, "neo4j", password)
    with pytest.raises(Unavailable, match=said) as told:
        async with opened(choice, tmp_path, {"a.md": ""}):
            pass
    assert password not in str(told.value)
    assert password not in repr(choice)


async def test_a_database_that_is_not_there_is_named(server: Neo4jServer, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="no database of that name"):
        async with opened(choice_of(server, database="nothere"), tmp_path, {"a.md": ""}):
            pass


async def test_a_database_that_was_emptied_is_made_ready_anew(
    choice: StoreChoice, tmp_path: Path, ask: Ask
) -> None:
    async with opened(choice, tmp_path, {"a.md": "x"}) as (store, _):
        await ask("MATCH (n) DETACH DELETE n")
        with pytest.raises(Unavailable, match="emptied"):
            await store.create(NewNode("b", "text"), BY)
        assert await store.create(NewNode("b", "text"), BY) == "b.md"


async def test_a_write_whose_answer_was_lost_is_made_once(
    choice: StoreChoice, tmp_path: Path, ask: Ask
) -> None:
    """The commit is made, and its answer thrown away: the repetition finds it made."""
    async with opened(choice, tmp_path, {}) as (store, database):
        lost = 0
        plain = database._until_known

        async def losing(unit: Any) -> None:
            nonlocal lost
            await plain(unit)
            lost += 1
            await plain(unit)  # as if the first answer had not come

        database._until_known = losing
        assert await store.create(NewNode("once", "text"), BY) == "once.md"
        assert lost == 1
        assert await store.delete("once.md", BY) is True
    found = await ask("MATCH (n:Trashed) RETURN n.id AS id")
    assert found == [{"id": "once.md"}]


async def test_a_deadlock_is_tried_again(choice: StoreChoice, tmp_path: Path) -> None:
    async with opened(choice, tmp_path, {}) as (_, database):
        tries = 0

        async def work(tx: Transaction) -> int:
            nonlocal tries
            tries += 1
            if tries < 3:
                raise Neo4jError._hydrate_neo4j(
                    code="Neo.TransientError.Transaction.DeadlockDetected", message="deadlock"
                )
            return tries

        assert await database.write(work) == 3


async def test_writers_at_once_lose_nothing(choice: StoreChoice, tmp_path: Path) -> None:
    async with opened(choice, tmp_path, {"hub.md": ""}) as (store, _):
        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(store.create, NewNode(f"n{number}", "[[hub]] #t"), BY)
        assert (await store.neighbours("hub.md", "in", 50)).total == 20
        assert (await store.tagged(["t"], 50, every=False)).total == 20


async def test_warnings_come_once_and_again_when_the_facts_change(
    choice: StoreChoice, tmp_path: Path
) -> None:
    texts = {"a.md": "---\ntags: [x, X]\n---\n[[gone]] ![](picture.png)", "b.md": "[[a]]"}
    async with opened(choice, tmp_path, texts) as (store, _):
        assert await store.warnings(["a.md"]) == [
            "Broken link: [[gone]]",
            "Duplicate tag ignored: X",
        ]
        assert await store.warnings(["a.md"]) == []
        assert await store.delete("a.md", BY)
        assert await store.warnings(["b.md"]) == ["Broken link: [[a]]"]


class TestSearch:
    async def test_words_and_meaning_are_found_together(
        self, choice: StoreChoice, tmp_path: Path
    ) -> None:
        texts = {
            "feline.md": "# Cats\n\nThe cat sleeps on the mat.",
            "canine.md": "# Dogs\n\nDogs bark at night.",
            "title.md": "---\ntitle: bark of trees\n---\nOaks and birches.",
        }
        async with opened(choice, tmp_path, texts) as (_, database):
            search = NodeSearch(database, lambda: Counted())
            assert search.works
            await search._embed_some()
            found = await search.search("bark", 10)
            assert {id for id, _ in found.scores} == set(texts)
            assert found.scores[0][0] in ("title.md", "canine.md")
            assert all(0 <= score <= 1 for _, score in found.scores)
            assert list(found.scores) == sorted(found.scores, key=lambda each: -each[1])
            assert (found.embedded, found.total, found.problem) == (3, 3, None)

    async def test_query_syntax_is_text(self, choice: StoreChoice, tmp_path: Path) -> None:
        async with opened(choice, tmp_path, {"a.md": "plain words here"}) as (_, database):
            search = NodeSearch(database)
            for query in ('"', "AND OR", "a:b^4 ~ [x TO y]", "words\\", "*", "日本語", "((", "/x/"):
                found = await search.search(f"{query} words", 5)
                assert [id for id, _ in found.scores] == ["a.md"]

    async def test_vectors_of_another_provider_are_made_anew(
        self, choice: StoreChoice, tmp_path: Path, ask: Ask
    ) -> None:
        async with opened(choice, tmp_path, {"a.md": "text"}) as (_, database):
            await NodeSearch(database, lambda: Counted())._embed_some()
            await NodeSearch(database, lambda: Counted(size=8))._embed_some()
            found = await ask("MATCH (p:Passage) RETURN size(p.vector) AS size")
            assert found == [{"size": 8}]


class Counted:
    """Letters counted: near in meaning is who has the same letters."""

    max_tokens = 1000

    def __init__(self, size: int = 26) -> None:
        self.id, self.dimensions = f"counted-{size}", size

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Floats:
        lower = text.lower()
        counts = [1.0 + lower.count(chr(97 + n)) for n in range(self.dimensions)]
        vector = np.array(counts, np.float32)
        return (vector / np.linalg.norm(vector)).astype(np.float32)

    def close(self) -> None:
        pass
