"""JSON for the history: what changed, each line's author, restoring, and undo. People only."""

import time
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace.errors import BadArgument
from commonplace.server.access.identity import who
from commonplace.server.api.answers import answering, guarded
from commonplace.server.api.decisions.set_desk import SetDesk
from commonplace.server.body import Body, body_of, whole_number
from commonplace.vault.history.moments import since
from commonplace.vault.history.timeline import TimelineQuery
from commonplace.vault.vault import Vault

_PAGE = 50
_PAGE_MAX = 500


def routes(vault: Vault, *, read_only: bool = False) -> list[Route]:
    """Make the routes over one vault; one that is only read can still be looked through."""
    sets = SetDesk(vault.sets)

    async def page(request: Request) -> Response:
        given = request.query_params
        if given.get("set"):
            return JSONResponse(await sets.history(_number(given, "set")))
        texts = {name: given.get(name, "") for name in ("path", "folder", "by", "cause")}
        asked = TimelineQuery(
            **texts,
            since=since(given.get("since", ""), time.time()),
            before=_number(given, "before"),
            after=_number(given, "after"),
            limit=min(whole_number(given.get("limit", str(_PAGE)), "limit", least=1), _PAGE_MAX),
            offset=_number(given, "offset"),
        )
        found = await vault.timeline.page(asked)
        return JSONResponse(dict(found))

    async def blame(request: Request) -> Response:
        given = request.query_params
        path = given.get("path", "")
        if given.get("spans"):
            return JSONResponse(dict(await vault.timeline.spans(path)))
        return JSONResponse(dict(await vault.timeline.blame(path)))

    async def revision(request: Request) -> Response:
        given = request.query_params
        found = await vault.timeline.diff(_number(given, "id"), _number(given, "other"))
        return JSONResponse(dict(found))

    async def restore(request: Request) -> Response:
        body = await body_of(request)
        number = whole_number(str(body.get("revision", "")), "revision", least=1)
        return JSONResponse(dict(await vault.timeline.restore(number, who(request.scope, body))))

    async def forget(request: Request) -> Response:
        body = await body_of(request)
        passage, path = str(body.get("passage") or ""), str(body.get("path") or "")
        return JSONResponse(dict(await vault.timeline.forget(passage, path)))

    async def preview(request: Request) -> Response:
        return JSONResponse(dict(await vault.undo.preview(**_chosen(request.query_params))))

    async def undo(request: Request) -> Response:
        body = await body_of(request)
        by = who(request.scope, {"who": body.get("who")})
        return JSONResponse(dict(await vault.undo.undo(by, **_chosen(body))))

    reading = [
        Route("/api/history", answering(page)),
        Route("/api/history/blame", answering(blame)),
        Route("/api/history/revision", answering(revision)),
        Route("/api/undo", answering(preview)),
    ]
    writing = [
        Route("/api/history/restore", guarded(restore), methods=["POST"]),
        Route("/api/history/forget", guarded(forget), methods=["POST"]),
        Route("/api/undo", guarded(undo), methods=["POST"]),
    ]
    return reading if read_only else [*reading, *writing]


def _number(given: Mapping[str, str], name: str) -> int:
    return whole_number(given.get(name) or "0", name)


def _chosen(given: Mapping[str, str] | Body) -> dict[str, Any]:
    """Return whose changes an undo is about."""
    texts = {name: str(given.get(name) or "") for name in ("by", "path", "set")}
    if not (texts["by"] or texts["set"]):
        raise BadArgument("Say whose changes to take back (by), or which undo (set).")
    return {**texts, "since": since(str(given.get("since") or ""), time.time())}
