"""Hints from the system that files changed; rescans by the vault are the truth.

The watcher misses files in folders that were just made, so a folder that is told stands for
everything beneath it. Watching a big vault takes a while to set up, so all of it happens in a
thread of its own.
"""

import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress

import anyio
from anyio.from_thread import BlockingPortal

from commonplace.errors import Unavailable
from commonplace.vault.files.roots import Roots
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
    stop = threading.Event()
    failed: list[str] = []

    def fail(why: str) -> None:
        failed.append(why)
        told.set()

    def tell(paths: set[str]) -> None:
        waiting.update(paths)
        told.set()

    async with BlockingPortal() as portal:
        thread = threading.Thread(
            target=_watch,
            args=(settings, roots, stop, portal, tell, fail),
            name="watch",
            daemon=True,
        )
        thread.start()
        try:
            while True:
                await told.wait()
                if failed:
                    break
                told = anyio.Event()
                batch = set(waiting)
                waiting.clear()
                await look_at(batch)
        finally:
            stop.set()  # the thread notices within `_LOOK_UP_MS`; nobody needs to wait for it
    raise Unavailable(f"{failed[0]} Rescans go on alone.")


def _watch(
    settings: Settings,
    roots: Roots,
    stop: threading.Event,
    portal: BlockingPortal,
    tell: Callable[[set[str]], None],
    fail: Callable[[str], None],
) -> None:
    from watchfiles import watch  # late: nobody waits for it in this thread

    try:
        for batch in watch(
            *(root.path for root in settings.roots),
            watch_filter=None,
            step=_SETTLE_MS,
            debounce=_GATHER_MS,
            rust_timeout=_LOOK_UP_MS,
            stop_event=stop,
            raise_interrupt=False,
            ignore_permission_denied=True,
        ):
            found = {roots.path_of(name) for _, name in batch}
            if paths := {path for path in found if path is not None and _visible(path)}:
                portal.start_task_soon(tell, paths)
        why = "The watcher ended."
    except Exception as error:  # noqa: BLE001 (out of watches, or the folder went)
        why = f"File changes cannot be watched ({error})."
    if not stop.is_set():
        with suppress(RuntimeError):  # nobody listens any more
            portal.start_task_soon(fail, why)


def _visible(path: str) -> bool:
    return not path.startswith(".") and "/." not in path
