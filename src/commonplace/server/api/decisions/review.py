"""JSON for review: what waits, decisions, undo, and the ledger. Only people come here."""

import json
from collections.abc import Mapping
from typing import cast

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace.errors import BadArgument, NotFound
from commonplace.server.api import answering, guarded
from commonplace.server.holders import who
from commonplace.vault.index import Pending
from commonplace.vault.vault import Vault
from commonplace.vault.waiting import Wanted

PAGE = 200
PAGE_MAX = 1000
LEDGER_MAX = 500
REASON_MAX = 2000

Body = Mapping[str, object]


def routes(vault: Vault, *, read_only: bool = False) -> list[Route]:
    """Make the routes over one vault; one that is only read can still be looked through."""

    async def suggestions(request: Request) -> Response:
        given = request.query_params
        start = _whole(given.get("cursor", "0"))
        limit = min(_whole(given.get("limit", str(PAGE))), PAGE_MAX)
        shown, total = await vault.pending_page(_wanted(given), start, limit)
        more = start + limit if start + limit < total else None
        rows = [_row(each) for each in shown]
        return JSONResponse({"total": total, "suggestions": rows, "cursor": more})

    async def review(request: Request) -> Response:
        body = await body_of(request)
        verdict = body.get("decision")
        if verdict not in ("accept", "reject"):
            raise BadArgument('decision must be "accept" or "reject".')
        chosen = await _chosen(vault, body)
        reason = str(body.get("reason") or "")[:REASON_MAX]
        if (text := body.get("text")) is not None:
            ((path, (id, *_)),) = chosen.items()
            done = await vault.accept_as(path, id, str(text), who(request.scope, body))
        else:
            done = await vault.decide(verdict, chosen, who(request.scope, body), reason)
        decided = [{"path": path, "id": id} for path, id in done.decided]
        return JSONResponse({"decided": decided, "conflicts": [], "undo": done.undo})

    async def undo(request: Request) -> Response:
        body = await body_of(request)
        return JSONResponse({"undone": await vault.undo(str(body.get("undo") or ""))})

    async def ledger(request: Request) -> Response:
        await vault.review.ledger.load()
        limit = min(_whole(request.query_params.get("limit", "100")), LEDGER_MAX)
        rows = vault.review.ledger.decisions(limit)
        names = ("time", "who", "decision", "path", "old", "new", "author", "reason")
        return JSONResponse({"entries": [{n: getattr(row, n) for n in names} for row in rows]})

    reading = [
        Route("/api/suggestions", answering(suggestions)),
        Route("/api/review/ledger", answering(ledger)),
    ]
    writing = [
        Route("/api/review", guarded(review), methods=["POST"]),
        Route("/api/review/undo", guarded(undo), methods=["POST"]),
    ]
    return reading if read_only else [*reading, *writing]


async def body_of(request: Request) -> Body:
    """Return the JSON object that a request carries."""
    try:
        body = json.loads(await request.body())
    except ValueError:
        raise BadArgument("The body must be JSON.") from None
    if not isinstance(body, dict):
        raise BadArgument("The body must be a JSON object.")
    return cast("Body", body)


async def _chosen(vault: Vault, body: Body) -> dict[str, list[str]]:
    """Work out which suggestions a request means."""
    named = body.get("suggestions")
    if isinstance(named, list):
        pairs = [_pair(one) for one in cast("list[object]", named)]
    elif any(body.get(key) for key in ("path", "author", "all")):
        path, author = (str(body.get(key) or "") for key in ("path", "author"))
        pending, _ = await vault.pending_page(Wanted(path or None, author=author or None))
        pairs = [(each.path, each.id) for each in pending]
    else:
        raise BadArgument("Name suggestions, a path, an author, or all.")
    if not pairs:
        raise NotFound("There is nothing to decide.")
    chosen: dict[str, list[str]] = {}
    for path, id in pairs:
        chosen.setdefault(path, []).append(id)
    return chosen


def _pair(one: object) -> tuple[str, str]:
    if isinstance(one, dict):
        row = cast("dict[str, object]", one)
        path, id = row.get("path"), row.get("id")
        if isinstance(path, str) and isinstance(id, str):
            return path, id
    raise BadArgument("Each suggestion is named by its path and id.")


def _wanted(given: Mapping[str, str]) -> Wanted:
    path, folder, author, kind = (given.get(k) for k in ("path", "folder", "author", "kind"))
    before = given.get("before")
    return Wanted(path, folder, author, kind or None, _whole(before) / 1000 if before else None)


def _row(each: Pending) -> dict[str, object]:
    return {
        "id": each.id,
        "path": each.path,
        "kind": each.kind,
        "line": each.line,
        "old": each.old,
        "new": each.new,
        "author": each.author,
        "time": None if each.time is None else int(each.time * 1000),
        "before": each.before,
        "after": each.after,
    }


def _whole(given: str) -> int:
    if not given.isascii() or not given.isdigit() or len(given) > 15:
        raise BadArgument(f"{given[:20]!r} is no whole number.")
    return int(given)
