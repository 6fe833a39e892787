"""What became of each change of a set: a row for each, the way `history` tells it."""

from collections.abc import Mapping

from commonplace.core.text.quotation import one_line
from commonplace.vault.sets.contents import SetContents

EXCERPT_CHARS_MAX = 200

Row = Mapping[str, object]

_ENDS = {"accept": "accepted", "reject": "rejected"}


def outcomes(contents: SetContents) -> list[Row]:
    """Return a row for each change: note, what it is, its state, and who decided it and why."""
    rows: list[Row] = [
        _row(each.path, "suggestion", "waiting", old=each.old, new=each.new)
        for each in contents.pending
    ]
    rows += [
        _row(each.path, each.operation, "waiting", new=each.summary) for each in contents.parked
    ]
    rows += [
        _row(
            each.path,
            "suggestion",
            _ENDS.get(each.decision, each.decision),
            old=each.old,
            new=each.new,
            who=each.who,
            reason=each.reason,
        )
        for each in contents.ended
    ]
    rows += [
        _row(each.path, each.operation, each.outcome, reason=each.reason)
        for each in contents.decided
    ]
    rows += [_row(each.path, each.operation, "done") for each in contents.done]
    return sorted(rows, key=lambda row: str(row["path"]))


def _row(
    path: str,
    kind: str,
    state: str,
    *,
    old: str = "",
    new: str = "",
    who: str = "",
    reason: str = "",
) -> Row:
    return {
        "path": path,
        "kind": kind,
        "state": state,
        "old": one_line(old, EXCERPT_CHARS_MAX),
        "new": one_line(new, EXCERPT_CHARS_MAX),
        "who": who,
        "reason": reason,
    }
