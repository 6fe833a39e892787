"""Looks at a database: whether a team's server can rely on it, and what its settings cost.

What a setting costs is measured: a message in the database's own log is all that such a commit
holds. Nothing is changed.
"""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

from commonplace.vault.postgres.connection import (
    VERSION_MIN,
    Connection,
    connect,
    load_driver,
    reason,
)

_ROUNDS = 20
_COMMITS = 10
_COMMIT_SECONDS_MAX = 3.0
_CLOCK_SECONDS_MAX = 60.0
_SLOW_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class DatabaseCheck:
    """One thing that was looked at; `fix` says how to mend it."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


def check_database(url: str, *, clock: Callable[[], float] = time.time) -> list[DatabaseCheck]:
    """Look at everything; nothing is changed. Raises `Unavailable` if it cannot be reached."""
    driver = load_driver()
    connection = connect(url)
    try:
        return list(_checks(connection, clock))
    except driver.Error as error:
        return [DatabaseCheck("database", False, f"it failed ({reason(error)})", "Try again.")]
    finally:
        connection.close()


def _checks(connection: Connection, clock: Callable[[], float]) -> Iterator[DatabaseCheck]:
    version = _setting(connection, "server_version")
    yield DatabaseCheck(
        "database", True, f"PostgreSQL {version} ({VERSION_MIN} or newer is needed)"
    )
    yield _role(connection)
    yield _durability(connection)
    if _setting(connection, "in_hot_standby") == "off":
        yield from _commits(connection)
    yield _clock(connection, clock)
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
    said = _reset(connection)
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


def _commits(connection: Connection) -> Iterator[DatabaseCheck]:
    """Look at who keeps a commit, and what is waited for until it is told."""
    named = _setting(connection, "synchronous_standby_names")
    asked = "remote_apply" if _reset(connection) == "remote_apply" else "on"
    kept = _commit_seconds(connection, asked)
    if kept is None:
        yield DatabaseCheck(
            "database standby",
            False,
            f"{named or 'a standby'} is to be synchronous, and does not answer: every edit waits"
            " for it",
            "Start it, or take it out of synchronous_standby_names.",
        )
        return
    here = _commit_seconds(connection, "local") or 0.0
    at_once = _commit_seconds(connection, "off") or 0.0
    if named:
        words = (
            f"synchronous ({named}): whatever was acknowledged survives the loss of this machine;"
            f" each commit waits {_ms(max(0.0, kept - here))} ms for it"
        )
    else:
        words = (
            "none is synchronous: if this machine is lost, so are the last edits since its backup"
            " or asynchronous standby; one costs each commit a round trip to it and its disk"
        )
    yield DatabaseCheck("database standby", True, words)
    yield DatabaseCheck(
        "database commit",
        True,
        f"{_ms(kept)} ms until it is kept; of these {_ms(max(0.0, here - at_once))} ms for this"
        " machine's disk, without which a power cut would take the last edits",
    )


def _commit_seconds(connection: Connection, level: str) -> float | None:
    """Measure what a commit takes; None if somebody is waited for who does not come."""
    connection.execute(f"SET synchronous_commit TO {level}")
    times: list[float] = []
    given_up = threading.Event()

    def give_up() -> None:
        given_up.set()
        connection.raw.cancel()  # the wait for a standby ends by that alone

    for _ in range(_COMMITS):
        timer = threading.Timer(_COMMIT_SECONDS_MAX, give_up)
        timer.start()
        began = time.perf_counter()
        connection.execute("SELECT pg_logical_emit_message(true, 'commonplace', '')").fetchone()
        times.append(time.perf_counter() - began)
        timer.cancel()
        timer.join()
        if given_up.is_set():
            return None
    return median(times)


def _reset(connection: Connection) -> str:
    """Tell what the server says of `synchronous_commit` to everybody."""
    row = connection.execute(
        "SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'"
    ).fetchone()
    return str(row[0]) if row else "unknown"


def _clock(connection: Connection, clock: Callable[[], float]) -> DatabaseCheck:
    row = connection.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchone()
    off = abs(clock() - float(row[0])) if row else 0.0
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
    slow = "; that is far: put the nodes nearer to it" if typical > _SLOW_SECONDS else ""
    return DatabaseCheck(
        "database latency",
        True,
        f"{_ms(typical)} ms a round trip; an edit waits for three and for the commit{slow}",
    )


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f}" if seconds < 0.001 else f"{seconds * 1000:.1f}"


def _setting(connection: Connection, name: str) -> str:
    row = connection.execute("SELECT current_setting(?)", (name,)).fetchone()
    return str(row[0]) if row else ""
