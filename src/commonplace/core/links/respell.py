"""Links spelled anew when the note that they mean, or the one that they stand in, gets a new name.

A link keeps its style: a bare name stays one, a path stays a path from the same place, `.md` stays
or stays away; heading, alias and embed mark are not touched. Only where the same style would mean
another note, or several, does a longer spelling take its place. `Spelling` says which text to put
in place of a target; `rewrites` finds all links of a text that carry one, in pending suggestions
too, so that a link is right whether a suggestion is accepted or not.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from commonplace.core import frontmatter, links, markdown, paths
from commonplace.core.critic.marks import has_delimiters
from commonplace.core.frontmatter.values import load
from commonplace.core.links import Candidate, split_links
from commonplace.core.links.split_links import Spelling
from commonplace.core.markdown import Link
from commonplace.core.text.edits import Edit
from commonplace.core.text.words import fold

# No wikilink can hold these.
UNLINKABLE = "#^[]|"

_ENCODED = frozenset(' "#%()<>?\\`')


@dataclass(frozen=True, slots=True)
class Meant:
    """The note that a link means: where it was and where it will be."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class LinkPlace:
    """The note that a link stands in: where it was, where it will be, and the root of both."""

    old: str
    new: str
    root: str = ""


def respelled(
    link: Spelling,
    standing: LinkPlace,
    meant: Meant,
    named: Callable[[str], Sequence[Candidate]],
    titles: Sequence[str] = (),
) -> str | None:
    """Spell a target anew, or leave it as it is; None if no spelling means the note alone.

    `named` gives the notes that will carry a name; `titles` are further names to try.
    """
    _, raw = link
    same = (raw,) if _may_stay(link, standing, meant) else ()
    for target in (*same, *_spellings(link, standing, meant), *titles):
        found = links.resolve(target, standing.new, named(links.name_key(target)), standing.root)
        if found and found.path == meant.new and not found.ambiguous:
            return target
    return None


def relative(folder: str, path: str) -> str:
    """Write the way from a folder to a file."""
    here, there = folder.split("/") if folder else [], path.split("/")
    shared = 0
    while shared < min(len(here), len(there) - 1) and here[shared] == there[shared]:
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:])


def rewrites(text: str, spellings: Mapping[Spelling, str]) -> tuple[list[Edit], list[str]]:
    """Find the links that carry one of these targets, and put the other spelling there.

    Also gives the links that are left, because a suggestion that waits runs through them.
    """
    edits = _rewrites(text, spellings)
    if not spellings or not has_delimiters(text):
        return edits, []
    more, left = split_links.respelled(text, spellings, _written, edits)
    return sorted([*edits, *more], key=lambda edit: edit.start), left


def _rewrites(text: str, spellings: Mapping[Spelling, str]) -> list[Edit]:
    note = markdown.scan(text)
    found = {
        link.target_start: link
        for link in note.links
        if (link.kind == "markdown", link.target) in spellings
    }
    if not found:
        return []
    source = text.encode()
    edits: list[Edit] = []
    at = place = 0
    for link in sorted(found.values(), key=lambda each: each.target_start):
        place += len(source[at : link.target_start].decode())
        at = link.target_start
        written = source[at : link.target_end].decode()
        wanted = spellings[link.kind == "markdown", link.target]
        edit = Edit(place, place + len(written), _written(link, source, wanted))
        quote = _quote(link, source, wanted) if link.end <= note.body_start else ""
        edits += _quoted(edit, link, source, quote) if quote else (edit,)
    return edits


def _spellings(link: Spelling, standing: LinkPlace, meant: Meant) -> Iterator[str]:
    """Yield the new target in the style of the old one, then in plainer ones."""
    is_markdown, raw = link
    ending = raw[-3:] if paths.has_note_suffix(raw) else ""
    for way in (*_same_style(is_markdown, raw, standing, meant), *_plain(standing, meant)):
        yield way[: -len(".md")] + ending


