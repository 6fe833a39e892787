"""News about notes, brought to every session that asked for it, in either protocol era.

A 2026-era client opens `subscriptions/listen`; the SDK's `ListenHandler` serves it from this bus.
A 2025-era session is told on its own connection, by a task of its own, so that a client which
stops reading holds up nobody. Every notice only says "read again", so notices wait in a set, not
in a queue: however much changes while a client sleeps, what it is owed stays small.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import anyio
from anyio.abc import TaskGroup
from anyio.lowlevel import checkpoint
from mcp import MCPError
from mcp.server import Server
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)
from mcp_types import INVALID_PARAMS

from commonplace.server.mcp.ports import BURST_SECONDS, NoteEvent, Notes
from commonplace.server.mcp.uris import canonical, note_uri
from commonplace.vault.supervisor import Supervisor, tell_failure

SUBSCRIPTIONS_MAX = 1_000

EventListener = Callable[[ServerEvent], None]


class Subscriber:
    """A session of the 2025 era: what it wants to hear of, and what it has not been told yet."""

    def __init__(self, session: ServerSession) -> None:
        self.scope = anyio.CancelScope()
        self._session = session
        self._wanted: dict[str, str] = {}
        self._due: dict[ServerEvent, None] = {}
        self._news = anyio.Event()

    def want(self, uri: str) -> None:
        """Hear of changes to this resource from now on, under the name the client gave it."""
        if len(self._wanted) >= SUBSCRIPTIONS_MAX and canonical(uri) not in self._wanted:
            text = f"This session follows {SUBSCRIPTIONS_MAX} resources. Unsubscribe from some."
            raise MCPError(INVALID_PARAMS, text)
        self._wanted[canonical(uri)] = uri

    def ignore(self, uri: str) -> None:
        """Hear no more of it."""
        self._wanted.pop(canonical(uri), None)

    def hear(self, event: ServerEvent) -> None:
        """Note an event down for the client, if it wants it."""
        if isinstance(event, ResourceUpdated):
            if event.uri not in self._wanted:
                return
            event = ResourceUpdated(self._wanted[event.uri])
        self._due[event] = None
        self._news.set()

    async def run(self) -> None:
        """Tell the client what it is owed, until its connection ends."""
        with self.scope:
            while True:
                await self._news.wait()
                self._news = anyio.Event()
                while self._due:
                    event = next(iter(self._due))
                    del self._due[event]
                    await self._tell(event)

    async def _tell(self, event: ServerEvent) -> None:
        match event:
            case ResourceUpdated(uri):
                await self._session.send_resource_updated(uri)
            case ResourcesListChanged():
                await self._session.send_resource_list_changed()
            case ToolsListChanged():
                await self._session.send_tool_list_changed()
            case PromptsListChanged():
                await self._session.send_prompt_list_changed()


class Feed:
    """A subscription bus that is also fed by the notes; one for each lifespan of the server."""

    def __init__(self, tasks: TaskGroup) -> None:
        self.listen = ListenHandler(self)
        self._tasks = tasks
        self._listeners: dict[object, EventListener] = {}
        self._subscribers: dict[Connection, Subscriber] = {}
        self._pending: dict[ServerEvent, None] = {}
        self._news = anyio.Event()

    def subscribe(self, listener: EventListener) -> Callable[[], None]:
        """Register a listener; call what is returned to take it off again."""
        token = object()
        self._listeners[token] = listener

        def unsubscribe() -> None:
            self._listeners.pop(token, None)

        return unsubscribe

    async def publish(self, event: ServerEvent) -> None:
        """Hand an event to every listener, and let them run."""
        for listener in tuple(self._listeners.values()):
            try:
                listener(event)
            except Exception as error:  # noqa: BLE001 (each by itself: the others hear of it)
                tell_failure("A client could not be told of a change.", error)
        await checkpoint()

    def note(self, change: NoteEvent) -> None:
        """Take in a change to a note; it is published when things have settled."""
        if not self._listeners:
            return
        self._pending[ResourceUpdated(note_uri(change.path))] = None
        if change.kind != "changed":
            self._pending[ResourcesListChanged()] = None
        self._news.set()

    async def run(self) -> None:
        """Publish changes, each burst of them once."""
        while True:
            await self._news.wait()
            await anyio.sleep(BURST_SECONDS)
            self._news = anyio.Event()
            settled, self._pending = self._pending, {}
            for event in settled:
                await self.publish(event)

    def subscriber(self, ctx: ServerRequestContext[Any, Any]) -> Subscriber:
        """Find the 2025-era session that a request belongs to, or begin to serve it."""
        connection = _connection_of(ctx)
        if connection not in self._subscribers:
            subscriber = self._subscribers[connection] = Subscriber(ctx.session)
            connection.exit_stack.callback(self._forget, connection)
            connection.exit_stack.callback(self.subscribe(subscriber.hear))
            self._tasks.start_soon(self._serve, subscriber)
        return self._subscribers[connection]

    @staticmethod
    async def _serve(subscriber: Subscriber) -> None:
        try:
            await subscriber.run()
        except Exception as error:  # noqa: BLE001 (that session alone hears no more)
            tell_failure("A client can no longer be told of changes.", error)

    def _forget(self, connection: Connection) -> None:
        self._subscribers.pop(connection).scope.cancel()


def feeding(notes: Notes) -> Callable[[Server[Feed]], AbstractAsyncContextManager[Feed]]:
    """Make a lifespan for the server: a feed that follows these notes.

    A stream session has a lifespan to itself; all HTTP sessions share one.
    """

    @asynccontextmanager
    async def lifespan(_: Server[Feed]) -> AsyncGenerator[Feed]:
        async with anyio.create_task_group() as tasks:
            feed = Feed(tasks)
            unfollow = notes.follow(feed.note)
            tasks.start_soon(Supervisor().keep, feed.run, "The feed of changes")
            try:
                yield feed
            finally:
                unfollow()
                tasks.cancel_scope.cancel()

    return lifespan


def _connection_of(ctx: ServerRequestContext[Any, Any]) -> Connection:
    """Reach a session's connection: the SDK has no public way to learn that a session ended."""
    return ctx.session._connection  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
