"""Waiting for what must come true: never a fixed time, and long enough for a slow machine."""

import time
from collections.abc import Awaitable, Callable, Iterator
from inspect import isawaitable
from pathlib import Path
from typing import Any

import anyio

PATIENCE = 60.0
_PAUSE, _PAUSE_MAX = 0.005, 0.1


def _pauses() -> Iterator[float]:
    """Give how long to rest before each next look: looking holds up what one waits for."""
    pause = _PAUSE
    while True:
        yield pause
        pause = min(_PAUSE_MAX, pause * 1.5)


def until(true: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Wait until something is so, and return it."""
    end, pauses = time.monotonic() + seconds, _pauses()
    while not (found := true()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(next(pauses))
    return found


async def eventually(true: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Wait until something is so, while the event loop goes on; it may be a question that waits."""
    end, pauses = time.monotonic() + seconds, _pauses()
    while not (found := await _answer(true)):
        assert time.monotonic() < end, "it did not happen in time"
        await anyio.sleep(next(pauses))
    return found


async def becomes(ask: Callable[[], Awaitable[Any]], wanted: object) -> None:
    """Wait until the answer is this."""
    end, pauses = time.monotonic() + PATIENCE, _pauses()
    while (found := await ask()) != wanted:
        assert time.monotonic() < end, f"it is still {found!r}"
        await anyio.sleep(next(pauses))


async def empties(ask: Callable[[], Awaitable[Any]]) -> None:
    """Wait until the answer is that there is nothing more."""
    end, pauses = time.monotonic() + PATIENCE, _pauses()
    while found := await ask():
        assert time.monotonic() < end, f"there is still {found!r}"
        await anyio.sleep(next(pauses))


async def _answer(ask: Callable[[], Any]) -> Any:
    found = ask()
    return await found if isawaitable(found) else found


async def holds(file: Path, data: bytes | str, seconds: float = PATIENCE) -> None:
    """Wait until a file holds exactly this."""
    wanted = data.encode() if isinstance(data, str) else data
    end, pauses = time.monotonic() + seconds, _pauses()
    while (found := _bytes(file)) != wanted:
        assert time.monotonic() < end, f"{file.name} holds {found!r}"
        await anyio.sleep(next(pauses))


def has_words(file: Path, words: str, seconds: float = PATIENCE) -> None:
    """Wait until a file has these words in it."""
    end, pauses = time.monotonic() + seconds, _pauses()
    while words.encode() not in ((found := _bytes(file)) or b""):
        missing = "is not there" if found is None else f"holds {found!r}"
        assert time.monotonic() < end, f"{file.name} {missing}"
        time.sleep(next(pauses))


def _bytes(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None
