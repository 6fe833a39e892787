"""The table of leases, and every statement that touches it.

Whoever writes for a vault first calls `require_lease` in the same transaction: it holds the row
(`FOR KEY SHARE`) until the commit. Whoever takes a lease over needs the row for itself
(`FOR UPDATE`). So what an earlier owner has committed is there when the next one begins, and
nothing of it comes later. A renewal changes no key and waits for neither.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commonplace.vault.postgres.connection import Connection

if TYPE_CHECKING:
    from psycopg.sql import Composed

LOST = "CP001"
"""The code of the error by which the database refuses a transaction without a lease."""

LEASE_STEPS = (
    (
        """CREATE TABLE leases (
            vault TEXT COLLATE "C" PRIMARY KEY,
            node TEXT NOT NULL,
            address TEXT NOT NULL,
            fence BIGINT NOT NULL,
            until TIMESTAMPTZ NOT NULL
        )""",
        f"""CREATE FUNCTION require_lease(wanted TEXT, number BIGINT) RETURNS VOID
            LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
            BEGIN
                PERFORM 1 FROM leases
                    WHERE vault = wanted AND fence = number AND until > clock_timestamp()
                    FOR KEY SHARE;
                IF NOT FOUND THEN
                    RAISE EXCEPTION 'the lease is lost' USING ERRCODE = '{LOST}';
                END IF;
            END $$""",
    ),
    (
        """CREATE TABLE nodes (
            address TEXT COLLATE "C" PRIMARY KEY,
            node TEXT NOT NULL,
            until TIMESTAMPTZ NOT NULL
        )""",
    ),
)


@dataclass(frozen=True, slots=True)
class Holder:
    """Which node has a vault, where it answers, and the number of its lease."""

    node: str
    address: str
    fence: int
    seconds_left: float = field(default=0.0, compare=False)
    """How long it held when it was asked for, if it is not renewed."""


def claim(
    connection: Connection, vault: str, node: str, address: str, seconds: float
) -> int | None:
    """Take a vault that nobody has; return the fence, or None if another node has it."""
    with connection.raw.transaction():
        connection.execute(
            "INSERT INTO leases VALUES (?, '', '', 0, '-infinity') ON CONFLICT DO NOTHING", (vault,)
        )
        found = connection.execute(
            "SELECT fence FROM leases WHERE vault = ? AND until <= clock_timestamp()"
            " FOR UPDATE SKIP LOCKED",
            (vault,),
        ).fetchone()
        if found is None:
            return None
        connection.execute(
            "UPDATE leases SET node = ?, address = ?, fence = fence + 1,"
            " until = clock_timestamp() + make_interval(secs => ?) WHERE vault = ?",
            (node, address, seconds, vault),
        )
        return found[0] + 1


def renew(connection: Connection, held: dict[str, int], seconds: float) -> set[str]:
    """Prolong leases by their fences; return the vaults whose leases still held."""
    rows = connection.execute(
        "UPDATE leases SET until = clock_timestamp() + make_interval(secs => ?)"
        " FROM unnest(?::text[], ?::bigint[]) AS held (name, number)"
        " WHERE vault = name AND fence = number AND until > clock_timestamp() RETURNING vault",
        (seconds, list(held), list(held.values())),
    )
    return {vault for (vault,) in rows}


def release(connection: Connection, vault: str, fence: int) -> None:
    """Give a lease back, so that others need not wait until it runs out."""
    connection.execute(
        "UPDATE leases SET until = '-infinity' WHERE vault = ? AND fence = ?", (vault, fence)
    )


def holder(connection: Connection, vault: str) -> Holder | None:
    """Find the node that has a vault; None if nobody has it now."""
    row = connection.execute(
        "SELECT node, address, fence, extract(epoch FROM until - clock_timestamp())::float8"
        " FROM leases WHERE vault = ? AND until > clock_timestamp()",
        (vault,),
    ).fetchone()
    return None if row is None else Holder(*row)


def holders(connection: Connection, vaults: Sequence[str]) -> dict[str, Holder]:
    """Find the nodes that have some vaults; those that nobody has are left out."""
    rows = connection.execute(
        "SELECT vault, node, address, fence FROM leases"
        " WHERE vault = ANY (?::text[]) AND until > clock_timestamp()",
        (list(vaults),),
    )
    return {vault: Holder(*rest) for vault, *rest in rows}


def announce(connection: Connection, node: str, address: str, seconds: float) -> None:
    """Say that a node is there, ready to own any vault."""
    connection.execute(
        "INSERT INTO nodes VALUES (?, ?, clock_timestamp() + make_interval(secs => ?))"
        " ON CONFLICT (address) DO UPDATE SET node = excluded.node, until = excluded.until",
        (address, node, seconds),
    )


def retire(connection: Connection, node: str) -> None:
    """Say that a node goes."""
    connection.execute("DELETE FROM nodes WHERE node = ?", (node,))


def addresses(connection: Connection) -> list[str]:
    """List where the nodes are that are there now."""
    rows = connection.execute("SELECT address FROM nodes WHERE until > clock_timestamp()")
    return [address for (address,) in rows]


def require(connection: Connection, vault: str, fence: int) -> None:
    """Refuse to go on in a transaction of whoever has not the lease."""
    connection.execute("SELECT commonplace.require_lease(?, ?)", (vault, fence))


def begin_statement(vault: str, fence: int, schema: str) -> "Composed":
    """Return what begins a transaction under a lease in a schema, for the server in one go."""
    from psycopg import sql

    begin = sql.SQL("BEGIN; SET LOCAL search_path TO {}; SELECT commonplace.require_lease({}, {})")
    return begin.format(sql.Identifier(schema), sql.Literal(vault), sql.Literal(fence))
