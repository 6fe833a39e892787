"""The link graph of obsidian-community/obsidian-hub, beside a reader that shares no code with it.

    BENCH_HUB=FOLDER pytest tests/vault/index/test_real_links.py

The vault is not part of this repository; without it nothing is tested. Of 21,846 links (6,571
notes, November 2026) the two readers agree on all but nine. The second reader (`bench.real`) knows
files by their names alone, and Markdown links only by their `.md`; in all nine Obsidian follows the
link as we do, so we are right by the rule named:

    by an alias in the target's frontmatter
        Plugins/obsidian-overdue     [[Overdue]]          itself
        People/timhor                [[Tim Hor]]          itself
        People/MichaBrugger          [[Micha Brugger]]    itself
        People/MichaBrugger          [[Alexis Rondeau]]   People/akaalias
        People/PKM-er                [[Boninall]]         People/quorafind
        People/NomarCub              [[Michael Hanson]]   People/mybuddymichael
        Events/…Community Talks      [[Leah]]             People/Leah Ferguson
    by a Markdown link without the ending
        Vaults/Template_Hub          [Hugo …](Zektor)     People/Zektor
        Vaults/OB_Template           [Hugo …](Zektor)     People/Zektor
"""

import os
from pathlib import Path

import anyio
import pytest
from bench.real import Reader, fold

from commonplace.core import frontmatter, markdown
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

AGREEING_MIN = 0.995


def explained(folder: Path, source: str, target: str) -> str | None:
    """Name the rule by which a note links to another and that the second reader does not know."""
    text = (folder / target).read_text(encoding="utf-8")
    names = {fold(name) for name in markdown.aliases(frontmatter.read(text).properties)}
    for link in markdown.scan((folder / source).read_text(encoding="utf-8")).links:
        if link.kind != "markdown" and fold(link.target) in names:
            return "alias"
        if link.kind == "markdown" and fold(link.target) == fold(Path(target).stem):
            return "no ending"
    return None


async def test_every_difference_from_an_independent_reader_is_explained(tmp_path: Path) -> None:
    folder = Path(os.environ.get("BENCH_HUB", ""))
    if "BENCH_HUB" not in os.environ:
        pytest.skip("name a checkout of obsidian-community/obsidian-hub with BENCH_HUB")
    reader = Reader(folder)
    ours: set[tuple[str, str]] = set()
    theirs: set[tuple[str, str]] = set()
    async with open_vault(Settings((Root("vault", folder),), tmp_path)) as vault:
        with anyio.fail_after(300):
            await vault.indexer.settled()
        for entry in await vault.listing.newest():
            path = entry.path
            ours |= {(path, target) for target in (await vault.listing.links(path)).forward}
            theirs |= {(path, target) for target in reader.forward(path)}
    assert len(ours & theirs) >= AGREEING_MIN * len(ours | theirs)
    assert theirs - ours == set()
    assert [pair for pair in sorted(ours - theirs) if explained(folder, *pair) is None] == []
