"""A stand-in for the vault and its protocols, and processes that run the real sockets on it.

`python -m tests.server.standin mcp|serve VAULT STATE [PORT]` is `commonplace mcp` or `serve` with
`StandIn` composed instead of a vault. It answers a request with the process that answered it, how
many requests that process had before, and what it was told:

    echo     at once
    slow     after `seconds`
    big      with `size` characters
    poison   kills the process
    torn     kills it the first time, in the middle of the answer
    ask      with what the client answers to a question of the server's

A vault named `broken` cannot be opened, and one named `bug` not either.
"""

import json
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from anyio.streams.buffered import BufferedByteStream

from commonplace.cli.commands.programs import stdio
from commonplace.cli.messages import fail
from commonplace.errors import CommonplaceError, Unavailable
from commonplace.server.owner.handshake import Hello
from commonplace.server.owner.pages import PageAddresses
from commonplace.vault.settings import Root, Settings

if TYPE_CHECKING:
    from starlette.applications import Starlette


class StandIn:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.pages = PageAddresses()

    async def session(self, stream: BufferedByteStream, greeting: Hello, own: Settings) -> None:
        await Session(stream, own).run()

    async def app(self, own: Settings) -> "Starlette":
        from starlette.applications import Starlette
        from starlette.requests import Request
        from starlette.responses import JSONResponse
        from starlette.routing import Route

        async def about(request: Request) -> JSONResponse:
            return JSONResponse({"pid": os.getpid(), "read_only": own.read_only})

        return Starlette(routes=[Route("/about", about)])


class Session:
    def __init__(self, stream: BufferedByteStream, own: Settings) -> None:
        self.stream, self.own = stream, own
        self.initialized = False
        self.subscribed: list[str] = []
        self.asking = 0
        self.answers: dict[int, anyio.Event] = {}
        self.said: dict[int, Any] = {}

    async def run(self) -> None:
        async with anyio.create_task_group() as tasks:
            while True:
                try:
                    line = await self.stream.receive_until(b"\n", 8 * 1024 * 1024)
                except (anyio.IncompleteRead, anyio.BrokenResourceError):
                    break
                tasks.start_soon(self.take, json.loads(line))
            tasks.cancel_scope.cancel()

    async def take(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method is None:
            self.said[message["id"]] = message.get("result")
            self.answers[message["id"]].set()
        elif "id" in message:
            await self.reply(method, message)
        elif method == "notifications/initialized":
            self.initialized = True

    async def reply(self, method: str, message: dict[str, Any]) -> None:
        """Answer; a request cut off by the end of the session gets an error, as real ones do."""
        try:
            await self.send({"id": message["id"], "result": await self.answer(method, message)})
        except anyio.get_cancelled_exc_class():
            error = {"code": -32603, "message": "The session ended."}
            await self.send({"id": message["id"], "error": error})
            raise

    async def answer(self, method: str, message: dict[str, Any]) -> dict[str, Any]:
        params = message.get("params", {})
        result = {"pid": os.getpid(), "read_only": self.own.read_only, "method": method}
        if method == "slow":
            await anyio.sleep(params["seconds"])
        elif method == "big":
            result["text"] = "y" * params["size"]
        elif method == "poison":
            os.kill(os.getpid(), signal.SIGKILL)
        elif method == "torn" and first(params["once"]):
            await self.stream.send(b'{"jsonrpc": "2.0", "id": ')
            os.kill(os.getpid(), signal.SIGKILL)
        elif method == "resources/subscribe":
            self.subscribed.append(params["uri"])
        elif method == "subscriptions/listen":
            await self.listen(message["id"])
        elif method == "ask":
            result["said"] = await self.ask()
        return {**result, "initialized": self.initialized, "subscribed": self.subscribed}

    async def listen(self, ident: object) -> None:
        meta = {"io.modelcontextprotocol/subscriptionId": ident}
        heard = {"_meta": meta, "notifications": {"resourcesListChanged": True}}
        await self.send({"method": "notifications/subscriptions/acknowledged", "params": heard})
        await anyio.sleep_forever()

    async def ask(self) -> Any:
        self.asking += 1
        number = self.asking
        self.answers[number] = anyio.Event()
        await self.send({"id": number, "method": "elicitation/create", "params": {}})
        await self.answers[number].wait()
        return self.said[number]

    async def send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        with anyio.CancelScope(shield=True):
            try:
                await self.stream.send(data)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return


def first(marker: str) -> bool:
    """Say whether nobody was here before."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


@asynccontextmanager
async def compose(settings: Settings) -> AsyncGenerator[StandIn]:
    match settings.roots[0].name:
        case "broken":
            raise Unavailable("The vault is broken. Mend it.")
        case "bug":
            raise RuntimeError("a bug")
        case _:
            pass
    yield StandIn(settings)


def settings_of(vault: Path, state: Path, **choices: Any) -> Settings:
    return Settings((Root(vault.name, vault),), state, **choices)


def main(command: str, vault: str, state: str, *rest: str) -> None:
    settings = settings_of(Path(vault), Path(state), read_only="--read-only" in rest)
    try:
        if command == "mcp":
            stdio.relay(settings, compose)
        else:
            from commonplace.cli.commands.programs.serve import serve

            port = int(rest[0])
            serve(settings, "127.0.0.1", port, ready=partial(print, flush=True), compose=compose)
    except CommonplaceError as error:
        sys.exit(fail(error))


if __name__ == "__main__":
    main(*sys.argv[1:])
