"""What is decided about, as plain JSON values: for the page, and for commands in one process.

Nothing of HTTP or of the MCP SDK is loaded here: a command is to start quickly.
"""

from typing import cast

from commonplace.vault.index.queries.suggestions import PendingSuggestion
from commonplace.vault.permissions import grants
from commonplace.vault.permissions.approvals import Parked
from commonplace.vault.permissions.grants import Grant
from commonplace.vault.permissions.requests import Asker, Operation


def suggestion(each: PendingSuggestion) -> dict[str, object]:
    """Put a suggestion as the page shows it; the time in milliseconds."""
    return {
        "id": each.id,
        "path": each.path,
        "kind": each.kind,
        "line": each.line,
        "old": each.old,
        "new": each.new,
        "author": each.author,
        "time": None if each.time is None else int(each.time * 1000),
        "before": each.before,
        "after": each.after,
        "perhaps_rejected": each.perhaps_rejected,
    }


def approval(one: Parked) -> dict[str, object]:
    """Put a parked write as the page and the command line show it; the time in milliseconds."""
    return {
        "id": str(one.id),
        "operation": one.operation,
        "path": one.path,
        "who": one.who,
        "time": int(one.time * 1000),
        "summary": one.summary,
        "diff": one.diff,
        "always": grants.reach(cast("Operation", one.operation), Asker(one.actor, one.who)),
    }


def grant(one: Grant) -> dict[str, object]:
    """Put what is always allowed as the page and the command line show it."""
    return {
        "key": one.key,
        "operation": one.operation,
        "who": one.who,
        "time": int(one.since * 1000),
        "meaning": one.meaning,
    }
