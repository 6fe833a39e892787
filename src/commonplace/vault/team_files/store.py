"""Which files a team's vault has, and what is in them: paths by name, contents by their hash.

Paths are bytes, as the file system has them. Contents come first, in as many steps as they need;
that all paths mean their contents is then one step: a vault is never half taken in.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from commonplace.errors import NotFound, Unavailable
from commonplace.vault.log.commits import Commits
from commonplace.vault.log.postgres_engine import Fence, PostgresEngine
from commonplace.vault.postgres.connection import Connection
from commonplace.vault.postgres.pool import Pool

_PART = "files"

_STEPS = (
    (
        "CREATE TABLE contents (sha BYTEA PRIMARY KEY, data BYTEA NOT NULL)",
        """CREATE TABLE files (
            path BYTEA PRIMARY KEY,
            sha BYTEA NOT NULL REFERENCES contents,
            mode INTEGER NOT NULL,
            mtime_ns BIGINT NOT NULL
        )""",
        "CREATE INDEX files_sha ON files (sha)",
    ),
    (
        # In which order files changed last, those that are gone too: what nodes that wait follow.
        "CREATE TABLE changed (path BYTEA PRIMARY KEY, number BIGINT NOT NULL)",
        "CREATE INDEX changed_number ON changed (number)",
    ),
)
CHANGES_MAX = 1_000
_GONE_MAX = 10_000
"""So many changes later nobody need be told that a file is gone."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file as it is kept: the hash of its content, its mode and its time."""

    sha: bytes
    mode: int = 0o644
    mtime_ns: int = 0


def sha_of(data: bytes) -> bytes:
    """Return the hash that a content is kept by."""
    return hashlib.sha256(data).digest()


class FileStore:
    """The files of one vault."""

    def __init__(self, source: str | Pool, lease: Fence) -> None:
        """Connect, which may take some seconds; raises `Unavailable` if it cannot."""
        self._commits = Commits(PostgresEngine(source, lease, _PART, _STEPS), name="store of files")

    async def put_contents(self, contents: Sequence[bytes]) -> list[bytes]:
        """Keep contents; return their hashes. What no file names goes with the next `sweep`."""
        size = sum(map(len, contents))
        return await self._commits.write(partial(_put_contents, contents=contents), size=size)

    async def change(
        self,
        files: Mapping[bytes, KeptFile | None],
        contents: Sequence[bytes] = (),
        unneeded: Sequence[bytes] = (),
    ) -> None:
        """Let paths mean contents, some of them new, and `None` no file; all or none.

        Of contents that may be needed no more, those that no file names are dropped.
        """
        work = partial(_change, files=files, contents=contents, unneeded=unneeded)
        await self._commits.write(work, size=sum(map(len, contents)))

    async def replace_all(self, files: Mapping[bytes, KeptFile]) -> None:
        """Let these be all files of the vault; all or none."""
        await self._commits.write(partial(_replace_all, files=files))

    async def listed(self) -> dict[bytes, KeptFile]:
        """List all files, by path."""
        return await self._commits.read(listed)

    async def content(self, sha: bytes) -> bytes:
        """Read a content; `NotFound` if it is not kept."""
        return (await self.contents([sha]))[sha]

    async def contents(self, shas: Sequence[bytes]) -> dict[bytes, bytes]:
        """Read contents, by hash; `NotFound` if one is not kept."""
        return await self._commits.read(partial(read_contents, shas=shas))

    async def sizes(self, shas: Sequence[bytes]) -> dict[bytes, int]:
        """Return how big contents are, by hash."""
        return await self._commits.read(partial(sizes, shas=shas))

    async def sweep(self) -> int:
        """Drop the contents that no file names; return how many there were."""
        return await self._commits.write(_sweep)

    async def close(self) -> None:
        """Save what waits, then let go."""
        await self._commits.close()

    def sever(self) -> None:
        """Let whatever waits for the database fail at once."""
        self._commits.sever()


def _put_contents(db: Connection, contents: Sequence[bytes]) -> list[bytes]:
    shas = [sha_of(data) for data in contents]
    db.execute(
        "INSERT INTO contents SELECT * FROM unnest(?::bytea[], ?::bytea[]) ON CONFLICT DO NOTHING",
        (shas, list(contents)),
    )
    return shas


