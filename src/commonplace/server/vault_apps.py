"""The HTTP apps over a vault, and over the parts of it that views show: routes, door, rooms."""

import logging
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from starlette.types import ASGIApp

from commonplace.core.view import View
from commonplace.errors import BadArgument
from commonplace.server.access.cookies import Sessions
from commonplace.server.access.door import Door
from commonplace.server.access.guard import LOOPBACK, Guard
from commonplace.server.access.state_key import state_key
from commonplace.server.access.ysweet_grants import Grants
from commonplace.server.api import (
    agents as agents_api,
    answers,
    attachments,
    browse,
    checkouts,
    connect,
    files,
    folders,
    graph,
    notes,
    page,
    search,
    tokens,
)
from commonplace.server.api.assistants import Visit, Visits
from commonplace.server.api.decisions import approvals, comments, history, review, sets
from commonplace.server.app import create_app, part_app
from commonplace.server.mcp.late_server import LateServer
from commonplace.server.mcp.stream import SessionService
from commonplace.server.mcp.tool_calls import ToolCalls
from commonplace.server.mcp.vault_resources import VaultResources
from commonplace.server.metrics.counts import Counters
from commonplace.server.metrics.process import process_families
from commonplace.server.metrics.route import metrics_route
from commonplace.server.metrics.text import Family
from commonplace.server.owner.pages import PageAddresses
from commonplace.server.parts import Parts
from commonplace.server.toolboxes import part_toolbox
from commonplace.server.yjs import sockets, ysweet
from commonplace.server.yjs.rooms import Rooms
from commonplace.server.yjs.seen_rooms import SeenRooms
from commonplace.server.yjs.vault_documents import VaultDocuments
from commonplace.vault.part import part_of
from commonplace.vault.settings import Settings
from commonplace.vault.shared_files.changes import SharedChanges
from commonplace.vault.vault import Vault

if TYPE_CHECKING:
    from commonplace.agent.agents import Agents

NO_TOKENS = (
    "Access tokens are required here, and this vault has no valid one. Create one:"
    " `commonplace token create NAME`, for the same vault. Then start again."
)
NO_TOKENS_YET = (
    "Nobody can come in yet: this vault has no valid access token. Create one on this machine:"
    " `commonplace token create NAME`, for the same vault and --state."
)

_logger = logging.getLogger(__name__)


class VaultApps:
    """The apps of one owner, which share their rooms."""

    def __init__(
        self,
        vault: Vault,
        visits: Visits,
        counts: Counters,
        pages: PageAddresses,
        *,
        agents: "Callable[[], Agents]",
        metrics: Callable[[], list[Family]],
        is_team: bool,
    ) -> None:
        self._vault = vault
        self._visits = visits
        self._counts = counts
        self._pages = pages
        self._agents = agents
        self._metrics = metrics
        self._is_team = is_team
        self._changes = SharedChanges(vault)
        self.rooms = Rooms(VaultDocuments(vault))
        vault.notes.moves.follow_gone(self.rooms.note_gone)
        vault.notes.documents.follow_restarts(self.rooms.note_restarted)
        visits.follow(self._show)

    def app(self, own: Settings, service: SessionService) -> ASGIApp:
        """Make an app over the whole vault."""
        vault, visits, closed = self._vault, self._visits, own.read_only
        guard, door = Guard.also(own.access.hosts), self._door(own)
        routes = [
            metrics_route(lambda: [*process_families(), *self._metrics()]),
            *page.routes(),
            *answers.routes(vault, read_only=closed),
            *browse.routes(vault, visits),
            *graph.routes(vault),
            *search.routes(vault),
            *folders.routes(vault, read_only=closed),
            *attachments.routes(vault, read_only=closed),
            *files.routes(vault, self._changes, read_only=closed),
            *connect.routes(own, visits, shared=self._is_team),
            *review.routes(vault, read_only=closed),
            *history.routes(vault, read_only=closed),
            *sets.routes(vault, read_only=closed),
            *([] if closed else comments.routes(vault)),
            *([] if closed else approvals.routes(vault)),
            *([] if closed else notes.routes(vault)),
            *(tokens.routes(vault.tokens) if own.access.desk else []),
            *(checkouts.routes(vault) if own.access.desk and not closed else []),
            *(
                agents_api.routes(self._agents, self._pages.address)
                if self._offers_agents(own)
                else []
            ),
            *sockets.routes(self.rooms, read_only=closed),
            *ysweet.routes(
                self.rooms,
                key=state_key(own.state),
                read_only=closed,
                prefix=own.access.prefix,
            ),
        ]
        return create_app(
            service.server,
            routes,
            direct=service.direct,
            guard=guard,
            door=door,
            ready=self._missing,
            parts=Parts(partial(self._part, own, guard)),
            counts=self._counts,
        )

    def _offers_agents(self, own: Settings) -> bool:
        """Tell whether agents may be used here: by the person of this machine, or as they say."""
        if own.read_only:
            return False
        others = own.access.token or not set(own.access.hosts) <= set(LOOPBACK)
        if own.access.desk or not others:
            return True
        try:
            return self._agents().personal().serve_agents
        except BadArgument:
            return False  # whoever uses an agent at this machine is told what is wrong

    @asynccontextmanager
    async def _part(self, own: Settings, guard: Guard, view: View) -> AsyncGenerator[ASGIApp]:
        """Give an app over the part of the vault that a view shows."""
        closed, key = own.read_only, state_key(own.state)
        async with part_of(self._vault, view) as vault:
            rooms = SeenRooms(self.rooms, self._vault, vault)
            calls = ToolCalls(part_toolbox(self._vault, vault, own), counts=self._counts)
            server = LateServer(calls, VaultResources(vault), key)
            routes = [
                *answers.routes(vault, read_only=closed),
                *browse.routes(vault, Visits()),
                *graph.routes(vault),
                *search.routes(vault),
                *attachments.routes(vault, read_only=True),
                *review.routes(vault, read_only=True),
                *([] if closed else notes.routes(vault)),
                *sockets.routes(rooms, read_only=closed),
                *ysweet.routes(rooms, key=key, read_only=closed, prefix=own.access.prefix),
            ]
            async with part_app(server.get, routes, guard) as app:
                yield app

    def _door(self, own: Settings) -> Door:
        tokens = self._vault.tokens
        if own.access.token and not tokens.any:
            if not self._is_team:
                raise BadArgument(NO_TOKENS)
            _logger.warning(NO_TOKENS_YET)  # a team's can only be made while a node runs
        key = state_key(own.state)
        return Door(tokens, Sessions(tokens, key), Grants(key, time.time), own.access.token)

    def _show(self, visit: Visit) -> None:
        """Show an assistant that works on a note to those who have it open."""
        path, known = visit.path or "", self._vault.notes.ids.known_id
        document = known(path) or known(f"{path}.md")
        if document is not None:
            self.rooms.announce(document, visit.name)

    async def _missing(self) -> list[str]:
        building = ["the index is being built"] if self._vault.listing.unfinished else []
        return [*building, *await self._vault.health.problems()]
