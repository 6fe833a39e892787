"""The build process as its owner sees it: given a job, it tells how the work goes."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from commonplace.errors import Unavailable
from commonplace.vault.settings import Root, Settings

BuildNews = dict[str, object]


@dataclass(frozen=True, slots=True)
class BuildJob:
    """What to build: the vault's settings in a form that crosses a process boundary."""

    roots: list[tuple[str, str]]
    state: str
    ignore: list[str]
    workers: int
    owner: int
    nice: int

    @classmethod
    def of(cls, settings: Settings, workers: int, nice: int = 0) -> "BuildJob":
        """Describe the job for a vault; `nice` leaves the processor to others first."""
        roots = [(root.name, str(root.path)) for root in settings.roots]
        state, ignore = str(settings.state), list(settings.ignore)
        return cls(roots, state, ignore, workers, os.getpid(), nice)

    @property
    def settings(self) -> Settings:
        """Return what the vault is opened with."""
        roots = tuple(Root(name, Path(path)) for name, path in self.roots)
        return Settings(roots, Path(self.state), ignore=tuple(self.ignore))


class Builder:
    """A process that loads its modules, then waits for its job."""

    def __init__(self) -> None:
        # It complains where we do: on stderr.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "commonplace.vault.index.build.process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def begin(self, job: BuildJob) -> Self:
        """Give it its job."""
        assert self._process.stdin
        with suppress(BrokenPipeError):  # it ended already; its exit code tells more
            self._process.stdin.write(json.dumps(asdict(job)).encode())
            self._process.stdin.close()
        return self

    async def news(self) -> AsyncGenerator[BuildNews]:
        """Pass on what is told of the job, to its end."""
        # Here, so that a process can be started before anything big is loaded.
        import anyio
        import anyio.to_thread

        process = self._process
        assert process.stdout
        try:
            while line := await anyio.to_thread.run_sync(
                process.stdout.readline, abandon_on_cancel=True
            ):
                yield json.loads(line)
            if await anyio.to_thread.run_sync(process.wait, abandon_on_cancel=True):
                raise Unavailable("The index could not be built; the log says why.")
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self.close)

    def close(self) -> None:
        """End the process, whatever it does."""
        process = self._process
        process.kill()  # which it withstands: nothing is written but in transactions
        process.wait()
        for end in (process.stdin, process.stdout):
            with suppress(BrokenPipeError):
                end.close()  # pyright: ignore[reportOptionalMemberAccess]


_spare: list[Builder] = []


@contextmanager
def ahead() -> Generator[None]:
    """Start a builder at once, for a build that will probably come.

    It loads its modules on one core while the caller loads its own on another.
    """
    builder = Builder()
    _spare.append(builder)
    try:
        yield
    finally:
        if builder in _spare:
            _spare.remove(builder)
            builder.close()


def builder() -> Builder:
    """Give the builder that was started ahead, or a new one."""
    return _spare.pop() if _spare else Builder()
