"""Who accepted whose words: which revision made a suggestion, and which one accepted it.

To accept a suggestion deletes its marks alone, so its words stay those of the revision that wrote
them; that a person accepted them is kept here.
"""

from collections.abc import Iterable, Sequence

from commonplace.vault.log.engine import DatabaseConnection

TABLE = (
    """CREATE TABLE acceptances (
        revision INTEGER NOT NULL,
        accepted_in INTEGER NOT NULL,
        PRIMARY KEY (revision, accepted_in)
    ) WITHOUT ROWID""",
)


def put(db: DatabaseConnection, accepted_in: int, revisions: Iterable[int]) -> None:
    """Keep that the words of some revisions were accepted in another."""
    db.executemany(
        "INSERT INTO acceptances VALUES (?, ?) ON CONFLICT DO NOTHING",
        [(number, accepted_in) for number in revisions],
    )


def actors(db: DatabaseConnection, numbers: Sequence[int]) -> dict[int, list[str]]:
    """List who accepted words of some revisions, by revision, first to last."""
    places = ", ".join("?" * len(numbers))
    rows = db.execute(
        "SELECT revision, actor FROM acceptances JOIN revisions ON id = accepted_in"  # noqa: S608
        f" WHERE revision IN ({places}) ORDER BY accepted_in",
        numbers,
    )
    found: dict[int, list[str]] = {}
    for number, actor in rows:
        if actor not in found.setdefault(number, []):
            found[number].append(actor)
    return found
