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
    edit(edit(d)) == edit(d)                                as far as a text remembers: `repeats`
    accept_all(d) takes away all suggestions and reads as accepted(d); reject_all(d) as base(d)
    accept of some leaves accepted(d), reject of some leaves base(d), and both leave all other
        suggestions as they are, to the letter; or they are refused
    no edit takes away, to put it back, a character that stays: it keeps its author

`suggest` checks what it wrote by reading it again, so it keeps these laws or refuses. It refuses
only what would break them: an edit that takes away the code fence around text that looks like
markup, or joins two signs to a delimiter that finds its match (`FormsDelimiter`); and texts whose
own base reads as markup once restored, or code that holds thousands of delimiters (`Unwritable`).
A decision is refused if it would open a fence over other suggestions (`Undecidable`). Where a view
that a person typed reads as markup itself (`{{++x++}--a--}` rejected), that is a new suggestion,
left to be decided; no call of `suggest` leads there.

    reading     which delimiters belong together          fences      code, where nothing is markup
    metadata    author and time                           views       accepted and base, with maps
    listing     what a person decides                     deciding    accept, reject
    matching    what a call means                         regions     what must be written anew
    writing     a text between delimiters                 rewriting   a region, as edits
    checking    the laws, on each result                  repeats     a call that comes twice
    proposing   `suggest`, which puts these together      pages       a text, worked out once
    following   which suggestion is which after edits
"""

from commonplace.core.critic.deciding import accept, accept_all, reject, reject_all
from commonplace.core.critic.following import carried, written
from commonplace.core.critic.listing import Change, Comment, Suggestion, rank, suggestions
from commonplace.core.critic.marks import DELIMITERS, Kind, Mark, Marked
from commonplace.core.critic.metadata import Metadata
from commonplace.core.critic.pages import places
from commonplace.core.critic.proposing import Suggested, already_suggested, propose, suggest
from commonplace.core.critic.reading import parse
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
from commonplace.core.critic.views import (
    View,
    accepted,
    accepted_view,
    base,
    base_view,
    render,
)

__all__ = [
    "DELIMITERS",
    "Change",
    "Comment",
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
    "Suggested",
    "Suggestion",
    "Undecidable",
    "Unwritable",
    "View",
    "accept",
    "accept_all",
    "accepted",
    "accepted_view",
    "already_suggested",
    "base",
    "base_view",
    "carried",
    "parse",
    "places",
    "propose",
    "rank",
    "reject",
    "reject_all",
    "render",
    "suggest",
    "suggestions",
    "written",
]
