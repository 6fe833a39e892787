"""Answers to what every client asks first, given while the owner is still being loaded.

Only by a process that owns the vault itself, so that whoever answers later is of the same version
and has the same tools. Which of them the vault can offer is known when it is open: `tools/list`
waits. What the client was told is said to the owner as soon as it is there.
"""

from commonplace import __version__
from commonplace.server.mcp.direct.introduction import Introduction
from commonplace.server.mcp.direct.requests import Opening, recognize, replayed_opening
from commonplace.server.relay.jsonrpc import JsonRpcMessage
from commonplace.tools.families import offered
from commonplace.vault.settings import Settings


class FirstAnswers:
    """What one client is told of this server before the vault is open."""

    def __init__(self, settings: Settings) -> None:
        names = offered(settings.families, read_only=settings.read_only)
        self._introduction = Introduction(names, __version__)
        self._opening: Opening | None = None
        self.opening_message: JsonRpcMessage | None = None
        """What tells an owner how this client opened its session."""

    def answer(self, message: JsonRpcMessage) -> bytes | None:
        """Answer a request; None if the owner has to."""
        request = recognize(message, self._opening, ())
        if request is None or request.needs_tools:
            return None
        if self._opening is None:
            self._opening, self.opening_message = request.opening, replayed_opening(message)
        return self._introduction.answer(request)
