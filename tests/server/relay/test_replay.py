"""The conversation that survives its owners, without any process."""

import json
from typing import Any

from hypothesis import given, strategies as st

from commonplace.server.owner.line_buffer import TooLong
from commonplace.server.relay.replay import SENDS_MAX, RelayedSession


def said(buffer: bytearray) -> list[dict[str, Any]]:
    """Take what was put out so far."""
    lines = bytes(buffer).splitlines()
    buffer.clear()
    return [json.loads(line) for line in lines]


def client(talk: RelayedSession, **message: Any) -> None:
    talk.from_client(json.dumps({"jsonrpc": "2.0", **message}).encode())


def owner(talk: RelayedSession, **message: Any) -> None:
    talk.from_owner(json.dumps({"jsonrpc": "2.0", **message}).encode())


def connected() -> RelayedSession:
    talk = RelayedSession()
    talk.resume()
    return talk


def methods(messages: list[dict[str, Any]]) -> list[str]:
    return [message["method"] for message in messages]


def old_era() -> RelayedSession:
    """A 2025-era client after its handshake."""
    talk = connected()
    client(talk, id=0, method="initialize", params={"clientInfo": {"name": "x"}})
    owner(talk, id=0, result={})
    client(talk, method="notifications/initialized")
    said(talk.to_client)
    said(talk.to_owner)
    return talk


def test_lines_pass_unchanged_in_both_directions():
    talk = connected()
    talk.from_client(b'{ "id" : 1,"method":"ping" , "x": "\xc3\xa9"}')
    assert talk.to_owner == b'{ "id" : 1,"method":"ping" , "x": "\xc3\xa9"}\n'
    talk.from_owner(b'{"id": 1,   "result":{}}')
    assert talk.to_client == b'{"id": 1,   "result":{}}\n'


def test_requests_made_before_there_is_an_owner_are_sent_in_order_once_there_is():
    talk = RelayedSession()
    client(talk, id=1, method="initialize")
    client(talk, method="notifications/initialized")
    client(talk, id=2, method="tools/list")
    assert not talk.to_owner
    talk.resume()
    expected = ["initialize", "notifications/initialized", "tools/list"]
    assert methods(said(talk.to_owner)) == expected


def test_an_unanswered_request_is_sent_again_to_the_next_owner_and_answered_once():
    talk = connected()
    client(talk, id=1, method="a")
    client(talk, id=2, method="b")
    owner(talk, id=1, result={})
    talk.lost()
    assert not talk.to_owner
    talk.resume()
    assert methods(said(talk.to_owner)) == ["b"]
    owner(talk, id=2, result={})
    assert [m["id"] for m in said(talk.to_client)] == [1, 2]
    assert not talk.unanswered


def test_a_2025_era_handshake_is_repeated_and_its_answer_swallowed():
    talk = old_era()
    client(talk, id=7, method="resources/subscribe", params={"uri": "note:///a.md"})
    owner(talk, id=7, result={})
    client(talk, id=8, method="resources/subscribe", params={"uri": "note:///b.md"})
    owner(talk, id=8, result={})
    client(talk, id=9, method="resources/unsubscribe", params={"uri": "note:///b.md"})
    owner(talk, id=9, result={})
    client(talk, id=10, method="tools/call")
    said(talk.to_client)
    talk.lost()
    talk.resume()
    (again,) = said(talk.to_owner)
    assert again["method"] == "initialize"
    assert again["params"] == {"clientInfo": {"name": "x"}}
    assert again["id"] != 0

    owner(talk, id=again["id"], result={})
    initialized, subscribe, call = said(talk.to_owner)
    assert initialized["method"] == "notifications/initialized"
    assert subscribe["params"] == {"uri": "note:///a.md"}
    assert call["id"] == 10
    assert said(talk.to_client) == []

    owner(talk, id=subscribe["id"], result={})
    (notice,) = said(talk.to_client)
    assert notice["method"] == "notifications/resources/updated"
    assert notice["params"] == {"uri": "note:///a.md"}


def test_what_the_client_says_during_the_repeated_handshake_waits_for_its_end():
    talk = old_era()
    talk.lost()
    talk.resume()
    (again,) = said(talk.to_owner)
    client(talk, id=3, method="tools/list")
    client(talk, method="notifications/roots/list_changed")
    assert not talk.to_owner
    owner(talk, id=again["id"], result={})
    assert methods(said(talk.to_owner)) == [
        "notifications/initialized",
        "tools/list",
        "notifications/roots/list_changed",
    ]


def test_a_second_acknowledgement_of_a_listen_becomes_news():
    talk = connected()
    client(talk, id="listen-1", method="subscriptions/listen")
    meta = {"io.modelcontextprotocol/subscriptionId": "listen-1"}
    heard = {"resourcesListChanged": True, "resourceSubscriptions": ["note:///a.md"]}
    acknowledged: dict[str, Any] = {
        "method": "notifications/subscriptions/acknowledged",
        "params": {"_meta": meta, "notifications": heard},
    }
    owner(talk, **acknowledged)
    assert methods(said(talk.to_client)) == ["notifications/subscriptions/acknowledged"]
    assert not talk.unanswered
    said(talk.to_owner)
    talk.lost()
    talk.resume()
    assert methods(said(talk.to_owner)) == ["subscriptions/listen"]
    owner(talk, **acknowledged)
    changed, updated = said(talk.to_client)
    assert changed["method"] == "notifications/resources/list_changed"
    assert changed["params"] == {"_meta": meta}
    assert updated["method"] == "notifications/resources/updated"
    assert updated["params"] == {"_meta": meta, "uri": "note:///a.md"}


