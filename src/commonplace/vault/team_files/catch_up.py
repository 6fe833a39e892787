"""Brings a node's working copy to what the store holds, before the node opens the vault.

The work is as much as differs: a file that looks as it did when both last agreed is not read. What
another program did in the copy while the vault was another node's is never overwritten:

- a file that the others left alone counts as saved by that program, and a new one as made by it;
- one that was changed on both sides becomes a conflict copy beside the store's;
- one that is missing comes back: a copy that was thrown away must not empty the vault.
"""

import itertools
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

import anyio.to_thread

from commonplace.errors import Conflict, Unavailable, Unreadable
from commonplace.vault.files.conflict_copy import name_of_copy
from commonplace.vault.files.reader import Stamp, reason
from commonplace.vault.team_files.store import KeptFile, sha_of
from commonplace.vault.team_files.synced_files import SyncedFile
from commonplace.vault.team_files.team_copy import TeamCopy
from commonplace.vault.team_files.team_copy_files import FileReplacement, FoundFile, shown

STEP_BYTES_MAX = 8 * 1024 * 1024
STEP_FILES_MAX = 200
_NAMED_MAX = 3

_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _CatchUpPlan:
    """What has to be done here so that copy and store agree."""

    fetch: dict[bytes, Stamp | None] = field(default_factory=dict[bytes, Stamp | None])
    remove: dict[bytes, Stamp] = field(default_factory=dict[bytes, Stamp])
    set_aside: list[bytes] = field(default_factory=list[bytes])
    take_in: list[bytes] = field(default_factory=list[bytes])
    alike: list[tuple[bytes, KeptFile, Stamp]] = field(
        default_factory=list[tuple[bytes, KeptFile, Stamp]]
    )
    forget: list[bytes] = field(default_factory=list[bytes])


async def catch_up(copy: TeamCopy, fence: int, today: date) -> None:
    """Let copy and store agree; the fence is that of the lease which this node has now.

    Raises:
        Conflict: the folder holds other files, and never was a copy of this vault.
        Unavailable: another program is changing files here, or one cannot be written.

    """
    listed = await copy.store.listed()
    alone = copy.agreed.fence == fence - 1
    try:
        plan = await anyio.to_thread.run_sync(_planned, copy, listed)
        await anyio.to_thread.run_sync(_tidy, copy, plan, listed, today, alone)
        await _take_in(copy, plan.take_in)
        await _fetch(copy, plan.fetch, listed)
    except OSError as error:
        raise Unavailable(f"This node's folder cannot be used: {reason(error)}.") from error
    copy.agreed.put(plan.alike)
    copy.agreed.remove(plan.forget)
    copy.agreed.take_turn(fence)
    await copy.store.sweep()


def _planned(copy: TeamCopy, listed: Mapping[bytes, KeptFile]) -> _CatchUpPlan:
    known, plan = copy.agreed.all(), _CatchUpPlan()
    seen: set[bytes] = set()
    for there in copy.files.walk():
        seen.add(there.path)
        _plan_found(copy, plan, there, listed.get(there.path), known.get(there.path))
    plan.fetch |= dict.fromkeys(path for path in listed if path not in seen)
    plan.forget += (path for path in known if path not in seen and path not in listed)
    if listed and not known:
        refuse_strange([*plan.set_aside, *plan.take_in])
    return plan


def refuse_strange(paths: Sequence[bytes]) -> None:
    """Refuse a folder that holds files which a vault has not, before any is mixed into it."""
    if paths:
        names = ", ".join(shown(path) for path in paths[:_NAMED_MAX])
        raise Conflict(
            f"This folder was never a copy of the vault, and holds {len(paths)} files that the"
            f" vault has not, or not so ({names}). Name a folder that is empty, or does not exist"
            " yet: it is filled from the database."
        )


