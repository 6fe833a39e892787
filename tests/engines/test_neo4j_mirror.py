# pyright: reportUnknownMemberType=false
"""A vault mirrored in Neo4j: loaded, followed, resumed, compared and mended."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from commonplace.vault.nodes import providers
from commonplace.vault.nodes.docstore import DocStore
from commonplace.vault.nodes.neo4j.cypher import store_mark
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.store_settings import StoreChoice
from commonplace.vault.vault import Vault
from tests.engines.conftest import Ask, choice_of
from tests.engines.neo4j_server import PASSWORD, Neo4jServer
from tests.vault.conftest import write
from tests.vault.nodes.contract import policies
from tests.wait import eventually

pytestmark = pytest.mark.anyio

COMMAND = (sys.executable, "-m", "commonplace", "store", "check")

FRONT = "---\nstatus: draft\nrating: 4\ntags: [start, area/work]\n---\n"
NOTES = {
    "Home.md": f"{FRONT}[[a]] ![[b]] [[nope]]",
    "deep/a.md": "# A title\n\n[b](b.md) and [[a]] itself #x",
    "deep/b.md": "[[Home]] [[Home|again]] ![](picture.png)",
    "deep/er/lonely.md": "nothing",
}


def settings(folder: Path, choice: StoreChoice) -> Settings:
    roots = (Root("vault", folder / "vault"),)
    return Settings(roots, folder / "state", policies=policies("allow"), store=choice)


@asynccontextmanager
async def mirrored(folder: Path, server: Neo4jServer) -> AsyncGenerator[Vault]:
    """Open a vault with its mirror."""
    chosen = settings(folder, choice_of(server, use="mirror"))
    async with open_vault(chosen) as vault, providers.opened(vault) as stores:
        await vault.indexer.settled()
        store = await stores.give(chosen.store, vault.permissions)
        assert isinstance(store, DocStore)  # the tools go on answering from the vault
        yield vault


def made(folder: Path, notes: Mapping[str, str]) -> Path:
    (folder / "vault").mkdir()
    write(folder / "vault", {**notes})
    return folder


async def agrees(ask: Ask, vault: Vault) -> bool:
    """Tell whether the mirror shows what the vault says, as far as a few counts tell."""
    counts = await vault.health.census()
    rows = await ask(
        "RETURN COUNT { (:Note) } AS notes,"
        " COUNT { (n:Note) WHERE NOT (n)-[:LINKS_TO]-() } AS orphans,"
        " COUNT { (n:Note) WHERE coalesce(n.fingerprint, '') = '' } AS unfinished"
    )
    row = rows[0]
    return (row["notes"], row["orphans"], row["unfinished"]) == (
        counts["notes"],
        counts["orphans"],
        0,
    )


async def links(ask: Ask) -> set[tuple[str, str]]:
    found = await ask("MATCH (a:Note)-[:LINKS_TO]->(b:Note) RETURN a.id AS a, b.id AS b")
    return {(row["a"], row["b"]) for row in found}


async def test_everything_about_a_note_is_there(
    tmp_path: Path, server: Neo4jServer, ask: Ask
) -> None:
    async with mirrored(made(tmp_path, NOTES), server) as vault:
        await eventually(lambda: agrees(ask, vault))
        assert await links(ask) == {
            ("Home.md", "deep/a.md"),
            ("Home.md", "deep/b.md"),
            ("deep/a.md", "deep/b.md"),
            ("deep/b.md", "Home.md"),
        }
        (home,) = await ask("MATCH (n:Note {id: 'Home.md'}) RETURN properties(n) AS set")
        assert home["set"]["title"] == "Home"
        assert home["set"]["content"] == "[[a]] ![[b]] [[nope]]"
        assert (home["set"]["p_status"], home["set"]["p_rating"]) == ("draft", 4)
        kinds = await ask(
            "MATCH (:Note {id: 'Home.md'})-[l:LINKS_TO]->() RETURN l.kinds AS k ORDER BY l.order"
        )
        assert [row["k"] for row in kinds] == [["wikilink"], ["embed"]]
        tags = await ask(
            "MATCH (n:Note)-[:TAGGED]->(:Tag)-[:WITHIN*0..]->(t:Tag)"
            " RETURN t.name AS tag, n.id AS id"
        )
        assert {(row["tag"], row["id"]) for row in tags} == {
            ("start", "Home.md"),
            ("area/work", "Home.md"),
            ("area", "Home.md"),
            ("x", "deep/a.md"),
        }
        inside = await ask(
            "MATCH (n:Note)-[:IN]->(:Folder)-[:IN*0..]->(:Folder {path: 'deep'})"
            " RETURN count(n) AS notes"
        )
        assert inside == [{"notes": 3}]
        wanted = await ask("MATCH (n:Note)-[:WANTS]->(w:Missing) RETURN n.id AS id, w.name AS name")
        assert wanted == [{"id": "Home.md", "name": "nope"}]


async def test_changes_arrive_by_themselves(tmp_path: Path, server: Neo4jServer, ask: Ask) -> None:
    folder = made(tmp_path, NOTES)
    async with mirrored(folder, server) as vault:
        await eventually(lambda: agrees(ask, vault))

        async def has(*wanted: tuple[str, str]) -> bool:
            return set(wanted) <= await links(ask)

        # A new note gives a broken link its meaning.
        (folder / "vault" / "nope.md").write_text("here [[lonely]]")
        await eventually(lambda: has(("Home.md", "nope.md"), ("nope.md", "deep/er/lonely.md")))
        assert await ask("MATCH (w:Missing) RETURN w.name AS name") == []
        # A rename takes its links, and what people tied to the note, along.
        await ask("MATCH (n:Note {id: 'deep/b.md'}) SET n.mine = 7")
        await vault.renames.rename("deep/b.md", "deep/c.md", "person")
        await eventually(lambda: has(("Home.md", "deep/c.md"), ("deep/c.md", "Home.md")))
        found = await ask("MATCH (n:Note {id: 'deep/c.md'}) RETURN n.mine AS mine")
        assert found == [{"mine": 7}]
        assert await ask("MATCH (n:Note {id: 'deep/b.md'}) RETURN n.id AS id") == []
        # A note that goes takes its tags and links along.
        (folder / "vault" / "deep" / "a.md").unlink()

        async def gone() -> bool:
            return not await ask("MATCH (n:Note {id: 'deep/a.md'}) RETURN n.id AS id")

        await eventually(gone)
        await eventually(lambda: agrees(ask, vault))
        assert await ask("MATCH (t:Tag {key: 'x'}) RETURN t.key AS key") == []
        # An edit through the vault.
        await vault.write.create("new.md", "[[Home]] #fresh")
        await eventually(lambda: has(("new.md", "Home.md")))


async def test_a_change_is_there_within_two_seconds(
    tmp_path: Path, server: Neo4jServer, ask: Ask
) -> None:
    folder = made(tmp_path, NOTES)
    async with mirrored(folder, server) as vault:
        await eventually(lambda: agrees(ask, vault))
        spent: list[float] = []
        for number in range(5):
            (folder / "vault" / f"quick {number}.md").write_text("[[Home]]")
            begun = anyio.current_time()

            async def there(path: str = f"quick {number}.md") -> bool:
                return (path, "Home.md") in await links(ask)

            await eventually(there)
            spent.append(anyio.current_time() - begun)
    # Others may be at work: that one is as quick shows that nothing waits for a clock of ours.
    assert min(spent) <= 2.0, spent


async def test_a_restart_goes_on_where_it_was(
    tmp_path: Path, server: Neo4jServer, ask: Ask
) -> None:
    folder = made(tmp_path, {**NOTES, **{f"n{n}.md": f"[[n{n + 1}]]" for n in range(300)}})
    async with mirrored(folder, server) as vault:
        await eventually(lambda: agrees(ask, vault))
    await ask("MATCH (n:Note) SET n.seen = true")
    (before,) = await ask(store_mark.READ_MARK)
    (folder / "vault" / "n7.md").write_text("[[Home]]")
    (folder / "vault" / "n9.md").unlink()
    async with mirrored(folder, server) as vault:

        async def caught_up() -> bool:
            return ("n7.md", "Home.md") in await links(ask) and await agrees(ask, vault)

        await eventually(caught_up)
    (after,) = await ask(store_mark.READ_MARK)
    # Three notes differ (n8 linked to the one that went): two transactions, not four hundred.
    assert after["revision"] - before["revision"] <= 4
    assert after["digest"] != before["digest"]
    async with mirrored(folder, server) as vault:
        await eventually(lambda: agrees(ask, vault))
        (folder / "vault" / "mark.md").write_text("x")
        await eventually(lambda: agrees(ask, vault))
    (last,) = await ask(store_mark.READ_MARK)
    assert last["revision"] - after["revision"] <= 4


async def test_the_mirror_waits_for_a_database_that_is_away_and_goes_on(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, server: Neo4jServer
) -> None:
    """Only the address is wrong at first: a server of its own comes up there later."""
    own = Neo4jServer(tmp_path_factory.mktemp("away"))
    own.start()
    try:
        folder = made(tmp_path, NOTES)
        own.kill()
        async with mirrored(folder, own) as vault:
            await anyio.sleep(0)
            (folder / "vault" / "later.md").write_text("[[Home]]")
            await vault.indexer.update(["later.md"])
            await anyio.to_thread.run_sync(own.start)
            await until_links(own, ("later.md", "Home.md"))
            await anyio.to_thread.run_sync(own.kill)
            (folder / "vault" / "later.md").write_text("[[lonely]]")
            await vault.indexer.update(["later.md"])
            await anyio.to_thread.run_sync(own.start)
            await until_links(own, ("later.md", "deep/er/lonely.md"))
    finally:
        own.kill()


async def until_links(server: Neo4jServer, wanted: tuple[str, str]) -> None:
    from neo4j import AsyncGraphDatabase

    async with AsyncGraphDatabase.driver(server.url, auth=("neo4j", PASSWORD)) as driver:

        async def there() -> bool:
            records, _, _ = await driver.execute_query(
                "MATCH (a:Note)-[:LINKS_TO]->(b:Note) RETURN a.id AS a, b.id AS b"
            )
            return wanted in {(record["a"], record["b"]) for record in records}

        await eventually(there, 300)


def command(folder: Path, server: Neo4jServer, *arguments: str, **environ: str) -> Any:
    """Run `commonplace store check`."""
    variables = {**os.environ, "COMMONPLACE_STORE_PASSWORD": PASSWORD, **environ}
    return subprocess.run(
        [
            *(*COMMAND, str(folder / "vault"), f"--state={folder / 'states'}", "--json"),
            *(f"--store={server.url}?use=mirror", *arguments),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=variables,
    )


async def test_check_compares_and_mends(tmp_path: Path, server: Neo4jServer, ask: Ask) -> None:
    folder = made(tmp_path, NOTES)
    first = command(folder, server)
    assert (first.returncode, json.loads(first.stdout)["mended"]) == (0, True), first.stderr
    assert json.loads(command(folder, server).stdout) == {
        "notes": 4,
        "differed": [],
        "mended": False,
    }
    # Each kind of damage that somebody can do by hand is seen.
    damages = {
        "deep/a.md": "MATCH (:Note {id: 'deep/a.md'})-[l:LINKS_TO]->() DELETE l",
        "deep/b.md": "MATCH (n:Note {id: 'deep/b.md'}) SET n.content = 'other'",
        "Home.md": "MATCH (:Note {id: 'Home.md'})-[t:TAGGED]->() DELETE t",
        "extra.md": "CREATE (:Note {id: 'extra.md'})",
        "deep/er/lonely.md": "MATCH (n:Note {id: 'deep/er/lonely.md'}) DETACH DELETE n",
    }
    for damage in damages.values():
        await ask(damage)
    looked = command(folder, server, "--no-mend")
    assert looked.returncode == 1
    assert set(json.loads(looked.stdout)["differed"]) == set(damages)
    assert set(json.loads(command(folder, server).stdout)["differed"]) == set(damages)
    assert json.loads(command(folder, server).stdout)["differed"] == []


async def test_a_database_that_is_somebody_elses_is_left_alone(
    tmp_path: Path, server: Neo4jServer, ask: Ask
) -> None:
    folder = made(tmp_path, NOTES)
    await ask("CREATE (:Note {id: 'mine'})")
    refused = command(folder, server)
    assert refused.returncode == 1
    assert "not Commonplace's" in refused.stderr
    assert await ask("MATCH (n) RETURN count(n) AS n") == [{"n": 1}]
    wrong = command(folder, server, COMMONPLACE_STORE_PASSWORD="a-secret-that-is-wrong")
    assert "refuses the user name or the password" in wrong.stderr
    assert "a-secret-that-is-wrong" not in wrong.stderr + wrong.stdout
