"""Suggestions in CriticMarkup, as an algebra over texts.

One text holds three: as marked; `accepted`, as if all that is pending were accepted; `base`, as if
all were rejected. Highlighted text is in both, without its markers; comments are in neither.

The laws, for every text `d` and every call, `edit(d)` being `suggest(d, old, new).text`:

    render(parse(d)) == d
    accepted(edit(d)) == accepted(d).replace(old, new)      replace_all, else the one occurrence
    base(edit(d)) == base(d)
    an edit that restores the base leaves no markup
    suggestions that it does not touch stay as they are, to the letter; so do all comments
    one call makes one suggestion an occurrence, {--old--}{++new++}, whole; text that is only added
        is {++…++} alone, text that is only removed is {--…--} alone
    edit(edit(d)) == edit(d)                                as far as a text remembers: `match`
    accept_all(d) takes away all suggestions and reads as accepted(d); reject_all(d) as base(d)
    accept of some leaves accepted(d), reject of some leaves base(d), and both leave all other
        suggestions as they are, to the letter; or they are refused
    no edit takes away, to put it back, a character that stays: it keeps its author

`suggest` checks what it wrote by reading it again, so it keeps these laws or refuses. It refuses
only what would break them: an edit that takes away the code fence around text that looks like
markup, or joins two signs to a delimiter that finds its match (`FormsDelimiter`), or brings markup
of its own (`HasDelimiter`); and texts whose own base reads as markup once restored, or code that
holds thousands of delimiters (`Unwritable`). Code such as `{i++}` is text, cut into adjacent marks.
A decision is refused if it would open a fence over other suggestions (`Undecidable`). Where a view
that a person typed reads as markup itself (`{{++x++}--a--}` rejected), that is a new suggestion,
left to be decided; no call of `suggest` leads there.

    marks         delimiters, and a text between them       parse      which of them belong together
    fences        code, where nothing is markup             metadata   author and time
    views         accepted and base, with maps              page       a text, worked out once
    suggestions   what a person decides                     decide     accept, reject
    match         what a call means, and if it comes twice  regions    what must be written anew
    rewrite       a region, as edits                        check      the laws, on each result
    propose       `suggest`, which puts these together      refusals   what is refused, and why
    revise        a text made another one
"""

from commonplace.core.critic.decide import accept, accept_all, reject, reject_all
from commonplace.core.critic.marks import DELIMITERS, Kind, Mark, Marked
from commonplace.core.critic.metadata import Metadata, Signature
from commonplace.core.critic.page import EndedSuggestion, carried, ended, places, written
from commonplace.core.critic.parse import parse
from commonplace.core.critic.propose import Suggested, propose, suggest, touches
from commonplace.core.critic.refusals import (
    FormsDelimiter,
    HasDelimiter,
    NoChange,
    NoMatch,
    NotEmpty,
    NotUnique,
    Undecidable,
    Unwritable,
)
from commonplace.core.critic.suggestions import (
    Comment,
    Effect,
    Remark,
    Suggestion,
    rank,
    remark_lines,
    remarks,
    some,
    suggestions,
)
from commonplace.core.critic.views import (
    TextView,
    accepted,
    accepted_view,
    base,
    base_view,
    marked_by_line,
    render,
)

__all__ = [
    "DELIMITERS",
    "Comment",
    "Effect",
    "EndedSuggestion",
    "FormsDelimiter",
    "HasDelimiter",
    "Kind",
    "Mark",
    "Marked",
    "Metadata",
    "NoChange",
    "NoMatch",
    "NotEmpty",
    "NotUnique",
    "Remark",
    "Signature",
    "Suggested",
    "Suggestion",
    "TextView",
    "Undecidable",
    "Unwritable",
    "accept",
    "accept_all",
    "accepted",
    "accepted_view",
    "base",
    "base_view",
    "carried",
    "ended",
    "marked_by_line",
    "parse",
    "places",
    "propose",
    "rank",
    "reject",
    "reject_all",
    "remark_lines",
    "remarks",
    "render",
    "some",
    "suggest",
    "suggestions",
    "touches",
    "written",
]
