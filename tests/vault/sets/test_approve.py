"""Writes that wait, answered by a person: several are done as one, or none of them is."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.errors import BadArgument, Conflict, NotFound
from commonplace.vault.open import open_vault
from commonplace.vault.vault import Vault
from tests.vault.sets import deciding

pytestmark = pytest.mark.anyio

BEFORE = {"Gone.md": "gone\n", "Links.md": "[[Old]]\n", "Old.md": "old\n", "Text.md": "one two\n"}
AFTER = {"Links.md": "[[Name]]\n", "Name.md": "old\n", "New.md": "new\n", "Text.md": "one 2\n"}


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    """Open a vault in which a write of each kind waits: 1 creates, 2 rewrites, and so on."""
    settings = deciding.settings(tmp_path)
    for name, text in BEFORE.items():
        (tmp_path / "vault" / name).write_text(text)
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        await deciding.create(vault, "New.md", "new\n")
        await deciding.update(vault, "Text.md", "one 2\n")
        await deciding.rename(vault, "Old.md", "Name.md")
        await deciding.delete(vault, "Gone.md")
        yield vault


async def states(vault: Vault) -> list[str]:
    found = [await vault.permissions.find(id) for id in range(1, 5)]
    return [one.state if one else "fetched" for one in found]


async def test_several_are_approved_as_one(vault: Vault) -> None:
    done = await vault.sets.answers.give("Ann", [4, 3, 2, 1])
    assert await deciding.files(vault) == AFTER
    assert await states(vault) == ["approved"] * 4
    assert {id: result["path"] for id, result in done.items()} == {
        1: "New.md", 2: "Text.md", 3: "Name.md", 4: "Gone.md",
    }  # fmt: skip
    assert done[1]["status"] == "created"
    assert await vault.intents.open() == []


async def test_if_one_cannot_be_done_none_is_and_all_wait_on(vault: Vault) -> None:
    await vault.write.create("Name.md", "taken\n")
    with pytest.raises(Conflict, match=r"Write 3 cannot be done: .*None of them was decided"):
        await vault.sets.answers.give("Ann", [1, 2, 3, 4])
    assert await deciding.files(vault) == {**BEFORE, "Name.md": "taken\n"}
    assert await states(vault) == ["waiting"] * 4
    assert await vault.intents.open() == []
    await vault.sets.answers.give("Ann", [1, 2, 4], [3], reason="taken")
    assert await states(vault) == ["approved", "approved", "denied", "approved"]


async def test_one_alone_that_cannot_be_done_is_off(vault: Vault) -> None:
    await vault.write.create("New.md", "taken\n")
    with pytest.raises(Conflict, match="exists already"):
        await vault.sets.answers.give("Ann", [1])
    assert await states(vault) == ["failed", "waiting", "waiting", "waiting"]


async def test_a_rewriting_of_a_note_that_is_gone_is_off(vault: Vault) -> None:
    await vault.write.delete("Text.md", "Ann")
    with pytest.raises(NotFound, match=r"Text\.md"):
        await vault.sets.answers.give("Ann", [2])
    assert await states(vault) == ["waiting", "failed", "waiting", "waiting"]


async def test_what_was_shown_and_has_changed_waits_on(vault: Vault) -> None:
    text = vault.settings.roots[0].path / "Text.md"
    text.write_text("one two two\n")
    await vault.indexer.settled()
    with pytest.raises(Conflict, match="look at what would change now"):
        await vault.sets.answers.give("Ann", [2])
    assert await states(vault) == ["waiting"] * 4


@pytest.mark.parametrize(
    ("approved", "denied", "error"),
    [([1, 9], [], NotFound), ([1], [9], NotFound)],
)
async def test_a_number_that_does_not_wait_decides_nothing(
    vault: Vault, approved: list[int], denied: list[int], error: type[Exception]
) -> None:
    with pytest.raises(error, match="No write with the number 9 is waiting"):
        await vault.sets.answers.give("Ann", approved, denied)
    assert await states(vault) == ["waiting"] * 4


async def test_a_deletion_among_them_cannot_be_allowed_always(vault: Vault) -> None:
    with pytest.raises(BadArgument, match="once only"):
        await vault.sets.answers.give("Ann", [1, 4], scope="always")
    assert await states(vault) == ["waiting"] * 4
    await vault.sets.answers.give("Ann", [1], [4], scope="always")
    assert [grant.operation for grant in await vault.permissions.remembered()] == ["create"]
