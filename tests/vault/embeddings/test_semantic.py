"""Embedding in the background, and search from what is there: resumed, cached, degraded."""

import os
import signal
import sqlite3
import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from commonplace.errors import Unavailable
from commonplace.vault.embeddings.model import files as model_files
from commonplace.vault.embeddings.passages import Passages, StoredPassage
from commonplace.vault.embeddings.process import ProcessEmbedder
from commonplace.vault.embeddings.provider import Floats
from commonplace.vault.embeddings.semantic import SemanticSearch
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Embeddings, Settings
from commonplace.vault.vault import Vault
from tests.vault.embeddings.model import tiny_model
from tests.vault.embeddings.server import Behaviour, serving
from tests.wait import PATIENCE, becomes, eventually

pytestmark = pytest.mark.anyio

MakeSettings = Callable[..., Settings]

NOTES = {
    "garage.md": "# Garage\n\nThe automobile is parked.\n",
    "pets.md": "# Pets\n\nA kitten sleeps.\n",
    "food.md": "# Food\n\nBread and cheese.\n",
}


@pytest.fixture
def server() -> Generator[Behaviour]:
    with serving() as behaviour:
        yield behaviour


@asynccontextmanager
async def opened(settings: Settings, *, wait: bool = True) -> AsyncGenerator[Vault]:
    async with open_vault(settings) as vault:
        with anyio.fail_after(PATIENCE):
            await vault.indexer.settled()
            if wait:
                await embedded(vault)
        yield vault


async def embedded(vault: Vault) -> None:
    def all_of_them() -> bool:
        found = vault.meaning.progress
        return found.total > 0 and found.embedded == found.total

    await eventually(all_of_them)


async def paths(vault: Vault, query: str, **more: object) -> list[str]:
    return [hit.path for hit in await vault.search.search(query, 10, **more)]  # pyright: ignore[reportArgumentType]


async def test_hits_say_why_they_matched(make_settings: MakeSettings, server: Behaviour) -> None:
    async with opened(make_settings(NOTES, embeddings=server.embeddings)) as vault:
        hits = await vault.search.search("car parked", 3)
        assert (hits[0].path, hits[0].matched) == ("garage.md", ("text", "meaning"))
        (first, *_) = await vault.search.search("feline", 3)
        assert (first.path, first.matched) == ("pets.md", ("meaning",))
        assert "kitten" in first.snippet


async def test_after_a_restart_nothing_is_embedded_again(
    make_settings: MakeSettings, server: Behaviour
) -> None:
    settings = make_settings(NOTES, embeddings=server.embeddings)
    async with opened(settings):
        pass
    server.texts.clear()
    async with opened(settings) as vault:
        assert (await paths(vault, "car"))[0] == "garage.md"
    assert server.texts == ["dimensions", "car"]


async def test_a_changed_note_costs_its_changed_passages_alone(
    make_settings: MakeSettings, server: Behaviour
) -> None:
    long = "# One\n\n" + "alpha " * 150 + "\n\n# Two\n\n" + "beta " * 150 + "\n"
    settings = make_settings(NOTES | {"long.md": long}, embeddings=server.embeddings)
    async with opened(settings) as vault:
        server.texts.clear()
        (settings.roots[0].path / "long.md").write_text(long.replace("beta", "gamma"))
        await vault.indexer.update(["long.md"])
        await eventually(lambda: server.texts)
        await embedded(vault)
        assert all("gamma" in text for text in server.texts)


async def test_a_renamed_or_restored_note_costs_nothing(
    make_settings: MakeSettings, server: Behaviour
) -> None:
    settings = make_settings(NOTES, embeddings=server.embeddings)
    async with opened(settings) as vault:
        server.texts.clear()
        await vault.renames.rename("pets.md", "animals/Pets.md", "person:ana")
        await embedded(vault)
        assert server.texts == []
        assert (await paths(vault, "feline"))[0] == "animals/Pets.md"


async def test_a_deleted_note_is_found_no_more(
    make_settings: MakeSettings, server: Behaviour
) -> None:
    settings = make_settings(NOTES, embeddings=server.embeddings)
    async with opened(settings) as vault:
        (settings.roots[0].path / "pets.md").unlink()
        await vault.indexer.update(["pets.md"])
        assert "pets.md" not in await paths(vault, "feline")


