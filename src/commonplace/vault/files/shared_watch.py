"""One watcher for many vaults whose folders lie side by side.

A system allows a user few watchers (128 on most), and each has a thread that looks up twice a
second; a server with hundreds of vaults watches the folder around them instead.
"""

import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

Hear = Callable[[Iterable[str]], None]
Fail = Callable[[str], None]
Changes = Callable[[tuple[Path, ...], threading.Event], Iterable[Iterable[str]]]


class SharedWatch:
    """Tells each vault of the changes in its folder; called from a thread of its own."""

    def __init__(self, folder: Path, changes: Changes) -> None:
        """Take how changes in folders are heard of, until an event is set."""
        self._folder = folder
        self._changes = changes
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._followers: dict[str, tuple[Hear, Fail]] = {}
        self._runs = False

    def is_around(self, root: Path) -> bool:
        """Tell whether a vault's folder is one of those that lie in the one that is watched."""
        return root.parent == self._folder

    @contextmanager
    def following(self, root: Path, hear: Hear, fail: Fail) -> Generator[None]:
        """Tell of the names of files that changed below a folder while the body runs."""
        with self._lock:
            self._followers[root.name] = hear, fail
            if not self._runs:
                self._runs = True
                threading.Thread(target=self._run, name="watch", daemon=True).start()
        try:
            yield
        finally:
            with self._lock:
                del self._followers[root.name]

    def close(self) -> None:
        """Watch no more."""
        self._stop.set()

    def _run(self) -> None:
        why = "The watcher ended."
        try:
            for names in self._changes((self._folder,), self._stop):
                self._tell(names)
        except Exception as error:  # noqa: BLE001 (out of watches, or the folder went)
            why = f"File changes cannot be watched ({error})."
        with self._lock:
            self._runs = False  # who follows again starts it again
            followers = [] if self._stop.is_set() else list(self._followers.values())
        for _, fail in followers:
            fail(why)

    def _tell(self, names: Iterable[str]) -> None:
        beginning = len(str(self._folder)) + 1
        by_vault: dict[str, list[str]] = {}
        for name in names:
            by_vault.setdefault(name[beginning:].partition("/")[0], []).append(name)
        for vault, found in by_vault.items():
            with self._lock:
                follower = self._followers.get(vault)
            if follower is not None:
                follower[0](found)
