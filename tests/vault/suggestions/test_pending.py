"""Pages of what waits: put together they are the whole list, whatever is wanted."""

from pathlib import Path

import pytest

from commonplace.vault.index.queries.suggestions import PendingSuggestion
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.suggestions.authorship import Suggester
from commonplace.vault.suggestions.pending import SuggestionFilter
from tests.vault.conftest import Notes, write

pytestmark = pytest.mark.anyio

NOTES: Notes = {
    "b/two.md": "{++x++} {--y--} {++x++}\n" * 3,
    "a.md": '{++{"author":"Ann","time":100}@@hers++} word {--gone--}\n',
    "b/c/three.md": "plain\n",
    "b/one.md": "{~~old~>new~~} word\n",
    "bb.md": "{++z++}\n",
}
WANTED = [
    SuggestionFilter(),
    SuggestionFilter(path="b/two.md"),
    SuggestionFilter(path="nowhere.md"),
    SuggestionFilter(folder="b"),
    SuggestionFilter(folder="b/"),
    SuggestionFilter(kind="insert"),
    SuggestionFilter(folder="b", kind="delete"),
    SuggestionFilter(author="Ann"),
    SuggestionFilter(author="ant"),
    SuggestionFilter(before=200.0),
    SuggestionFilter(author="ant", folder="b", kind="insert"),
]


def meets(each: PendingSuggestion, wanted: SuggestionFilter) -> bool:
    return (
        wanted.path in (None, each.path)
        and each.path.startswith((wanted.folder or "").rstrip("/") + "/" if wanted.folder else "")
        and wanted.author in (None, each.author)
        and wanted.kind in (None, each.kind)
        and (wanted.before is None or (each.time is not None and each.time <= wanted.before))
    )


async def test_pages_put_together_are_the_whole_list(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    write(tmp_path / "vault", NOTES)
    settings = Settings((Root("vault", tmp_path / "vault"),), tmp_path / "state")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        for path in ("a.md", "b/one.md"):
            await vault.reader.read(path, "ant", "ant")
            await vault.suggestions.suggest(path, "word", "word more", Suggester("ant", "ant"))
        whole = await vault.pending.listed()
        order = [each.path for each in whole]
        assert order == sorted(order)
        assert len(whole) == 15
        for wanted in WANTED:
            expected = [each for each in whole if meets(each, wanted)]
            for limit in (1, 4, 100):
                found: list[PendingSuggestion] = []
                for start in range(0, len(expected) + limit, limit):
                    rows, total = await vault.pending.page(wanted, start, limit)
                    assert total == len(expected)
                    assert len(rows) == min(limit, max(0, total - start))
                    found += rows
                assert found == expected, wanted
        assert [len(await vault.pending.listed(path)) for path in NOTES] == [9, 3, 0, 2, 1]
