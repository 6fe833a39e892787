"""From note files to what the index takes: which files changed, and what each now says."""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from commonplace.core import digest
from commonplace.core.text import endings
from commonplace.errors import CommonplaceError
from commonplace.vault.files.reader import Listed, content_sha
from commonplace.vault.files.roots import Roots
from commonplace.vault.index.reader import IndexedFile
from commonplace.vault.index.rows import Fresh

logger = logging.getLogger(__name__)

# What tells a note that was read from others: path, inode, hash of its bytes.
Seen = tuple[str, int, bytes]


@dataclass(slots=True)
class IndexDifference:
    """The difference between the files and the index."""

    found: int = 0
    new: list[Listed] = field(default_factory=list[Listed])
    changed: list[Listed] = field(default_factory=list[Listed])
    gone: list[str] = field(default_factory=list[str])
    moved: dict[str, str] = field(default_factory=dict[str, str])


def plan(found: Iterable[Listed], known: Mapping[str, IndexedFile]) -> IndexDifference:
    """Compare a scan with the index by stamps; nothing is read."""
    work = IndexDifference()
    seen: set[str] = set()
    for listed in found:
        if listed.path in seen:
            continue  # two names on disk that are one under NFC: the first is the note
        seen.add(listed.path)
        before = known.get(listed.path)
        if before is None:
            work.new.append(listed)
        elif before.sha is None or (before.mtime_ns, before.size, before.inode) != listed.stamp:
            work.changed.append(listed)
    work.found = len(seen)
    work.gone = [path for path in known if path not in seen]
    return work


def read(roots: Roots, listed: Listed, known_sha: bytes | None = None) -> Fresh | None:
    """Read and digest one note; None when its bytes are those already known."""
    sha = b""
    try:
        data, stamp = roots.read_patiently(listed.on_disk or listed.path)
        sha = content_sha(data)
        now = Listed(listed.path, stamp, listed.on_disk)
        if sha == known_sha:
            return None
        text, _ = endings.decode(data)
        return Fresh(now, sha, digest.digest(listed.path, text))
    except CommonplaceError as error:
        # Listed, with the reason; read again when its stamp changes.
        return Fresh(listed, sha or b"-", None, str(error))
    except Exception:
        # One note that a bug trips over must not keep all the others from being found.
        logger.exception("%s could not be indexed", listed.path)
        return Fresh(listed, sha or b"-", None, "It could not be indexed; the log says why.")


def seen(fresh: Fresh) -> Seen:
    """Tell how to know this note again."""
    return fresh.listed.path, fresh.listed.stamp.inode, fresh.sha


def moves(gone: Mapping[str, IndexedFile], fresh: Iterable[Seen]) -> dict[str, str]:
    """Tell which new notes are old ones under another name: the same file, or the same bytes."""
    by_inode = {known.inode: path for path, known in gone.items()}
    by_sha = {known.sha: path for path, known in gone.items() if known.sha}
    found: dict[str, str] = {}
    taken: set[str] = set()
    for path, inode, sha in fresh:
        old = by_inode.get(inode) or by_sha.get(sha)
        if old is not None and old not in taken and path not in gone:
            found[path] = old
            taken.add(old)
    return found
