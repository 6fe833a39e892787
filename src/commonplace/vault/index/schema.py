"""The tables of `index.db`. All of it is derived: another version is thrown away and built anew."""

VERSION = 4

# Built after the rows of a first build: see `filling`.
LOOKUPS = {
    "names_key": "names(key)",
    "names_note": "names(note)",
    "links_target": "links(target)",
    "links_key": "links(key)",
    "tags_key": "tags(key, note)",
    "tags_note": "tags(note)",
    "properties_value": "properties(key, value, note)",
    "properties_note": "properties(note)",
    "suggestions_note": "suggestions(note)",
}

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- A note with a `shard` is digested: its text lies there in the corpus, and in `fulltext` under
-- the same id. `fulltext` keeps no text of its own: to take a row out, it is given the old text
-- once more, from the corpus.
CREATE TABLE notes (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    on_disk TEXT,
    mtime_ns INTEGER NOT NULL,
    size INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    sha BLOB,
    problem TEXT,
    title TEXT,
    words INTEGER,
    chars INTEGER,
    headings INTEGER,
    code_blocks INTEGER,
    wikilinks INTEGER,
    frontmatter TEXT,
    fault TEXT,
    shard INTEGER,
    start INTEGER,
    length INTEGER
);

CREATE TABLE names (
    key TEXT NOT NULL, note INTEGER NOT NULL, kind INTEGER NOT NULL, name TEXT NOT NULL
);

CREATE TABLE links (
    source INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    target INTEGER,
    ambiguous INTEGER NOT NULL DEFAULT 0,
    raw TEXT NOT NULL,
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    PRIMARY KEY (source, ordinal)
) WITHOUT ROWID;

-- What a note links to, once each and never itself, in four bytes each: so all links of a large
-- vault are read in a moment.
CREATE TABLE targets (note INTEGER PRIMARY KEY, notes BLOB NOT NULL);

CREATE TABLE tags (
    note INTEGER NOT NULL, ordinal INTEGER NOT NULL, tag TEXT NOT NULL, key TEXT NOT NULL
);

CREATE TABLE properties (note INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL);

CREATE TABLE suggestions (
    note INTEGER NOT NULL,
    id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    kind TEXT NOT NULL,
    line INTEGER NOT NULL,
    old TEXT NOT NULL,
    new TEXT NOT NULL,
    author TEXT,
    time REAL,
    before TEXT NOT NULL,
    after TEXT NOT NULL
);

CREATE VIRTUAL TABLE fulltext USING fts5(
    title, body, content='', tokenize='porter unicode61 remove_diacritics 2'
);
INSERT INTO fulltext(fulltext, rank) VALUES('rank', 'bm25(5.0, 1.0)');
"""
