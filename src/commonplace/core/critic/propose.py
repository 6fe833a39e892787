"""`suggest`: a replacement in the accepted view becomes one suggestion in the marked text.

The stretch that changes is widened to the *region* that must be written anew: every suggestion that
it touches, and every fenced code block, since markup inside one would be text. The region's base
text becomes the deletion side, its accepted text with the change made becomes the insertion side.
Comments that stood inside move behind the new markup; highlights are stretched around it.

Nothing is believed: what was written is read again, and the laws are checked on it, before it is
returned. Where the plain form is misread (a stray delimiter, a neighbour that would join) the next
form is tried; if none is read back as meant, the call is refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from commonplace.core.critic.check import moved, reads_as_meant
from commonplace.core.critic.decide import accept_all, reject_all
from commonplace.core.critic.marks import DELIMITERS, WIDTH, Marked, has_delimiters
from commonplace.core.critic.match import Match, footprints, matches
from commonplace.core.critic.metadata import NOBODY, Signature
from commonplace.core.critic.page import MarkedText, read
from commonplace.core.critic.parse import parse
from commonplace.core.critic.refusals import (
    FormsDelimiter,
    HasDelimiter,
    NoChange,
    NoMatch,
    NotEmpty,
    Unwritable,
)
from commonplace.core.critic.regions import Region, regions
from commonplace.core.critic.rewrite import MarkForm, rewritten
from commonplace.core.critic.suggestions import groups, named
from commonplace.core.critic.views import base_view
from commonplace.core.text.edits import Edit, apply

_FORMS = (
    MarkForm(in_place=True, apart=True),
    MarkForm(apart=True),
    MarkForm(),
    MarkForm(guard=True),
    MarkForm(by_lines=True),
    MarkForm(by_lines=True, guard=True),
)

_Row = tuple[Region, list[Edit]]


@dataclass(frozen=True, slots=True)
class Suggested:
    """What a call comes to: edits of the marked text, and that text with them made.

    `count` is the number of occurrences, `replaced` of characters in them. A call that `repeated`
    an earlier one has no edits. `ended` names the suggestions that it touched, each with the one
    that took its place; with None where the base was restored, and it was taken back.
    """

    edits: list[Edit]
    text: str
    count: int
    replaced: int
    repeated: bool = False
    ended: Mapping[str, str | None] = field(default_factory=dict[str, str | None])


def suggest(
    text: str,
    old: str,
    new: str,
    *,
    replace_all: bool = False,
    author: str | None = None,
    time: float | None = None,
    metadata: bool = False,
) -> Suggested:
    """Suggest to replace `old` by `new`, as an assistant sees the text: all accepted.

    Raises:
        BadArgument: one of the kinds in `refusals`, by the caller's arguments.
        Unwritable: no markup can say it.

    """
    if old == new:
        raise NoChange
    page = read(text)
    again = footprints(page, old, new)
    if again:
        return Suggested([], text, again, again * len(old), repeated=True)
    wanted = _wanted(page, old, new, replace_all=replace_all)
    rows, after = _written(page, wanted, Signature(author, time, metadata))
    if _holds_delimiters(page, [match.edit for match in wanted]):
        _check_ends(text, after, new)
    return _suggested(page, rows, after, len(wanted), len(wanted) * len(old))


def propose(text: str, changes: Sequence[Edit], by: Signature = NOBODY) -> Suggested:
    """Suggest edits of the accepted view, each as a suggestion of its own; touching ones are one.

    Raises:
        FormsDelimiter: an edit's text would be read as markup.
        Unwritable: no markup can say it.

    """
    page = read(text)
    wanted = [_on_its_own_line(page, Match(edit.start, edit.end, edit)) for edit in _apart(changes)]
    rows, after = _written(page, wanted, by)
    if _holds_delimiters(page, changes):
        _check_ends(text, after)
    replaced = sum(edit.end - edit.start for edit in changes)
    return _suggested(page, rows, after, len(changes), replaced)


def touches(text: str, changes: Sequence[Edit]) -> bool:
    """Tell whether edits of the accepted view, if proposed, would touch suggestions."""
    page = read(text)
    wanted = [Match(edit.start, edit.end, edit) for edit in _apart(changes)]
    found = regions(page, wanted, apart=False, by_lines=False) if page.groups else []
    return any(region.touched for region in found)


def _wanted(page: MarkedText, old: str, new: str, *, replace_all: bool) -> list[Match]:
    if old:
        try:
            found = matches(page.accepted.text, old, new, replace_all=replace_all)
        except NoMatch:
            _refuse_marks(page, old)
            raise
        return [_on_its_own_line(page, match) for match in found]
    if page.accepted.text:
        raise NotEmpty
    return [Match(0, 0, Edit(0, 0, new))]


def _refuse_marks(page: MarkedText, old: str) -> None:
    """Tell a caller who looks for the file's markup from one who looks for what is not there."""
    token = first_mark(old)
    if token is None and old in page.text:
        token = next((found for found in DELIMITERS if found in old), None)
    if token is not None:
        raise HasDelimiter("old_string", token)


