"""What a rename will do, worked out from the index before anything is touched.

Three kinds of links are affected: those that mean the note, those that stand in it, and those by
its new name that mean another note and would be caught by it. Each is spelled anew where it would
come to mean something else; one that could have meant another note before is left and reported.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

from commonplace.core import digest, edits, frontmatter, links, markdown, paths, relinking
from commonplace.core.edits import Edit
from commonplace.core.links import Candidate
from commonplace.core.relinking import Meant, Spelling, Standing
from commonplace.vault.index import Index
from commonplace.vault.link_index import LinkTo
from commonplace.vault.roots import Roots

Spellings = dict[Spelling, str]
Named = Callable[[str], Sequence[Candidate]]


@dataclass(slots=True)
class Intent:
    """What a rename does: the file's move, the title to set, and the links of each note."""

    old: str
    new: str
    title: str | None = None
    links: dict[str, Spellings] = field(default_factory=dict[str, Spellings])

    def packed(self) -> str:
        """Write it for the record."""
        rows = {
            path: [[*key, new] for key, new in each.items()] for path, each in self.links.items()
        }
        return json.dumps([self.old, self.new, self.title, rows], ensure_ascii=False)

    def path(self, path: str) -> str:
        """Return the path that a note will have."""
        return self.new if path == self.old else path

    @classmethod
    def unpacked(cls, text: str) -> "Intent":
        """Read it from the record."""
        old, new, title, rows = json.loads(text)
        spelled = {
            path: {(bool(is_markdown), raw): wanted for is_markdown, raw, wanted in each}
            for path, each in rows.items()
        }
        return cls(old, new, title, spelled)


class Planner:
    """Plans renames from the index."""

    def __init__(self, index: Index, roots: Roots, *, several_roots: bool) -> None:
        self._index = index
        self._roots = roots
        self._several_roots = several_roots

    def plan(self, old: str, new: str, text: str, title: str | None) -> tuple[Intent, list[str]]:
        """Say what is to be done, and which links are left."""
        intent = Intent(old, new, title)
        left: list[str] = []
        about = self._index.about(old)
        if about is None:
            return intent, left
        named = self._named_after(old, new, text, title)
        for link in self._affected(about.note, new):
            self._respell(intent, link, named, left)
        for link in self._index.links.standing_in(about.note):
            if link.target is None and paths.parent(old) != paths.parent(new):
                self._carry_attachment(intent, link)
        return intent, left

    def _affected(self, note: int, new: str) -> Iterable[LinkTo]:
        """List the links that mean the note, that stand in it, or that the new name may catch."""
        found = [
            *self._index.links.leading_to(note),
            *(link for link in self._index.links.standing_in(note) if link.target),
            *(
                link
                for link in self._index.links.by_name(links.name_key(paths.stem(new)))
                if link.target
            ),
        ]
        return dict.fromkeys(found)

    def _respell(self, intent: Intent, link: LinkTo, named: Named, left: list[str]) -> None:
        assert link.target is not None
        if link.ambiguous:
            if link.target == intent.old:
                left.append(_shown(link))
            return
        root = link.source.partition("/")[0] if self._several_roots else ""
        standing = Standing(link.source, intent.path(link.source), root)
        meant = Meant(link.target, intent.path(link.target))
        spelling = (link.kind == "markdown", link.raw)
        titles = [intent.title] if intent.title and link.target == intent.old else []
        wanted = relinking.respelled(spelling, standing, meant, named, titles)
        if wanted is None:
            left.append(_shown(link))
        elif wanted != link.raw:
            intent.links.setdefault(standing.new, {})[spelling] = wanted

    def _carry_attachment(self, intent: Intent, link: LinkTo) -> None:
        """Keep a relative link to a picture or another file right when the note changes folders."""
        if link.kind != "markdown" or link.raw.startswith("/"):
            return
        parts: list[str] = []
        for part in [*paths.parent(intent.old).split("/"), *link.raw.split("/")]:
            if part == ".." and not parts:
                return
            if part == "..":
                parts.pop()
            elif part not in ("", "."):
                parts.append(part)
        there = "/".join(parts)
        if self._roots.stamp(there) is not None:
            wanted = relinking.relative(paths.parent(intent.new), there)
            intent.links.setdefault(intent.new, {})[True, link.raw] = wanted

    def _named_after(self, old: str, new: str, text: str, title: str | None) -> Named:
        """Tell who will carry a name once the note has moved."""
        after = digest.digest(new, edits.apply(text, titled(text, title, paths.stem(new))))

        @cache
        def named(key: str) -> Sequence[Candidate]:
            others = [each for each in self._index.links.named(key) if each.path != old]
            own = [Candidate(new, kind, name) for own, kind, name in after.names if own == key]
            return [*others, *own]

        return named


def _shown(link: LinkTo) -> str:
    written = f"[…]({link.raw})" if link.kind == "markdown" else f"[[{link.raw}]]"
    return f"{link.source}: {written}"


def titled(text: str, title: str | None, stem: str, changes: Sequence[Edit] = ()) -> Sequence[Edit]:
    """Give a text a title where it has its own: in its properties, else its first heading."""
    after = edits.apply(text, changes)
    scanned, properties = markdown.scan(after), frontmatter.read(after).properties
    if title is None or markdown.title(scanned, properties, stem) == title:
        return changes
    heading = next((each for each in scanned.headings if each.level == 1), None)
    if heading is not None and "title" not in properties:
        source = after.encode()
        line = source[heading.start : heading.end].decode()
        at = len(source[: heading.start].decode()) + line.find(heading.text)
        if heading.text and heading.text in line:
            after = after[:at] + title + after[at + len(heading.text) :]
            return edits.diff(text, after)
    return edits.diff(text, frontmatter.change(after, "title", title))
