"""Building the whole index."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from commonplace.vault.index.build import process
from commonplace.vault.index.build.builder import BuildJob
from commonplace.vault.index.reader import Index
from commonplace.vault.index.schema import LOOKUPS
from commonplace.vault.index.writer import IndexWriter
from commonplace.vault.settings import Settings

MakeSettings = Callable[..., Settings]

NOTES = {
    f"folder {n % 7}/note {n}.md": f"---\ntags: [odd, n{n % 5}]\n---\n# Title {n}\n\nWort 漢字 {n}"
    f" [[note {(n * 17) % 272}]] [[title {(n * 17) % 272}]] {{++more++}} #inline\n"
    for n in range(272)
} | {"broken.md": b"\xff\xfe", "empty.md": ""}
TABLES = ("notes", "names", "links", "tags", "properties", "suggestions")


def built(settings: Settings, workers: int = 1) -> list[dict[str, object]]:
    settings.state.mkdir(exist_ok=True)
    return list(process.run(BuildJob.of(settings, workers)))


def dump(state: Path) -> dict[str, list[tuple[object, ...]]]:
    """All that an index holds: rows, words with their places, and the joined texts."""
    with closing(sqlite3.connect(state / "index.db")) as db:
        tables = {name: db.execute(f"SELECT * FROM {name}").fetchall() for name in TABLES}
        db.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, fulltext, instance)")
        tables["words"] = db.execute("SELECT * FROM temp.words ORDER BY 1, 2, 3, 4").fetchall()
    tables["corpus"] = [(file.name, file.read_bytes()) for file in sorted(state.glob("corpus-*"))]
    return tables


def cut_short(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build until most notes are written, and stop there."""
    settings.state.mkdir(exist_ok=True)
    monkeypatch.setattr(process, "_BATCH", 1)
    with closing(process.run(BuildJob.of(settings, 1))) as news:
        next(n for n in news if int(str(n.get("read", 0))) > 250)
    monkeypatch.undo()


def unresolved(settings: Settings) -> int:
    with closing(sqlite3.connect(settings.state / "index.db")) as db:
        return db.execute("SELECT count(*) FROM links WHERE target IS NULL").fetchone()[0]


def lookups(settings: Settings) -> set[str]:
    with closing(sqlite3.connect(settings.state / "index.db")) as db:
        rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'index'")
        return {name for (name,) in rows} & {*LOOKUPS}


def test_workers_build_the_same_index_to_the_byte(
    make_settings: MakeSettings, tmp_path: Path
) -> None:
    settings = make_settings(NOTES)
    built(settings, workers=1)
    alone = dump(settings.state)
    others = replace(settings, state=tmp_path / "other state")
    built(others, workers=3)
    assert dump(others.state) == alone
    assert {name: len(rows) for name, rows in alone.items()} == {
        "notes": 274,
        "names": 545,
        "links": 544,
        "tags": 816,
        "properties": 544,
        "suggestions": 272,
        "words": len(alone["words"]),
        "corpus": 2,
    }


def test_a_build_tells_how_far_it_is(make_settings: MakeSettings) -> None:
    news = built(make_settings(NOTES))
    assert news[0] == {"listed": 274, "todo": 274, "changed": 0, "gone": 0}
    assert news[-2] == {"read": 274, "todo": 274}
    assert news[-1]["done"]


def test_backlinks_are_looked_up_and_not_searched_for(make_settings: MakeSettings) -> None:
    settings = make_settings(NOTES)
    built(settings)
    with closing(sqlite3.connect(settings.state / "index.db")) as db:
        plan = db.execute(
            "EXPLAIN QUERY PLAN SELECT DISTINCT notes.path FROM links"
            " JOIN notes ON notes.id = links.source WHERE links.target = 7"
        ).fetchall()
        (spread,) = db.execute(
            "SELECT stat FROM sqlite_stat1 WHERE idx = 'links_target'"
        ).fetchone()
    assert any("links_target" in row[3] for row in plan)
    assert spread == "544 34"


def test_a_second_build_writes_nothing(make_settings: MakeSettings) -> None:
    settings = make_settings(NOTES)
    built(settings)
    before = dump(settings.state)
    assert built(settings)[0] == {"listed": 274, "todo": 0, "changed": 0, "gone": 0}
    assert dump(settings.state) == before