def _apart(changes: Sequence[Edit]) -> list[Edit]:
    joined: list[Edit] = []
    for edit in changes:
        if joined and joined[-1].end == edit.start:
            last = joined.pop()
            joined.append(Edit(last.start, edit.end, last.text + edit.text))
        else:
            joined.append(edit)
    return joined


def _on_its_own_line(page: MarkedText, match: Match) -> Match:
    """Let added lines begin behind the newline that stands there, not before it.

    It reads the same, better so in the file, and leaves a code fence before them closed.
    """
    at, text = match.edit.start, match.edit.text
    if at < match.edit.end or len(text) < 2 or text[0] != "\n":
        return match
    if not page.accepted.text.startswith("\n", at) or page.is_suggested(at):
        return match
    return replace(match, edit=Edit(at + 1, at + 1, text[1:] + "\n"))


def _written(page: MarkedText, wanted: list[Match], by: Signature) -> tuple[list[_Row], str]:
    """Write the changes in the first form that is read back as meant."""
    tried: list[list[Edit]] = []
    for form in _FORMS:
        found = regions(page, wanted, apart=form.apart, by_lines=form.by_lines)
        rows = [(region, rewritten(page, region, form, by)) for region in found]
        edits = [edit for _, made in rows for edit in made]
        if edits not in tried:
            text = apply(page.text, edits)
            if reads_as_meant(page, text, rows):
                return rows, text
        tried.append(edits)
    raise Unwritable


def _suggested(
    page: MarkedText, rows: list[_Row], after: str, count: int, replaced: int
) -> Suggested:
    edits = [edit for _, made in rows for edit in made]
    return Suggested(edits, after, count, replaced, ended=_ended(page, rows, after))


def _ended(page: MarkedText, rows: list[_Row], after: str) -> dict[str, str | None]:
    """Tell what became of the suggestions in each region."""
    touched = [(page.reached(region.start, region.end), region) for region, _ in rows]
    old = named(page.raws, {page.raws[at] for reached, _ in touched for at in reached})
    if not old:
        return {}
    then = read(after)
    now = [then.reached(start, end) for _, _, start, end in moved(rows)]
    new = named(then.raws, {then.raws[at] for reached in now for at in reached})
    return {
        old[at]: next((new[then_at] for then_at in made), None)
        for (reached, _), made in zip(touched, now, strict=True)
        for at in reached
    }


def _holds_delimiters(page: MarkedText, changes: Sequence[Edit]) -> bool:
    """Tell whether there are delimiters that are text: in either end, or in a remark."""
    if page.marked.has_no_other_braces and not any("{" in change.text for change in changes):
        return False
    ends = (apply(page.accepted.text, changes), base_view(page.marked).text)
    remarks = (page.text[mark.body : mark.tail] for mark in page.marked.comments)
    return any(map(has_delimiters, (*ends, *remarks)))


def _check_ends(before: str, after: str, new: str = "") -> None:
    """Refuse to make markup of text that is none, as by taking away the fence around it."""
    for decide in (accept_all, reject_all):
        was, then = (parse(apply(text, decide(text))) for text in (before, after))
        if any(now > once for now, once in zip(_counted(then), _counted(was), strict=True)):
            token = first_mark(new)
            raise FormsDelimiter if token is None else HasDelimiter("new_string", token)


def _counted(marked: Marked) -> tuple[int, int, int]:
    return len(groups(marked)), len(marked.comments), len(marked.highlights)


def first_mark(text: str) -> str | None:
    """Return the delimiter that opens the first mark of a text, if it holds one."""
    if not has_delimiters(text):
        return None
    marked = parse(text)
    starts = [mark.start for mark in (*marked.suggested, *marked.comments, *marked.highlights)]
    return text[min(starts) : min(starts) + WIDTH] if starts else None
