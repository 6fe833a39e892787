"""What links mean among nodes that a database keeps: the same rules as in a vault's index.

A *mention* is a link as it is written. What it means depends on who carries the name that it ends
in; `LinkPicture` holds as much of both as a rename must see, in the rows that `rename_plan` reads.
Pure: text and rows in, values out.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from commonplace.core import links, paths
from commonplace.core.digest import Digest
from commonplace.core.links import Candidate, NameKind, respell
from commonplace.core.text import edits
from commonplace.vault.index.queries.links import LinkTo
from commonplace.vault.notes.rename_plan import Planner, RenamePlan, titled

NotesByName = Mapping[str, Sequence[Candidate]]


class Mention(NamedTuple):
    """A link as it is written: its target, the name that the target ends in, and its kind."""

    raw: str
    key: str
    kind: str


class Name(NamedTuple):
    """A name that a node carries: as its file's, as an alias, or as its title."""

    key: str
    kind: NameKind
    name: str


class LinkTargets(NamedTuple):
    """Where a node links: each target once, with the kinds of links; and which are broken."""

    targets: dict[str, list[str]]
    broken: list[str]


def mentions(found: Digest) -> list[Mention]:
    """Return the links of a text, in order."""
    return [Mention(link.target, link.key, link.kind) for link in found.links]


def names(found: Digest) -> list[Name]:
    """Return the names that a text's node carries."""
    return [Name(*each) for each in found.names]


def outgoing(source: str, written: Sequence[Mention], named: NotesByName) -> LinkTargets:
    """Work out where the links of a node lead; one to itself leads nowhere, and is not broken."""
    targets: dict[str, list[str]] = {}
    broken: dict[str, None] = {}
    for mention in written:
        meant = links.resolve(mention.raw, source, named.get(mention.key, ()))
        if meant is None:
            if not links.is_attachment(mention.raw):
                broken[as_written(mention.kind, mention.raw)] = None
        elif meant.path != source:
            kinds = targets.setdefault(meant.path, [])
            if mention.kind not in kinds:
                kinds.append(mention.kind)
    return LinkTargets(targets, list(broken))


def meant_by(name: str, candidates: Sequence[Candidate]) -> list[str]:
    """Return the nodes that a link by a name could mean, of those that carry it."""
    return sorted({each.path for each in candidates if links.resolve(name, "", [each])})


def as_written(kind: str, raw: str) -> str:
    """Write a link as it stands in a text."""
    if kind == "markdown":
        return f"[…]({raw})"
    return f"![[{raw}]]" if kind == "embed" else f"[[{raw}]]"


def stem_key(path: str) -> str:
    """Return the name that a node carries by its id."""
    return links.name_key(paths.stem(path))


class LinkPicture:
    """The mentions of some nodes, and who carries the names in them."""

    def __init__(self, written: Mapping[str, Sequence[Mention]], named: NotesByName) -> None:
        self._written = written
        self._named = named
        self._numbers = {path: number for number, path in enumerate(written)}
        self._paths = list(written)

    def number(self, path: str) -> int | None:
        """Return the number of a node in this picture."""
        return self._numbers.get(path)

    def leading_to(self, note: int) -> list[LinkTo]:
        """Return the links that mean a node."""
        path = self._paths[note]
        return [link for link in self._links if link.target == path]

    def standing_in(self, note: int) -> list[LinkTo]:
        """Return the links that stand in a node."""
        path = self._paths[note]
        return [link for link in self._links if link.source == path]

    def by_name(self, key: str) -> list[LinkTo]:
        """Return the links by a name."""
        return [link for link in self._links if links.name_key(link.raw) == key]

    def named(self, key: str) -> list[Candidate]:
        """Return the nodes that carry a name."""
        return list(self._named.get(key, ()))

    @cached_property
    def _links(self) -> list[LinkTo]:
        found: dict[LinkTo, None] = {}
        for source in sorted(self._written):
            for mention in sorted(self._written[source], key=lambda each: each.raw):
                meant = links.resolve(mention.raw, source, self._named.get(mention.key, ()))
                target, doubtful = (meant.path, meant.ambiguous) if meant else (None, False)
                found[LinkTo(source, mention.kind, mention.raw, target, doubtful)] = None
        return list(found)


def plan_rename(
    picture: LinkPicture, old: str, new: str, text: str, title: str
) -> tuple[RenamePlan, list[str]]:
    """Say which links of which nodes have to be spelled anew, and which are left."""
    planner = Planner(picture, picture.number, lambda path: False, several_roots=False)
    return planner.plan(old, new, text, title)


def renamed_texts(intent: RenamePlan, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the texts, by the ids that nodes have afterwards, that a rename changes.

    `texts` holds, by the same ids, what the nodes say before.
    """
    changed: dict[str, str] = {}
    for path in {*intent.links, intent.new}:
        text = texts[path]
        spelled, _ = respell.rewrites(text, intent.links.get(path, {}))
        if path == intent.new:
            spelled = titled(text, intent.title, paths.stem(path), spelled)
        changed[path] = edits.apply(text, spelled)
    return changed
