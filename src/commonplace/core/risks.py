"""What a reviewer should look at first: the risky parts of a change, told from the texts alone.

Deterministic, so that nobody can talk it out of a warning. A flag is a kind and, where that helps,
what it was found by.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from commonplace.core import frontmatter, markdown
from commonplace.core.links import is_attachment
from commonplace.core.text import invisible
from commonplace.core.text.word_diff import changed_words
from commonplace.core.text.words import count

REWRITTEN_SHARE = 0.4
_REWRITTEN_WORDS_MIN = 8
_SHOWN_MAX = 5

RiskKind = Literal[
    "deletes", "renames", "properties", "rewritten", "broken links", "invisible", "other sites"
]

_SITE = re.compile(
    r"\b(?:https?|ftp)://([^\s/?#<>()\[\]\"'|]+)|\b(mailto:[^\s<>()\[\]\"']+)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Risk:
    """Something about a change that a person should look at."""

    kind: RiskKind
    found: tuple[str, ...] = ()


def of_change(old: str, new: str) -> list[Risk]:
    """Return the risks in what is added by one change of a text."""
    return [*_invisible(old, new), *_sites(old, new)]


def of_note(before: str, after: str, resolves: Callable[[str], bool]) -> list[Risk]:
    """Return the risks of a note that is changed as a whole.

    `resolves` tells whether the target of a wikilink is there.
    """
    return [
        *_properties(before, after),
        *_rewritten(before, after),
        *_broken(before, after, resolves),
        *of_change(before, after),
    ]


def of_deletion(linked_from: int) -> list[Risk]:
    """Return the risks of a note that goes."""
    broken = [Risk("broken links", (f"{linked_from} notes link here",))] if linked_from else []
    return [Risk("deletes"), *broken]


def of_rename(to: str) -> list[Risk]:
    """Return the risks of a note that gets another path."""
    return [Risk("renames", (to,))]


def _properties(before: str, after: str) -> Iterator[Risk]:
    old, new = (frontmatter.read(text).properties for text in (before, after))
    keys = {**old, **new}
    changed = [k for k in keys if (k in old, old.get(k)) != (k in new, new.get(k))]
    if changed:
        yield Risk("properties", _few(changed))


def _rewritten(before: str, after: str) -> Iterator[Risk]:
    words = count(before)
    if words < _REWRITTEN_WORDS_MIN:
        return
    _, gone = changed_words(before, after)
    if gone > REWRITTEN_SHARE * words:
        yield Risk("rewritten", (f"{min(100, round(100 * gone / words))} %",))


def _broken(before: str, after: str, resolves: Callable[[str], bool]) -> Iterator[Risk]:
    fresh = _targets(after) - _targets(before)
    if missing := [target for target in sorted(fresh) if not resolves(target)]:
        yield Risk("broken links", _few(missing))


def _targets(text: str) -> set[str]:
    found = (link.target for link in markdown.scan(text).links)
    return {target for target in found if target and not is_attachment(target)}


def _invisible(old: str, new: str) -> Iterator[Risk]:
    known = {character for _, character in invisible.positions(old)}
    fresh = [each for _, each in invisible.positions(new) if each not in known]
    if fresh:
        yield Risk("invisible", _few([invisible.label(each) for each in fresh]))


def _sites(old: str, new: str) -> Iterator[Risk]:
    if fresh := sorted(_hosts(new) - _hosts(old)):
        yield Risk("other sites", _few(fresh))


def _hosts(text: str) -> set[str]:
    return {(host or mail).lower() for host, mail in _SITE.findall(text)}


def _few(found: list[str]) -> tuple[str, ...]:
    unique = list(dict.fromkeys(found))
    more = len(unique) - _SHOWN_MAX
    return (*unique[:_SHOWN_MAX], f"{more} more") if more > 0 else tuple(unique)
