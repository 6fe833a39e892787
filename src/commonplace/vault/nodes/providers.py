"""The one table of stores: built in, and of other packages.

A provider is a function from what the person chose and the open vault to a context, in which it
gives a store to each front end under that one's permissions. Other packages declare theirs as entry
points of the group `commonplace.stores`; an address belongs to the provider that its scheme names.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.util import find_spec
from typing import cast

import anyio
from anyio.abc import TaskGroup, TaskStatus

from commonplace.errors import BadArgument, Unavailable
from commonplace.vault import plugins
from commonplace.vault.index.state import ReportProgress
from commonplace.vault.nodes.docstore import DocStore
from commonplace.vault.nodes.store import Store
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.settings import Settings
from commonplace.vault.store_settings import VAULT, StoreChoice
from commonplace.vault.vault import Vault

_GROUP = "commonplace.stores"


StoreFactory = Callable[[Permissions], Store]
"""Makes the store under the permissions of one front end."""

StoreProvider = Callable[[StoreChoice, Vault], AbstractAsyncContextManager[StoreFactory]]


@asynccontextmanager
async def _vault(choice: StoreChoice, vault: Vault) -> AsyncGenerator[StoreFactory]:
    """Give the notes of the vault."""
    yield lambda permissions: DocStore(vault, permissions)


def _neo4j(choice: StoreChoice, vault: Vault) -> AbstractAsyncContextManager[StoreFactory]:
    """Give nodes in a database, or keep a mirror of the vault there."""
    _require_driver()
    from commonplace.vault.nodes.neo4j.open import open_store

    return open_store(choice, vault)


async def check_mirror(
    settings: Settings, *, mend: bool, looking: ReportProgress, mending: ReportProgress
) -> tuple[int, list[str]]:
    """Compare the mirror of a vault with it; returns how many notes there are, and the wrong."""
    _require_driver()
    from commonplace.vault.nodes.neo4j.check import check

    found = await check(settings, mend=mend, looking=looking, mending=mending)
    return found.notes, found.wrong


def is_neo4j(choice: StoreChoice) -> bool:
    """Tell whether a choice is a Neo4j database."""
    return _BUILT_IN.get(choice.provider) is _neo4j


def _require_driver() -> None:
    if find_spec("neo4j") is None:
        raise Unavailable(
            "The driver for Neo4j is not installed: `pip install 'commonplace-notes[neo4j]'`."
        )


_BUILT_IN: dict[str, StoreProvider] = {VAULT: _vault, "neo4j": _neo4j, "bolt": _neo4j}


def provider(choice: StoreChoice) -> StoreProvider:
    """Return the provider of a choice; BadArgument if there is none."""
    name = choice.provider
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    if name not in plugins.names(_GROUP):
        known = ", ".join([*_BUILT_IN, *plugins.names(_GROUP)])
        raise BadArgument(f"There is no store {name!r}. There are: {known}.")
    return cast("StoreProvider", plugins.load(_GROUP, name))


class Stores:
    """The stores that front ends of one vault chose, each opened when it is first asked for."""

    def __init__(self, vault: Vault, tasks: TaskGroup, done: anyio.Event) -> None:
        self._vault = vault
        self._tasks = tasks
        self._done = done
        self._one = anyio.Lock()
        self._open: dict[object, StoreFactory] = {}

    async def give(self, choice: StoreChoice, permissions: Permissions) -> Store:
        """Return the store of a choice under some permissions."""
        async with self._one:
            if choice.key not in self._open:
                provided = provider(choice)
                self._open[choice.key] = await self._tasks.start(self._hold, provided, choice)
        return self._open[choice.key](permissions)

    async def _hold(
        self, provided: StoreProvider, choice: StoreChoice, *, task_status: TaskStatus[StoreFactory]
    ) -> None:
        """Hold a store open in one task from first to last."""
        async with provided(choice, self._vault) as give:
            task_status.started(give)
            await self._done.wait()


@asynccontextmanager
async def opened(vault: Vault) -> AsyncGenerator[Stores]:
    """Give the stores of a vault, for as long as it is open."""
    done = anyio.Event()
    failure: Exception | None = None
    async with anyio.create_task_group() as tasks:
        try:
            yield Stores(vault, tasks, done)
        except Exception as error:  # noqa: BLE001 (raised below, not inside a group)
            failure = error
        finally:
            done.set()
    if failure is not None:
        raise failure
