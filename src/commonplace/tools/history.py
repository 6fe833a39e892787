"""The `history` family: what changed, who wrote each line, and taking back one's own changes."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from commonplace.core.text.quotation import one_line
from commonplace.tools.parameters import text, whole_number
from commonplace.tools.table import Answer, Call, Tool, definition
from commonplace.vault.history.moments import since
from commonplace.vault.history.timeline import TimelineQuery
from commonplace.vault.sets.outcomes import outcomes
from commonplace.vault.suggestions.authorship import Suggester
from commonplace.vault.undo.write_lock import WriteLock
from commonplace.vault.vault import Vault

Arguments = Mapping[str, object]

REVISIONS = 20
REVISIONS_MAX = 200
LINES = 200
_LINES_MAX = 2_000


def tools(vault: Vault) -> list[Tool]:
    """Return the family's tools over one vault."""

    async def history(call: Call, arguments: Arguments) -> Answer:
        if "set" in arguments:
            return Answer(await _of_set(vault, arguments))
        asked = TimelineQuery(
            path=text(arguments, "path", ""),
            by=text(arguments, "by", ""),
            since=since(text(arguments, "since", ""), time.time()),
            after=whole_number(arguments, "cursor", 0, least=0),
            limit=whole_number(arguments, "limit", REVISIONS, least=1, most=REVISIONS_MAX),
            offset=whole_number(arguments, "offset", 0, least=0),
        )
        found = await vault.timeline.page(asked)
        return Answer(_history(cast("Any", found)))

    async def blame(call: Call, arguments: Arguments) -> Answer:
        found = await vault.timeline.blame(
            text(arguments, "path"),
            max(1, whole_number(arguments, "offset", 1, least=0)),
            whole_number(arguments, "limit", LINES, least=1, most=_LINES_MAX),
        )
        return Answer(_blame(cast("Any", found)))

    async def withdraw_changes(call: Call, arguments: Arguments) -> Answer:
        by = Suggester(call.actor.id, call.actor.name)
        number = whole_number(arguments, "set", 0, least=1) if "set" in arguments else 0
        done = await vault.withdrawal.withdraw(by, text(arguments, "path", ""), number)
        return Answer(_withdrawn(cast("Any", done)))

    return [
        Tool(definition(run.__name__), "history", writes=run is withdraw_changes, run=run)
        for run in (history, blame, withdraw_changes)
    ]


async def _of_set(vault: Vault, arguments: Arguments) -> str:
    """Tell what became of each change of a set."""
    contents = await vault.sets.reader.get(whole_number(arguments, "set", 0, least=1))
    limit = whole_number(arguments, "limit", REVISIONS, least=1, most=REVISIONS_MAX)
    offset = whole_number(arguments, "offset", 0, least=0)
    rows = outcomes(contents)
    one, shown = contents.summary.set, rows[offset : offset + limit]
    title = f" {one_line(one.title)}" if one.title else ""
    lines = [f"Set {one.number}{title} ({contents.summary.state}), {len(rows)} changes:"]
    lines += [line for row in shown for line in _outcome(cast("Any", row))]
    more = len(rows) - offset - len(shown)
    return "\n".join(
        [*lines, f"… and {more} more; raise offset to see them."] if more > 0 else lines
    )


def _outcome(row: Mapping[str, Any]) -> list[str]:
    by = f" by {one_line(row['who'])}" if row["who"] else ""
    why = f' ("{one_line(row["reason"])}")' if row["reason"] else ""
    lines = [f"{one_line(row['path'])}, {row['kind']}: {row['state']}{by}{why}"]
    lines += [f"    - {row['old']}"] if row["old"] else []
    return [*lines, f"    + {row['new']}"] if row["new"] else lines


def held(write_lock: WriteLock, tool: Tool) -> Tool:
    """Let a tool that writes wait while what its caller did is being taken back."""
    if not tool.writes:
        return tool

    async def run(call: Call, arguments: Arguments) -> Answer:
        async with write_lock.write(call.actor.name):
            return await tool.run(call, arguments)

    return replace(tool, run=run)


def _history(found: Mapping[str, Any]) -> str:
    lines = [line for row in found["revisions"] for line in _revision(row)]
    if not lines:
        lines = ["Nothing has changed."]
    more = " There are more; raise offset to see them." if found["cursor"] else ""
    last = f"To see later what changed since, call again with cursor {found['latest']}."
    return "\n".join([*lines, "", f"{last}{more}"])


def _revision(row: Mapping[str, Any]) -> list[str]:
    was = f" (was {row['was']})" if row["was"] else ""
    head = f"{row['time']} {row['by']} ({row['kind']}), {row['cause']}: {row['path']}{was}"
    lines = [f"{head}  +{row['added']} -{row['removed']} characters [{row['revision']}]"]
    for removed, added in row["changes"]:
        lines += [f"    - {removed}"] if removed else []
        lines += [f"    + {added}"] if added else []
    return [*lines, f"    … and {row['more']} more places"] if row["more"] else lines


def _blame(found: Mapping[str, Any]) -> str:
    lines = [
        f"{row['line']:>6}\t{_names(row)}\t{row['time'] or 'before'}\t{row['text']}"
        for row in found["lines"]
    ]
    shown = f"{len(found['lines'])} of {found['total']} lines of {found['path']}."
    return "\n".join([*lines, "", shown])


def _names(row: Mapping[str, Any]) -> str:
    accepted = f" (accepted by {', '.join(row['accepted'])})" if row["accepted"] else ""
    return f"{', '.join(row['by']) or '-'}{accepted}"


def _withdrawn(done: Mapping[str, Any]) -> str:
    lines = [f"{path}: {count} withdrawn" for path, count in done["suggestions"].items()]
    lines += [f"Taken back before anybody decided: {what}" for what in done["writes"]]
    lines += [
        f"{path}: {count} left, because others have written in them. A person can reject them."
        for path, count in done["left"].items()
    ]
    return "\n".join(lines) or "Nothing of yours waits for a decision."
