"""JSON for people's answers to what assistants want to write, and for what is always allowed."""

from typing import cast

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace.errors import BadArgument
from commonplace.server.access.identity import who
from commonplace.server.api.answers import answering, guarded
from commonplace.server.api.decisions import rows
from commonplace.server.body import Body, body_of, whole_number
from commonplace.vault.permissions.approvals import WAITING_MAX
from commonplace.vault.permissions.requests import PermissionChoice
from commonplace.vault.vault import Vault


def routes(vault: Vault) -> list[Route]:
    """Make the routes over one vault."""
    approving = _Approving(vault)
    post = ["POST"]
    return [
        Route("/api/approvals", answering(approving.list)),
        Route("/api/approvals", guarded(approving.decide_several), methods=post),
        Route("/api/approvals/{id}", guarded(approving.decide), methods=post),
        Route("/api/remembered", answering(approving.remembered)),
        Route("/api/remembered/revoke", guarded(approving.revoke), methods=post),
        Route("/api/remembered/forget", guarded(approving.forget), methods=post),
    ]


REASON_CHARS_MAX = 2_000


class _Approving:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def list(self, _: Request) -> Response:
        """List what waits for an answer."""
        waiting = await self._vault.permissions.waiting()
        return JSONResponse({"approvals": [rows.approval(one) for one in waiting]})

    async def decide(self, request: Request) -> Response:
        """Approve, which has it done, or deny."""
        body = await body_of(request)
        id, by = whole_number(request.path_params["id"], "id"), who(request.scope, body)
        answers = self._vault.sets.answers
        match body.get("decision"):
            case "approve":
                done = await answers.give(by, [id], scope=_scope(body))
                return JSONResponse({"state": "approved", "result": done[id]})
            case "deny":
                await answers.give(by, denied=[id], reason=_reason(body))
                return JSONResponse({"state": "denied"})
            case _:
                raise BadArgument('decision must be "approve" or "deny".')

    async def decide_several(self, request: Request) -> Response:
        """Approve some and deny others: all of it, or nothing."""
        body = await body_of(request)
        approved, denied = _numbers(body, "approve"), _numbers(body, "deny")
        if not approved and not denied:
            raise BadArgument("approve and deny are empty: name the writes by their numbers.")
        if set(approved) & set(denied):
            raise BadArgument("A write is either approved or denied, not both.")
        done = await self._vault.sets.answers.give(
            who(request.scope, body), approved, denied, scope=_scope(body), reason=_reason(body)
        )
        return JSONResponse(
            {
                "approved": [{"id": str(id), "result": done[id]} for id in approved],
                "denied": [{"id": str(id)} for id in denied],
            }
        )

    async def remembered(self, _: Request) -> Response:
        """List what is always allowed."""
        found = await self._vault.permissions.remembered()
        return JSONResponse({"remembered": [rows.grant(each) for each in found]})

    async def revoke(self, request: Request) -> Response:
        """Ask again about one of them."""
        await self._vault.permissions.revoke(str((await body_of(request)).get("key", "")))
        return await self.remembered(request)

    async def forget(self, _: Request) -> Response:
        """Ask again about everything."""
        await self._vault.permissions.forget_remembered()
        return JSONResponse({"remembered": []})


def _numbers(body: Body, name: str) -> list[int]:
    given = body.get(name, [])
    named = cast("list[object]", given) if isinstance(given, list) else None
    if named is None or len(named) > WAITING_MAX:
        raise BadArgument(f"{name} must be a list of at most {WAITING_MAX} numbers.")
    return [whole_number(str(each), name) for each in named]


def _reason(body: Body) -> str:
    reason = body.get("reason", "")
    if not isinstance(reason, str) or len(reason) > REASON_CHARS_MAX:
        raise BadArgument(f"reason must be text of at most {REASON_CHARS_MAX} characters.")
    return " ".join(reason.split())


def _scope(body: Body) -> PermissionChoice:
    scope = body.get("scope", "once")
    if scope not in ("once", "session", "always"):
        raise BadArgument('scope must be "once", "session" or "always".')
    return cast("PermissionChoice", scope)
