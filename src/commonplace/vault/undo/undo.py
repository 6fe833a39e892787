"""Takes back what one author did, in all notes: previewed first, then whole, as one entry.

The text of a note is worked out again when its turn comes, from the history and the text as it is
then, so nothing that somebody typed since the preview is lost. Where nobody can know the right
place of a passage any more, it becomes a suggestion, listed under `needs_you`. An undo is a change
set of its own; undoing it undoes those revisions in the same way.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Any, cast

from commonplace.core.critic import Signature
from commonplace.core.history import Delta, Passage, Undone, to_edits
from commonplace.core.text.edits import Edit, diff
from commonplace.errors import BadArgument, CommonplaceError, NotFound
from commonplace.vault.documents.changes import Edited, Purpose
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.files.trash_names import TRASH
from commonplace.vault.history.history import History, Revision, RevisionFilter
from commonplace.vault.history.intents import Intent, Intents, Json
from commonplace.vault.history.recorder import Recorder
from commonplace.vault.history.timeline import Timeline
from commonplace.vault.log.log import Record
from commonplace.vault.notes.rename import Renames
from commonplace.vault.notes.trash import Trash
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.search.texts import Texts
from commonplace.vault.suggestions.decisions import rebased
from commonplace.vault.undo.plan import OFFER, Past, Whole, after, offered, shown
from commonplace.vault.undo.write_lock import WriteLock

KIND = "undo-author"
SET_PREFIX = "undo-"
_NOTES_MAX = 2_000
SET_MAX = 100_000

_ORDER: tuple[Whole, ...] = ("restore", "rename", "trash", "")


class Undo:
    """Takes back what an author did."""

    def __init__(
        self,
        history: History,
        recorder: Recorder,
        timeline: Timeline,
        intents: Intents,
        notes: LiveNotes,
        texts: Texts,
        trash: Trash,
        renames: Renames,
        permissions: Permissions,
        write_lock: WriteLock,
    ) -> None:
        self._history = history
        self._recorder = recorder
        self._timeline = timeline
        self._intents = intents
        self._notes = notes
        self._texts = texts
        self._trash = trash
        self._renames = renames
        self._permissions = permissions
        self.write_lock = write_lock
        intents.register(KIND, self)

    async def preview(
        self,
        by: str = "",
        since: float = 0.0,
        path: str = "",
        set: str = "",  # noqa: A002 (the domain's word)
    ) -> Json:
        """Say what an undo would do to each note; nothing is changed."""
        actor = await self._timeline.actor(by) if by else ""
        rows = [
            shown(past.path, past, past.undone(now), self._whole(past, now))
            for past in await self._pasts(actor, since, path, set)
            for now in [await self._now(past)]
        ]
        rows = [row for row in rows if row["whole"] or row["passages"]]
        waiting = await self._parked(actor)
        return {"by": by, "set": set, "notes": rows, "withdrawn": len(waiting)}

    async def undo(
        self,
        who: str,
        by: str = "",
        since: float = 0.0,
        path: str = "",
        set: str = "",  # noqa: A002 (the domain's word)
    ) -> Json:
        """Take it back, all of it, or nothing and an error; whose it is writes on after that."""
        self._notes.refuse_read_only()
        if not (by or set):
            raise BadArgument("Say whose changes to take back, or which undo.")
        actor = await self._timeline.actor(by) if by else ""
        async with AsyncExitStack() as held:
            for name in sorted(await self._whose(actor, set)):
                await held.enter_async_context(self.write_lock.hold(name))
            return await self._undo(who, actor, since, path, set)

    async def _whose(self, actor: str, set: str) -> frozenset[str]:  # noqa: A002
        """Name those who have to wait: whose changes are taken back, or come back."""
        actors = [actor, set.partition(":")[2]]
        if set:
            await self._recorder.flush()
            rows = await self._history.revisions(RevisionFilter(set=set, limit=SET_MAX))
            actors += [each.actor for each in rows]
        parts = (each.partition(":") for each in actors)
        return frozenset(name for kind, _, name in parts if kind == "assistant")

    async def _undo(self, who: str, actor: str, since: float, path: str, set: str) -> Json:  # noqa: A002
        found = await self._pasts(actor, since, path, set)
        steps: list[dict[str, object]] = []
        for past in found:
            now = await self._now(past)
            whole = self._whole(past, now)
            if whole or past.undone(now).passages:
                steps.append({"document": past.document, "path": past.path, "whole": whole})
        steps.sort(key=lambda step: _ORDER.index(cast("Whole", step["whole"])))
        common = {"actor": actor, "since": since, "set": set, "who": who}
        whole = sum(bool(step["whole"]) for step in steps)
        steps = [{**step, **common} for step in steps]
        intent = Intent.new(KIND, f"person:{who}", steps, ordered=whole)
        made = await self._intents.run(intent) if steps else {}
        for one in await self._parked(actor):
            await self._permissions.deny(one, who, "What this assistant did is being taken back.")
        needs = [{"path": each["path"], "text": each["text"]} for each in _needs(made)]
        paths = [str(made[step]["path"]) for step in sorted(made)]
        return {"undo": _set_of(intent), "notes": paths, "needs_you": needs}

    # -- the steps of the intent

    async def carry_out(self, intent: Intent, step: int) -> None:
        """Undo in one note."""
        what = cast("Any", intent.steps[step])
        past = await self._past(what["document"], what["actor"], _chooser(what))
        path, whole = past.path, cast("Whole", what["whole"])
        if whole == "restore" and _is_in_trash(path):
            path = await self._trash.restore(path, intent.actor, _set_of(intent))
        if whole == "rename" and path != past.old_path:
            path = await self._rename_back(intent, past)
        if whole == "trash" and not _is_in_trash(path):
            text = await self._texts.marked(path)
            kept = await self._trash.put(path, what["who"])
            purpose = Purpose("delete", _set_of(intent))
            self._recorder.note(past.document, kept, intent.actor, purpose, text, was=path)
            await self._intents.note(intent, step, {"path": path, "trash": kept, "needs": []})
            return
        if _is_in_trash(path):
            await self._intents.note(intent, step, {"path": path, "needs": []})
            return
        await self._edit(intent, step, past, path)

    async def _rename_back(self, intent: Intent, past: Past) -> str:
        name = _set_of(intent)
        done = await self._renames.rename(past.path, past.old_path, intent.actor, set=name)
        return done.path

    async def take_back(self, intent: Intent, step: int, done: Json) -> None:
        """Make a note as it was before the undo."""
        kept = cast("Any", done)
        records = self._intents.back(intent, step)
        if kept.get("trash"):
            await self._trash.restore(kept["trash"], intent.actor)
            return
        if "before" not in kept:
            return
        purpose = Purpose("undo", _set_of(intent), records)
        back = diff(kept["after"], kept["before"])
        await self._notes.edit(
            kept["path"],
            lambda now: rebased(now, expected=kept["after"], changes=back),
            intent.actor,
            purpose,
        )

    async def close(self, intent: Intent, done: Mapping[int, Json]) -> Sequence[Record]:
        """Return nothing: the revisions themselves say what was undone."""
        return ()

    async def _edit(self, intent: Intent, step: int, past: Past, path: str) -> None:
        """Make the changes whose place is known, then offer the others as suggestions."""
        found = Undone((), ())
        name = _set_of(intent)

        def plan(now: str) -> list[Edit]:
            nonlocal found
            found = past.undone(now)
            return to_edits(found.delta)

        def value(before: str, after: Edited) -> Json:
            needs = [each.text for each in found.unclear]
            return {"path": path, "before": before, "after": after.text, "needs": needs}

        def records(edited: Edited) -> Sequence[Record]:
            if found.unclear:
                return ()  # it is done when these are offered
            return self._intents.done(intent, step, partial(value, edited.before))(edited)

        def exact(_: Edited) -> Delta:
            return found.delta

        purpose = Purpose("undo", name, records, exact)
        edited = await self._notes.edit(path, plan, intent.actor, purpose)
        if found.unclear:
            by = Signature("undo", time.time(), False)
            done = self._intents.done(intent, step, partial(value, edited.before))
            offer = partial(_offer, text=edited.text, passages=found.unclear, by=by)
            await self._notes.edit(path, offer, intent.actor, Purpose(OFFER, name, done))

    # -- the history

    async def _pasts(self, actor: str, since: float, path: str, set: str) -> list[Past]:  # noqa: A002
        """Find the notes that are concerned, each with its history."""
        await self._recorder.flush()
        if set:
            rows = await self._history.revisions(RevisionFilter(set=set, limit=SET_MAX))
            documents = list(dict.fromkeys(each.document for each in rows))
        else:
            documents = list(await self._history.touched(actor, since))
        if len(documents) > _NOTES_MAX:
            raise BadArgument(
                f"That concerns {len(documents):,} notes, more than {_NOTES_MAX:,}. Name a folder"
                " or a later time."
            )
        choose = _chooser({"actor": actor, "since": since, "set": set})
        found = [await self._past(document, actor, choose) for document in documents]
        folder = path.rstrip("/")
        found = [past for past in found if not folder or _is_in(past, folder)]
        return [past for past in found if not _is_in_trash(past.path) or _comes_back(past)]

    async def _past(self, document: str, actor: str, choose: "Callable[[Revision], bool]") -> Past:
        await self._recorder.flush([document])
        every = await self._history.steps(document, 0)
        chosen = [each.id for each in every if choose(each)]
        if not chosen:
            raise NotFound("There is nothing of that in the history any more.")
        text, blame = await self._history.blame_before(chosen[0])
        later = [each for each in every if each.id >= chosen[0]]
        path = await self._notes.ids.path_of(document) or every[-1].path
        return Past(document, path, text, blame, later, frozenset(chosen), actor)

    async def _now(self, past: Past) -> str:
        try:
            return await self._texts.marked(past.path)
        except CommonplaceError:  # it lies in the trash
            return after(past.text, past.revisions)

    def _whole(self, past: Past, now: str) -> Whole:
        """Say what happens to the note; one that a person wrote in does not go to the trash."""
        whole = past.whole
        if whole == "restore" and _is_in_trash(past.path):
            return whole
        if past.came_back:
            return "trash"
        if past.is_new:
            return "trash" if past.leaves_nothing(now) else ""
        return whole if whole == "rename" and past.old_path != past.path else ""

    async def _parked(self, actor: str) -> list[int]:
        """Find the writes of an assistant that wait for a person."""
        kind, _, name = actor.partition(":")
        if kind != "assistant":
            return []
        return [one.id for one in await self._permissions.waiting() if one.who == name]


def _chooser(what: Mapping[str, Any]) -> "Callable[[Revision], bool]":
    """Return which revisions are to be undone."""
    if what["set"]:
        return lambda each: each.set == what["set"]
    return lambda each: each.actor == what["actor"] and each.time >= what["since"]


def _comes_back(past: Past) -> bool:
    """Tell whether a note is to come out of the trash; one that was all theirs stays there."""
    return past.whole == "restore" and not past.leaves_nothing(after(past.text, past.revisions))


def _is_in_trash(path: str) -> bool:
    return f"{TRASH}/" in path


def _offer(now: str, text: str, passages: Sequence[Passage], by: Signature) -> list[Edit]:
    """Plan to offer passages as suggestions, unless somebody was faster: then they are listed."""
    return diff(now, offered(now, passages, by)[0]) if now == text else []


def _set_of(intent: Intent) -> str:
    """Name the change set that an undo is: whose changes it takes back is part of it."""
    return f"{SET_PREFIX}{intent.id}:{intent.steps[0]['actor']}" if intent.steps else ""


def _is_in(past: Past, folder: str) -> bool:
    return past.path in (folder, f"{folder}.md") or past.path.startswith(f"{folder}/")


def _needs(made: Mapping[int, Json]) -> list[dict[str, object]]:
    return [
        {"path": made[step]["path"], "text": text}
        for step in sorted(made)
        for text in cast("list[str]", made[step]["needs"])
    ]