def _plan_found(
    copy: TeamCopy,
    plan: _CatchUpPlan,
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
            plan.alike.append((path, stored, stamp))
    elif known is not None and sha in known.ours:
        if stored is None:
            plan.remove[path] = stamp
        else:
            plan.fetch[path] = stamp
    elif stored is None or (agreed is not None and stored.sha == agreed.sha):
        plan.take_in.append(path)
    else:
        plan.set_aside.append(path)


def _read(copy: TeamCopy, path: bytes, stored: KeptFile | None) -> tuple[bytes, Stamp] | None:
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


def _tidy(
    copy: TeamCopy,
    plan: _CatchUpPlan,
    listed: Mapping[bytes, KeptFile],
    today: date,
    alone: bool,
) -> None:
    """Make room in the folder for what the store has."""
    for path in plan.set_aside:
        plan.take_in.append(_set_aside(copy, path, path, listed, today))
        plan.fetch[path] = None
    for path, stamp in plan.remove.items():
        copy.files.remove(path, stamp)
        plan.forget.append(path)
    if alone:
        return  # nobody had the vault since: what a crash left is mended as on one machine
    ours = copy.agreed.our_contents()
    for path in list(copy.files.spares()):
        data, there = copy.files.read(path)
        if not data or sha_of(data) in ours:
            copy.files.remove(path, there.stamp)
        else:
            recovered = os.path.join(os.path.dirname(path), b"Recovered.md")
            plan.take_in.append(_set_aside(copy, path, recovered, listed, today))


def _set_aside(
    copy: TeamCopy,
    path: bytes,
    like: bytes,
    listed: Mapping[bytes, KeptFile],
    today: date,
) -> bytes:
    """Let what another program wrote be a file of its own."""
    for number in itertools.count(1):
        name = os.fsencode(name_of_copy(os.fsdecode(like), today, number))
        if name not in listed and copy.files.find(name) is None:
            copy.files.rename(path, name)
            _logger.warning("%s was changed here and elsewhere: see %s.", shown(like), shown(name))
            return name
    raise AssertionError  # there is always another number


async def _take_in(copy: TeamCopy, paths: list[bytes]) -> None:
    """Let the store have files of the folder: the contents in steps, all paths in one."""
    files: dict[bytes, KeptFile | None] = {}
    stamps: dict[bytes, Stamp] = {}
    contents: list[bytes] = []
    for path in paths:
        data, there = await anyio.to_thread.run_sync(copy.files.read, path)
        files[path] = KeptFile(sha_of(data), there.mode, there.stamp.mtime_ns)
        stamps[path] = there.stamp
        contents.append(data)
        if sum(map(len, contents)) > STEP_BYTES_MAX or len(contents) >= STEP_FILES_MAX:
            await copy.store.put_contents(contents)
            contents = []
    if files:
        await copy.store.change(files, contents)
        kept = ((path, file, stamps[path]) for path, file in files.items() if file is not None)
        copy.agreed.put(kept)


async def _fetch(
    copy: TeamCopy, paths: Mapping[bytes, Stamp | None], listed: Mapping[bytes, KeptFile]
) -> None:
    """Write files of the store into the folder."""
    sizes = await copy.store.sizes(list({listed[path].sha for path in paths}))
    for step in steps(paths, lambda path: sizes.get(listed[path].sha, 0)):
        contents = await copy.store.contents(list({listed[path].sha for path in step}))
        files = [
            FileReplacement(path, listed[path], contents[listed[path].sha], paths[path])
            for path in step
        ]
        await anyio.to_thread.run_sync(_write, copy, files)


def steps(paths: Iterable[bytes], size_of: Callable[[bytes], int]) -> Iterator[list[bytes]]:
    """Share files out to steps of bounded size."""
    step, size = list[bytes](), 0
    for path in paths:
        length = size_of(path)
        if step and (size + length > STEP_BYTES_MAX or len(step) >= STEP_FILES_MAX):
            yield step
            step, size = [], 0
        step.append(path)
        size += length
    if step:
        yield step


def _write(copy: TeamCopy, files: list[FileReplacement]) -> None:
    """Write the files of one step."""
    for file in files:
        copy.agreed.expect(file.path, file.kept.sha)
    stamps = copy.files.write_many(files)
    copy.agreed.put(
        (file.path, file.kept, stamp) for file, stamp in zip(files, stamps, strict=True)
    )
