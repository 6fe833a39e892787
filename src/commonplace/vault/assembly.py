"""Assembles a vault: makes its parts, each from those that it asks."""

from collections.abc import Awaitable

from commonplace.vault.attachments.attachments import Attachments
from commonplace.vault.attachments.folder_moves import FolderChanges
from commonplace.vault.documents.file.stable_read import Caution
from commonplace.vault.documents.folder_document import Touches
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.embeddings.semantic import SemanticSearch
from commonplace.vault.files.roots import Roots
from commonplace.vault.folders.apply import Doors
from commonplace.vault.folders.folders import Folders, IndexAnswers
from commonplace.vault.health import Health
from commonplace.vault.history.history import History
from commonplace.vault.history.intents import Intents
from commonplace.vault.history.recorder import Recorder
from commonplace.vault.history.timeline import Timeline
from commonplace.vault.index.indexer import Indexer
from commonplace.vault.index.mirror import Contents
from commonplace.vault.index.reader import Index
from commonplace.vault.index.threads import Aside
from commonplace.vault.index.warnings import Warnings
from commonplace.vault.log.late_records import Afterwards
from commonplace.vault.log.log import Log
from commonplace.vault.notes.rename import Renames
from commonplace.vault.notes.trash import Trash
from commonplace.vault.notes.write import NoteWriter
from commonplace.vault.permissions.permissions import Memory, Permissions
from commonplace.vault.permissions.tokens import Tokens
from commonplace.vault.search.listing import Listing
from commonplace.vault.search.readiness import Readiness
from commonplace.vault.search.search import Search
from commonplace.vault.search.texts import Texts
from commonplace.vault.sets.assess import Assessor
from commonplace.vault.sets.parts import change_sets
from commonplace.vault.settings import Settings
from commonplace.vault.suggestions.authorship import Authorship
from commonplace.vault.suggestions.comments import Comments
from commonplace.vault.suggestions.decisions import Decisions
from commonplace.vault.suggestions.ends.absence import Absence
from commonplace.vault.suggestions.ends.ends import Ends
from commonplace.vault.suggestions.ends.unseen_suggestions import UnseenSuggestions
from commonplace.vault.suggestions.erasure import ForgottenDecisions
from commonplace.vault.suggestions.ledger import Ledger
from commonplace.vault.suggestions.note_reader import NoteReader
from commonplace.vault.suggestions.pending import PendingSuggestions
from commonplace.vault.suggestions.read_guard import CutReadings, Readings
from commonplace.vault.suggestions.review import Review
from commonplace.vault.suggestions.suggest import Suggestions
from commonplace.vault.supervisor import Supervisor
from commonplace.vault.undo.undo import Undo
from commonplace.vault.undo.withdraw import Withdrawal
from commonplace.vault.undo.write_lock import WriteLock
from commonplace.vault.vault import Vault


