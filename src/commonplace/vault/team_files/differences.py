"""What differs between a node's copy of a team's files and the store, and what is to be done.

Used by whoever takes a vault over (`catch_up`), and by a node that waits (`standby`).
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from commonplace.errors import Conflict, Unavailable, Unreadable
from commonplace.vault.files.reader import Stamp, reason
from commonplace.vault.team_files.store import KeptFile, sha_of
from commonplace.vault.team_files.synced_files import SyncedFile, SyncedFiles
from commonplace.vault.team_files.team_copy_files import FoundFile, TeamCopyFiles, shown

_NAMED_MAX = 3

_logger = logging.getLogger(__name__)


class StoredContents(Protocol):
    """Where contents are read from."""

    async def sizes(self, shas: Sequence[bytes]) -> dict[bytes, int]: ...  # noqa: D102
    async def contents(self, shas: Sequence[bytes]) -> dict[bytes, bytes]: ...  # noqa: D102


class NodeCopy(Protocol):
    """A node's folder, the store that it is a copy of, and what both last agreed on."""

    @property
    def store(self) -> StoredContents: ...  # noqa: D102
    @property
    def files(self) -> TeamCopyFiles: ...  # noqa: D102
    @property
    def agreed(self) -> SyncedFiles: ...  # noqa: D102


@dataclass(slots=True)
class Differences:
    """What has to be done in the copy, and in the store, so that both agree."""

    fetch: dict[bytes, Stamp | None] = field(default_factory=dict[bytes, Stamp | None])
    remove: dict[bytes, Stamp] = field(default_factory=dict[bytes, Stamp])
    set_aside: list[bytes] = field(default_factory=list[bytes])
    take_in: list[bytes] = field(default_factory=list[bytes])
    alike: list[tuple[bytes, KeptFile, Stamp]] = field(
        default_factory=list[tuple[bytes, KeptFile, Stamp]]
    )
    forget: list[bytes] = field(default_factory=list[bytes])


def find_all(copy: NodeCopy, listed: Mapping[bytes, KeptFile]) -> Differences:
    """Compare the whole copy with all files of the store."""
    known, found = copy.agreed.all(), Differences()
    seen: set[bytes] = set()
    for there in copy.files.walk():
        seen.add(there.path)
        _compare(copy, found, there, listed.get(there.path), known.get(there.path))
    found.fetch |= dict.fromkeys(path for path in listed if path not in seen)
    found.forget += (path for path in known if path not in seen and path not in listed)
    if listed and not known:
        refuse_strange([*found.set_aside, *found.take_in])
    return found


def find_some(copy: NodeCopy, stored: Mapping[bytes, KeptFile | None]) -> Differences:
    """Compare some files with the store; None for one that it does not have."""
    found = Differences()
    for path, kept in stored.items():
        there, known = copy.files.find(path), copy.agreed.get(path)
        if there is not None:
            _compare(copy, found, there, kept, known)
        elif kept is not None:
            found.fetch[path] = None
        elif known is not None:
            found.forget.append(path)
    return found


def refuse_strange(paths: Sequence[bytes]) -> None:
    """Refuse a folder that holds files which a vault has not, before any is mixed into it."""
    if paths:
        names = ", ".join(shown(path) for path in paths[:_NAMED_MAX])
        raise Conflict(
            f"This folder was never a copy of the vault, and holds {len(paths)} files that the"
            f" vault has not, or not so ({names}). Name a folder that is empty, or does not exist"
            " yet: it is filled from the database."
        )


def _compare(
    copy: NodeCopy,
    found: Differences,
    there: FoundFile,
    stored: KeptFile | None,
    known: SyncedFile | None,
) -> None:
    """Decide about one file that is in the folder."""
    path, stamp = there.path, there.stamp
    agreed = known.kept if known else None
    if known is not None and agreed is not None and known.stamp == stamp:
        sha = agreed.sha
    elif (read := _read(copy, path, stored)) is None:
        return
    else:
        sha, stamp = read
    if stored is not None and sha == stored.sha:
        if known is None or known.stamp != stamp or agreed != stored:
            found.alike.append((path, stored, stamp))
    elif known is not None and sha in known.ours:
        if stored is None:
            found.remove[path] = stamp
        else:
            found.fetch[path] = stamp
    elif stored is None or (agreed is not None and stored.sha == agreed.sha):
        found.take_in.append(path)
    else:
        found.set_aside.append(path)


def _read(copy: NodeCopy, path: bytes, stored: KeptFile | None) -> tuple[bytes, Stamp] | None:
    """Return the hash and stamp of a file; None of one that cannot be in the vault, and is not."""
    try:
        data, there = copy.files.read(path)
    except (OSError, Unreadable) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        if stored is not None:
            raise Unavailable(f"{shown(path)} cannot be read here ({why}).") from error
        _logger.warning("%s is not in the vault (%s).", shown(path), why)
        return None
    return sha_of(data), there.stamp
