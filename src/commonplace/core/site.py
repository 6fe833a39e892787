"""Notes made into a site: which of them, what each links to, and where each has its page.

Text in, values out. What is published is the *base view*: a suggestion that nobody has accepted
is not part of it, and neither is a remark between people. A link that leads to a note which is not
published leads nowhere, and the site does not even name it. Of files that are no notes, those are
published that a published text shows or links to.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from commonplace.core import critic, frontmatter, links
from commonplace.core.digest import Digest, digest
from commonplace.core.links import Candidate, attachments
from commonplace.core.links.attachments import FindAttachments

_DESCRIPTION_CHARS_MAX = 160

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_PIECE = re.compile(r"`[^`]*`|%%|(?:(?!%%)[^`])+|`", re.DOTALL)
"""Code within a line, the mark of a remark, anything else."""
_NO_PROSE = ("#", "```", "|", ">", "!")


@dataclass(frozen=True, slots=True)
class SitePage:
    """A published note. What stands in a link means a note by `links`, or a file by `files`."""

    path: str
    title: str
    text: str
    tags: tuple[str, ...]
    links: dict[str, str] = field(default_factory=dict[str, str])
    files: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def file(self) -> str:
        """Where its page is, below the site's folder."""
        return f"notes/{self.path[:-3]}.html"

    @property
    def url(self) -> str:
        """The same as an address, relative to the site's top."""
        return quote(self.file)

    @property
    def depth(self) -> int:
        """How many folders the page is below the top."""
        return self.file.count("/")


def _no_files(_: str) -> Sequence[str]:
    return ()


def published(
    texts: Mapping[str, str],
    *,
    marked_only: bool = False,
    several_roots: bool = False,
    named_files: FindAttachments = _no_files,
) -> dict[str, SitePage]:
    """Make pages of notes, given as they stand in their files; in the order of their paths.

    `named_files` gives the attachments that carry a name.
    """
    plain = {path: critic.base(text) for path, text in sorted(texts.items())}
    if marked_only:
        plain = {path: text for path, text in plain.items() if _marked(text)}
    found = {path: digest(path, text) for path, text in plain.items()}
    named = _by_name(found)
    pages: dict[str, SitePage] = {}
    for path, note in found.items():
        root = path.partition("/")[0] if several_roots else ""
        text = public_text(note.text)
        meant = _links(path, note, named, root)
        files = _files(path, text, meant, named_files, root)
        pages[path] = SitePage(path, note.title, text, note.tags, meant, files)
    return pages


def public_text(text: str) -> str:
    """Return a note without its properties, and without Obsidian's `%% remarks %%`."""
    block = frontmatter.split(text)
    body = text[block.body_start :] if block else text
    parts: list[str] = []
    fence, hidden = "", False
    for line in body.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if not hidden and mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence:
            line, hidden = _unhidden(line, hidden)
        parts.append(line)
    return "".join(parts)


def _unhidden(line: str, hidden: bool) -> tuple[str, bool]:
    """Return what of a line is shown, and whether a remark goes on after it."""
    shown: list[str] = []
    for piece in _PIECE.findall(line):
        if piece == "%%":
            hidden = not hidden
        elif not hidden:
            shown.append(piece)
    return "".join(shown), hidden


def described(page: SitePage) -> str:
    """Return a note's first words, for those who list it elsewhere."""
    lines = (each for each in page.text.splitlines() if each and not each.startswith(_NO_PROSE))
    return " ".join(" ".join(lines).split())[:_DESCRIPTION_CHARS_MAX]


def _marked(text: str) -> bool:
    return frontmatter.read(text).properties.get("publish") is True


def _by_name(found: Mapping[str, Digest]) -> dict[str, list[Candidate]]:
    named: dict[str, list[Candidate]] = {}
    for path, note in found.items():
        for key, kind, name in note.names:
            named.setdefault(key, []).append(Candidate(path, kind, name))
    return named


def _links(
    path: str, note: Digest, named: Mapping[str, list[Candidate]], root: str
) -> dict[str, str]:
    meant: dict[str, str] = {}
    for link in note.links:
        target = links.resolve(link.target, path, named.get(link.key, ()), root)
        if target is not None:
            meant[link.target] = target.path
    return meant


def _files(
    path: str, text: str, notes: Mapping[str, str], named: FindAttachments, root: str
) -> dict[str, str]:
    """Return the files that a text links to as it is published: no remark of it, no property."""
    meant: dict[str, str] = {}
    for link in digest(path, text).links:
        if link.target not in notes:
            found = attachments.resolve(link.target, path, named, root)
            if found is not None:
                meant[link.target] = found.path
    return meant
