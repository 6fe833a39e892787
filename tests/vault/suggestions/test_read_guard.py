"""Nobody edits a note that they have not read, nor writes back what they were shown in part."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.core.text.line_pages import LinePage
from commonplace.errors import NotRead, PartRead
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Settings
from commonplace.vault.suggestions import read_guard as module
from commonplace.vault.suggestions.read_guard import CutReadings, Readings
from commonplace.vault.vault import Vault
from tests.vault.sets.deciding import settings

pytestmark = pytest.mark.anyio
TEXT = "one\ntwo\nthree\nfour\n"


def page(first: int, last: int, *, whole: bool = True) -> LinePage:
    return LinePage(first, last, 4, whole=whole)


def known(text: str = TEXT) -> Readings:
    readings = Readings()
    readings.remember("a", "n.md", text, 1.0)
    return readings


def test_a_note_that_was_not_read_is_refused_to_that_actor_alone() -> None:
    readings = known()
    readings.require("a", "n.md")
    for actor, path in (("b", "n.md"), ("a", "m.md")):
        with pytest.raises(NotRead):
            readings.require(actor, path)
        assert readings.text(actor, path) is None
        assert readings.cut_lines(actor, path) is None
        assert not readings.had(actor, path, "one")
    assert readings.had("a", "n.md", "two\nthree")
    assert not readings.had("a", "n.md", "five")


def test_reading_again_says_when_it_was_read_before() -> None:
    readings = Readings()
    assert readings.remember("a", "n.md", TEXT, 1.0) is None
    assert readings.remember("a", "n.md", TEXT, 5.0) == 1.0
    readings.believe("a", "n.md", "new\n", 9.0)
    assert readings.remember("a", "n.md", TEXT, 9.0) == 5.0, "a write is no reading"


@pytest.mark.parametrize(
    ("pages", "cut"),
    [
        ([], 4),
        ([page(1, 4)], 0),
        ([page(1, 2), page(3, 4)], 0),
        ([page(3, 4), page(1, 2)], 0),
        ([page(1, 3), page(2, 4)], 0),
        ([page(1, 1), page(3, 4)], 4),
        ([page(1, 4, whole=False)], 4),
        ([page(1, 3), page(5, 4)], 4),
    ],
)
def test_pages_add_up_to_the_whole(pages: list[LinePage], cut: int) -> None:
    readings = known()
    for each in pages:
        readings.show("a", "n.md", each)
    assert readings.cut_lines("a", "n.md") == cut


def test_what_was_shown_counts_for_the_same_text_alone() -> None:
    readings = known()
    readings.show("a", "n.md", page(1, 2))
    readings.remember("a", "n.md", TEXT, 2.0)
    readings.show("a", "n.md", page(3, 4))
    assert readings.cut_lines("a", "n.md") == 0
    readings.remember("a", "n.md", TEXT + "five\n", 3.0)
    assert readings.cut_lines("a", "n.md") == 5
    readings.show_all("a", "n.md")
    assert readings.cut_lines("a", "n.md") == 0


def test_an_empty_note_is_shown_by_saying_so() -> None:
    readings = known("")
    readings.show_all("a", "n.md")
    assert readings.cut_lines("a", "n.md") == 0


@pytest.mark.parametrize(
    ("old", "every", "after"),
    [
        ("two", False, "one\n2\nthree\nfour\n"),
        ("o", False, TEXT),
        ("o", True, "2ne\ntw2\nthree\nf2ur\n"),
        ("none", False, TEXT),
    ],
)
def test_an_edit_of_its_own_is_known_to_an_actor(old: str, every: bool, after: str) -> None:
    readings = known()
    readings.show_all("a", "n.md")
    readings.follow_edit("a", "n.md", old, "2", every=every)
    assert readings.text("a", "n.md") == after
    assert readings.cut_lines("a", "n.md") == 0
    readings.follow_edit("b", "n.md", "one", "2", every=True)
    assert readings.text("b", "n.md") is None


def test_the_oldest_texts_and_readings_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TEXTS_CHARS_MAX", 10)
    monkeypatch.setattr(module, "READINGS_MAX", 3)
    readings = Readings()
    for number in range(4):
        readings.remember("a", f"{number}.md", "x" * 6, 1.0)
    assert [readings.text("a", f"{number}.md") for number in range(4)] == [None] * 3 + ["x" * 6]
    with pytest.raises(NotRead):
        readings.require("a", "0.md")
    readings.require("a", "1.md")
    readings.remember("a", "long.md", "x" * 99, 1.0)
    assert readings.text("a", "long.md") == "x" * 99, "the newest stays, however long"


@pytest.fixture
async def chosen(tmp_path: Path) -> Settings:
    found = settings(tmp_path)
    for name in ("a.md", "b.md", "c.md"):
        (tmp_path / "vault" / name).write_text(TEXT)
    return found


@pytest.fixture
async def vault(chosen: Settings) -> AsyncGenerator[Vault]:
    async with open_vault(chosen) as vault:
        yield vault


async def refused(cuts: CutReadings, assistant: str, path: str) -> int:
    try:
        await cuts.refuse(f"name:{assistant}", path)
    except PartRead:
        return 1
    return 0


async def test_what_was_shown_in_part_is_refused_until_the_whole_was(vault: Vault) -> None:
    cuts = vault.reader.cuts
    assert await refused(cuts, "Claude", "a.md") == 0
    await cuts.put("name:Claude", "a.md", 4)
    assert [await refused(cuts, who, "a.md") for who in ("Claude", "Bo")] == [1, 0]
    await cuts.put("name:Claude", "a.md", 0)
    assert await refused(cuts, "Claude", "a.md") == 0


async def test_it_is_known_after_a_restart_and_follows_a_rename(chosen: Settings) -> None:
    async with open_vault(chosen) as vault:
        await vault.indexer.settled()
        await vault.reader.cuts.put("name:Claude", "a.md", 4)
        await vault.renames.rename("a.md", "z.md", "Ann")
    async with open_vault(chosen) as vault:
        assert await refused(vault.reader.cuts, "Claude", "z.md") == 1


async def test_of_too_many_the_oldest_are_let_go(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CUT_READINGS_MAX", 2)
    cuts = vault.reader.cuts
    for path in ("a.md", "b.md", "a.md", "c.md"):
        await cuts.put("name:Claude", path, 9 if path == "a.md" else 4)
    assert [await refused(cuts, "Claude", f"{name}.md") for name in "abc"] == [0, 1, 1]
    assert len(await vault.log.records("read-in-part")) == 2
