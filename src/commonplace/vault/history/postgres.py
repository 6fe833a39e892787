"""The history of a team's vault in PostgreSQL, under the vault's lease."""

import asyncio

from commonplace.vault.history.table_history import TableHistory
from commonplace.vault.log.commits import Commits
from commonplace.vault.log.postgres_engine import Fence, PostgresEngine, schema_of
from commonplace.vault.postgres.connection import Connection, connect
from commonplace.vault.postgres.pool import Pool

_PART = "history"

_STEPS = (
    (
        """CREATE TABLE revisions (
            id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            doc TEXT COLLATE "C" NOT NULL,
            path TEXT COLLATE "C" NOT NULL,
            started DOUBLE PRECISION NOT NULL,
            time DOUBLE PRECISION NOT NULL,
            actor TEXT COLLATE "C" NOT NULL,
            cause TEXT NOT NULL,
            "set" TEXT COLLATE "C" NOT NULL,
            note TEXT NOT NULL,
            delta BYTEA NOT NULL,
            "full" BYTEA,
            size BIGINT NOT NULL
        )""",
        "CREATE INDEX revisions_doc ON revisions (doc, id)",
        "CREATE INDEX revisions_actor ON revisions (actor, id)",
        """CREATE INDEX revisions_set ON revisions ("set", id) WHERE "set" <> ''""",
        """CREATE TABLE heads (
            doc TEXT COLLATE "C" PRIMARY KEY,
            revision BIGINT NOT NULL,
            seq BIGINT NOT NULL,
            path TEXT COLLATE "C" NOT NULL,
            blame BYTEA NOT NULL,
            blame_before BYTEA NOT NULL,
            deltas INTEGER NOT NULL,
            delta_bytes BIGINT NOT NULL
        )""",
        "CREATE INDEX heads_path ON heads (path)",
    ),
    (
        """CREATE TABLE acceptances (
            revision BIGINT NOT NULL,
            accepted_in BIGINT NOT NULL,
            PRIMARY KEY (revision, accepted_in)
        )""",
        "CREATE INDEX revisions_cause ON revisions (cause, id)",
    ),
    (
        "CREATE INDEX revisions_path ON revisions (path, id)",
        "CREATE INDEX revisions_time ON revisions (time, id)",
    ),
)


class PostgresHistory(TableHistory[Connection]):
    """A history in the schema of its vault."""

    def __init__(self, source: str | Pool, lease: Fence) -> None:
        """Connect, which may take some seconds; raises `Unavailable` if it cannot."""
        self._url = source if isinstance(source, str) else source.url
        self._vault = lease.vault
        super().__init__(Commits(PostgresEngine(source, lease, _PART, _STEPS), name="history"))

    def sever(self) -> None:
        """Let whatever waits for the database fail at once."""
        self._commits.sever()

    async def _clear_away(self) -> None:
        """Overwrite old rows; what the server's own log and its backups hold stays there."""
        await asyncio.to_thread(self._vacuum)

    def _vacuum(self) -> None:
        connection = connect(self._url, schema=schema_of(self._vault))
        try:
            connection.execute("VACUUM FULL revisions")
        finally:
            connection.close()
