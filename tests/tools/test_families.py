"""Which tools there are, by family, and which of them a person chooses."""

import pytest

from commonplace.errors import BadArgument
from commonplace.tools.families import (
    ALWAYS_LOADED,
    FAMILY_TOOLS,
    FOR_PARTS,
    WRITING_TOOLS,
    always_loaded,
    offered,
)
from commonplace.vault.settings import FAMILIES


def test_every_family_that_can_be_chosen_has_tools() -> None:
    assert tuple(FAMILY_TOOLS) == FAMILIES
    assert all(FAMILY_TOOLS.values())


@pytest.mark.parametrize("words", ["", "none,read", "everything"])
def test_what_is_no_tool_cannot_be_loaded(words: str) -> None:
    with pytest.raises(BadArgument, match=r"^--always-load: '\w*' is neither a family \(files,"):
        always_loaded(words.split(","), "--always-load")


def test_a_tool_is_of_one_family_and_those_that_write_are_among_them() -> None:
    names = [name for family in FAMILY_TOOLS.values() for name in family]
    assert len(names) == len(set(names))
    assert set(names) >= WRITING_TOOLS | FOR_PARTS | {*ALWAYS_LOADED}


@pytest.mark.parametrize(
    ("families", "read_only", "first", "count"),
    [
        (("graph", "files"), False, "read", 15),  # in the order of all, not of the choice
        (("files",), True, "read", 4),
        (("history",), True, "history", 2),
        ((), False, None, 0),
    ],
)
def test_a_server_offers_the_tools_of_its_families(
    families: tuple[str, ...], read_only: bool, first: str | None, count: int
) -> None:
    names = offered(families, read_only=read_only)
    assert (next(iter(names), None), len(names)) == (first, count)
    assert not (read_only and WRITING_TOOLS & {*names})


@pytest.mark.parametrize(
    ("words", "loaded"),
    [
        ("none", ()),
        (" none ", ()),
        ("edit,read", ("read", "edit")),
        ("history,read,history", ("read", *FAMILY_TOOLS["history"])),
    ],
)
def test_words_stand_for_tools_in_the_order_of_all(words: str, loaded: tuple[str, ...]) -> None:
    assert always_loaded(words.split(","), "--always-load") == loaded