def test_many_changes_are_written_over_an_index_that_is_full(make_settings: MakeSettings) -> None:
    settings = make_settings(NOTES)
    built(settings)
    notes = {path: f"# Other {n}\n[[note {n}]]\n" for n, path in enumerate(NOTES)}
    make_settings(notes)
    (settings.roots[0].path / "empty.md").unlink()
    assert built(settings, workers=2)[0] == {"listed": 273, "todo": 273, "changed": 273, "gone": 1}
    with closing(Index(settings.state)) as index:
        assert [hit.path for hit in index.words.search("other 17", 1)] == ["folder 3/note 17.md"]
        assert not index.words.search("Wort", 10)
    assert unresolved(settings) == 1  # [[note 272]]


TRICKY = {
    "alone.md": "[[broken]] [[a/dup]] [[dup]] [[other]] [[Alone.md]] [[nobody]] [[case]] [[Case]]",
    "a/dup.md": "# other\n[[dup]] [[../alone]] [[alone/]] [[alone#part|shown]] ![[alone]]",
    "b/dup.md": "---\naliases: [broken, alone]\n---\n[[漢字]] [x](../alone.md) [y](alone.md)",
    "b/漢字.md": "[[DUP]] [[b/dup]] [[/alone]]",
    "Case.md": "[[gone]]",
    "case.md": "[[e\u0301t\u00e9]]",
    "\u00e9te\u0301.md": "# gone\n",
    "broken.md": b"\xff\xfe",
    "nobody.md": b"\xfe\xff\0",
}


def test_what_links_were_foreseen_to_mean_is_what_they_mean(make_settings: MakeSettings) -> None:
    settings = make_settings(TRICKY)
    built(settings)
    with closing(IndexWriter(settings.state, several_roots=False)) as writer:
        before = dump(settings.state)["links"]
        with writer.batch():
            writer._links.touch_all()
            assert writer.settle_links() == set()
    with closing(Index(settings.state)) as index:
        listed = dict(index._db.execute("SELECT id, path FROM notes").fetchall())
    meant = {(listed[row[0]], row[4]): listed.get(row[2]) for row in before}
    assert meant["alone.md", "broken"] == "b/dup.md"  # an alias: the file is no note
    assert meant["alone.md", "nobody"] is None
    assert meant["alone.md", "Alone.md"] == meant["b/dup.md", "alone.md"] == "alone.md"
    assert meant["alone.md", "a/dup"] == "a/dup.md"
    assert meant["case.md", "e\u0301t\u00e9"] == "\u00e9t\u00e9.md"
    assert len(before) == 21


def test_a_build_that_was_cut_short_is_finished_by_the_next(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = make_settings(NOTES)
    cut_short(settings, monkeypatch)
    assert unresolved(settings) > 200
    assert not lookups(settings)
    assert int(str(built(settings)[0]["todo"])) < 50
    assert unresolved(settings) == 0
    assert lookups(settings) == {*LOOKUPS}


def test_a_build_that_was_cut_short_is_finished_by_whoever_writes_next(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = make_settings(NOTES)
    cut_short(settings, monkeypatch)
    writer = IndexWriter(settings.state, several_roots=False)
    with writer.batch():
        writer.settle_links()
    writer.close()
    assert unresolved(settings) < 50  # those that lead to notes that were not read
    assert lookups(settings) == {*LOOKUPS}


def test_without_its_mark_a_build_that_was_cut_short_would_leave_links_open(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = make_settings(NOTES)
    cut_short(settings, monkeypatch)
    with closing(sqlite3.connect(settings.state / "index.db")) as db, db:
        db.execute("DELETE FROM meta WHERE key = 'unfinished'")
    built(settings)
    assert unresolved(settings) > 200


def test_a_note_that_moved_while_nobody_looked_is_told_as_moved(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings(NOTES)
    built(settings)
    top = settings.roots[0].path
    (top / "folder 0/note 0.md").rename(top / "folder 0/renamed.md")
    done = built(settings)[-1]
    assert done["moved"] == {"folder 0/renamed.md": "folder 0/note 0.md"}
    assert done["gone"] == ["folder 0/note 0.md"]
