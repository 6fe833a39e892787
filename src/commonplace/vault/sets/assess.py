"""The risks of a change set, note by note: what a person should look at first."""

from collections.abc import Callable, Iterable
from typing import Protocol

import anyio.to_thread

from commonplace.core import critic, paths, risks
from commonplace.core.critic import Undecidable
from commonplace.core.links import Candidate, name_key
from commonplace.core.risks import Risk
from commonplace.core.text import edits
from commonplace.errors import CommonplaceError, NotFound
from commonplace.vault.index.queries.links import Links
from commonplace.vault.permissions.approvals import Parked
from commonplace.vault.search.texts import Texts
from commonplace.vault.sets.contents import SetContents


class Linking(Protocol):
    """Where links are known."""

    async def links(self, path: str) -> Links: ...  # noqa: D102


class Assessor:
    """Works out risks."""

    def __init__(
        self, texts: Texts, linking: Linking, named: Callable[[str], Iterable[Candidate]]
    ) -> None:
        self._texts = texts
        self._linking = linking
        self._named = named

    async def assess(self, contents: SetContents) -> dict[str, list[Risk]]:
        """Return the risks of what waits in a set, by note."""
        created = [one.path for one in contents.parked if one.operation == "create"]
        names = {name_key(paths.stem(path)) for path in created}
        found: dict[str, list[Risk]] = {}
        chosen: dict[str, set[str]] = {}
        for each in contents.pending:
            chosen.setdefault(each.path, set()).add(each.id)
        for path, ids in chosen.items():
            try:
                marked = await self._texts.marked(path)
            except CommonplaceError:
                continue
            before, after = await anyio.to_thread.run_sync(_sides, marked, ids)
            found[path] = self._of_texts(before, after, names)
        for one in contents.parked:
            found.setdefault(one.path, []).extend(await self._of_write(one, names))
        return {path: list(dict.fromkeys(each)) for path, each in found.items() if each}

    async def _of_write(self, one: Parked, names: set[str]) -> list[Risk]:
        match one.operation:
            case "delete":
                try:
                    linked = (await self._linking.links(one.path)).backlinks
                except NotFound:
                    return []  # somebody has deleted it meanwhile
                return risks.of_deletion(len([path for path in linked if path != one.path]))
            case "rename":
                return risks.of_rename(str(one.change.get("to", "")))
            case _:
                text = str(one.change.get("text", ""))
                before = str(one.change.get("base", ""))
                return self._of_texts(before, text or before, names)

    def _of_texts(self, before: str, after: str, names: set[str]) -> list[Risk]:
        def resolves(target: str) -> bool:
            key = name_key(target)
            return key in names or any(True for _ in self._named(key))

        return risks.of_note(before, after, resolves)


def _sides(marked: str, ids: set[str]) -> tuple[str, str]:
    """Return what a note says without some suggestions, and with them."""
    after = critic.accepted(marked)
    try:
        return critic.accepted(edits.apply(marked, critic.reject(marked, ids))), after
    except Undecidable:
        return critic.base(marked), after
