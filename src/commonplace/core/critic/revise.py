"""A note's text made another one, while suggestions in it wait and people's comments stand.

What is wanted is a new accepted view. `revised` writes it into the marked text so that

    accepted(apply(text, revised(text, wanted))) == wanted
    suggestions that the change does not touch stay as they are, to the letter
    those that it touches are accepted first: what they say becomes part of the change
    comments stay

`proposed` writes the same change as suggestions. Both refuse a text that itself reads as markup:
no later rejection would take that away.
"""

from collections.abc import Collection, Iterator

from commonplace.core import critic
from commonplace.core.critic.marks import Marked
from commonplace.core.critic.pages import Page, read
from commonplace.core.critic.views import Role
from commonplace.core.edits import Edit, apply, diff

_WORD_CHARS_MAX = 64
_BRIDGE = 12


def revised(text: str, wanted: str) -> list[Edit]:
    """Return edits of the marked text after which its accepted view is the one wanted."""
    page = read(text)
    changes = diff(page.accepted.text, wanted)
    if not changes:
        return []
    refuse_markup(wanted, page.accepted.text)
    every = [each.id for each in critic.suggestions(text)]
    for settled in ([*_touched(page, changes)], every):
        made = _made(text, settled, changes)
        if made is not None and _as_meant(made, wanted, len(every) - len(settled)):
            return diff(text, made)
    raise critic.Unwritable


def proposed(text: str, wanted: str, author: str | None = None) -> list[Edit]:
    """Return edits of the marked text that suggest to make its accepted view the one wanted."""
    view = critic.accepted(text)
    refuse_markup(wanted, view)
    changes = _whole_words(view, diff(view, wanted, bridge=_BRIDGE))
    return critic.propose(text, changes, author=author).edits if changes else []


def refuse_markup(wanted: str, before: str = "") -> None:
    """Refuse a text that holds more CriticMarkup, outside of code, than was there before."""
    if "{" not in wanted:
        return
    found = critic.parse(wanted)
    if _count(found) <= _count(critic.parse(before)):
        return
    first = min(_starts(found))
    raise critic.HasDelimiter("content", wanted[first : first + 3])


def _count(marked: Marked) -> int:
    return sum(1 for _ in _starts(marked))


def _starts(marked: Marked) -> Iterator[int]:
    for marks in (marked.suggested, marked.comments, marked.highlights):
        yield from (mark.start for mark in marks)


def _touched(page: Page, changes: list[Edit]) -> Iterator[str]:
    """Name the suggestions whose characters, or whose place, a change takes away."""
    listed = {(each.start, each.end): each.id for each in critic.suggestions(page.text)}
    for edit in changes:
        start, end = _place(page, edit)
        for group in page.touched(start, end):
            if (id := listed.pop((group.start, group.end), None)) is not None:
                yield id


def _place(page: Page, edit: Edit) -> tuple[int, int]:
    """Return where an edit of the accepted view stands in the marked text."""
    view = page.accepted
    if edit.start < edit.end:
        return view.marked(edit.start), view.marked(edit.end - 1) + 1
    at = page.behind(edit.start)
    return at, at


def _made(text: str, settled: Collection[str], changes: list[Edit]) -> str | None:
    """Accept what is in the way, then change only characters that the accepted view shows."""
    try:
        plain = apply(text, critic.accept(text, settled)) if settled else text
    except critic.Undecidable:
        return None
    page = read(plain)
    return apply(plain, [part for edit in changes for part in _pieces(page, edit)])


def _pieces(page: Page, edit: Edit) -> Iterator[Edit]:
    start, end = _place(page, edit)
    if start == end:
        yield Edit(start, end, edit.text)
        return
    kept = (Role.PLAIN, Role.NEW)
    gone = [run for run in page.runs_between(start, end) if run.role in kept]
    for index, run in enumerate(gone):
        yield Edit(run.start, run.end, "" if index else edit.text)


def _as_meant(made: str, wanted: str, pending: int) -> bool:
    return critic.accepted(made) == wanted and len(critic.suggestions(made)) == pending


def _whole_words(view: str, edits: list[Edit]) -> list[Edit]:
    """Widen changes to whole words, which a person can judge; those that meet become one."""
    joined: list[Edit] = []
    for at, edit in enumerate(edits):
        low = edits[at - 1].end if at else 0
        high = edits[at + 1].start if at + 1 < len(edits) else len(view)
        wide = _widened(view, edit, low, high)
        if joined and wide.start <= joined[-1].end:
            last = joined.pop()
            # characters between two changes that both now hold, and neither changes
            shared = last.end - wide.start
            wide = Edit(last.start, wide.end, last.text + wide.text[shared:])
        joined.append(wide)
    return joined


def _widened(view: str, edit: Edit, low: int, high: int) -> Edit:
    start, end = edit.start, edit.end
    if _cuts_word(view, start):
        while start > max(low, edit.start - _WORD_CHARS_MAX) and view[start - 1].isalnum():
            start -= 1
    if _cuts_word(view, end):
        while end < min(high, edit.end + _WORD_CHARS_MAX) and view[end].isalnum():
            end += 1
    return Edit(start, end, view[start : edit.start] + edit.text + view[edit.end : end])


def _cuts_word(view: str, at: int) -> bool:
    return 0 < at < len(view) and view[at - 1].isalnum() and view[at].isalnum()
