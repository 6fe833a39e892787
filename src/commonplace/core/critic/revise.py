"""A note's text made another one, while suggestions in it wait and people's comments stand.

What is wanted is a new accepted view. `revised` writes it into the marked text so that

    accepted(revised(text, wanted).text) == wanted
    suggestions that the change does not touch stay as they are, to the letter
    if it touches one, the whole change is written as suggestions, in place of those that it
        touches: nothing that waits for a decision becomes plain text by a side door
    comments stay

`proposed` writes a change as suggestions in any case. Both refuse a text that itself reads as
markup: no later rejection would take that away.
"""

from collections.abc import Iterator

from commonplace.core import critic
from commonplace.core.critic import Signature, Suggested
from commonplace.core.critic.marks import Marked
from commonplace.core.critic.metadata import NOBODY
from commonplace.core.critic.page import MarkedText, read
from commonplace.core.critic.views import Role
from commonplace.core.text.edits import Edit, apply, diff

_WORD_CHARS_MAX = 64
_BRIDGE = 12


def revised(text: str, wanted: str, by: Signature = NOBODY) -> Suggested:
    """Make a marked text's accepted view the one wanted; `count` is 0 if no suggestion was made."""
    page = read(text)
    changes = diff(page.accepted.text, wanted)
    if not changes:
        return Suggested([], text, 0, 0)
    refuse_markup(wanted, page.accepted.text)
    if not critic.touches(text, changes):
        made = apply(text, [part for edit in changes for part in _pieces(page, edit)])
        if critic.accepted(made) == wanted and read(made).raws == page.raws:
            return Suggested(diff(text, made), made, 0, 0)
    return proposed(text, wanted, by)


def proposed(text: str, wanted: str, by: Signature = NOBODY) -> Suggested:
    """Suggest to make a marked text's accepted view the one wanted."""
    view = critic.accepted(text)
    refuse_markup(wanted, view)
    changes = _whole_words(view, diff(view, wanted, bridge=_BRIDGE))
    return critic.propose(text, changes, by) if changes else Suggested([], text, 0, 0)


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


def _place(page: MarkedText, edit: Edit) -> tuple[int, int]:
    """Return where an edit of the accepted view stands in the marked text."""
    view = page.accepted
    if edit.start < edit.end:
        return view.marked(edit.start), view.marked(edit.end - 1) + 1
    at = page.behind(edit.start)
    return at, at


def _pieces(page: MarkedText, edit: Edit) -> Iterator[Edit]:
    start, end = _place(page, edit)
    if start == end:
        yield Edit(start, end, edit.text)
        return
    kept = (Role.PLAIN, Role.NEW)
    gone = [run for run in page.runs_between(start, end) if run.role in kept]
    for index, run in enumerate(gone):
        yield Edit(run.start, run.end, "" if index else edit.text)


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
