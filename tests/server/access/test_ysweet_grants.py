"""Grants: a document, what may be done with it, by whom, and until when."""

import base64
import json

import pytest

from commonplace.server.access.identity import Unauthorized
from commonplace.server.access.ysweet_grants import KEY_BYTES, DocumentGrant, Grants
from tests.clock import Clock

KEY = b"k" * KEY_BYTES


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def grants(clock: Clock) -> Grants:
    return Grants(KEY, clock)


def test_what_was_granted_is_read_again_by_whoever_has_the_key(
    grants: Grants, clock: Clock
) -> None:
    token = grants.issue("日記/あ", "read-only", "Ada \ud800", 60.0, "7")
    wanted = DocumentGrant("日記/あ", "read-only", "Ada \ud800", clock.now + 60, "7")
    assert grants.read(token, "日記/あ") == Grants(KEY, clock).read(token, "日記/あ") == wanted
    assert token.isascii()


def test_it_holds_to_its_last_moment_and_no_longer(grants: Grants, clock: Clock) -> None:
    token = grants.issue("a", "full", "", 60.0)
    clock.now += 59.9
    assert grants.read(token, "a").user == ""
    clock.now += 0.1
    with pytest.raises(Unauthorized, match="has expired"):
        grants.read(token, "a")


def test_it_is_for_one_document(grants: Grants) -> None:
    with pytest.raises(Unauthorized, match="for another document"):
        grants.read(grants.issue("a", "full", "", 60.0), "b")


def _forged(token: str) -> list[str]:
    body, _, signature = token.partition(".")
    wider = json.dumps(["a", "full", "Eve", 9e9, ""]).encode()
    other = base64.urlsafe_b64encode(wider).rstrip(b"=").decode()
    return [
        f"{other}.{signature}",
        f"{body}.",
        body,
        "",
        ".",
        f"{body}.{signature}x",
        f"{body}.ä",
        f"{body}..{signature}",
        token[:-1],
        token + "=" * 5_000,
    ]


def test_nothing_that_was_changed_is_taken(grants: Grants, clock: Clock) -> None:
    token = grants.issue("a", "read-only", "", 60.0)
    for forged in [*_forged(token), Grants(b"o" * KEY_BYTES, clock).issue("a", "full", "", 60.0)]:
        with pytest.raises(Unauthorized, match="not one of this server's"):
            grants.read(forged, "a")


def test_without_a_key_each_server_has_its_own(clock: Clock) -> None:
    with pytest.raises(Unauthorized):
        Grants(None, clock).read(Grants(None, clock).issue("a", "full", "", 60.0), "a")
