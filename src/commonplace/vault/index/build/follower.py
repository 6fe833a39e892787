"""Takes in what the build process tells: how far it is, and what it found."""

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import cast

from commonplace.vault.index.build.builder import Builder, BuildNews
from commonplace.vault.index.mirror import Contents, NoteChange
from commonplace.vault.index.state import IndexState, ReportProgress


class BuildFollower:
    """Brings state and mirror on while a build goes; `load` mirrors the index anew."""

    def __init__(
        self, state: IndexState, contents: Contents, load: Callable[[], Awaitable[None]]
    ) -> None:
        self._state = state
        self._contents = contents
        self._load = load

    async def follow(self, building: Builder, progress: ReportProgress | None) -> None:
        """Follow the build process; there is no other writer meanwhile."""
        before = dict.fromkeys(self._contents.catalog.paths())
        self._state.building = True
        differs: object = True
        try:
            async with aclosing(building.news()) as told:
                async for news in told:
                    self._count(news, progress)
                    # The mirror of many notes is loaded anew only if something changed.
                    if "listed" in news:
                        differs = news["todo"] or news["gone"]
                        if differs:
                            await self._load()
                        self._state.outdated = int(str(news.get("changed", 0)))
                        self._state.listed.set()
                        self._state.compared.set()
                    if "done" in news and differs:
                        await self._load()
                        self._tell_built(news, before)
        finally:
            self._state.building = False
            self._state.outdated = 0

    def _count(self, news: BuildNews, progress: ReportProgress | None) -> None:
        if "todo" in news:
            self._state.todo = int(str(news["todo"]))
            self._state.read = int(str(news.get("read", 0)))
            if progress:
                progress(self._state.read, self._state.todo)

    def _tell_built(self, news: BuildNews, before: dict[str, None]) -> None:
        """Tell followers what a build found; after a first build nobody has seen anything yet."""
        if not before:
            return
        moved = cast("dict[str, str]", news["moved"])
        for kind in ("appeared", "changed", "gone"):
            for path in cast("list[str] | None", news[kind]) or ():
                self._contents.tell(NoteChange(path, kind, moved.get(path)))
        for new, old in moved.items() if news["appeared"] is None else ():
            self._contents.tell(NoteChange(new, "appeared", old))
