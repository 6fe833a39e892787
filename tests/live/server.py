"""A server process to connect to: real rooms on a real port, and a few doors for the test.

    python -m tests.live.server FOLDER PORT

`GET /test/text/{id}`, `POST /test/edit/{id}?count=N&seed=N` (edits of the server's own),
`GET /test/log/{id}` (what the log alone has), `POST /test/announce/{id}?name=…`.
Ids that begin with `note` are documents, and begin with a text of many scripts; `/read` has the
same rooms for readers only.
"""

import asyncio
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route

from commonplace.core.text.edits import Edit
from commonplace.server.access.guard import Guard, GuardApp
from commonplace.server.yjs import sockets, ysweet
from commonplace.server.yjs.rooms import Rooms
from tests.live.notes import MIXED, NoteShelf, shelf_in

KEY = b"k" * 32
PIECES = (
    "a",
    "bc ",
    "😀",
    "👩‍👧‍👦",
    "漢字",
    "한국어",
    "e\u0301",
    "ไทย",
    "\n",
    "- x\n",
    "🇪🇪",
    "שלום",
)


class AnyNote(Mapping[str, str]):
    """A note of every id that begins with `note`."""

    def __getitem__(self, id: str) -> str:
        if not id.startswith("note"):
            raise KeyError(id)
        return MIXED

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def any_edit(rng: random.Random, text: str) -> Sequence[Edit]:
    """Insert something somewhere, or delete a little."""
    at = rng.randint(0, len(text))
    if rng.random() < 0.3:
        return [Edit(at, min(len(text), at + rng.randint(1, 3)), "")]
    return [Edit(at, at, rng.choice(PIECES))]


class Doors:
    """What the test asks beside the protocol."""

    def __init__(self, shelf: NoteShelf, rooms: Rooms) -> None:
        self.notes, self.rooms = shelf, rooms

    async def text(self, request: Request) -> Response:
        return PlainTextResponse(await self.notes.text(request.path_params["id"]))

    async def log(self, request: Request) -> Response:
        return PlainTextResponse(await self.notes.replayed(request.path_params["id"]))

    async def edit(self, request: Request) -> Response:
        rng = random.Random(request.query_params["seed"])
        for _ in range(int(request.query_params["count"])):
            plan = partial(any_edit, rng)
            await self.notes.documents.edit(request.path_params["id"], plan, "assistant")
            await asyncio.sleep(rng.random() / 200)
        return JSONResponse({})

    async def announce(self, request: Request) -> Response:
        name = request.query_params["name"]
        self.rooms.announce(request.path_params["id"], name, seconds=0.5)
        return JSONResponse({})


async def run(folder: Path, port: int) -> None:
    async with shelf_in(folder, AnyNote()) as shelf:
        rooms = Rooms(shelf)
        doors = Doors(shelf, rooms)
        app = Starlette(
            routes=[
                Route("/test/text/{id}", doors.text),
                Route("/test/log/{id}", doors.log),
                Route("/test/edit/{id}", doors.edit, methods=["POST"]),
                Route("/test/announce/{id}", doors.announce, methods=["POST"]),
                Mount("/read", routes=sockets.routes(rooms, read_only=True)),
                *sockets.routes(rooms),
                *ysweet.routes(rooms, key=KEY),
            ],
            middleware=[Middleware(GuardApp, guard=Guard())],
        )
        config = uvicorn.Config(
            app,
            port=port,
            ws="websockets-sansio",
            ws_max_size=8 * 1024 * 1024,
            ws_per_message_deflate=False,
            log_level="warning",
            timeout_graceful_shutdown=1,
        )
        await uvicorn.Server(config).serve()


if __name__ == "__main__":
    uvloop.run(run(Path(sys.argv[1]), int(sys.argv[2])))
