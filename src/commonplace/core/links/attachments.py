"""Links to attachments: which file one means, and how it is spelled when that file moves.

They resolve as links to notes do (`core.links`), but a file is called by its whole name. A link
keeps its style when the file moves: a bare name stays one where it is enough, a path stays a path
from the same place, a relative one stays relative.
"""

from collections.abc import Callable, Iterator, Sequence

from commonplace.core import links, paths
from commonplace.core.links import Candidate, NameKind, Resolved, respell

FindAttachments = Callable[[str], Sequence[str]]


def resolve(target: str, source: str, named: FindAttachments, root: str = "") -> Resolved | None:
    """Find the file that `target` means in the note `source`; `named` gives files by name key."""
    candidates = [Candidate(path, NameKind.FILE) for path in named(links.name_key(target))]
    return links.resolve(target, source, candidates, root)


def respelled(
    link: respell.Spelling, source: str, old: str, new: str, named: FindAttachments, root: str = ""
) -> str | None:
    """Spell a link to a file anew; None if no spelling means that file alone.

    `named` gives the files as they will be once the file has moved.
    """
    for target in _spellings(link, source, old, new, root):
        found = resolve(target, source, named, root)
        if found and found.path == new and not found.ambiguous:
            return target
    return None


def shortest(path: str, source: str, named: FindAttachments, root: str = "") -> str:
    """Return the shortest way to call a file in a note."""
    spelled = respelled((False, path.rpartition("/")[2]), source, path, path, named, root)
    return spelled or path


def _spellings(link: respell.Spelling, source: str, old: str, new: str, root: str) -> Iterator[str]:
    is_markdown, raw = link
    folder = paths.parent(source)
    beside = respell.relative(folder, new)
    inside = f"{root}/" if root else ""
    bare = links.fold(raw.removeprefix("./"))
    if raw.startswith(("./", "../")):
        yield beside if beside.startswith("../") else f"./{beside}"
    if is_markdown and links.fold(respell.relative(folder, old)) == bare:
        yield beside
    if "/" not in raw:
        yield new.rpartition("/")[2]
    slash = "/" if raw.startswith("/") else ""
    yield slash + new.removeprefix(inside)
    yield new.removeprefix(inside)
    yield new
    yield beside if beside.startswith("../") else f"./{beside}"
