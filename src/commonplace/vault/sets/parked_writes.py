"""The parked writes of a change set, approved or denied as steps of a decision, and taken back.

A write is no edit of one document, so a crash can come between the deed and its record. Each step
is safe to take twice: what stands already is put on record, and not done again.
"""

from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol, cast

from commonplace.core import critic
from commonplace.core.text import edits, words
from commonplace.errors import CommonplaceError, Conflict, NotFound
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.history.intents import Json
from commonplace.vault.notes.rename import Renamed
from commonplace.vault.notes.trash import Trash
from commonplace.vault.notes.write import NoteWriter, wanted
from commonplace.vault.permissions.approvals import Parked
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.permissions.requests import Changed, PermissionChoice
from commonplace.vault.search.texts import Texts
from commonplace.vault.suggestions.decisions import rebased
from commonplace.vault.suggestions.review import Verdict


class Rename(Protocol):
    """Gives a note another path."""

    async def __call__(self, path: str, to: str, actor: str) -> Renamed: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class WriteStep:
    """A parked write approved or denied.

    `before` and `after` are the marked texts of a note that it rewrote, `path` where its note is,
    and `result` what the tool answers.
    """

    parked: Parked
    path: str
    before: str = ""
    after: str | None = None
    result: Json | None = None

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
        )


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
        rename: Rename,
    ) -> None:
        self._permissions = permissions
        self._writer = write
        self._notes = notes
        self._texts = texts
        self._trash = trash
        self._rename = rename

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
        return replace(step, path=path, after=after, result=result)

    async def take_back(self, step: WriteStep, verdict: Verdict, who: str) -> None:
        """Let a write wait again as if it never had been decided."""
        now = await self._permissions.find(step.parked.id)
        if verdict == "accept" and (now is None or now.state != "waiting"):
            await self._undo(step, who)
        await self._permissions.put_back(step.parked)

    async def _undo(self, step: WriteStep, who: str) -> None:
        match step.parked.operation:
            case "create" if self._texts.exists(step.path):
                await self._writer.delete(step.path, who)
            case "rename" if self._texts.exists(step.path):
                await self._rename(step.path, step.parked.path, f"person:{who}")
            case "update" if step.after is not None:
                await self._rewrite(step.path, step.after, step.before)
            case "delete":
                await self._restore(step.parked.path)
            case _:
                pass

    async def _rewrite(self, path: str, now: str, before: str) -> None:
        back = edits.diff(now, before)

        def plan(text: str) -> list[edits.Edit]:
            return [] if text == before else rebased(text, now, back)

        await self._notes.edit(path, plan, "review:undo")

    async def _restore(self, path: str) -> None:
        found = [one for one in await self._trash.listed() if one.path == path]
        if found and not self._texts.exists(path):
            await self._trash.restore(max(found, key=lambda one: one.time or 0.0).trash)

    async def stands(self, step: WriteStep) -> bool:
        """Tell whether what a write did is still as it left it, so that it can be taken back."""
        if step.parked.operation != "update":
            return await self._is_made(step)
        if step.after is None:
            return False
        try:
            text = await self._texts.marked(step.path)
            rebased(text, step.after, edits.diff(step.after, step.before))
        except (Conflict, NotFound):
            return False
        return True

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
