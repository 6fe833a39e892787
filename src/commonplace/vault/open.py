"""Opens a vault: mends what a crash left, starts what runs, and closes it all."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import anyio
from anyio.abc import TaskGroup

from commonplace.vault.assembly import assemble
from commonplace.vault.databases import Databases, local_databases
from commonplace.vault.documents.file.stable_read import Caution
from commonplace.vault.files.roots import Roots
from commonplace.vault.index.threads import Aside
from commonplace.vault.log.late_records import Afterwards
from commonplace.vault.rest_watch import RestWatch
from commonplace.vault.settings import Settings
from commonplace.vault.vault import Vault

if TYPE_CHECKING:
    from commonplace.vault.team_files.team_files import TeamFiles


@asynccontextmanager
async def open_vault(
    settings: Settings,
    *,
    follow: bool = True,
    databases: Databases | None = None,
    caution: Caution | None = None,
) -> AsyncGenerator[Vault]:
    """Open a vault; with `follow`, keep its index and files current until the end.

    `databases` are closed with it; without any, they are files in the state folder. `caution` tells
    by which clock the saves of other programs are judged.
    """
    settings.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    databases = databases or local_databases(settings)
    roots = Roots(settings, databases.backing_store)
    log, history = databases.log, databases.history
    aside, late = Aside(settings.state), Afterwards(log)
    vault = assemble(settings, roots, log, history, aside, late, caution)
    failure: Exception | None = None
    try:
        await _recover(vault)
        if follow:
            await vault.absence.remember()
            await vault.notes.recover()
        async with anyio.create_task_group() as tasks:
            if follow:
                _start(vault, tasks, databases.files)
            try:
                yield vault
            except Exception as error:  # noqa: BLE001 (raised below, not inside a group)
                failure = error
            vault.meaning.stop()
            tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _close(vault, aside, late, databases.files)
    if failure is not None:
        raise failure


async def _recover(vault: Vault) -> None:
    """Finish what a crash cut short, and read what is kept in memory."""
    if not vault.settings.read_only:
        await vault.renames.recover()
        await vault.intents.recover()
    await vault.permissions.audit.load()
    await vault.tokens.load()


def _start(vault: Vault, tasks: TaskGroup, files: "TeamFiles | None") -> None:
    """Start what runs as long as the vault is open; whatever fails, the rest goes on."""
    keep, indexer = vault.health.supervisor.keep, vault.indexer
    if files is not None:
        indexer.tell_hints(files.follower.hint)
        tasks.start_soon(keep, files.follower.run, "the files in the database")
    hints = partial(keep, indexer.follow_hints, "The watcher of files", vital=False)
    embed = partial(vault.meaning.run, indexer.state.current)
    tasks.start_soon(hints)
    tasks.start_soon(keep, indexer.run, "the index")
    tasks.start_soon(keep, vault.notes.run, "the writing of files")
    tasks.start_soon(keep, vault.recorder.run, "the history")
    tasks.start_soon(keep, vault.folders.run, "the lists of folders")
    tasks.start_soon(keep, partial(vault.ends.run, indexer.settled), "the ends of suggestions")
    tasks.start_soon(keep, vault.absence.run, "suggestions that ended meanwhile")
    if not vault.settings.read_only:
        tasks.start_soon(keep, vault.renames.run, "the links of renames")
        decisions = partial(_finish_decisions, vault)
        tasks.start_soon(keep, decisions, "the decisions on change sets")
    tasks.start_soon(partial(keep, embed, "Search by meaning", vital=False))
    rest = RestWatch()
    vault.contents.follow(rest.heard)
    tasks.start_soon(partial(keep, rest.run, "What gives memory back", vital=False))


async def _finish_decisions(vault: Vault) -> None:
    await vault.indexer.settled()
    await vault.sets.decisions.recover()


async def _close(vault: Vault, aside: Aside, late: Afterwards, files: "TeamFiles | None") -> None:
    """Write all that is behind, then let go of the files; the log after those who write to it.

    Whatever fails on the way, the rest is closed too.
    """
    async with AsyncExitStack() as last_first:
        for close in (
            vault.roots.close,
            aside.close,
            vault.index.close,
            vault.indexer.close,
            vault.meaning.close,
        ):
            last_first.callback(close)
        if files is not None:
            last_first.push_async_callback(files.close)
        for finish in (
            vault.history.close,
            vault.log.close,
            vault.recorder.close,
            late.close,
            vault.ends.look,
            vault.absence.leave,
            vault.notes.close,
            vault.folders.close,
            vault.renames.close,
            vault.sets.decisions.close,
        ):
            last_first.push_async_callback(finish)
