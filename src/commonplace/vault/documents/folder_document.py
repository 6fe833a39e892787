"""The live document of a root: which notes and folders it has, and what links to each note.

Four maps, in the form that Relay and its relatives keep: `filemeta_v0` (path to id and type),
`docs` (path to id, for older clients), `backlinks_v0` (id to the ids of the notes that link to
it) and `folder_config`. Clients write to them as to any live document. What they touched is
remembered, with the id that was there before, until the vault has followed (`vault.folders`);
after a crash it is found again in the tail of the log.

The server writes under one client id of its own, straight into the replica: a list of values has
no plan that could fail half way, and a copy of a large root would cost as much again.
"""

import json
import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import cast

from commonplace.core.text.edits import Edit
from commonplace.core.yjs.encoding import HostileUpdate
from commonplace.core.yjs.policy import FOLDER, LOGGED
from commonplace.core.yjs.scan import scan
from commonplace.core.yjs.update import Scanned
from commonplace.errors import BadArgument
from commonplace.vault.documents.changes import Edited, Ingested, Plan, Taken
from commonplace.vault.documents.document import Document
from commonplace.vault.documents.engine.maps import Maps, Put
from commonplace.vault.documents.engine.replica import EngineFault, Replica, merged

FOLDER_PREFIX = "folder-"
ACTOR = "server"
FILES, DOCS, BACKLINKS, CONFIG = MAPS = ("filemeta_v0", "docs", "backlinks_v0", "folder_config")

_BYTES_MAX = 128 * 1024 * 1024
# types inside types can be at most so deep; the engine's stack holds ten times as many
HEIRS_MAX = 2_000

Touched = dict[tuple[str, str], str | None]
"""Map and key, and the id of the note that was there before, if there was one."""


class Touches:
    """What clients touched in the documents of roots, until the vault has followed.

    It outlives the documents, which may be evicted and loaded again.
    """

    def __init__(self) -> None:
        self._by_id: dict[str, Touched] = {}

    def make_document(self, id: str) -> Document:
        """Make the document of a root, which notes here what is touched in it; or of a note."""
        return FolderDocument(id, self) if is_folder(id) else Document(id)

    def note(self, id: str, places: Touched) -> None:
        """Note what was touched; what was there before the first touch counts."""
        mine = self._by_id.setdefault(id, {})
        for place, before in places.items():
            mine.setdefault(place, before)

    def of(self, id: str) -> Touched:
        """Return what was touched in a document."""
        return self._by_id.get(id, {})

    def take(self, id: str) -> Touched:
        """Take what was touched, to follow it."""
        return self._by_id.pop(id, {})

    def give_back(self, id: str, touched: Touched) -> None:
        """Note again what could not be followed; it was there before what came meanwhile."""
        self._by_id.setdefault(id, {}).update(touched)

    def by_document(self) -> dict[str, Touched]:
        """Return all that was touched, by document."""
        return dict(self._by_id)


def is_folder(id: str) -> bool:
    """Tell the document of a root from that of a note."""
    return id.startswith(FOLDER_PREFIX)


class FolderDocument(Document):
    """Maps that clients and the server write to at once."""

    def __init__(
        self,
        id: str,
        touches: Touches,
        *,
        draw_client: Callable[[], int] = lambda: secrets.randbits(53),
    ) -> None:
        self._touches = touches
        self._heirs = 0
        super().__init__(id, policy=FOLDER, draw_client=draw_client)

    def value(self, name: str, key: str) -> object:
        """Read one value of a map."""
        self._refuse_broken()
        return self._maps.value(name, key)

    def keys(self, name: str) -> list[str]:
        """Return the keys of a map."""
        self._refuse_broken()
        return self._maps.keys(name)

    def put(self, changes: Sequence[Put]) -> Taken:
        """Make changes of the server's own, all in one transaction."""
        self._refuse_broken()
        try:
            delta = self._maps.put(changes)
            if not delta:
                return Taken(b"", b"", ())
            admitted = self._gate.admit(delta, scan(delta, policy=LOGGED))
            waited = self._maps.apply(admitted.ready[1:])
        except (EngineFault, HostileUpdate):
            self.spoil()
            raise
        record = merged([delta, waited]) if waited else delta
        self._size += len(record)
        return Taken(record, record, self._authors.register((self._author,)))

    def apply(self, update: bytes, actor: str, *, tried: bool = False) -> Taken:
        """Take in an update from outside, and remember what it touched."""
        taken = super().apply(update, actor, tried=tried)
        self._remember()
        return taken

    def edit(self, plan: Plan, actor: str) -> Edited:
        """Refuse: a folder has no text."""
        raise BadArgument("This document lists a folder; it has no text to edit.")

    def ingest(
        self, base: bytes, text: str, actor: str, edits: Sequence[Edit] | None = None
    ) -> Ingested:
        """Refuse: a folder has no text."""
        raise BadArgument("This document lists a folder; it has no text to edit.")

    def snapshot(self) -> bytes | None:
        """Make a full update, or nothing if it would not load as the same maps."""
        if self._gate.waiting:
            return super().snapshot()
        update = self.state()
        copy = Maps(MAPS)
        try:
            copy.load([update])
            copy.expect(self.known)
        except EngineFault:
            return None
        same = all(copy.values(name) == self._maps.values(name) for name in MAPS)
        return update if same else None

    def _content(self) -> bytes:
        values = {name: self._maps.values(name) for name in MAPS}
        return json.dumps(values, sort_keys=True, default=str).encode()

    def _fresh(self) -> Replica:
        self._author = self._authors.own(ACTOR, self._gate.known)
        self._maps = Maps(MAPS, self._author.client)
        return self._maps

    def _replay(self, updates: Iterable[bytes], *, tried: bool) -> None:
        self._heirs = 0
        for number, update in enumerate(updates):
            scanned, ready = self._admit(update, tried=tried)
            self._heirs += scanned.heirs
            if number == 0 or self._is_own(scanned):
                self._maps.load(ready)
            else:
                self._maps.apply(ready)
                self._remember()
        self._maps.expect(self._gate.known)

    def _is_own(self, scanned: Scanned) -> bool:
        clients = list(scanned.spans)
        return bool(clients) and all(self._authors.are_ours([client]) for client in clients)

    def _remember(self) -> None:
        touched = self._maps.touched
        self._touches.note(self.id, {place: _id_in(was) for place, was in touched.items()})
        self._maps.touched = {}

    def _refuse_growth(self, scanned: Scanned, size: int) -> None:
        if self._is_over(scanned, size):
            state = self.state()
            self._size, self._heirs = len(state), scan(state, policy=LOGGED).heirs
        if self._is_over(scanned, size):
            raise HostileUpdate("The update makes the folder's document too large.")
        self._heirs += scanned.heirs

    def _is_over(self, scanned: Scanned, size: int) -> bool:
        return self._size + size > _BYTES_MAX or self._heirs + scanned.heirs > HEIRS_MAX


def _id_in(value: object) -> str | None:
    if not isinstance(value, dict):
        return None
    found = cast("dict[str, object]", value).get("id")
    return found if isinstance(found, str) else None
