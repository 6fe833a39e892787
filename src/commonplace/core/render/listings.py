"""Documents by their paths: those that a glob found, those that links lead to, and none at all."""

from collections.abc import Iterable, Sequence

from commonplace.core.text import quotation
from commonplace.errors import NotFound

PATH_MAX = 1_024
LINKS_MAX = 1_000
FILES_MAX = 100


def path_list(paths: Sequence[str], total: int | None = None) -> str:
    """Return the paths that a glob found; `total` counts those that are not given, too."""
    if not paths:
        return "No files found"
    shown = paths[:FILES_MAX]
    count = max(len(paths), total or 0)
    if count == len(shown):
        return "\n".join(shown)
    note = (
        f"(Showing {len(shown)} of {count} matching files; {count - len(shown)} more are not "
        "listed. Narrow the pattern or path to see the rest.)"
    )
    return "\n".join([*shown, note])


def link_lists(
    backlinks: Iterable[str],
    forward: Iterable[str],
    unresolved: Iterable[str] = (),
    attachments: Iterable[str] = (),
    hidden: int = 0,
) -> str:
    """Return a document's links in both directions, its attachments, and what leads nowhere.

    Of the documents that link here, `hidden` ones are counted and not named.
    """
    missing, attached = sorted(set(unresolved)), sorted(set(attachments))
    lists = [
        _headed("Backlinks (documents linking to this):", backlinks) + _hidden_links(hidden),
        _headed("Forward links (documents this links to):", forward),
        *([_headed("Attachments:", attached)] if attached else []),
        *([_headed("Unresolved links:", missing)] if missing else []),
    ]
    return "\n\n".join(lists)


def _hidden_links(count: int) -> str:
    if not count:
        return ""
    link = "document links" if count == 1 else "documents link"
    return f"\n[{count} more {link} here, outside the folders that you may see.]"


def attachment_links(backlinks: Iterable[str]) -> str:
    """Return the documents that link to an attachment."""
    return _headed("Backlinks (documents linking to this):", backlinks)


def not_found(path: str, near: Sequence[str] = ()) -> NotFound:
    """Word the error that a document does not exist, and which ones may have been meant."""
    missing = f"Document not found: {quotation.one_line(path)}"
    if not near:
        return NotFound(missing)
    *others, last = map(quotation.one_line, near)
    meant = f"{', '.join(others)} or {last}" if others else last
    return NotFound(missing, f"Did you mean {meant}?")


def _headed(head: str, paths: Iterable[str]) -> str:
    found = sorted(set(paths))
    rows = [f"- {quotation.one_line(path, PATH_MAX)}" for path in found[:LINKS_MAX]]
    if more := len(found) - len(rows):
        rows.append(f"- (and {more:,} more)")
    return "\n".join([head, *(rows or ["- (none)"])])