def _may_stay(link: Spelling, standing: LinkPlace, meant: Meant) -> bool:
    """Tell whether the same words go on meaning the note in the same way.

    Not if they are the file's former name, which may still be its title, nor if they lead there
    from the folder of the note that they stand in, and no longer would for other programs.
    """
    is_markdown, raw = link
    before, after = links.name_key(meant.old), links.name_key(meant.new)
    if links.name_key(raw) == before != after:
        return False
    if not is_markdown and not raw.startswith("."):
        return True
    way = fold(raw.removeprefix("./").removesuffix(".md"))
    was = fold(relative(paths.parent(standing.old), meant.old)[:-3]) == way
    return not was or fold(relative(paths.parent(standing.new), meant.new)[:-3]) == way


def _same_style(is_markdown: bool, raw: str, standing: LinkPlace, meant: Meant) -> Iterator[str]:
    bare = fold(paths.parent(raw) + "/" + paths.stem(raw)).lstrip("/")
    beside = relative(paths.parent(standing.new), meant.new)
    if raw.startswith(("./", "../")):
        yield beside if beside.startswith("../") else f"./{beside}"
    was_beside = fold(relative(paths.parent(standing.old), meant.old)[:-3]) == bare
    if was_beside and (is_markdown or ("/" in raw and not beside.startswith("../"))):
        yield beside
    if "/" not in raw:
        yield meant.new.rpartition("/")[2]
        return
    slash = "/" if raw.startswith("/") else ""
    inside = f"{standing.root}/" if standing.root else ""
    if fold(meant.old[:-3].removeprefix(inside)) == bare:
        yield slash + meant.new.removeprefix(inside)
    if fold(meant.old[:-3]) == bare:
        yield slash + meant.new
    yield "/".join(meant.new.split("/")[-(raw.strip("/").count("/") + 1) :])


def _plain(standing: LinkPlace, meant: Meant) -> Iterator[str]:
    inside = f"{standing.root}/" if standing.root else ""
    yield meant.new.rpartition("/")[2]
    yield meant.new.removeprefix(inside)
    yield meant.new
    beside = relative(paths.parent(standing.new), meant.new)
    yield beside if beside.startswith("../") else f"./{beside}"


def _written(link: Link, source: bytes, target: str) -> str:
    """Write a target so that it is read back as it is, where it stands."""
    before = source[link.target_start - 1 : link.target_start]
    if link.kind == "markdown":
        if before == b"<":
            return target.replace("<", "%3C").replace(">", "%3E")
        return "".join(quote(each) if each in _ENCODED else each for each in target)
    opened = source[max(0, link.start - 1) : link.start]
    return target.replace("'", "''") if opened == b"'" and _in_yaml(link, source) else target


def _in_yaml(link: Link, source: bytes) -> bool:
    if not source.startswith(b"---") or link.start > 2 * frontmatter.YAML_BYTES_MAX:
        return False
    return link.end <= markdown.scan(source.decode()).body_start


def _quote(link: Link, source: bytes, target: str) -> str:
    """Return what must stand around a link of a property that has another target.

    Without quotes `[[a]]` is a list in a list to YAML, which a comma divides.
    """
    if source[link.start - 1 : link.start] in (b"'", b'"'):
        return ""
    head, tail = source[link.start : link.target_start], source[link.target_end : link.end]
    value = f"{head.decode()}{target}{tail.decode()}"
    if load(f"a: {value}\n") == {"a": value}:
        return ""
    return next((quote for quote in ('"', "'") if quote not in value), "")


def _quoted(edit: Edit, link: Link, source: bytes, quote: str) -> Iterator[Edit]:
    start = edit.start - len(source[link.start : link.target_start].decode())
    end = edit.end + len(source[link.target_end : link.end].decode())
    yield from (Edit(start, start, quote), edit, Edit(end, end, quote))
