"""Schemas of PostgreSQL, brought up to date by numbered steps that only go forward.

The schema `commonplace` is shared by all nodes. Each vault has one of its own, which only the
owner of the vault's lease touches: it is brought up to date when a newer node takes the vault, and
an older node that would take it afterwards is refused.
"""

from collections.abc import Callable, Sequence

from commonplace.errors import Unavailable
from commonplace.vault.postgres.connection import Connection, load_driver

MigrationSteps = Sequence[Sequence[str]]

_TRIES_MAX = 20


def migrate(
    connection: Connection,
    schema: str,
    part: str,
    steps: MigrationSteps,
    *,
    guard: Callable[[], None] = lambda: None,
) -> None:
    """Take the steps that a part of a schema has not taken yet, all or none.

    `guard` runs first in the transaction, and raises if this process may not.
    """
    driver = load_driver()
    for attempt in range(1, _TRIES_MAX + 1):
        try:
            with connection.raw.transaction():
                guard()
                _take_steps(connection, schema, part, steps)
        except (driver.errors.UniqueViolation, driver.errors.DuplicateTable):
            # Two that make the same schema at once: IF NOT EXISTS does not help against that.
            if attempt == _TRIES_MAX:
                raise
        else:
            return


def is_current(connection: Connection, part: str, steps: MigrationSteps) -> bool:
    """Tell whether a part has taken all steps; asked in a transaction that names its schema."""
    row = connection.execute("SELECT taken FROM migrations WHERE part = ?", (part,)).fetchone()
    return row is not None and row[0] == len(steps)


def _take_steps(connection: Connection, schema: str, part: str, steps: MigrationSteps) -> None:
    from psycopg import sql

    connection.raw.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(schema)))
    connection.execute(
        "CREATE TABLE IF NOT EXISTS migrations (part TEXT PRIMARY KEY, taken INTEGER NOT NULL)"
    )
    connection.execute("LOCK TABLE migrations IN SHARE ROW EXCLUSIVE MODE")
    row = connection.execute("SELECT taken FROM migrations WHERE part = ?", (part,)).fetchone()
    taken = 0 if row is None else row[0]
    if taken > len(steps):
        raise Unavailable(
            "The database was brought up to date by a newer Commonplace; use that one here too."
        )
    if taken == len(steps):
        return
    for statement in (line for step in steps[taken:] for line in step):
        connection.execute(statement)
    connection.execute(
        "INSERT INTO migrations VALUES (?, ?)"
        " ON CONFLICT (part) DO UPDATE SET taken = excluded.taken",
        (part, len(steps)),
    )
