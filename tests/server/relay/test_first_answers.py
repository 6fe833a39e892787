"""What a relay answers by itself while the owner in its process is still being loaded."""

import json
from pathlib import Path
from typing import Any

from commonplace.server.relay.first_answers import FirstAnswers
from commonplace.server.relay.replay import RelayedSession
from commonplace.vault.settings import Root, Settings
from tests.server.relay.test_replay import client, methods, owner, said

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "x", "version": "1"},
}
META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def starting(**more: Any) -> RelayedSession:
    talk = RelayedSession()
    settings = Settings((Root("v", Path("v")),), Path("state"), **more)
    talk.first_answers = FirstAnswers(settings)
    return talk


def test_a_client_is_greeted_before_there_is_an_owner_which_hears_of_it_later() -> None:
    talk = starting()
    client(talk, id=0, method="initialize", params=HELLO)
    client(talk, method="notifications/initialized")
    (greeted,) = said(talk.to_client)
    assert greeted["result"]["serverInfo"]["name"] == "commonplace"
    client(talk, id=1, method="tools/list")  # depends on what the vault can offer
    client(talk, id=2, method="tools/call", params={"name": "read", "arguments": {}})
    assert not talk.to_client
    talk.resume()
    (opening,) = said(talk.to_owner)
    assert (opening["method"], opening["params"]) == ("initialize", HELLO)
    owner(talk, id=opening["id"], result={"secret": 1})
    assert methods(said(talk.to_owner)) == ["notifications/initialized", "tools/list", "tools/call"]
    assert not talk.to_client
    owner(talk, id=2, result={})
    assert [each["id"] for each in said(talk.to_client)] == [2]


def test_a_client_of_the_newer_era_is_answered_and_the_owner_learns_the_era() -> None:
    talk = starting(read_only=True)
    client(talk, id="d", method="server/discover", params={"_meta": META})
    (discovered,) = said(talk.to_client)
    assert discovered["result"]["supportedVersions"] == ["2026-07-28"]
    assert "`edit`" not in discovered["result"]["instructions"]
    talk.resume()
    (opening,) = said(talk.to_owner)
    assert (opening["method"], opening["params"]) == ("server/discover", {"_meta": META})


def test_requests_are_answered_in_order_so_none_overtakes_one_that_waits() -> None:
    talk = starting()
    client(talk, id=0, method="initialize", params=HELLO)
    client(talk, id=1, method="resources/list")
    client(talk, id=2, method="ping")
    assert [each["id"] for each in said(talk.to_client)] == [0]


def test_whatever_else_a_client_opens_with_is_left_to_the_owner() -> None:
    talk = starting()
    client(talk, id=0, method="initialize", params={**HELLO, "capabilities": 5})
    talk.from_client(b"nonsense")
    assert not talk.to_client
    talk.resume()
    assert json.loads(bytes(talk.to_owner).splitlines()[0])["method"] == "initialize"


def test_once_there_was_an_owner_it_is_asked() -> None:
    talk = starting()
    talk.resume()
    client(talk, id=0, method="initialize", params=HELLO)
    assert not talk.to_client
    assert methods(said(talk.to_owner)) == ["initialize"]
