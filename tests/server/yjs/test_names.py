"""Names that Yjs clients claim are held against the access token that they came with."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest
from websockets.asyncio.client import ClientConnection, connect

from commonplace.core.yjs.frames import (
    Awareness,
    Presence,
    decode,
    decode_awareness,
    encode,
    encode_awareness,
)
from commonplace.server.yjs.presence import signed
from tests.server.site import Site, site_in
from tests.wait import PATIENCE

pytestmark = pytest.mark.anyio

CLAIM = json.dumps({"user": {"name": "Anna", "color": "#111"}, "cursor": None})


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def site(tmp_path: Path) -> AsyncGenerator[Site]:
    async with site_in(tmp_path) as site:
        yield site


async def heard(socket: ClientConnection, client: int) -> dict[str, object]:
    """Wait until a client's presence is told."""
    with anyio.fail_after(PATIENCE):
        while True:
            frame = await socket.recv()
            assert isinstance(frame, bytes)
            message = decode(frame)
            if isinstance(message, Awareness):
                for presence in decode_awareness(message.payload):
                    if presence.client == client:
                        return json.loads(presence.state)


@pytest.mark.parametrize("scope", ["read", "write"])
async def test_who_claims_to_be_another_is_shown_by_the_name_of_the_token(
    site: Site, scope: str
) -> None:
    document = (await site.vault.notes.ids.identify("Bees.md")).id
    url = f"{site.url.replace('http', 'ws')}/sync/{document}"

    def by(token: str) -> connect:
        return connect(url, additional_headers={"authorization": f"Bearer {site.secrets[token]}"})

    async with by("approve") as watcher, by(scope) as claimer:
        claim = Awareness(encode_awareness([Presence(77, 1, CLAIM)]))
        await claimer.send(encode(claim))
        shown = await heard(watcher, 77)
    assert shown == {"user": {"name": scope, "color": "#111"}, "cursor": None}


def test_a_name_elsewhere_in_the_state_is_held_too() -> None:
    (held,) = signed([Presence(1, 1, '{"name": "Anna"}')], "robot")
    assert json.loads(held.state) == {"name": "robot", "user": {"name": "robot"}}


@pytest.mark.parametrize("state", ['"Anna"', "[]", "[" * 100_000, "{", "7"])
def test_a_state_that_is_no_object_is_left_out(state: str) -> None:
    assert signed([Presence(1, 1, state)], "robot") == []


def test_who_leaves_leaves() -> None:
    assert signed([Presence(1, 2, "null")], "robot") == [Presence(1, 2, "null")]
