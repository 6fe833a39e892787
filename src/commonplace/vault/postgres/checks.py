"""Looks at a database: whether a team's server can rely on it, and what its settings cost."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from commonplace.vault.postgres.connection import Connection, connect, load_driver, one_line

_ROUNDS = 20
_CLOCK_SECONDS_MAX = 60.0
_SLOW_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class DatabaseCheck:
    """One thing that was looked at; `fix` says how to mend it."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


def check_database(url: str) -> list[DatabaseCheck]:
    """Look at everything; nothing is changed. Raises `Unavailable` if it cannot be reached."""
    driver = load_driver()
    connection = connect(url)
    try:
        return list(_checks(connection))
    except driver.Error as error:
        return [DatabaseCheck("database", False, f"it failed ({one_line(error)})", "Try again.")]
    finally:
        connection.close()


def _checks(connection: Connection) -> Iterator[DatabaseCheck]:
    yield DatabaseCheck("database", True, f"PostgreSQL {_setting(connection, 'server_version')}")
    yield _role(connection)
    yield _durability(connection)
    yield _standby(connection)
    yield _clock(connection)
    yield _latency(connection)


def _role(connection: Connection) -> DatabaseCheck:
    (standby, may_create) = connection.execute(
        "SELECT pg_is_in_recovery(), has_database_privilege(current_database(), 'CREATE')"
    ).fetchone() or (True, False)
    if standby:
        return DatabaseCheck(
            "database role", False, "this is a standby", "Name the primary, or a list of hosts."
        )
    if not may_create:
        fix = "GRANT CREATE ON DATABASE … TO the role that --database names."
        return DatabaseCheck("database role", False, "it may make no schema here", fix)
    return DatabaseCheck("database role", True, "a primary, where schemas may be made")


def _durability(connection: Connection) -> DatabaseCheck:
    # What the server says for everybody: our own connections ask for more where that is too weak.
    row = connection.execute(
        "SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'"
    ).fetchone()
    said = row[0] if row else "unknown"
    if _setting(connection, "fsync") == "off" or _setting(connection, "full_page_writes") == "off":
        return DatabaseCheck(
            "database durability",
            False,
            "fsync or full_page_writes is off: a power cut may destroy it all",
            "Turn both on in postgresql.conf.",
        )
    weak = said in ("off", "local", "remote_write")
    ours = "; for its own edits Commonplace turns it on" if weak else ""
    return DatabaseCheck("database durability", True, f"synchronous_commit is {said}{ours}")


def _standby(connection: Connection) -> DatabaseCheck:
    named = _setting(connection, "synchronous_standby_names")
    if not named:
        return DatabaseCheck(
            "database standby",
            True,
            "none is synchronous: if this machine is lost, so are the last edits since its backup"
            " or asynchronous standby; one costs a round trip for each commit",
        )
    row = connection.execute(
        "SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')"
    ).fetchone()
    if not row or not row[0]:
        return DatabaseCheck(
            "database standby",
            False,
            f"{named} is to be synchronous, and is not connected: every edit waits for it",
            "Start it, or take it out of synchronous_standby_names.",
        )
    return DatabaseCheck("database standby", True, f"synchronous ({named}), {row[0]} connected")


def _clock(connection: Connection) -> DatabaseCheck:
    row = connection.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchone()
    off = abs(time.time() - float(row[0])) if row else 0.0
    detail = f"{off:.1f} s from this machine's; leases go by the database's alone"
    fix = "Set the clocks (NTP): times in the history would differ."
    return DatabaseCheck("database clock", off < _CLOCK_SECONDS_MAX, detail, fix)


def _latency(connection: Connection) -> DatabaseCheck:
    times: list[float] = []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        connection.execute("SELECT 1").fetchone()
        times.append(time.perf_counter() - began)
    typical = median(times)
    slow = " (an edit needs three of them)" if typical > _SLOW_SECONDS else ""
    return DatabaseCheck("database latency", True, f"{typical * 1000:.1f} ms a round trip{slow}")


def _setting(connection: Connection, name: str) -> str:
    row = connection.execute("SELECT current_setting(?)", (name,)).fetchone()
    return str(row[0]) if row else ""
