"""Suggestions in CriticMarkup, as an algebra over texts."""

from commonplace.core.critic.deciding import accept, accept_all, reject, reject_all
from commonplace.core.critic.listing import Change, Comment, Suggestion, suggestions
from commonplace.core.critic.marks import DELIMITERS, Kind, Mark, Marked, parse
from commonplace.core.critic.metadata import Metadata
from commonplace.core.critic.proposing import Suggested, already_suggested, suggest
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
    "parse",
    "reject",
    "reject_all",
    "render",
    "suggest",
    "suggestions",
]
