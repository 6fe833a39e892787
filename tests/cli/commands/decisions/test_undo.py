"""`commonplace undo`: what somebody did taken back, after a look at what that would change."""

import json
import re
from pathlib import Path

import anyio
import pytest

from commonplace.cli import vault_access
from commonplace.cli.options import Flags, settle
from commonplace.core.text.edits import Edit
from commonplace.vault.vault import Vault
from tests.cli.commands.conftest import Say


@pytest.fixture
def written(notes: Path) -> Path:
    """A note to which an assistant has added words."""
    settings = settle(Flags((str(notes),), {"state": str(notes.parent / "state")}), {}, print)

    async def write() -> None:
        async with vault_access.opened(settings, follow=True) as (vault, _):
            assert isinstance(vault, Vault)
            await vault.indexer.settled()
            await vault.notes.edit("あ.md", lambda _: [Edit(0, 0, "Robot. ")], "assistant:Robot")

    anyio.run(write)
    assert (notes / "あ.md").read_text().startswith("Robot. 今日")
    return notes / "あ.md"


def test_a_preview_changes_nothing(say: Say, written: Path) -> None:
    said = say("undo", "--by", "Robot")
    assert "あ.md\n    - Robot." in said
    assert "Nothing is changed yet" in said
    assert written.read_text().startswith("Robot. ")


def test_what_was_done_is_taken_back_and_comes_again(say: Say, written: Path) -> None:
    said = say("undo", "--by", "Robot", "--path", "あ.md", "--since", "2h", "--yes")
    assert "あ.md: taken back" in said
    assert written.read_text().startswith("今日")
    again = re.findall(r"--set (\S+) --yes", said)
    done = json.loads(say("undo", "--set", again[0], "--yes", "--json"))
    assert done["notes"] == ["あ.md"]
    assert written.read_text().startswith("Robot. ")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "Say whose changes to take back"),
        (("--by", "Nobody"), 2, "Nobody called Nobody"),
        (("--by", "Robot", "--since", "soon"), 2, "soon"),
        (("--by", "Robot", "--path", "Plan.md"), 0, "There is nothing to take back."),
    ],
)
def test_what_means_nothing_is_told(
    say: Say, written: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    assert said in say("undo", *words, code=code)
    assert written.read_text().startswith("Robot. ")
