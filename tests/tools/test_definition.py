"""What is published of each tool, held against the contract and its own file."""

import json
from pathlib import Path
from typing import cast

import pytest

from commonplace.tools.table import (
    Definition,
    definition,
)

CONTRACT = json.loads((Path(__file__).parents[1] / "contract/tools.json").read_text("utf-8"))


DEFINITIONS = Path(__file__).parents[2] / "src/commonplace/tools/definitions"


WRITTEN = sorted(file.stem for file in DEFINITIONS.glob("*.json"))


IN_CONTRACT = [name for name in WRITTEN if any(name in tools for tools in CONTRACT.values())]


def meta(each: Definition) -> dict[str, object]:
    return cast("dict[str, object]", each.published["_meta"])


def bare(schema: object) -> object:
    """A schema without the words for the reader; only parameters may be named `description`."""
    if isinstance(schema, list):
        return [bare(part) for part in cast("list[object]", schema)]
    if not isinstance(schema, dict):
        return schema
    members = cast("dict[str, object]", schema)
    worded = "description" in members and isinstance(members["description"], str)
    return {k: bare(v) for k, v in members.items() if not (worded and k == "description")}


@pytest.mark.parametrize("name", IN_CONTRACT)
def test_a_definition_has_the_schema_of_the_contract(name: str) -> None:
    family = next(f for f, tools in CONTRACT.items() if name in tools)
    ours, contract = definition(name).input_schema, CONTRACT[family][name]
    assert bare(ours) == bare(contract)
    assert list(cast("dict[str, object]", ours["properties"])) == list(contract["properties"])


@pytest.mark.parametrize("name", IN_CONTRACT)
def test_a_definition_keeps_the_words_that_the_contract_has(name: str) -> None:
    family = next(f for f, tools in CONTRACT.items() if name in tools)
    ours = cast("dict[str, dict[str, object]]", definition(name).input_schema["properties"])
    for parameter, schema in CONTRACT[family][name]["properties"].items():
        if "description" in schema:
            assert ours[parameter]["description"] == schema["description"]


@pytest.mark.parametrize("name", WRITTEN)
def test_a_definition_tells_a_client_what_the_tool_may_do(name: str) -> None:
    published = definition(name).published
    hints = cast("dict[str, object]", published["annotations"])
    assert list(published)[:4] == ["name", "description", "inputSchema", "annotations"]
    assert list(hints) == [
        "title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint",
    ]  # fmt: skip
    assert hints["openWorldHint"] is False
    assert published["name"] == name


def test_only_the_tools_with_long_answers_ask_for_room() -> None:
    room = "anthropic/maxResultSizeChars"
    assert {name for name in WRITTEN if room in meta(definition(name))} == {"read", "grep"}
    assert meta(definition("read"))[room] == 200_000


def test_every_tool_can_be_searched_for_by_words_of_its_own() -> None:
    hints = [meta(definition(name))["anthropic/searchHint"] for name in WRITTEN]
    assert len(set(hints)) == len(WRITTEN)
    assert all(isinstance(hint, str) and 20 < len(hint) < 100 for hint in hints)


def test_a_definition_is_what_its_file_says() -> None:
    text = (DEFINITIONS / "read.json").read_text("utf-8")
    assert definition("read") == Definition(json.loads(text))
    assert json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n" == text
