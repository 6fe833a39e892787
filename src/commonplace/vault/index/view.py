"""Lets a reader of the index see a part of the vault alone.

A connection gets views of its own over the tables, which SQLite takes for the tables whenever they
are named: whatever is asked, the rows of other notes are not there. A link to one of those leads
nowhere. Words are looked up in a table of another kind, so whoever asks for them says which notes
are meant (`visible`).
"""

import sqlite3

from commonplace.core.view import View

_OF_NOTES = ("names", "tags", "properties", "suggestions")


def limit(db: sqlite3.Connection, view: View) -> None:
    """Let a connection see no notes but those that a view shows."""
    if not view.limited:
        return
    # The sign after the slash ends what begins with a folder: a look-up by the tree of paths.
    inside = " OR ".join(
        f"(path >= {_quoted(f'{each}/')} AND path < {_quoted(f'{each}0')})" for each in view.folders
    )
    seen = "SELECT id FROM temp.notes"
    links = (
        "CREATE TEMP VIEW links AS SELECT link.source, link.ordinal, met.id AS target,"  # noqa: S608
        " link.ambiguous AND met.id NOT NULL AS ambiguous, link.raw, link.key, link.kind,"
        " link.start, link.stop"
        " FROM main.links link LEFT JOIN temp.notes met ON met.id = link.target"
        f" WHERE link.source IN ({seen})"
    )
    db.execute(f"CREATE TEMP VIEW notes AS SELECT * FROM main.notes WHERE {inside}")  # noqa: S608
    for table in _OF_NOTES:
        db.execute(
            f"CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} WHERE note IN ({seen})"  # noqa: S608
        )
    db.execute(links)
    # What a note links to as a whole is for who sees all: here are the links themselves.
    db.execute("CREATE TEMP VIEW targets AS SELECT * FROM main.targets WHERE false")


def visible(db: sqlite3.Connection) -> set[int]:
    """Return the numbers of all notes that a connection sees."""
    return {note for (note,) in db.execute("SELECT id FROM notes")}


def hidden_backlinks(db: sqlite3.Connection, note: int) -> int:
    """Count the notes that link to one and are not seen."""
    sql = (
        "SELECT count(DISTINCT source) FROM main.links WHERE target = ?"
        " AND source NOT IN (SELECT id FROM notes)"
    )
    return int(db.execute(sql, (note,)).fetchone()[0])


def _quoted(text: str) -> str:
    """Write a text as SQL does: a view takes no parameters."""
    return "'" + text.replace("'", "''") + "'"
