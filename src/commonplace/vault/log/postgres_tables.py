"""The tables of the log in a vault's schema of PostgreSQL; the statements are those of `tables`.

Columns of text compare by their bytes, as SQLite's do. Numbers of updates are given out by the
owner, which alone writes here.
"""

from collections.abc import Sequence
from dataclasses import replace

from commonplace.vault.log import tables
from commonplace.vault.log.log import THIS_UPDATE, LogEntry
from commonplace.vault.postgres.connection import Connection

PART = "live"

STEPS = (
    (
        """CREATE TABLE updates (
            seq BIGINT PRIMARY KEY,
            doc TEXT COLLATE "C" NOT NULL,
            data BYTEA NOT NULL,
            actor TEXT NOT NULL,
            time DOUBLE PRECISION NOT NULL,
            cause TEXT NOT NULL
        )""",
        "CREATE INDEX updates_doc ON updates (doc, seq)",
        """CREATE TABLE snapshots (
            doc TEXT COLLATE "C" PRIMARY KEY,
            upto BIGINT NOT NULL,
            data BYTEA NOT NULL,
            time DOUBLE PRECISION NOT NULL
        )""",
        """CREATE TABLE authors (
            doc TEXT COLLATE "C" NOT NULL,
            client BIGINT NOT NULL,
            actor TEXT NOT NULL,
            ours BOOLEAN NOT NULL,
            PRIMARY KEY (doc, client)
        )""",
        """CREATE TABLE documents (
            id TEXT COLLATE "C" PRIMARY KEY,
            root TEXT COLLATE "C",
            path TEXT COLLATE "C",
            epoch INTEGER NOT NULL,
            created DOUBLE PRECISION NOT NULL,
            rowid BIGINT GENERATED ALWAYS AS IDENTITY,
            UNIQUE (root, path)
        )""",
        """CREATE TABLE disk (
            doc TEXT COLLATE "C" PRIMARY KEY,
            base_sha BYTEA NOT NULL,
            base BYTEA NOT NULL,
            intent_sha BYTEA,
            intent BYTEA,
            mtime_ns BIGINT NOT NULL,
            size BIGINT NOT NULL,
            inode NUMERIC(20) NOT NULL,
            seq BIGINT NOT NULL,
            before BYTEA,
            before_time DOUBLE PRECISION NOT NULL
        )""",
        """CREATE TABLE records (
            kind TEXT COLLATE "C" NOT NULL,
            key TEXT COLLATE "C" NOT NULL,
            value TEXT NOT NULL,
            time DOUBLE PRECISION NOT NULL,
            PRIMARY KEY (kind, key)
        )""",
    ),
)

_INSERT_UPDATES = (
    "INSERT INTO updates (seq, doc, data, actor, time, cause) SELECT * FROM"
    " unnest(?::bigint[], ?::text[], ?::bytea[], ?::text[], ?::float8[], ?::text[])"
)
_INSERT_AUTHORS = (
    "INSERT INTO authors (doc, client, actor, ours) SELECT * FROM"
    " unnest(?::text[], ?::bigint[], ?::text[], ?::boolean[]) ON CONFLICT DO NOTHING"
)


class Numbers:
    """Gives out the numbers of updates; none comes again, whatever became of it."""

    def __init__(self) -> None:
        self._last = 0

    def catch_up(self, connection: Connection) -> None:
        """Begin after all that was ever saved."""
        row = connection.execute(
            "SELECT greatest((SELECT max(seq) FROM updates), (SELECT max(upto) FROM snapshots),"
            " (SELECT max(seq) FROM disk), 0)"
        ).fetchone()
        assert row is not None
        self._last = max(self._last, row[0])

    def append(self, db: Connection, entries: Sequence[tuple[LogEntry, float]], /) -> list[int]:
        """Keep changes, each with its time; return their numbers."""
        seqs = list(range(self._last + 1, self._last + 1 + len(entries)))
        self._last = seqs[-1]
        _insert(
            db,
            _INSERT_UPDATES,
            [
                (seq, entry.document, entry.update, entry.actor, now, entry.cause)
                for seq, (entry, now) in zip(seqs, entries, strict=True)
            ],
        )
        _insert(
            db,
            _INSERT_AUTHORS,
            [
                (entry.document, author.client, author.actor, author.ours)
                for entry, _ in entries
                for author in entry.authors
            ],
        )
        for (entry, now), seq in zip(entries, seqs, strict=True):
            if (disk := entry.disk) is not None:
                seq = seq if disk.seq == THIS_UPDATE else disk.seq
                tables.put_disk(db, entry.document, replace(disk, seq=seq))
            tables.put_records(db, entry.records, now)
        return seqs


def _insert(db: Connection, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Insert rows by one statement, whatever their number: an array for each column."""
    if rows:
        db.execute(statement, [list(column) for column in zip(*rows, strict=True)])


def sound(db: Connection) -> str | None:
    """Read everything once: what is torn on the server's disk fails there."""
    for table in ("updates", "snapshots", "authors", "documents", "disk", "records"):
        db.execute(f"SELECT count(t.*) FROM {table} AS t")  # noqa: S608 (it is ours)
    return None


def root_names(db: Connection) -> list[str]:
    """Name the folders that documents live in; none before the tables are made."""
    (made,) = db.execute("SELECT to_regclass('documents') IS NOT NULL").fetchone() or (False,)
    if not made:
        return []
    rows = db.execute("SELECT DISTINCT root FROM documents WHERE root IS NOT NULL ORDER BY root")
    return [root for (root,) in rows]
