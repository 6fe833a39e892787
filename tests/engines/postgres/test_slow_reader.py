"""A client on one node that reads nothing while another writes much on the other node.

Everything between them fills up; the owner drops what does not fit, and once the client reads
again it is told all at once what it missed. The control drops it silently.
"""

import asyncio
import socket
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection, connect

from commonplace.core.yjs.frames import Message, SyncStep1, SyncStep2, UpdateFrame, decode, encode
from tests.engines.postgres.serve_process import ServeProcess, make_key
from tests.engines.postgres.test_metrics import asked
from tests.engines.postgres.test_serve import TEXT, document_of
from tests.live.wire import Peer
from tests.wait import PATIENCE, becomes

pytestmark = pytest.mark.anyio

MUCH = "x" * 150_000
WRITES_MAX = 4_000  # far more than all buffers of the system hold
END = "the end"


class CarelessProcess(ServeProcess):
    module = "tests.engines.postgres.careless_serve"


@asynccontextmanager
async def joined(node: ServeProcess, note: str, peer: Peer) -> AsyncGenerator[ClientConnection]:
    """A socket with little room, whose client knows what is there."""
    place = socket.socket()
    place.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
    place.connect(("127.0.0.1", node.port))
    place.setblocking(False)
    async with connect(
        f"{node.ws}/{note}", sock=place, max_queue=1, max_size=None, ping_interval=None
    ) as sock:
        await sock.send(encode(peer.question()))
        while not isinstance(message := await heard(sock, peer), SyncStep2):
            assert message
        yield sock


async def heard(sock: ClientConnection, peer: Peer) -> Message:
    data = await sock.recv()
    assert isinstance(data, bytes)
    message = decode(data)
    if isinstance(message, SyncStep1):
        await sock.send(encode(SyncStep2(peer.doc.get_update(message.state_vector))))
    peer.hear(message)
    return message


async def write(sock: ClientConnection, peer: Peer) -> int:
    """Write and delete again; returns how many updates that were."""
    await sock.send(encode(peer.add(MUCH)))
    before = peer.doc.get_state()
    del peer.text[len(peer.text) - len(MUCH) :]
    await sock.send(encode(UpdateFrame(peer.doc.get_update(before))))
    return 2


async def read_slowly(
    make: type[ServeProcess], url: str, folder: Path
) -> tuple[str, str, int, int]:
    """What writer and reader have at the end, how many updates were written, and how many read."""
    (folder / "notes of one").mkdir()
    (folder / "notes of one" / "a.md").write_text(TEXT)
    key = make_key(folder)
    writer, reader = Peer(7), Peer(8)
    with make("one", folder, url, key) as one, make("two", folder, url, key) as two:
        note = await document_of(two, "a.md")
        async with (
            asyncio.timeout(4 * PATIENCE),
            joined(one, note, writer) as writing,
            joined(two, note, reader) as reading,
        ):
            answers = asyncio.create_task(keep_hearing(writing, writer))
            written = 0
            while not await is_behind(one):
                assert written < WRITES_MAX
                for _ in range(5):
                    written += await write(writing, writer)
            counted = asyncio.create_task(read_to_end(reading, reader))
            began = time.monotonic()
            await becomes(lambda: is_behind(one), wanted=False)
            sys.stderr.write(f"caught up after {time.monotonic() - began:.1f} s\n")
            await writing.send(encode(writer.add(END)))
            read = await counted
            answers.cancel()
    return str(writer), str(reader), written, read


async def read_to_end(sock: ClientConnection, peer: Peer) -> int:
    """Read until the last word comes, whether or not all before it did; returns how many came."""
    count, data = 0, b""
    while END.encode() not in data:
        data = await sock.recv()
        assert isinstance(data, bytes)
        message = decode(data)
        peer.hear(message)
        count += isinstance(message, UpdateFrame | SyncStep2)
    return count


async def keep_hearing(sock: ClientConnection, peer: Peer) -> None:
    while True:
        await heard(sock, peer)


async def is_behind(node: ServeProcess) -> bool:
    found = await asyncio.to_thread(asked, node.http)
    return found['commonplace_sockets_behind{vault="team"}'] == 1


async def test_one_who_reads_again_is_told_all_that_was_dropped(url: str, tmp_path: Path) -> None:
    written, read, sent, received = await read_slowly(ServeProcess, url, tmp_path)
    assert read == written
    assert written.endswith(END)
    sys.stderr.write(f"{sent} updates were sent, {received} received\n")
    assert received < sent, "nothing was dropped"


async def test_dropped_silently_the_texts_would_differ(url: str, tmp_path: Path) -> None:
    """The control."""
    written, read, _, _ = await read_slowly(CarelessProcess, url, tmp_path)
    assert written.endswith(END)
    assert read != written
