"""Requests that are taken to be answered directly: those of exactly the form that clients send."""

from typing import Any

import pytest

from commonplace.server.mcp.direct.requests import (
    CAPABILITIES_KEY,
    CLIENT_KEY,
    ID_MAX,
    MODERN_VERSION,
    OPENING_ID,
    VERSION_KEY,
    Opening,
    client_name,
    recognize,
    replayed_opening,
)

TOOLS = ("read",)
OLD = Opening(False, "ada", "2025-06-18")
CLIENT = {"name": "ada", "version": "1"}
ENVELOPE = {VERSION_KEY: MODERN_VERSION, CLIENT_KEY: CLIENT, CAPABILITIES_KEY: {}}
HANDSHAKE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}


def message(method: Any = "tools/list", **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, **more}


def call(**params: Any) -> dict[str, Any]:
    return message("tools/call", params={"name": "read", "arguments": {}, **params})


@pytest.mark.parametrize(
    "given",
    [
        message(),
        message(params={}),
        message(params={"_meta": {}}),
        message("ping"),
        message(id="x"),
        message(id=-5),
        call(),
        call(_meta={"progressToken": "t"}),
        call(arguments={"any": [1, None]}),
    ],
)
def test_a_plain_request_of_an_open_session_is_taken(given: dict[str, Any]) -> None:
    found = recognize(given, OLD, TOOLS)
    assert found is not None
    assert (found.id, found.method, found.opening) == (given["id"], given["method"], OLD)


@pytest.mark.parametrize(
    "given",
    [
        None,
        [],
        "x",
        {},
        message(jsonrpc="1.0"),
        message(extra=1),
        message(id=None),
        message(id=True),
        message(id=1.0),
        message(id=ID_MAX),
        message(method=5),
        message("tools/other"),
        message(params=[]),
        message(params=None),
        message(params={"cursor": "x"}),
        message(params={"_meta": []}),
        message("server/discover"),  # of the other era
        message("initialize", params=HANDSHAKE),  # a second time
        message(params={"_meta": ENVELOPE}),  # of the other era
        call(name="edit"),
        call(name=5),
        call(arguments=[]),
        call(task={}),
        call(_meta={"progressToken": 1.5}),
    ],
)
def test_every_other_is_left_to_the_sdk(given: object) -> None:
    assert recognize(given, OLD, TOOLS) is None


def test_a_session_begins_with_a_handshake_and_with_nothing_else() -> None:
    found = recognize(message("initialize", params=HANDSHAKE), None, TOOLS)
    assert found is not None
    assert found.opening == OLD
    assert recognize(message(), None, TOOLS) is None


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("protocolVersion", 5),
        ("capabilities", None),
        ("capabilities", {"unheard": {}}),
        ("capabilities", {"roots": {"listChanged": 1}}),
        ("capabilities", {"sampling": {"tools": {"x": 1}}}),
        ("clientInfo", {"name": "ada"}),
        ("clientInfo", {"name": "ada", "version": 1}),
        ("clientInfo", {**CLIENT, "icons": []}),
        ("extra", 1),
    ],
)
def test_a_handshake_of_another_form_is_left_to_the_sdk(member: str, value: object) -> None:
    assert recognize(message("initialize", params={**HANDSHAKE, member: value}), None, ()) is None


@pytest.mark.parametrize("opening", [None, Opening(True, "ada", MODERN_VERSION)])
def test_a_request_of_the_newer_era_says_itself_who_it_is_from(opening: Opening | None) -> None:
    found = recognize(call(_meta={**ENVELOPE, "progressToken": 7}), opening, TOOLS)
    assert found is not None
    assert found.opening == Opening(True, "ada", MODERN_VERSION)
    assert (found.tool, found.progress, found.needs_tools) == ("read", 7, True)


@pytest.mark.parametrize(
    ("member", "value"),
    [
        (VERSION_KEY, "2027-01-01"),
        (CLIENT_KEY, None),
        (CAPABILITIES_KEY, []),
        ("io.modelcontextprotocol/new", 1),
    ],
)
def test_an_envelope_of_another_form_is_left_to_the_sdk(member: str, value: object) -> None:
    assert recognize(message(params={"_meta": {**ENVELOPE, member: value}}), None, TOOLS) is None


def test_a_client_need_not_say_its_name() -> None:
    meta = {key: value for key, value in ENVELOPE.items() if key != CLIENT_KEY}
    found = recognize(message("server/discover", params={"_meta": meta}), None, TOOLS)
    assert found is not None
    assert (found.opening.client, found.needs_tools) == ("", False)


@pytest.mark.parametrize(
    ("name", "shown"), [("a\x1b[2Jb\u202e", "a[2Jb"), (" x ", "x"), ("é" * 99, "é" * 64), ("", "")]
)
def test_a_client_is_called_by_what_can_be_shown_of_its_name(name: str, shown: str) -> None:
    assert client_name(name) == shown


def test_the_sdk_is_told_how_a_session_began() -> None:
    opening = message("initialize", params=HANDSHAKE)
    assert replayed_opening(opening) == {**opening, "id": OPENING_ID}
    first = call(_meta=ENVELOPE)
    assert replayed_opening(first) == message(
        "server/discover", id=OPENING_ID, params={"_meta": ENVELOPE}
    )
