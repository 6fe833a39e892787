"""`suggest`: a replacement in the accepted view becomes one suggestion in the marked text.

The stretch that changes is widened to the *region* that must be written anew: every suggestion that
it touches, and every fenced code block, since markup inside one would be text. The region's base
text becomes the deletion side, its accepted text with the change made becomes the insertion side.
Comments that stood inside move behind the new markup; highlights are stretched around it.

Nothing is believed: what was written is read again, and the laws are checked on it, before it is
returned. Where the plain form is misread (a stray delimiter, a neighbour that would join) the next
form is tried; if none is read back as meant, the call is refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from commonplace.core.critic import metadata as authorship
from commonplace.core.critic.checking import reads_as_meant
from commonplace.core.critic.deciding import accept_all, reject_all
from commonplace.core.critic.listing import groups
from commonplace.core.critic.marks import DELIMITERS, has_delimiters
from commonplace.core.critic.matching import Match, matches
from commonplace.core.critic.pages import Page, read
from commonplace.core.critic.reading import parse
from commonplace.core.critic.refusals import (
    FormsDelimiter,
    HasDelimiter,
    NoChange,
    NotEmpty,
    Unwritable,
)
from commonplace.core.critic.regions import regions
from commonplace.core.critic.repeats import footprints
from commonplace.core.critic.rewriting import Form, rewritten
from commonplace.core.critic.views import base_view
from commonplace.core.edits import Edit, apply

_FORMS = (
    Form(in_place=True, apart=True),
    Form(apart=True),
    Form(),
    Form(guard=True),
    Form(by_lines=True),
    Form(by_lines=True, guard=True),
)


@dataclass(frozen=True, slots=True)
class Suggested:
    """What a call comes to: edits of the marked text, and that text with them made.

    `count` is the number of occurrences, `replaced` of characters in them. A call that `repeated`
    an earlier one has no edits.
    """

    edits: list[Edit]
    text: str
    count: int
    replaced: int
    repeated: bool = False


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
    _check(old, new)
    page = read(text)
    again = footprints(page, old, new)
    if again:
        return Suggested([], text, again, again * len(old), repeated=True)
    wanted = _wanted(page, old, new, replace_all=replace_all)
    written = authorship.write(author, time) if metadata else ""
    edits, after = _written(page, wanted, author, written)
    if _holds_delimiters(page, [match.edit for match in wanted]):
        _check_ends(text, after)
    return Suggested(edits, after, len(wanted), len(wanted) * len(old))


def propose(text: str, changes: Sequence[Edit], *, author: str | None = None) -> Suggested:
    """Suggest edits of the accepted view, each as a suggestion of its own; touching ones are one.

    Raises:
        FormsDelimiter: an edit's text would be read as markup.
        Unwritable: no markup can say it.

    """
    page = read(text)
    wanted = [_on_its_own_line(page, Match(edit.start, edit.end, edit)) for edit in _apart(changes)]
    edits, after = _written(page, wanted, author, "")
    if _holds_delimiters(page, changes):
        _check_ends(text, after)
    replaced = sum(edit.end - edit.start for edit in changes)
    return Suggested(edits, after, len(changes), replaced)


def already_suggested(text: str, old: str, new: str) -> bool:
    """Tell whether the call repeats one that was made: see `repeats`."""
    return footprints(read(text), old, new) > 0


def _check(old: str, new: str) -> None:
    if old == new:
        raise NoChange
    for param, value in (("old_string", old), ("new_string", new)):
        found = [(value.find(token), token) for token in DELIMITERS if token in value]
        if found:
            raise HasDelimiter(param, min(found)[1])


def _wanted(page: Page, old: str, new: str, *, replace_all: bool) -> list[Match]:
    if old:
        found = matches(page.accepted.text, old, new, replace_all=replace_all)
        return [_on_its_own_line(page, match) for match in found]
    if page.accepted.text:
        raise NotEmpty
    return [Match(0, 0, Edit(0, 0, new))]


def _apart(changes: Sequence[Edit]) -> list[Edit]:
    joined: list[Edit] = []
    for edit in changes:
        if joined and joined[-1].end == edit.start:
            last = joined.pop()
            joined.append(Edit(last.start, edit.end, last.text + edit.text))
        else:
            joined.append(edit)
    return joined


def _on_its_own_line(page: Page, match: Match) -> Match:
    """Let added lines begin behind the newline that stands there, not before it.

    It reads the same, better so in the file, and leaves a code fence before them closed.
    """
    at, text = match.edit.start, match.edit.text
    if at < match.edit.end or len(text) < 2 or text[0] != "\n":
        return match
    if not page.accepted.text.startswith("\n", at) or page.is_suggested(at):
        return match
    return replace(match, edit=Edit(at + 1, at + 1, text[1:] + "\n"))


def _written(
    page: Page, wanted: list[Match], author: str | None, meta: str
) -> tuple[list[Edit], str]:
    """Write the changes in the first form that is read back as meant."""
    tried: list[list[Edit]] = []
    for form in _FORMS:
        found = regions(page, wanted, author, apart=form.apart, by_lines=form.by_lines)
        rows = [(region, rewritten(page, region, form, author, meta)) for region in found]
        edits = [edit for _, made in rows for edit in made]
        if edits not in tried:
            text = apply(page.text, edits)
            if reads_as_meant(page, text, rows):
                return edits, text
        tried.append(edits)
    raise Unwritable


def _holds_delimiters(page: Page, changes: Sequence[Edit]) -> bool:
    """Tell whether there are delimiters that are text: in either end, or in a remark."""
    if page.marked.has_no_other_braces and not any("{" in change.text for change in changes):
        return False
    ends = (apply(page.accepted.text, changes), base_view(page.marked).text)
    remarks = (page.text[mark.body : mark.tail] for mark in page.marked.comments)
    return any(map(has_delimiters, (*ends, *remarks)))


def _check_ends(before: str, after: str) -> None:
    """Refuse to make markup of text that is none, as by taking away the fence around it."""
    for decide in (accept_all, reject_all):
        once = [parse(apply(text, decide(text))) for text in (before, after)]
        if len(groups(once[1])) > len(groups(once[0])):
            raise FormsDelimiter
