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
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date

import anyio.to_thread

from commonplace.errors import Unavailable
from commonplace.vault.files.conflict_copy import name_of_copy
from commonplace.vault.files.reader import Stamp, reason
from commonplace.vault.team_files.differences import Differences, NodeCopy, find_all
from commonplace.vault.team_files.store import KeptFile, sha_of
from commonplace.vault.team_files.team_copy import TeamCopy
from commonplace.vault.team_files.team_copy_files import FileReplacement, shown

STEP_BYTES_MAX = 8 * 1024 * 1024
STEP_FILES_MAX = 200

_logger = logging.getLogger(__name__)


async def catch_up(copy: TeamCopy, fence: int, today: date) -> None:
    """Let copy and store agree; the fence is that of the lease which this node has now.

    Raises:
        Conflict: the folder holds other files, and never was a copy of this vault.
        Unavailable: another program is changing files here, or one cannot be written.

    """
    listed = await copy.store.listed()
    alone = copy.agreed.fence == fence - 1
    try:
        plan = await anyio.to_thread.run_sync(find_all, copy, listed)
        await anyio.to_thread.run_sync(_tidy, copy, plan, listed, today, alone)
        await _take_in(copy, plan.take_in)
        await fetch(copy, plan.fetch, listed)
    except OSError as error:
        raise Unavailable(f"This node's folder cannot be used: {reason(error)}.") from error
    copy.agreed.put(plan.alike)
    copy.agreed.remove(plan.forget)
    copy.agreed.take_turn(fence)


def _tidy(
    copy: TeamCopy,
    plan: Differences,
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
    for path in drop_our_spares(copy):
        recovered = os.path.join(os.path.dirname(path), b"Recovered.md")
        plan.take_in.append(_set_aside(copy, path, recovered, listed, today))


def drop_our_spares(copy: NodeCopy) -> list[bytes]:
    """Remove what a crash left of ours under temporary names; return what others wrote."""
    left, ours = list[bytes](), copy.agreed.our_contents()
    for path in list(copy.files.spares()):
        data, there = copy.files.read(path)
        if not data or sha_of(data) in ours:
            copy.files.remove(path, there.stamp)
        else:
            left.append(path)
    return left


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


async def fetch(
    copy: NodeCopy, paths: Mapping[bytes, Stamp | None], listed: Mapping[bytes, KeptFile]
) -> None:
    """Write files of the store into the folder, as far as it gives their contents."""
    sizes = await copy.store.sizes(list({listed[path].sha for path in paths}))
    for step in steps(paths, lambda path: sizes.get(listed[path].sha, 0)):
        contents = await copy.store.contents(list({listed[path].sha for path in step}))
        files = [
            FileReplacement(path, listed[path], contents[listed[path].sha], paths[path])
            for path in step
            if listed[path].sha in contents
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


def _write(copy: NodeCopy, files: list[FileReplacement]) -> None:
    """Write the files of one step."""
    for file in files:
        copy.agreed.expect(file.path, file.kept.sha)
    stamps = copy.files.write_many(files)
    copy.agreed.put(
        (file.path, file.kept, stamp) for file, stamp in zip(files, stamps, strict=True)
    )
