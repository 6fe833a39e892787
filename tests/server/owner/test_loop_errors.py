"""What a server's event loop tells in the log."""

import asyncio
import socket
import tempfile
from pathlib import Path

import anyio
import pytest
from anyio.lowlevel import checkpoint

from commonplace.server.owner.loop_errors import ignore_late_readers

ROUNDS = 5


async def stop_readers(*, quiet: bool) -> None:
    """Stop many who read from a Unix socket, each just when something arrives."""
    if quiet:
        ignore_late_readers()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            listener.listen(1)
            for _ in range(ROUNDS):
                async with await anyio.connect_unix(path) as stream:
                    other, _ = listener.accept()
                    async with anyio.create_task_group() as tasks:
                        tasks.start_soon(stream.receive)
                        for _ in range(20):  # until it waits
                            await checkpoint()
                        other.send(b"x")
                        tasks.cancel_scope.cancel()
                    other.close()


@pytest.mark.parametrize("quiet", [True, False])
def test_a_reader_that_is_stopped_as_something_arrives_is_no_error(
    caplog: pytest.LogCaptureFixture, quiet: bool
) -> None:
    """Without the handler (the control) the library's race fills the log with traces."""
    anyio.run(lambda: stop_readers(quiet=quiet), backend_options={"use_uvloop": True})
    assert ("InvalidStateError" in caplog.text) is not quiet


def test_every_other_fault_in_a_callback_is_told(caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        ignore_late_readers()
        loop = asyncio.get_running_loop()
        loop.call_soon(lambda: 1 // 0)
        done = loop.create_future()
        done.set_result(None)
        loop.call_soon(done.set_exception, RuntimeError())
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # what was called soon is called by now

    anyio.run(fail, backend_options={"use_uvloop": True})
    assert "ZeroDivisionError" in caplog.text
    assert "InvalidStateError" in caplog.text
