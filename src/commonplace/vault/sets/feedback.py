"""What an assistant is told of its change sets: that one waits, and what became of others, once."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from commonplace.core.scopes import HOLDER_PREFIX
from commonplace.core.text.quotation import one_line
from commonplace.errors import Conflict
from commonplace.vault.log.late_records import Afterwards
from commonplace.vault.sets.change_set import ChangeSet, Counts, assistant_key
from commonplace.vault.sets.contents import SetContents, SetReader
from commonplace.vault.sets.remarks import SetRemarks
from commonplace.vault.sets.sets import Sets
from commonplace.vault.suggestions.comments import Thread
from commonplace.vault.suggestions.ledger import Ledger

SETS_TOLD_MAX = 5
REASONS_MAX = 5
COMMENTS_MAX = 5
NOTES_MAX = 5
VERDICTS_MAX = 50

_KIND = "set-told"


class Feedback:
    """Tells each assistant what was decided about its sets since it was last told."""

    def __init__(
        self,
        sets: Sets,
        reader: SetReader,
        ledger: Ledger,
        kept: Afterwards,
        threads: SetRemarks,
    ) -> None:
        self._sets = sets
        self._reader = reader
        self._ledger = ledger
        self._kept = kept
        self._told: dict[str, str] | None = None
        self._threads = threads
        self._looked: dict[str, tuple[float, float, int, int]] = {}

    async def waiting(self, actor: str, name: str, since: float) -> ChangeSet | None:
        """Return the set in which an assistant has left something to decide since a time."""
        one = await self._sets.current(actor, name)
        writes = self._sets.store.of_set(one.number) if one else []
        left = bool(writes) and writes[-1].time >= since and writes[-1].kind != "done"
        return one if left else None

    async def lines(self, actor: str, name: str) -> list[str]:
        """Say in a line for each set what people decided, if that is news to the assistant."""
        await self._ledger.load()
        await self._sets.store.load()
        latest = self._ledger.decisions(1)
        key = assistant_key(actor, name)
        # Nothing was decided or said since: most calls end here.
        decided, said_last = latest[0].time if latest else 0.0, self._threads.comments.latest
        now = (decided, said_last, self._sets.sent, self._sets.answered)
        if self._looked.get(key, (0.0, 0.0, 0, 0)) == now:
            return []
        self._looked[key] = now
        mine = [one for one in self._sets.store.sets.values() if _is_of(one, key, name)]
        lines: list[str] = []
        for one in sorted(mine, key=lambda each: -each.number)[:SETS_TOLD_MAX]:
            contents = await self._reader.get(one.number)
            said = _comments(await self._threads(contents))
            if await self._is_news(one, contents.summary.counts, said):
                gone = _gone(contents)
                lines.append(told(one, contents.summary.counts, _reasons(contents), said, gone))
        return lines

    async def verdicts(self, number: int) -> str:
        """Say what people decided and remarked about a set, as words for its assistant.

        Raises:
            Conflict: they have not, so far.

        """
        contents = await self._reader.get(number)
        one, counts = contents.summary.set, contents.summary.counts
        said = _comments(await self._threads(contents, decided=True))
        if not counts.decided and not one.sent_back and not said:
            raise Conflict(
                f"Nothing in set {number} is decided yet, and nobody has commented on it."
            )
        # A tool's answer need not tell it once more.
        await self._is_news(one, counts, _comments(await self._threads(contents)))
        rejected = _rejected(contents)
        more = len(rejected) - VERDICTS_MAX
        first = told(one, counts, _reasons(contents), said, _gone(contents))
        lines = [first, *rejected[:VERDICTS_MAX]]
        return "\n".join([*lines, f"… and {more} more."] if more > 0 else lines)

    async def _is_news(self, one: ChangeSet, counts: Counts, said: list[str]) -> bool:
        if self._told is None:
            self._told = await self._kept.records(_KIND)
        decided = {k: v for k, v in asdict(counts).items() if k != "waiting"}
        value = json.dumps([decided, one.sent_back, said])
        before = self._told.get(str(one.number))
        nothing = not counts.decided and not counts.other and not one.sent_back and not said
        if before == value or (before is None and nothing):
            return False
        self._told[str(one.number)] = value
        await self._kept.put(_KIND, str(one.number), value)
        return True


def _is_of(one: ChangeSet, key: str, name: str) -> bool:
    """Tell whether a set is an assistant's: an access token says who it is, else its name does."""
    held = any(each.startswith(HOLDER_PREFIX) for each in (key, one.key))
    return key == one.key or (not held and name == one.who)


def _reasons(contents: SetContents) -> list[str]:
    """Return why people rejected, each reason once."""
    given = [each.reason for each in contents.ended if each.decision == "reject"]
    given += [each.reason for each in contents.decided if each.outcome == "rejected"]
    return list(dict.fromkeys(filter(None, given)))


def _gone(contents: SetContents) -> list[str]:
    """Return the note of each suggestion that went with it."""
    return [each.path for each in contents.ended if each.decision == "gone with the note"]


def _rejected(contents: SetContents) -> list[str]:
    """Return what people rejected, a line each, with the reason where they gave one."""
    changes = [
        (each.path, _changed(one_line(each.old), one_line(each.new)), each.reason)
        for each in contents.ended
        if each.decision == "reject"
    ]
    changes += [
        (each.path, each.operation, each.reason)
        for each in contents.decided
        if each.outcome == "rejected"
    ]
    return [
        f"- rejected in {one_line(path)}: {what}{f' ({one_line(why)})' if why else ''}"
        for path, what, why in changes
    ]


def _changed(old: str, new: str) -> str:
    if not old:
        return f'"{new}" inserted'
    return f'"{old}" to "{new}"' if new else f'"{old}" deleted'


def _comments(threads: Mapping[str, list[Thread]]) -> list[str]:
    """Quote the open comments about suggestions of a set, or in their notes."""
    return [
        f'{one_line(path)} L{thread.line} "{one_line(each.text)}" ({one_line(each.author or "?")})'
        for path, some in threads.items()
        for thread in some
        for each in thread.said
    ]


def told(
    one: ChangeSet,
    counts: Counts,
    given: list[str],
    said: Sequence[str] = (),
    gone: Sequence[str] = (),
) -> str:
    """Say in a line what became of a set, why it was rejected where it was, and what people ask."""
    notes = list(dict.fromkeys(gone))
    lost = ", ".join(map(one_line, notes[:NOTES_MAX])) + (", …" if len(notes) > NOTES_MAX else "")
    words = {
        "accepted": counts.accepted,
        "modified": counts.modified,
        "rejected": counts.rejected,
        "withdrawn": counts.withdrawn,
        "waiting": counts.waiting,
        f"gone with the note ({lost})": len(gone),
        "ended otherwise": counts.other - len(gone),
    }
    parts = ", ".join(f"{count} {word}" for word, count in words.items() if count)
    reasons = ", ".join(f'"{one_line(each)}"' for each in given[:REASONS_MAX])
    title = f" {one_line(one.title)}" if one.title else ""
    why = one_line(one.sent_back)
    end = "" if why.endswith((".", "?", "!")) else "."
    back = f" A person sent it back: {why}{end}" if why else ""
    more = f" and {len(said) - COMMENTS_MAX} more" if len(said) > COMMENTS_MAX else ""
    asked = f" Open comments: {'; '.join(said[:COMMENTS_MAX])}{more}." if said else ""
    return f"Set {one.number}{title}: {parts}{f' ({reasons})' if reasons else ''}.{back}{asked}"