def _change(
    db: Connection,
    files: Mapping[bytes, KeptFile | None],
    contents: Sequence[bytes],
    unneeded: Sequence[bytes],
) -> None:
    if contents:
        _put_contents(db, contents)
    if gone := [path for path, file in files.items() if file is None]:
        db.execute("DELETE FROM files WHERE path = ANY (?::bytea[])", (gone,))
    _put(db, {path: file for path, file in files.items() if file is not None})
    _number(db, list(files))
    if unneeded:
        db.execute(f"{_DROP} AND sha = ANY (?::bytea[])", (list(unneeded),))


def _replace_all(db: Connection, files: Mapping[bytes, KeptFile]) -> None:
    gone = db.execute(
        "DELETE FROM files WHERE path <> ALL (?::bytea[]) RETURNING path", (list(files),)
    ).fetchall()
    _put(db, files)
    _number(db, [*(bytes(path) for (path,) in gone), *files])


def _put(db: Connection, files: Mapping[bytes, KeptFile]) -> None:
    rows = [(path, file.sha, file.mode, file.mtime_ns) for path, file in files.items()]
    if rows:
        db.execute(
            "INSERT INTO files SELECT * FROM"
            " unnest(?::bytea[], ?::bytea[], ?::integer[], ?::bigint[]) ON CONFLICT (path)"
            " DO UPDATE SET sha = excluded.sha, mode = excluded.mode, mtime_ns = excluded.mtime_ns",
            [list(column) for column in zip(*rows, strict=True)],
        )


def _number(db: Connection, paths: Sequence[bytes]) -> None:
    """Take note that files changed: after all that changed before, and together."""
    if paths:
        db.execute(
            "INSERT INTO changed SELECT path, (SELECT coalesce(max(number), 0) + 1 FROM changed)"
            " FROM unnest(?::bytea[]) AS given (path)"
            " ON CONFLICT (path) DO UPDATE SET number = excluded.number",
            (list(paths),),
        )


def last_change(db: Connection) -> int:
    """Return the number of the last change."""
    row = db.execute("SELECT coalesce(max(number), 0) FROM changed").fetchone()
    return row[0] if row else 0


def changes(db: Connection, since: int) -> tuple[int, dict[bytes, KeptFile | None]]:
    """Return files that changed after a number, as they are now, and the number of the last."""
    rows = db.execute(
        "SELECT changed.path, number, sha, mode, mtime_ns FROM changed LEFT JOIN files"
        " ON files.path = changed.path WHERE number > ? ORDER BY number"
        " FETCH FIRST ? ROWS WITH TIES",
        (since, CHANGES_MAX),
    ).fetchall()
    found = {
        bytes(path): None if sha is None else KeptFile(bytes(sha), mode, time)
        for path, _, sha, mode, time in rows
    }
    return (rows[-1][1] if rows else since), found


def listed(db: Connection) -> dict[bytes, KeptFile]:
    """List all files, by path."""
    rows = db.execute("SELECT path, sha, mode, mtime_ns FROM files ORDER BY path")
    return {bytes(path): KeptFile(bytes(sha), mode, time) for path, sha, mode, time in rows}


def read_contents(db: Connection, shas: Sequence[bytes]) -> dict[bytes, bytes]:
    """Read contents, by hash, and check them; `NotFound` if one is not kept."""
    found = read_kept_contents(db, shas)
    if len(found) < len(set(shas)):
        raise NotFound("There is no such content.")
    return found


def read_kept_contents(db: Connection, shas: Sequence[bytes]) -> dict[bytes, bytes]:
    """Read those contents that are kept, by hash, and check them."""
    rows = db.execute("SELECT sha, data FROM contents WHERE sha = ANY (?::bytea[])", (list(shas),))
    found = {bytes(sha): bytes(data) for sha, data in rows}
    if any(sha_of(data) != sha for sha, data in found.items()):
        raise Unavailable("A file in the database is damaged: restore it from a backup.")
    return found


def sizes(db: Connection, shas: Sequence[bytes]) -> dict[bytes, int]:
    """Return how big contents are, by hash."""
    rows = db.execute(
        "SELECT sha, length(data) FROM contents WHERE sha = ANY (?::bytea[])", (list(shas),)
    )
    return {bytes(sha): size for sha, size in rows}


_DROP = "DELETE FROM contents WHERE NOT EXISTS (SELECT 1 FROM files WHERE files.sha = contents.sha)"


def _sweep(db: Connection) -> int:
    db.execute(
        "DELETE FROM changed WHERE number < (SELECT max(number) FROM changed) - ?"
        " AND NOT EXISTS (SELECT 1 FROM files WHERE files.path = changed.path)",
        (_GONE_MAX,),
    )
    return db.execute(_DROP).rowcount