def assemble(  # noqa: PLR0915 (a line for each part)
    settings: Settings,
    roots: Roots,
    log: Log,
    history: History,
    aside: Aside,
    late: Afterwards,
    caution: Caution | None,
) -> Vault:
    """Make the parts, each from those that it asks; the listeners come last."""
    several = settings.several_roots
    index = Index(settings.state)
    contents = Contents(index.unread_corpus())
    indexer = Indexer(settings, roots, contents)
    touches = Touches()

    def path_of(id: str) -> Awaitable[str | None]:
        return notes.ids.path_of(id)

    recorder = Recorder(history, log, path_of, retention=settings.history)
    notes = LiveNotes(
        roots,
        log,
        indexer,
        touches,
        read_only=settings.read_only,
        recorder=recorder,
        caution=caution,
    )
    texts = Texts(roots, contents, notes)
    listing = Listing(index, aside, contents, indexer, notes, texts, several_roots=several)
    meaning = SemanticSearch(settings, contents, texts.of_note)
    search = Search(settings, roots, index, aside, contents, texts, listing, meaning)

    intents = Intents(log)
    memory, ledger = Memory(log, late), Ledger(late)
    decisions = Decisions(notes, ledger, log, intents)
    review = Review(notes, ledger, decisions)
    authorship = Authorship(notes, ledger, settings.suggestions)
    comments = Comments(notes, late)
    unseen = UnseenSuggestions(late)
    ends = Ends(index, notes, ledger, texts.marked, unseen, intents)
    absence = Absence(index, indexer, notes, ends, texts.marked, unseen, intents)
    readings, cuts = Readings(), CutReadings(notes.ids, late)
    reader = NoteReader(texts, review, authorship, comments, absence, readings, cuts)
    suggestions = Suggestions(notes, authorship, readings, memory.audit)
    authorship.follow_suggestions(ends.suggested)
    notes.follow_saves(ledger.doubts.saved)

    permissions = Permissions(memory, settings.policies)
    trash = Trash(roots, log, late, notes, indexer)
    decisions.teach(trash)
    write = NoteWriter(
        texts, notes, listing, authorship, readings, cuts, roots, indexer, index, trash
    )
    write.teach(permissions)
    renames = Renames(
        roots, log, notes, index, indexer, texts, authorship, ends, several_roots=several
    )
    renames.teach(permissions)
    pending = PendingSuggestions(index, notes, ledger)
    write_lock = WriteLock()
    sets = change_sets(
        log,
        late,
        intents,
        notes,
        texts,
        ledger,
        decisions,
        pending,
        authorship,
        permissions,
        write,
        trash,
        renames,
        Assessor(texts, listing, lambda name: index.links.named(name)),
        comments,
        write_lock,
    )
    texts.follow_moves(renames.lately)
    attachments = Attachments(settings, roots, index, indexer, renames)
    folder_changes = FolderChanges(
        roots, listing, attachments, renames.rename, read_only=settings.read_only
    )
    folders = Folders(
        roots,
        log,
        notes,
        touches,
        IndexAnswers(contents, indexer.graph.get, indexer.settled),
        Doors(lambda path, text, id: write.create(path, text, id=id), renames.rename, write.delete),
        read_only=settings.read_only,
    )
    timeline = Timeline(history, log, recorder, notes, texts)
    forgotten = ForgottenDecisions(ledger, log, unseen)
    for each in (forgotten, sets.decisions, indexer):
        timeline.teach(each.forget)
    supervisor = Supervisor()
    health = Health(
        settings, roots, log, index, aside, indexer, notes, meaning, memory.audit, supervisor
    )
    warnings = Warnings(index)

    async def reopen_readers() -> None:
        index.reopen()
        await aside.ask(Index.reopen)
        await meaning.reopen_index()

    indexer.follow_renewals(reopen_readers)
    for listener in (notes.moves, folders, meaning, warnings, ends, absence):
        contents.follow(listener.heard)
    return Vault(
        settings=settings,
        roots=roots,
        log=log,
        health=health,
        index=index,
        contents=contents,
        links=indexer.graph,
        indexer=indexer,
        readiness=Readiness(indexer, contents),
        warnings=warnings,
        notes=notes,
        folders=folders,
        history=history,
        recorder=recorder,
        intents=intents,
        timeline=timeline,
        texts=texts,
        listing=listing,
        meaning=meaning,
        search=search,
        reader=reader,
        suggestions=suggestions,
        authorship=authorship,
        pending=pending,
        review=review,
        ledger=ledger,
        ends=ends,
        absence=absence,
        comments=comments,
        sets=sets,
        write=write,
        renames=renames,
        trash=trash,
        attachments=attachments,
        folder_changes=folder_changes,
        permissions=permissions,
        tokens=Tokens(log),
        undo=Undo(
            history,
            recorder,
            timeline,
            intents,
            notes,
            texts,
            trash,
            renames,
            permissions,
            write_lock,
        ),
        withdrawal=Withdrawal(
            history, recorder, notes, texts, pending, ledger, authorship, permissions, sets.reader
        ),
    )
