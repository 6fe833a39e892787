"""The schema of the database: whose it is, its constraints and indexes, and their migrations.

Migrations are numbered and only ever added to; the mark in the database says which were made. A
database that holds another's notes, another vault's, or a newer Commonplace's, is left alone.
"""

from commonplace.errors import Unavailable
from commonplace.vault.nodes.neo4j.connection import Database
from commonplace.vault.nodes.neo4j.cypher import Statement, search, store_mark

NO_DIGEST = "0" * 32

MIGRATIONS: tuple[tuple[Statement, ...], ...] = (
    (
        "CREATE CONSTRAINT commonplace_note IF NOT EXISTS FOR (n:Note) REQUIRE n.id IS UNIQUE",
        "CREATE CONSTRAINT commonplace_note_key IF NOT EXISTS FOR (n:Note) REQUIRE n.key IS UNIQUE",
        "CREATE CONSTRAINT commonplace_tag IF NOT EXISTS FOR (t:Tag) REQUIRE t.key IS UNIQUE",
        (
            "CREATE CONSTRAINT commonplace_folder IF NOT EXISTS"
            " FOR (f:Folder) REQUIRE f.path IS UNIQUE"
        ),
        "CREATE CONSTRAINT commonplace_name IF NOT EXISTS FOR (k:Name) REQUIRE k.key IS UNIQUE",
        (
            "CREATE CONSTRAINT commonplace_missing IF NOT EXISTS"
            " FOR (m:Missing) REQUIRE m.name IS UNIQUE"
        ),
    ),
    (
        (
            "CREATE FULLTEXT INDEX commonplace_words IF NOT EXISTS"
            " FOR (n:Note) ON EACH [n.title, n.content]"
            " OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}"
        ),
        "CREATE INDEX commonplace_modified IF NOT EXISTS FOR (n:Note) ON (n.modified)",
    ),
)

_MARK: Statement = (
    "CREATE CONSTRAINT commonplace_mark IF NOT EXISTS FOR (m:Commonplace) REQUIRE m.name IS UNIQUE"
)


async def prepare(database: Database, use: str, vault: str) -> None:
    """Make the database ready for a use by a vault; refuse one that is somebody else's."""
    rows = await database.run(store_mark.READ_MARK)
    if not rows:
        (found,) = await database.run(store_mark.FOREIGN_NOTES)
        if found["any"]:
            raise Unavailable(
                f"The database at {database.address} holds notes, tags or folders that are not"
                " Commonplace's. Use an empty database."
            )
        await database.command(_MARK)
        await database.command(store_mark.MAKE_MARK, use=use, vault=vault, digest=NO_DIGEST)
        rows = await database.run(store_mark.READ_MARK)
    mark = rows[0]
    if (mark["use"], mark["vault"]) != (use, vault):
        held = "the nodes" if mark["use"] == "own" else "a mirror"
        raise Unavailable(
            f"The database at {database.address} holds {held} of another vault, or was made for"
            f" the use {mark['use']!r}. Use another database, or empty this one with"
            " `MATCH (n) DETACH DELETE n`."
        )
    await _migrate(database, int(mark["schema"]))


async def _migrate(database: Database, made: int) -> None:
    if made > len(MIGRATIONS):
        raise Unavailable(
            f"The database at {database.address} was made by a newer version of Commonplace."
            " Update this one."
        )
    for number, statements in enumerate(MIGRATIONS[made:], made + 1):
        for statement in statements:
            await database.command(statement)
        await database.command(search.AWAIT_INDEXES)
        await database.command(store_mark.KEEP_SCHEMA, schema=number)
