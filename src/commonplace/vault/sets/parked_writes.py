"""The parked writes of a change set, approved or denied as steps of a decision, and taken back.

A write is no edit of one document, so a crash can come between the deed and its record. Each step
is safe to take twice: what stands already is put on record, and not done again.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol, cast

from commonplace.core import critic
from commonplace.core.text import edits, words
from commonplace.errors import CommonplaceError, Conflict, NotFound
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.history.intents import Json
from commonplace.vault.notes.rename import Renamed
from commonplace.vault.notes.rename_plan import RenameUndo
from commonplace.vault.notes.rewrite import Rewritten
from commonplace.vault.notes.trash import Trash
from commonplace.vault.notes.write import NoteWriter, wanted
from commonplace.vault.permissions.approvals import Parked
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.permissions.requests import Changed, PermissionChoice
from commonplace.vault.search.texts import Texts
from commonplace.vault.suggestions.decisions import rebased
from commonplace.vault.suggestions.review import Verdict

_FOLLOWED_MAX = 1_000


class NoteRenames(Protocol):
    """Gives notes other paths."""

    async def rename(  # noqa: D102
        self, path: str, to: str, actor: str, *, undo: RenameUndo
    ) -> Renamed: ...

    def followed(self, old: str, new: str) -> list[Rewritten] | None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class WriteStep:
    """A parked write approved or denied.

    `before` and `after` are the marked texts of a note that it rewrote, `path` where its note is,
    `result` what the tool answers, and `followed` the notes whose links followed a rename, where
    that is known.
    """

    parked: Parked
    path: str
    before: str = ""
    after: str | None = None
    result: Json | None = None
    followed: tuple[Json, ...] | None = None

    def packed(self) -> Json:
        """Return it as plain values."""
        return asdict(self)

    @classmethod
    def unpacked(cls, kept: Json) -> "WriteStep":
        """Return what was packed."""
        fields = cast("dict[str, Any]", dict(kept))
        return cls(
            Parked(**fields["parked"]),
            fields["path"],
            fields.get("before", ""),
            fields.get("after"),
            fields.get("result"),
            fields.get("followed"),
        )


def _rename_undo(step: WriteStep, beside: Iterable[Json]) -> RenameUndo:
    """Tell how to take a rename back, together with the steps beside it."""
    if step.followed is None:  # cut short by a crash, or too many: links follow as in any rename
        return RenameUndo()
    writes = [WriteStep.unpacked(each) for each in beside if "parked" in each]
    written = (each.path for each in writes if each.parked.operation in ("create", "update"))
    return RenameUndo(tuple(map(Rewritten.unpacked, step.followed)), frozenset(written))


@dataclass(frozen=True, slots=True)
class ApprovalAnswer:
    """What a person says to a write: yes, as far as `scope` reaches, or no, with a `reason`.

    One that is answered `alone` and cannot be done is off; one of several waits on.
    """

    verdict: Verdict
    who: str
    reason: str = ""
    scope: PermissionChoice = "once"
    alone: bool = False


class ParkedWrites:
    """Approves, denies and takes back."""

    def __init__(
        self,
        permissions: Permissions,
        write: NoteWriter,
        notes: LiveNotes,
        texts: Texts,
        trash: Trash,
        renames: NoteRenames,
    ) -> None:
        self._permissions = permissions
        self._writer = write
        self._notes = notes
        self._texts = texts
        self._trash = trash
        self._renames = renames

    async def plan(self, parked: Parked) -> WriteStep:
        """Return the step that decides a write."""
        before = ""
        if parked.operation == "update":
            with suppress(CommonplaceError):  # told when it is decided: a denial needs no note
                before = await self._texts.marked(parked.path)
        return WriteStep(parked, str(parked.change.get("to", parked.path)), before)

    async def decide(self, step: WriteStep, answer: ApprovalAnswer, *, again: bool) -> WriteStep:
        """Approve or deny a write; `again` if it may have been before a crash.

        Raises:
            Conflict: it was decided otherwise, or cannot be done. It waits on then, unless it was
                decided `alone`.

        """
        id = step.parked.id
        now = await self._permissions.find(id)
        state = now.state if now else None
        if answer.verdict == "reject":
            if state == "waiting":
                await self._permissions.deny(id, answer.who, answer.reason)
            elif state == "approved":
                raise Conflict(f"Write {id} was approved meanwhile.")
            return step
        if state == "waiting" and not (again and await self._is_made(step)):
            return await self._approve(step, answer)
        if state == "waiting":
            result = await self._result(step)
            await self._permissions.settle(id, answer.who, result, answer.scope)
            return await self._made(step, result)
        if state != "approved" and not await self._is_made(step):
            raise Conflict(f"Write {id} was decided otherwise meanwhile.")
        return await self._made(step, now.result if now and now.result else {})

    async def _approve(self, step: WriteStep, answer: ApprovalAnswer) -> WriteStep:
        try:
            result = await self._permissions.approve(step.parked.id, answer.who, answer.scope)
        except Changed:
            raise  # it waits on, with what it would change now
        except CommonplaceError:
            if not answer.alone:
                await self._permissions.put_back(step.parked)
            raise
        return await self._made(step, result)

    async def _result(self, step: WriteStep) -> Json:
        """Return what a tool answers for a write that was made before a crash."""
        if step.parked.operation in ("delete", "rename"):
            return {"path": step.path, "status": f"{step.parked.operation}d"}
        says = await self._says(step)
        counts = {"word_count": words.count(says), "char_count": len(says)}
        return {"path": step.path, "status": f"{step.parked.operation}d", **counts}

    async def _made(self, step: WriteStep, result: Json) -> WriteStep:
        path = str(result.get("path", step.path))
        rewrote = step.parked.operation == "update"
        after = await self._texts.marked(path) if rewrote else None
        return replace(step, path=path, after=after, result=result, followed=self._followed(step))

    def _followed(self, step: WriteStep) -> tuple[Json, ...] | None:
        if step.parked.operation != "rename":
            return None
        found = self._renames.followed(step.parked.path, step.path)
        if found is None or len(found) > _FOLLOWED_MAX:
            return None
        return tuple(each.packed() for each in found)

    async def take_back(
        self, step: WriteStep, verdict: Verdict, who: str, beside: Iterable[Json] = ()
    ) -> None:
        """Let a write wait again as if it never had been decided.

        `beside` are the steps that are taken back with it.
        """
        now = await self._permissions.find(step.parked.id)
        if verdict == "accept" and (now is None or now.state != "waiting"):
            await self._undo(step, who, beside)
        await self._permissions.put_back(step.parked)

    async def _undo(self, step: WriteStep, who: str, beside: Iterable[Json]) -> None:
        match step.parked.operation:
            case "create" if self._texts.exists(step.path):
                if not await self._is_made(step):
                    raise Conflict(f"Changed since, so that it cannot be taken back: {step.path}.")
                await self._writer.delete(step.path, who)
            case "rename" if self._texts.exists(step.path):
                undo, actor = _rename_undo(step, beside), f"person:{who}"
                await self._renames.rename(step.path, step.parked.path, actor, undo=undo)
            case "update" if step.after is not None:
                await self._rewrite(step.path, step.after, step.before)
            case "delete":
                await self._restore(step.parked.path)
            case _:
                pass

    async def _rewrite(self, path: str, now: str, before: str) -> None:
        back = edits.diff(now, before)

        def plan(text: str) -> list[edits.Edit]:
            try:
                return [] if text == before else rebased(text, now, back)
            except Conflict as error:
                raise Conflict(f"{path}: {error}") from error

        await self._notes.edit(path, plan, "review:undo")

    async def _restore(self, path: str) -> None:
        found = [one for one in await self._trash.listed() if one.path == path]
        if found and not self._texts.exists(path):
            await self._trash.restore(max(found, key=lambda one: one.time or 0.0).trash)

    async def stands(
        self, beside: Iterable[WriteStep], before: Mapping[str, str], step: WriteStep
    ) -> bool:
        """Tell whether what a write did is still as it left it, so that it can be taken back.

        Renames `beside` it are taken back first, and `before` is what notes say once suggestions
        are. Where it is not known yet what that comes to, the write counts as standing: it is
        looked at again when its turn comes.
        """
        if step.parked.operation in ("rename", "delete"):
            return await self._is_made(step)
        renames = [one for one in beside if one.parked.operation == "rename"]
        try:
            text = await self._before(renames, before, step.path)
            if text is None:
                return True
            if step.parked.operation == "create":
                return critic.accepted(text) == step.parked.change["text"]
            if step.after is None:
                return False
            rebased(text, step.after, edits.diff(step.after, step.before))
        except (Conflict, NotFound):
            return False
        return True

    async def _before(
        self, renames: Sequence[WriteStep], before: Mapping[str, str], path: str
    ) -> str | None:
        """Return the text of a note as it will be without the renames, if that is known."""
        for one in renames:
            path = one.path if one.parked.path == path else path
        text = before[path] if path in before else await self._texts.marked(path)
        for one in reversed(renames):
            if one.followed is None:
                return None
            for each in map(Rewritten.unpacked, one.followed):
                if each.path == path:
                    back = each.undoing(text)
                    if back is None:
                        return None
                    text = edits.apply(text, back)
            path = one.parked.path if one.path == path else path
        return text

    async def _is_made(self, step: WriteStep) -> bool:
        """Tell whether the notes are as the write would make them."""
        parked, exists = step.parked, self._texts.exists
        match parked.operation:
            case "create":
                return exists(step.path) and await self._says(step) == parked.change["text"]
            case "rename":
                return exists(step.path) and not exists(parked.path)
            case "delete":
                listed = await self._trash.listed()
                return not exists(parked.path) and any(one.path == parked.path for one in listed)
            case _:
                if not exists(step.path):
                    return False
                says = await self._says(step)
                return wanted(says, parked.change) == says

    async def _says(self, step: WriteStep) -> str:
        # After a crash the file may be behind the log: what counts is the document.
        document = await self._notes.ids.id_of(step.path)
        await self._notes.open(document)
        async with self._notes.documents.hold(document) as held:
            return critic.accepted(held.text)
