"""Bytes carried between two connections, of which at least one is TLS, until either ends."""

import ssl

import anyio
from anyio.abc import ByteStream

ENDED = (
    OSError,
    ssl.SSLError,
    TimeoutError,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    anyio.EndOfStream,
    anyio.IncompleteRead,
)
"""What is raised when the other side of a connection goes, or is not there."""


async def carry(one: ByteStream, other: ByteStream, first: bytes = b"") -> None:
    """Carry both ways, beginning with what came first; the end of one way is that of both.

    TLS cannot end one direction alone.
    """
    async with anyio.create_task_group() as tasks:

        async def copy(source: ByteStream, target: ByteStream, data: bytes) -> None:
            try:
                if data:
                    await target.send(data)
                while True:
                    await target.send(await source.receive())
            except ENDED:
                tasks.cancel_scope.cancel()

        tasks.start_soon(copy, one, other, first)
        await copy(other, one, b"")
