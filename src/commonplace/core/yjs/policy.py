"""What a document takes from an update, and how much of it: a note, a list of notes, the log."""

from dataclasses import dataclass

from commonplace.core.yjs.update import Content

UPDATE_BYTES_MAX = 8 * 1024 * 1024
UPDATE_CLIENTS_MAX = 20_000
UPDATE_STRUCTS_MAX = 200_000
UPDATE_VALUES_MAX = 200_000
FOLDER_STRUCTS_MAX = 60_000
_ANY_NUMBER = 2**53


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much one update may hold."""

    bytes_max: int = UPDATE_BYTES_MAX
    clients_max: int = UPDATE_CLIENTS_MAX
    structs_max: int = UPDATE_STRUCTS_MAX
    values_max: int = UPDATE_VALUES_MAX


UNBOUNDED = Bounds(_ANY_NUMBER, _ANY_NUMBER, _ANY_NUMBER, _ANY_NUMBER)


@dataclass(frozen=True, slots=True)
class Policy:
    """What a document takes: names of roots (`None`: any), kinds of content, keyed values.

    With `maps` every value has a key, and a type inside another is taken only as the value of a
    root: the engine recurses into types that are deleted until its stack ends.
    """

    roots: frozenset[str] | None = None
    contents: frozenset[Content] = frozenset(Content)
    keys: bool = True
    bounds: Bounds = Bounds()
    maps: bool = False
    text: bool = False
    """Whether it is one text: its items stand in order, and none holds a NUL."""


ANYTHING = Policy()
LOGGED = Policy(bounds=UNBOUNDED)  # was let in piece by piece, and may have grown large
# An embedded value counts in the engine's offsets but not in the text, so a note takes none.
PLAIN_TEXT = Policy(
    frozenset({"contents"}),
    frozenset({Content.STRING, Content.DELETED}),
    keys=False,
    text=True,
)
FOLDER = Policy(
    frozenset({"filemeta_v0", "docs", "backlinks_v0", "folder_config"}),
    frozenset({Content.ANY, Content.TYPE, Content.DELETED}),
    bounds=Bounds(structs_max=FOLDER_STRUCTS_MAX),
    maps=True,
)