def test_an_answer_to_a_lost_owner_never_reaches_the_next_ones_question():
    talk = connected()
    client(talk, id=1, method="tools/call")
    owner(talk, id=1, method="elicitation/create", params={"message": "Delete a.md?"})
    (first,) = said(talk.to_client)
    talk.lost()
    (withdrawn,) = said(talk.to_client)
    assert withdrawn["method"] == "notifications/cancelled"
    assert withdrawn["params"] == {"requestId": first["id"]}
    talk.resume()
    said(talk.to_owner)
    owner(talk, id=1, method="elicitation/create", params={"message": "Delete b.md?"})
    (second,) = said(talk.to_client)
    client(talk, id=first["id"], result={"action": "accept"})
    assert said(talk.to_owner) == []
    client(talk, id=second["id"], result={"action": "decline"})
    (answer,) = said(talk.to_owner)
    assert answer["id"] == 1
    assert answer["result"] == {"action": "decline"}


def test_a_question_withdrawn_by_the_owner_is_withdrawn_under_the_clients_id():
    talk = connected()
    owner(talk, id=5, method="elicitation/create")
    owner(talk, method="notifications/cancelled", params={"requestId": 5})
    question, withdrawn = said(talk.to_client)
    assert withdrawn["params"]["requestId"] == question["id"]


def test_a_cancelled_request_is_not_sent_again():
    talk = connected()
    client(talk, id=1, method="tools/call")
    client(talk, method="notifications/cancelled", params={"requestId": 1})
    assert methods(said(talk.to_owner)) == ["tools/call", "notifications/cancelled"]
    talk.lost()
    talk.resume()
    assert said(talk.to_owner) == []


def test_a_request_that_is_there_whenever_an_owner_dies_is_given_up():
    talk = connected()
    client(talk, id="x", method="poison")
    for _ in range(SENDS_MAX - 1):
        talk.lost()
        talk.resume()
    assert said(talk.to_client) == []
    talk.lost()
    said(talk.to_owner)
    talk.resume()
    (answer,) = said(talk.to_client)
    assert answer["id"] == "x"
    assert "stopped each time" in answer["error"]["message"]
    assert said(talk.to_owner) == []


def test_the_ids_1_and_text_1_are_two_requests():
    talk = connected()
    client(talk, id=1, method="a")
    client(talk, id="1", method="b")
    owner(talk, id="1", result={})
    talk.lost()
    said(talk.to_owner)
    talk.resume()
    assert methods(said(talk.to_owner)) == ["a"]


def test_a_message_that_is_too_long_is_refused_under_its_id():
    talk = connected()
    talk.from_client(TooLong(b'{"jsonrpc":"2.0","id":12,"method":"x","params":{"a":"', b'"}}'))
    (answer,) = said(talk.to_client)
    assert answer["id"] == 12
    assert "4 MiB" in answer["error"]["message"]
    talk.from_client(TooLong(b'{"method":"x","params":{"id":1,', b'"},"jsonrpc":"2.0","id":"q"}'))
    assert said(talk.to_client)[0]["id"] == "q"
    talk.from_client(TooLong(b"[[[[[", b"]]]]"))
    assert said(talk.to_client)[0]["id"] is None


def test_when_no_owner_will_come_everything_is_answered():
    talk = RelayedSession()
    client(talk, id=1, method="a")
    talk.abandon("The folder is open elsewhere.")
    assert said(talk.to_client)[0]["error"]["message"] == "The folder is open elsewhere."


def test_what_is_no_message_goes_to_the_owner_who_knows_how_to_refuse_it():
    talk = connected()
    for line in (b"nonsense", b"\xff\xfe", b"[" * 100_000, b"[]", b"1e999999", b'{"id":'):
        talk.from_client(line)
        assert bytes(talk.to_owner) == line + b"\n"
        talk.to_owner.clear()


STEPS = st.lists(st.sampled_from(["ask", "answer", "lose", "resume"]), max_size=60)


@given(STEPS)
def test_each_request_gets_exactly_one_answer_whatever_happens(steps: list[str]):
    """An owner that answers what it was sent, in order, and may be lost at any time."""
    talk, alive, asked = RelayedSession(), False, 0
    inbox: list[dict[str, Any]] = []
    for step in [*steps, "lose", "resume", *["answer"] * 100]:
        if step == "ask":
            asked += 1
            client(talk, id=asked, method="m")
        elif step == "lose" and alive:
            talk.lost()
            alive, inbox = False, []
        elif step == "resume" and not alive:
            talk.resume()
            alive = True
        elif step == "answer":
            inbox += said(talk.to_owner)
            if inbox:
                owner(talk, id=inbox.pop(0)["id"], result={})
    answered = [message["id"] for message in said(talk.to_client)]
    assert sorted(answered) == list(range(1, asked + 1))
