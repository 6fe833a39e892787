"""A vault, open: its parts, each asked for what it owns.

Opening returns at once (see `open`). The index is brought up to date in the background, and what
is asked meanwhile is answered from the files where the index does not reach yet.
"""

from dataclasses import dataclass

from commonplace.vault.attachments.attachments import Attachments
from commonplace.vault.attachments.folder_moves import FolderChanges
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.embeddings.semantic import SemanticSearch
from commonplace.vault.files.roots import Roots
from commonplace.vault.folders.folders import Folders
from commonplace.vault.health import Health
from commonplace.vault.history.history import History
from commonplace.vault.history.intents import Intents
from commonplace.vault.history.recorder import Recorder
from commonplace.vault.history.timeline import Timeline
from commonplace.vault.index.graph import LinkGraph
from commonplace.vault.index.indexer import Indexer
from commonplace.vault.index.mirror import Contents
from commonplace.vault.index.reader import Index
from commonplace.vault.index.warnings import Warnings
from commonplace.vault.log.log import Log
from commonplace.vault.notes.rename import Renames
from commonplace.vault.notes.trash import Trash
from commonplace.vault.notes.write import NoteWriter
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.permissions.tokens import Tokens
from commonplace.vault.search.listing import Listing
from commonplace.vault.search.readiness import Readiness
from commonplace.vault.search.search import Search
from commonplace.vault.search.texts import Texts
from commonplace.vault.sets.parts import ChangeSets
from commonplace.vault.settings import Settings
from commonplace.vault.suggestions.authorship import Authorship
from commonplace.vault.suggestions.comments import Comments
from commonplace.vault.suggestions.ends.absence import Absence
from commonplace.vault.suggestions.ends.ends import Ends
from commonplace.vault.suggestions.ledger import Ledger
from commonplace.vault.suggestions.note_reader import NoteReader
from commonplace.vault.suggestions.pending import PendingSuggestions
from commonplace.vault.suggestions.review import Review
from commonplace.vault.suggestions.suggest import Suggestions
from commonplace.vault.undo.undo import Undo
from commonplace.vault.undo.withdraw import Withdrawal


@dataclass(frozen=True, slots=True)
class Vault:
    """The parts of a vault."""

    settings: Settings
    roots: Roots
    log: Log
    health: Health

    # what the index holds, the mirror of it in memory, and who keeps both current
    index: Index
    contents: Contents
    links: LinkGraph
    indexer: Indexer
    readiness: Readiness
    warnings: Warnings

    # notes as live documents, and the lists of roots
    notes: LiveNotes
    folders: Folders

    # what happened: revisions, who takes them down, and changes of many notes
    history: History
    recorder: Recorder
    intents: Intents
    timeline: Timeline

    # reading and finding
    texts: Texts
    listing: Listing
    meaning: SemanticSearch
    search: Search

    # suggestions: what an assistant has read, what it suggests, what people decide
    reader: NoteReader
    suggestions: Suggestions
    authorship: Authorship
    pending: PendingSuggestions
    review: Review
    ledger: Ledger
    ends: Ends
    absence: Absence
    comments: Comments
    sets: ChangeSets

    # changes of whole notes, and who may make them
    write: NoteWriter
    renames: Renames
    trash: Trash
    attachments: Attachments
    folder_changes: FolderChanges
    permissions: Permissions
    tokens: Tokens
    undo: Undo
    withdrawal: Withdrawal
