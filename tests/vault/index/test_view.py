"""What a part of the index shows: whatever is asked, of no note outside."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.core import properties
from commonplace.core.view import View
from commonplace.vault.index.mirror import NoteChange, SeenContents
from commonplace.vault.index.reader import Index
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault

pytestmark = pytest.mark.anyio

VIEW = View.of(["Open"])
NOTES = {
    "Open/a.md": "---\nkind: plan\n---\n[[b]] and [[secret]] and [[nowhere]] #both #open\n",
    "Open/b.md": "see [[a]] apples {++new++}\n",
    "Openly/c.md": "not in the folder [[a]] #both apples\n",
    "Hidden/secret.md": "---\nkind: plan\naliases: [Alias]\n---\n[[a]] #hush apples {++why++}\n",
}


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncGenerator[Vault]:
    top = tmp_path / "vault"
    for path, text in NOTES.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(text)
    settings = Settings(roots=(Root("vault", top),), state=tmp_path / "state")
    async with open_vault(settings, follow=False) as vault:
        await vault.indexer.refresh()
        yield vault


@pytest.fixture
def part(vault: Vault) -> Index:
    return Index(vault.settings.state, VIEW)


async def test_lists_hold_what_is_inside(part: Index) -> None:
    inside = ["Open/a.md", "Open/b.md"]
    assert [each.path for each in part.page(None, 10)] == inside
    assert [row.path for row in part.beneath("", 10, deep=True)] == inside
    assert part.complete("", 10) == inside
    assert part.complete("sec", 10) == []
    assert part.complete("Hid", 10) == []
    assert sorted(part.known()) == inside
    assert part.about("Hidden/secret.md") is None
    assert part.titles(["Hidden/secret.md"]) == {}
    assert part.size() == 2
    assert part.has_more_than(1)
    assert not part.has_more_than(2)


async def test_properties_tags_and_suggestions_are_those_inside(part: Index, vault: Vault) -> None:
    ((key, values),) = properties.wanted({"kind": "plan"})
    assert len(Index(vault.settings.state).properties.having(key, values)) == 2
    assert len(part.properties.having(key, values)) == 1
    assert part.properties.count_having(key, values, 9) == 1
    assert dict(part.tags.counted(10)) == {"both": 1, "open": 1}
    assert part.tags.carriers("hush") == []
    assert part.pending.counts() == {"Open/b.md": 1}
    assert part.pending.of(["Hidden/secret.md"]) == []
    assert [path for path, *_ in part.pending.authors()] == ["Open/b.md"]
    assert part.counts()["notes"] == 2
    assert part.counts()["tags"] == 2


async def test_words_are_found_inside_alone(part: Index, vault: Vault) -> None:
    assert [hit.path for hit in part.words.search("apples", 1)] == ["Open/b.md"]
    everything = {known.note for known in Index(vault.settings.state).known().values()}
    assert [h.path for h in part.words.search("apples", 9, everything)] == ["Open/b.md"]
    assert len(part.words.holding("apples")) == 1


async def test_a_link_to_the_outside_leads_nowhere_and_backlinks_are_counted(part: Index) -> None:
    about = part.about("Open/a.md")
    assert about is not None
    links = part.links.of(about.note)
    assert links.forward == ["Open/b.md"]
    assert links.backlinks == ["Open/b.md"]
    assert links.unresolved == ["nowhere", "secret"]
    assert links.hidden == 2
    assert [path for _, path, _, _ in part.links.with_places(about.note, 9)] == ["Open/b.md"]
    assert len(list(part.links.edges())) == 2
    assert list(part.links.targets()) == []
    assert part.links.other_names("alias", 9) == []
    assert part.links.named("secret") == []


async def test_the_whole_index_hides_nothing(vault: Vault) -> None:
    whole = Index(vault.settings.state)
    about = whole.about("Open/a.md")
    assert about is not None
    links = whole.links.of(about.note)
    assert links.hidden == 0
    assert links.forward == ["Hidden/secret.md", "Open/b.md"]
    assert len(links.backlinks) == 3


async def test_a_mirror_of_a_part_follows_the_whole(vault: Vault) -> None:
    whole = vault.contents
    part = SeenContents(whole, VIEW)
    heard: list[NoteChange] = []
    part.follow(heard.append)
    assert sorted(part.catalog.paths()) == ["Open/a.md", "Open/b.md"]
    top = vault.settings.roots[0].path
    (top / "Hidden/new.md").write_text("hush\n")
    (top / "Open/new.md").write_text("here\n")
    await vault.indexer.update(["Hidden/new.md", "Open/new.md"])
    assert [(change.path, change.was) for change in heard] == [("Open/new.md", None)]
    assert "Open/new.md" in part.catalog
    heard.clear()
    await vault.renames.rename("Open/new.md", "Hidden/gone.md", "person:test")
    await vault.renames.rename("Hidden/new.md", "Open/come.md", "person:test")
    told = {(change.path, change.kind, change.was) for change in heard}
    assert told >= {("Open/new.md", "gone", None), ("Open/come.md", "appeared", None)}
    assert not [change for change in heard if "Hidden" in f"{change.path}{change.was}"]
    assert sorted(part.catalog.paths()) == ["Open/a.md", "Open/b.md", "Open/come.md"]
    await vault.indexer.refresh(rebuild=True)
    assert sorted(part.catalog.paths()) == ["Open/a.md", "Open/b.md", "Open/come.md"]
