"""How a Neo4j store is opened, in either use, and kept going."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import anyio

from commonplace.errors import BadArgument
from commonplace.vault.embeddings.choice import open_embedder
from commonplace.vault.embeddings.model import files
from commonplace.vault.nodes.docstore import DocStore
from commonplace.vault.nodes.neo4j.connection import connected
from commonplace.vault.nodes.neo4j.mirror import Mirror
from commonplace.vault.nodes.neo4j.notes import NodeTexts
from commonplace.vault.nodes.neo4j.schema import prepare
from commonplace.vault.nodes.neo4j.search import NodeSearch
from commonplace.vault.nodes.neo4j.store import Neo4jStore, ReportedProblems
from commonplace.vault.nodes.providers import StoreFactory
from commonplace.vault.nodes.requests import NodeWishes
from commonplace.vault.settings import Settings, vault_key
from commonplace.vault.store_settings import StoreChoice
from commonplace.vault.supervisor import Supervisor
from commonplace.vault.vault import Vault

if TYPE_CHECKING:
    from commonplace.vault.embeddings.provider import Embedder


OWN, MIRROR = "own", "mirror"
_OPTIONS = ("use", "database")


def use_of(choice: StoreChoice) -> str:
    """Return what the database is for; BadArgument for options that there are not."""
    for name in choice.options:
        if name not in _OPTIONS:
            raise BadArgument(f"The store has no option {name!r}. It has: {', '.join(_OPTIONS)}.")
    use = choice.options.get("use", OWN)
    if use not in (OWN, MIRROR):
        raise BadArgument(f"The store's `use` is {use!r}; it must be own or mirror.")
    return use


@asynccontextmanager
async def open_store(choice: StoreChoice, vault: Vault) -> AsyncGenerator[StoreFactory]:
    """Connect, and keep going what the use needs; a database that is away is waited for."""
    opening = _own if use_of(choice) == OWN else _mirror
    async with opening(choice, vault) as give:
        yield give


@asynccontextmanager
async def _own(choice: StoreChoice, vault: Vault) -> AsyncGenerator[StoreFactory]:
    async with (
        connected(choice, partial(prepare, use=OWN, vault="")) as database,
        anyio.create_task_group() as tasks,
    ):
        read_only, told = vault.settings.read_only, ReportedProblems()
        wishes = NodeWishes(NodeTexts(database), choice.url, read_only=read_only)
        wishes.teach(vault.permissions)
        search = NodeSearch(database, _embedder(vault.settings))
        tasks.start_soon(partial(Supervisor().keep, search.run, "Search in Neo4j", vital=False))
        try:
            yield lambda permissions: Neo4jStore(
                database, wishes, search, permissions, told, read_only=read_only
            )
        finally:
            tasks.cancel_scope.cancel()
            search.close()


@asynccontextmanager
async def _mirror(choice: StoreChoice, vault: Vault) -> AsyncGenerator[StoreFactory]:
    key = vault_key(vault.settings.roots)
    async with (
        connected(choice, partial(prepare, use=MIRROR, vault=key)) as database,
        anyio.create_task_group() as tasks,
    ):
        mirror = Mirror(vault, database)
        tasks.start_soon(partial(Supervisor().keep, mirror.run, "The mirror in Neo4j", vital=False))
        try:
            yield lambda permissions: DocStore(vault, permissions)
        finally:
            tasks.cancel_scope.cancel()
            mirror.close()


def _embedder(settings: Settings) -> "Callable[[], Embedder] | None":
    """Say how the configured provider of embeddings is opened; None if there is none."""
    if settings.embeddings is None:
        if settings.models is None:
            return None
        if files.status(settings.models).state is not files.ModelState.READY:
            return None
    return partial(open_embedder, settings)
