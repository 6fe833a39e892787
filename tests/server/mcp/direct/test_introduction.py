"""What the server says of itself, in either protocol era."""

import base64
import json
from typing import Any

import pytest

from commonplace.server.mcp.direct.introduction import Introduction, icon, response, written
from commonplace.server.mcp.direct.requests import (
    HANDSHAKE_VERSIONS,
    MODERN_VERSION,
    Opening,
    Request,
)
from commonplace.tools.definition import definition


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, None, True]}, b'{"a":[1,null,true]}'),
        ("日本 😀", '"日本 😀"'.encode()),
        ("half \ud800", b'"half \\ud800"'),
    ],
)
def test_json_is_dense_and_can_say_half_a_surrogate(value: object, text: bytes) -> None:
    assert written(value) == text
    assert json.loads(written(value)) == value


@pytest.mark.parametrize("id", [0, -5, "x", 'quote " \n 日', "\ud800"])
def test_an_answer_keeps_the_id_of_its_request(id: str | int) -> None:
    assert json.loads(response(id, b"{}")) == {"jsonrpc": "2.0", "id": id, "result": {}}


def said(method: str, version: str = "") -> Any:
    request = Request(1, method, Opening(version == MODERN_VERSION, "", version))
    return json.loads(Introduction(["read"], "9.9").answer(request))["result"]


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        (HANDSHAKE_VERSIONS[0], HANDSHAKE_VERSIONS[0]),
        ("1999-01-01", HANDSHAKE_VERSIONS[-1]),
        (MODERN_VERSION, HANDSHAKE_VERSIONS[-1]),
        ("", HANDSHAKE_VERSIONS[-1]),
    ],
)
def test_a_version_that_is_not_known_is_answered_by_the_latest(asked: str, answered: str) -> None:
    greeting = said("initialize", asked)
    assert greeting["protocolVersion"] == answered
    assert greeting["serverInfo"]["version"] == "9.9"


def test_whoever_asks_whether_somebody_is_there_is_told_nothing_else() -> None:
    assert said("ping") == {}


def test_tools_are_listed_in_the_words_of_the_era() -> None:
    definitions = [definition("read"), definition("edit")]
    spoken = Introduction(["read", "edit"], "9.9")
    old, new = (spoken.listing(definitions, modern=modern) for modern in (False, True))
    assert old.keys() == {"tools"}
    assert new["tools"] == old["tools"] == [each.published for each in definitions]
    assert (new["cacheScope"], new["_meta"]) == ("private", spoken.stamp)


def test_the_picture_comes_along_and_nothing_is_fetched() -> None:
    source = str(icon()["src"])
    head, _, data = source.partition(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(data, validate=True).startswith(b"\x89PNG")
