"""The SDK's application over HTTP, told what the guard lets in and who comes with a token."""

from typing import Any

from mcp.server import Server
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from commonplace.server.access.guard import BODY_MAX, Guard
from commonplace.server.access.identity import token_of


def sdk_app(server: Server[Any], guard: Guard, sessions_max: int) -> ASGIApp:
    """Make the application; it serves while the server's session manager runs."""
    app = server.streamable_http_app(
        transport_security=transport_security(guard),
        max_request_body_size=BODY_MAX,
        max_sessions=sessions_max,
    )
    return _WithUser(AuthContextMiddleware(app))


def transport_security(guard: Guard) -> TransportSecuritySettings:
    """Tell the SDK to let in, at the least, whatever the guard lets in."""
    hosts = [name + port for name in guard.hosts for port in ("", ":*")]
    ours = [scheme + host for scheme in ("http://", "https://") for host in hosts]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=hosts,
        allowed_origins=[*ours, *guard.origins],
    )


class _WithUser:
    """An ASGI application: the SDK binds a session, and what it seals for a client, to its user."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request in the name of whoever holds its token; the secret is not passed on."""
        if token := token_of(scope):
            known = AccessToken(token="", client_id=token.id, scopes=[token.scope])
            scope = {**scope, "user": AuthenticatedUser(known)}
        await self._app(scope, receive, send)
