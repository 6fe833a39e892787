"""The line behind a search: which of its hits nobody has decided yet."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.vault.open import open_vault
from commonplace.vault.search import undecided_hits
from commonplace.vault.search.search import NoteMatch
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests.vault.conftest import write

pytestmark = pytest.mark.anyio
NOTES = {"a.md": "one\n{++two\nthree\n++}four {++five++}\n", "b.md": "one two\n"}


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    (tmp_path / "vault").mkdir()
    write(tmp_path / "vault", dict(NOTES))
    settings = Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state")
    async with open_vault(settings, follow=False) as vault:
        await vault.indexer.refresh()
        yield vault


def test_places_are_named_and_cut() -> None:
    assert undecided_hits.of_places([]) == ()
    (few,) = undecided_hits.of_places(["a.md:1", "b.md:2"])
    assert few.endswith("accepted: a.md:1, b.md:2.")
    (many,) = undecided_hits.of_places([f"{number}.md:1" for number in range(25)])
    assert many.endswith("19.md:1 and 5 more.")


async def test_every_line_of_a_suggestion_counts_and_no_other(vault: Vault) -> None:
    lines = [("a.md", number) for number in range(1, 5)] + [("b.md", 1)]
    (line,) = undecided_hits.of_lines(vault.index, lines)
    assert line.endswith("accepted: a.md:2, a.md:3, a.md:4.")
    assert undecided_hits.of_lines(vault.index, [("a.md", 1), ("b.md", 1)]) == ()


async def test_what_a_search_found_is_asked_by_its_lines(vault: Vault) -> None:
    text = b"one\ntwo\nthree\nfour five\n"
    matches = [NoteMatch("a.md", [(0, 3), (8, 13)], lambda: text), NoteMatch("b.md", [], bytes)]
    (line,) = undecided_hits.of_matches(vault.index, matches)
    assert line.endswith("accepted: a.md:3.")
    assert undecided_hits.of_matches(vault.index, matches[1:]) == ()
