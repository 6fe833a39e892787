"""Hints from the system that files changed; rescans by the vault are the truth.

The watcher misses files in folders that were just made, so a folder that is told stands for
everything beneath it. Watching a big vault takes a while to set up, so all of it happens in a
thread: of the vault's own, or of a watcher that many vaults share.
"""

import threading
from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import anyio
from anyio.from_thread import BlockingPortal

from commonplace.errors import Unavailable
from commonplace.vault.files.roots import Roots
from commonplace.vault.files.shared_watch import Fail, Hear, SharedWatch
from commonplace.vault.settings import Settings

_SETTLE_MS = 50
_GATHER_MS = 400
_LOOK_UP_MS = 500


async def follow(
    settings: Settings, roots: Roots, look_at: Callable[[set[str]], Awaitable[None]]
) -> None:
    """Tell sets of vault paths, notes or folders, that may have changed, until cancelled.

    What changes while those before are looked at is told together afterwards. `Unavailable` says
    that nothing is watched any more; rescans go on alone meanwhile.
    """
    waiting: set[str] = set()
    told = anyio.Event()
    failed: list[str] = []

    def fail(why: str) -> None:
        failed.append(why)
        told.set()

    def tell(paths: set[str]) -> None:
        waiting.update(paths)
        told.set()

    async with BlockingPortal() as portal:

        def hear(names: Iterable[str]) -> None:
            found = {roots.path_of(name) for name in names}
            if paths := {path for path in found if path is not None and _visible(path)}:
                with suppress(RuntimeError):  # nobody listens any more
                    portal.start_task_soon(tell, paths)

        def hear_failure(why: str) -> None:
            with suppress(RuntimeError):
                portal.start_task_soon(fail, why)

        with _watching([root.path for root in settings.roots], hear, hear_failure):
            while True:
                await told.wait()
                if failed:
                    break
                told = anyio.Event()
                batch = set(waiting)
                waiting.clear()
                await look_at(batch)
    raise Unavailable(f"{failed[0]} Rescans go on alone.")


@contextmanager
def sharing(folder: Path) -> Generator[None]:
    """Let vaults whose folders lie in this one be watched together while the body runs."""
    watch = SharedWatch(folder, _changes)
    _shared.append(watch)
    try:
        yield
    finally:
        _shared.remove(watch)
        watch.close()


_shared: list[SharedWatch] = []


@contextmanager
def _watching(folders: Sequence[Path], hear: Hear, fail: Fail) -> Generator[None]:
    around = [watch for watch in _shared if watch.is_around(folders[0])]
    if around and len(folders) == 1:
        with around[0].following(folders[0], hear, fail):
            yield
        return
    stop = threading.Event()
    watch = partial(_watch, tuple(folders), stop, hear, fail)
    threading.Thread(target=watch, name="watch", daemon=True).start()
    try:
        yield
    finally:
        stop.set()  # the thread notices within `_LOOK_UP_MS`; nobody needs to wait for it


def _watch(folders: tuple[Path, ...], stop: threading.Event, hear: Hear, fail: Fail) -> None:
    try:
        for names in _changes(folders, stop):
            hear(names)
        why = "The watcher ended."
    except Exception as error:  # noqa: BLE001 (out of watches, or the folder went)
        why = f"File changes cannot be watched ({error})."
    if not stop.is_set():
        fail(why)


def _changes(folders: tuple[Path, ...], stop: threading.Event) -> Generator[set[str]]:
    """Tell of the names of files that changed, until told to stop."""
    from watchfiles import watch  # late: nobody waits for it in this thread

    for batch in watch(
        *folders,
        watch_filter=None,
        step=_SETTLE_MS,
        debounce=_GATHER_MS,
        rust_timeout=_LOOK_UP_MS,
        stop_event=stop,
        raise_interrupt=False,
        ignore_permission_denied=True,
    ):
        yield {name for _, name in batch}


def _visible(path: str) -> bool:
    return not path.startswith(".") and "/." not in path
