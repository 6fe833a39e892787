"""All files brought together, in rounds, until a round finds nothing to do.

Deletions wait until no more of them come for a moment, since `rm -r` deletes one file after the
other. Very many at once are held back on either side, and told, until the person says otherwise.
"""

import time
from collections.abc import Awaitable, Callable

import anyio

from commonplace.core import paths
from commonplace.core.file_sides import Sides, SyncStep, is_too_many, lost, moves, next_step
from commonplace.core.scopes import Scope
from commonplace.errors import CommonplaceError, Unavailable
from commonplace.vault.remote_copy.news import News, Tell
from commonplace.vault.remote_copy.server import NotLetIn, Offline
from commonplace.vault.remote_copy.sync import FileSync

ROUND_QUIET_SECONDS = 1.0
_AT_ONCE_MAX = 8
ROUNDS_MAX = 20
_REMOVALS: tuple[SyncStep, ...] = ("remove_here", "remove_there")

Do = Callable[[str], Awaitable[object]]


class Rounds:
    """Looks at everything, and does what brings it together."""

    def __init__(
        self,
        sync: FileSync,
        tell: Tell,
        *,
        delete_many: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sync, self._tell, self._clock = sync, tell, clock
        self._delete_many = delete_many
        self._doomed: tuple[frozenset[str], float] = (frozenset(), 0.0)
        self._held: frozenset[str] = frozenset()
        self._young: dict[str, float] = {}
        self._failure: CommonplaceError | None = None
        self._later = False
        self.may: Scope = "read"
        self._do: dict[SyncStep, Do] = {
            "agree": sync.agree,
            "fetch": sync.fetch,
            "send": sync.send,
            "set_aside": sync.set_aside,
            "remove_here": sync.remove_here,
            "remove_there": sync.remove_there,
            "merge_here": sync.merge_here,
            "keep": sync.keep,
        }

    async def bring_together(self) -> bool:
        """Bring all files together; tell whether some have to be looked at again soon.

        Raises:
            Offline: the server cannot be reached; what was done is done.
            NotLetIn: the access token does not hold any more.

        """
        for _ in range(ROUNDS_MAX):
            if not await self._sync.send_again():
                return True
            self._later = await self._sync.look_here()
            if not await self._round():
                return self._later
        return True

    async def _round(self) -> bool:
        """Do one step for each file that needs one; tell whether there was any."""
        files = self._sync.file_states.sides()
        steps = self._steps(files)
        done = await self._rename(files, steps)
        self._hold_back(files, steps)
        self._wait_for_new(files, steps)
        limit = anyio.CapacityLimiter(_AT_ONCE_MAX)
        async with anyio.create_task_group() as tasks:
            for path, step in steps.items():
                tasks.start_soon(self._take, limit, self._do[step], path)
        if (failure := self._failure) is not None:
            self._failure = None
            raise failure
        return done or bool(steps)

    def _steps(self, files: dict[str, Sides]) -> dict[str, SyncStep]:
        found: dict[str, SyncStep] = {}
        for path, sides in files.items():
            step = self._step(path, sides)
            if step == "forget":
                self._sync.forget(path)
            elif step != "nothing":
                found[path] = step
        return found

    def _step(self, path: str, sides: Sides) -> SyncStep:
        step = next_step(sides, mergeable=self._sync.has_text(path))
        if step == "nothing" or self._sync.refused.get(path) == sides:
            return "nothing"
        if step == "remove_there" and self.may != "write":
            return "fetch"
        if step == "send" and self.may == "read":
            changed_there = sides.there not in (None, sides.base)
            return "merge_here" if changed_there else "keep"
        return step

    async def _rename(self, files: dict[str, Sides], steps: dict[str, SyncStep]) -> bool:
        """Have files renamed that got another name here, once that is quiet."""
        quiet = self._is_quiet({path for path, step in steps.items() if step in _REMOVALS})
        done = False
        for new, old in moves(files).items() if self.may == "write" else ():
            step = steps.pop(new, None)
            if quiet and await self._sync.rename(old, new):
                done = True
            elif quiet and step is not None:
                steps[new] = step  # then it is a new file first, and a deletion after that
            steps.pop(old, None)
        return done

    def _is_quiet(self, removals: set[str]) -> bool:
        """Tell whether no deletion came for a moment: some programs save by making a file anew."""
        known, since = self._doomed
        since = self._clock() if removals - known else since
        self._doomed = (frozenset(removals), since)
        if quiet := not removals or self._clock() - since >= ROUND_QUIET_SECONDS:
            return quiet
        self._later = True
        return False

    def _hold_back(self, files: dict[str, Sides], steps: dict[str, SyncStep]) -> None:
        """Leave out deletions that are too new, or too many."""
        removals = {path for path, step in steps.items() if step in _REMOVALS}
        quiet = self._clock() - self._doomed[1] >= ROUND_QUIET_SECONDS
        held = self._too_many(files, steps, removals) if quiet else removals
        if quiet and held - self._held:
            self._tell(_many(held, steps))
        if quiet:
            self._held = frozenset(held)
        for path in held:
            del steps[path]

    def _too_many(
        self, files: dict[str, Sides], steps: dict[str, SyncStep], removals: set[str]
    ) -> set[str]:
        if self._delete_many:
            return set()
        known = sum(one.base is not None for one in files.values())
        here = {path for path in removals if steps[path] == "remove_here"}
        there = removals - here
        held = here if is_too_many(lost(here, files, "there"), known) else set[str]()
        return held | (there if is_too_many(lost(there, files, "here"), known) else set())

    def _wait_for_new(self, files: dict[str, Sides], steps: dict[str, SyncStep]) -> None:
        """Leave out files that came just now and are no notes: programs make some in passing."""
        now = self._clock()
        young = {
            path: self._young.get(path, now)
            for path, step in steps.items()
            if step == "send" and files[path].base is None and not paths.has_note_suffix(path)
        }
        self._young = young
        for path, since in young.items():
            if now - since < ROUND_QUIET_SECONDS:
                del steps[path]
                self._later = True

    async def _take(self, limit: anyio.CapacityLimiter, do: Do, path: str) -> None:
        """Take one step; a file fails alone."""
        async with limit:
            if self._failure is not None:
                return
            try:
                await do(path)
            except (Offline, NotLetIn) as error:
                self._failure = error
            except Unavailable as error:
                self._sync.tell_trouble(path, error)
                self._later = True
            except (CommonplaceError, OSError) as error:
                self._sync.refuse(path, error)


def _many(held: set[str], steps: dict[str, SyncStep]) -> News:
    here = any(steps[path] == "remove_here" for path in held)
    who, where = ("The server has", "here") if here else ("This folder has", "on the server")
    text = (
        f"{who} {len(held):,} files less, which are not deleted {where}. If that is meant, start"
        " again with --delete-many."
    )
    return News("held", text=text, count=len(held))