async def test_the_newest_notes_come_first(make_settings: MakeSettings, server: Behaviour) -> None:
    notes = {f"n{n:03}.md": f"# T{n:03}\n\nword{n:03}\n" for n in range(100)}
    settings = make_settings(notes, embeddings=server.embeddings)
    for n, path in enumerate(notes):
        os.utime(settings.roots[0].path / path, (1_000_000 + n, 1_000_000 + n))
    async with opened(settings):
        sent = [text for text in server.texts if text.startswith("T")]
        assert [text[:4] for text in sent] == [f"T{n:03}" for n in reversed(range(100))]


async def test_a_new_index_keeps_the_vectors(
    make_settings: MakeSettings, server: Behaviour
) -> None:
    settings = make_settings(NOTES, embeddings=server.embeddings)
    async with opened(settings) as vault:
        server.texts.clear()
        await vault.indexer.refresh(rebuild=True)
        await embedded(vault)
        assert (await paths(vault, "car"))[0] == "garage.md"
    assert server.texts == ["car"]


async def test_another_provider_or_dimension_means_embedding_anew(
    make_settings: MakeSettings, server: Behaviour
) -> None:
    settings = make_settings(NOTES, embeddings=server.embeddings)
    async with opened(settings):
        pass
    for change in ("dimensions", "model"):
        server.texts.clear()
        server.dimensions = 128
        other = Embeddings(server.url, "words" if change == "dimensions" else "other")
        async with opened(make_settings({}, embeddings=other)) as vault:
            assert (await paths(vault, "car"))[0] == "garage.md"
        assert len([text for text in server.texts if "\n" in text]) == len(NOTES)


