"""The log of a team's vault in PostgreSQL, under the vault's lease."""

import time
from collections.abc import Callable

from commonplace.vault.log import postgres_tables
from commonplace.vault.log.commits import Commits
from commonplace.vault.log.postgres_engine import Fence, PostgresEngine, schema_of
from commonplace.vault.log.table_log import TableLog, new_id
from commonplace.vault.postgres.connection import Connection
from commonplace.vault.postgres.pool import Pool, reading


class PostgresLog(TableLog[Connection]):
    """A log in a schema of its own."""

    def __init__(
        self,
        source: str | Pool,
        lease: Fence,
        *,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = new_id,
    ) -> None:
        """Connect, which may take some seconds; raises `Unavailable` if it cannot."""
        numbers = postgres_tables.Numbers()
        engine = PostgresEngine(
            source, lease, postgres_tables.PART, postgres_tables.STEPS, opened=numbers.catch_up
        )
        super().__init__(Commits(engine), numbers.append, clock=clock, new_id=new_id)

    async def scrub(self) -> None:
        """Do nothing: PostgreSQL writes over what was deleted in its own time."""

    async def sound(self) -> str | None:
        """Read everything once; None when that works, else what is wrong."""
        return await self._commits.read(postgres_tables.sound)

    def sever(self) -> None:
        """Let whatever waits for the database fail at once."""
        self._commits.sever()


def root_names(source: str | Pool, vault: str) -> list[str]:
    """Name the folders that the log of a vault knows; none if there is no log yet."""
    with reading(source, schema_of(vault)) as connection:
        return postgres_tables.root_names(connection)
