"""What tests of decisions share: a vault in which an assistant has worked."""

from pathlib import Path

import pytest

from commonplace.errors import Forbidden
from commonplace.vault.notes.rename import RENAME
from commonplace.vault.permissions.requests import Asker, Json, PrepareWish
from commonplace.vault.sets.decide import Chosen
from commonplace.vault.settings import Root, Settings
from commonplace.vault.suggestions.authorship import Suggester
from commonplace.vault.vault import Vault

CLAUDE = Suggester("process:1", "Claude")


def settings(folder: Path) -> Settings:
    (folder / "vault").mkdir(exist_ok=True)
    return Settings((Root("vault", folder / "vault"),), folder / "state")


async def edit(vault: Vault, path: str, old: str, new: str, by: Suggester = CLAUDE) -> None:
    await vault.reader.read(path, by.id, by.name)
    await vault.suggestions.suggest(path, old, new, by)


async def _park(vault: Vault, tool: str, given: Json, wish: PrepareWish) -> None:
    with pytest.raises(Forbidden):
        await vault.permissions.ask(tool, given, Asker(CLAUDE.id, CLAUDE.name), wish)


async def create(vault: Vault, path: str, text: str) -> None:
    given = {"path": path, "content": text}
    await _park(vault, "create_note", given, lambda: vault.write.creation(path, text, None))


async def update(vault: Vault, path: str, text: str) -> None:
    asker = Asker(CLAUDE.id, CLAUDE.name)
    await vault.reader.read(path, asker.id, asker.name)
    await vault.reader.show(path, asker.id, asker.name, None)
    given = {"path": path, "content": text}
    wish = lambda: vault.write.revision(path, text, None, asker)  # noqa: E731
    await _park(vault, "update_note", given, wish)


async def delete(vault: Vault, path: str) -> None:
    await _park(vault, "delete_note", {"path": path}, lambda: vault.write.deletion(path))


async def rename(vault: Vault, path: str, to: str) -> None:
    from commonplace.vault.permissions.requests import Wish

    async def wish() -> Wish:
        return Wish("rename", path, RENAME, {"path": path, "to": to}, f"rename {path} to {to}")

    await _park(vault, "rename", {"path": path, "to": to}, wish)


async def everything(vault: Vault, number: int = 1) -> Chosen:
    found = await vault.sets.reader.get(number)
    changes: dict[str, list[str]] = {}
    for each in found.pending:
        changes.setdefault(each.path, []).append(each.id)
    return Chosen(changes, [one.id for one in found.parked])


async def files(vault: Vault) -> dict[str, str]:
    """Read every note as its file has it, once all are written."""
    await vault.notes.queue.catch_up_index()
    root = vault.settings.roots[0].path
    return {
        str(file.relative_to(root)): file.read_text()
        for file in sorted(root.rglob("*.md"))
        if ".trash" not in file.parts
    }
