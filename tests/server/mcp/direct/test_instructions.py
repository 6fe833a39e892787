"""What a client tells its model about this server."""

from itertools import combinations

import pytest

from commonplace.server.mcp.direct.instructions import INSTRUCTIONS_MAX, instructions
from commonplace.tools.families import FAMILY_TOOLS, WRITING_TOOLS, offered
from commonplace.vault.settings import FAMILIES

ALL = offered(FAMILIES)


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("meaning", [False, True])
def test_a_tool_is_spoken_of_where_it_is_offered_and_nowhere_else(
    read_only: bool, meaning: bool
) -> None:
    for count in range(len(FAMILIES) + 1):
        for families in combinations(FAMILIES, count):
            names = {*offered(families, read_only=read_only)}
            names -= set() if meaning else {"semantic_search"}
            text = instructions(names)
            assert {name for name in ALL if f"`{name}`" in text} == names


def test_all_of_them_fit_into_what_clients_keep() -> None:
    assert len(instructions(ALL)) < INSTRUCTIONS_MAX


def test_without_tools_it_still_says_what_this_is() -> None:
    assert instructions([]).startswith("Commonplace serves a folder of Markdown notes")
    assert "\n" not in instructions([])


@pytest.mark.parametrize("family", FAMILY_TOOLS)
def test_who_only_reads_is_told_nothing_of_writing(family: str) -> None:
    text = instructions([name for name in FAMILY_TOOLS[family] if name not in WRITING_TOOLS])
    assert "permission" not in text