async def test_a_provider_that_is_down_blocks_nothing_and_is_asked_again(
    make_settings: MakeSettings, server: Behaviour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commonplace.vault.embeddings.semantic._PAUSES", (0.05,))
    monkeypatch.setattr("commonplace.vault.embeddings.semantic._ASKED_AGAIN_SECONDS", 0.05)
    server.failing = True
    settings = make_settings(NOTES, embeddings=server.embeddings)
    async with opened(settings, wait=False) as vault:
        assert await paths(vault, "bread") == ["food.md"]
        assert vault.meaning.progress.embedded == 0
        assert "500" in (vault.meaning.progress.problem or "")
        server.failing = False
        await embedded(vault)

        async def first() -> str:
            return (await paths(vault, "car"))[0]

        await becomes(first, "garage.md")
        assert vault.meaning.progress.problem is None


async def test_a_slow_provider_holds_up_one_question_and_not_the_next(
    make_settings: MakeSettings, server: Behaviour, monkeypatch: pytest.MonkeyPatch
) -> None:
    from commonplace.vault.embeddings import http

    settings = make_settings(NOTES, embeddings=server.embeddings)
    async with opened(settings) as vault:
        made = vault.meaning._made
        assert made is not None
        made.embedder._asking = http.Patience(seconds=1.0, tries=1)  # pyright: ignore[reportAttributeAccessIssue]
        server.seconds = 3.0
        assert await paths(vault, "bread") == ["food.md"]
        start = time.perf_counter()
        assert await paths(vault, "bread") == ["food.md"]
        assert time.perf_counter() - start < 0.9


@pytest.mark.parametrize("harm", ["absent", "corrupt", "half"])
async def test_without_a_whole_model_search_goes_by_words(
    make_settings: MakeSettings, tmp_path: Path, harm: str
) -> None:
    home = model_files.home(tmp_path / "data", model_files.MINILM)
    if harm != "absent":
        home.mkdir(parents=True)
        (home / "vocab.txt").write_text("[PAD]\n")
    if harm == "corrupt":
        files = {"model.onnx": b"not a model", "vocab.txt": b"[PAD]\n"}
        (home / "manifest.json").write_bytes(model_files.manifest_of(files, model_files.MINILM))
        (home / "model.onnx").write_bytes(b"not a mxdel")
    settings = make_settings(NOTES, models=tmp_path / "data")
    async with opened(settings, wait=False) as vault:
        assert vault.meaning.works is (harm == "corrupt")
        assert await paths(vault, "bread") == ["food.md"]
        await eventually(
            lambda: "commonplace model install" in (vault.meaning.progress.problem or "")
        )


async def test_a_damaged_file_of_vectors_is_made_anew(
    make_settings: MakeSettings, server: Behaviour
) -> None:
    settings = make_settings(NOTES, embeddings=server.embeddings)
    async with opened(settings):
        pass
    for left in settings.state.glob("meaning.db-*"):
        left.unlink()
    (settings.state / "meaning.db").write_bytes(b"nonsense" * 1000)
    async with opened(settings) as vault:
        assert (await paths(vault, "car"))[0] == "garage.md"


async def test_turned_off_is_said_and_nothing_is_loaded(make_settings: MakeSettings) -> None:
    async with opened(make_settings(NOTES), wait=False) as vault:
        assert not vault.meaning.works
        assert vault.health.status()["meaning"] == {
            "provider": None,
            "embedded": 0,
            "total": 3,
            "passages": 0,
            "problem": "Search by meaning is turned off.",
        }


async def test_what_cannot_be_read_is_no_obstacle(
    make_settings: MakeSettings, server: Behaviour
) -> None:
    settings = make_settings(NOTES | {"bad.md": b"\xff\xfe\x00"}, embeddings=server.embeddings)
    async with opened(settings) as vault:
        assert vault.meaning.progress.embedded == 4
        assert (await paths(vault, "car"))[0] == "garage.md"


def test_vectors_that_no_passage_uses_are_swept(tmp_path: Path) -> None:
    passages = Passages(tmp_path)
    passages.belong_to("p", 2)
    passages.put({"a.md": (b"1", [StoredPassage(0, 1, b"h")])}, {b"h": b"v"})
    passages.remove(["a.md"])
    assert passages.vectors([b"h"]) == {b"h": b"v"}
    passages.sweep()
    assert passages.vectors([b"h"]) == {}
    passages.close()
    db = sqlite3.connect(tmp_path / "meaning.db")
    assert db.execute("SELECT count(*) FROM notes").fetchone() == (0,)
    db.close()


async def test_a_model_killed_in_the_middle_of_a_batch_loses_nothing_and_search_answers(
    make_settings: MakeSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tiny_model.publish(tmp_path / "wheels", monkeypatch)
    tiny_model.place(tmp_path / "data", tmp_path / "wheels", source)
    notes = {f"n{n:03}.md": f"# T{n}\n\nword{n} " + "some words " * 20 for n in range(300)}
    embedder = ProcessEmbedder(tmp_path / "data", source)
    async with (
        opened(make_settings(notes), wait=False) as vault,
        anyio.create_task_group() as group,
    ):
        vault = replace(
            vault,
            meaning=SemanticSearch(
                vault.settings, vault.contents, vault.texts.of_note, embedder=embedder
            ),
        )
        vault.search.meaning = vault.meaning
        vault.meaning.first_round.seconds_max = 0.0  # a search that waited would see no kill
        ready = anyio.Event()
        ready.set()
        group.start_soon(vault.meaning.run, ready)
        killed: set[int] = set()
        while vault.meaning.progress.embedded < len(notes):
            before = vault.meaning.progress.embedded
            with anyio.fail_after(PATIENCE):
                while vault.meaning.progress.embedded == before:
                    assert "n007.md" in await paths(vault, "word7")
                    await anyio.sleep(0.01)
            if len(killed) < 3 and (id := embedder.process) is not None:
                os.kill(id, signal.SIGKILL)
                killed.add(id)
        assert len(killed) == 3
        assert vault.meaning.progress.problem is None
        assert any("meaning" in hit.matched for hit in await vault.search.search("word7", 100))
        group.cancel_scope.cancel()
        vault.meaning.close()
    db = sqlite3.connect(tmp_path / "state" / "meaning.db")
    counts = "SELECT count(*), count(DISTINCT note) FROM passages JOIN vectors USING (hash)"
    assert db.execute(counts).fetchone() == (300, 300)
    db.close()


@pytest.mark.slow
async def test_the_real_model_finds_by_meaning(make_settings: MakeSettings) -> None:
    import platformdirs

    data = platformdirs.user_data_path("commonplace", appauthor=False)
    if model_files.status(data).state is not model_files.ModelState.READY:
        pytest.skip("the model is not installed: make model")
    async with opened(make_settings(NOTES, models=data)) as vault:
        assert (await paths(vault, "a small cat taking a nap"))[0] == "pets.md"
        assert isinstance(vault.meaning, SemanticSearch)


async def test_words_that_many_notes_have_find_none_where_a_rarer_one_does_but_rank_them(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commonplace.vault.index.queries.words._RANKED_MAX", 12)
    monkeypatch.setattr("commonplace.vault.index.queries.words._FOUND_MAX", 3)
    notes = {f"n{n}.md": "common words everywhere" for n in range(20)}
    notes |= {f"m{n}.md": "frequent words" for n in range(6)}
    notes |= {"a.md": "another rarity", "r.md": "frequent rarity", "z.md": "common rarity"}
    async with opened(make_settings(notes), wait=False) as vault:
        hits = await vault.search.search("frequent common rarity", 10)
        assert hits[0].path == "r.md"
        assert {hit.path: hit.score for hit in hits[1:]} == {
            "a.md": hits[1].score,
            "z.md": hits[1].score,
        }
        assert hits[0].score > hits[1].score
        assert len(await paths(vault, "rarity")) == 3
        assert len(await vault.search.search("common", 50)) == 21


async def test_a_search_among_many_notes_takes_no_longer_than_among_all(
    make_settings: MakeSettings,
) -> None:
    notes = {f"{n}.md": f"---\nstatus: draft\n---\nsome words of note {n}\n" for n in range(1500)}
    async with opened(make_settings(notes), wait=False) as vault:

        async def seconds(filters: dict[str, object] | None) -> float:
            start = time.perf_counter()
            assert len(await vault.search.search("words note 7", 10, filters)) == 10
            return time.perf_counter() - start

        among_all = min([await seconds(None) for _ in range(5)])
        among_some = min([await seconds({"status": "draft"}) for _ in range(5)])
    assert among_some < 5 * among_all + 0.02


async def test_a_fault_in_search_by_meaning_stops_nothing_else(
    make_settings: MakeSettings, server: Behaviour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commonplace.vault.supervisor.PAUSES", (0.05,))
    sound, failures = SemanticSearch._catch_up, 2

    async def failing(self: SemanticSearch) -> None:
        nonlocal failures
        if failures:
            failures -= 1
            raise RuntimeError("a fault of ours")
        await sound(self)

    monkeypatch.setattr(SemanticSearch, "_catch_up", failing)
    async with opened(make_settings(NOTES, embeddings=server.embeddings)) as vault:
        assert failures == 0
        assert (await paths(vault, "car"))[0] == "garage.md"


class _Waiting:
    """A provider that answers nothing until it is closed, or fails."""

    id, dimensions = "waiting", 3

    def __init__(self) -> None:
        self.asked, self.ended = threading.Event(), threading.Event()

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        self.asked.set()
        assert self.ended.wait(20)
        raise Unavailable("The vault is being closed.")

    def embed_query(self, text: str) -> Floats:
        raise Unavailable("It waits.")

    def close(self) -> None:
        self.ended.set()


@pytest.mark.parametrize("closed", [True, False])
async def test_a_vault_that_is_closed_in_the_middle_says_nothing_of_it(
    make_settings: MakeSettings, caplog: pytest.LogCaptureFixture, closed: bool
) -> None:
    """With its control: the same failure of a vault that stays open is told."""
    embedder, ready = _Waiting(), anyio.Event()
    ready.set()
    async with opened(make_settings(NOTES), wait=False) as vault:
        meaning = SemanticSearch(
            vault.settings, vault.contents, vault.texts.of_note, embedder=embedder
        )
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(meaning.run, ready)
            await eventually(embedder.asked.is_set)
            if closed:
                meaning.stop()
            else:
                embedder.close()
                await eventually(lambda: caplog.records)
            tasks.cancel_scope.cancel()
        meaning.close()
    assert bool(caplog.records) is not closed
