"""JSON for review: what waits, decisions, undo, and the ledger. Only people come here."""

from collections.abc import Mapping
from typing import cast

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace.errors import BadArgument, NotFound
from commonplace.server.access.identity import who
from commonplace.server.api.answers import answering, guarded
from commonplace.server.api.decisions.rows import suggestion
from commonplace.server.body import Body, body_of, whole_number
from commonplace.vault.suggestions.pending import SuggestionFilter
from commonplace.vault.vault import Vault

_PAGE = 200
_PAGE_MAX = 1000
LEDGER_MAX = 500
REASON_MAX = 2000


def routes(vault: Vault, *, read_only: bool = False) -> list[Route]:
    """Make the routes over one vault; one that is only read can still be looked through."""

    async def suggestions(request: Request) -> Response:
        given = request.query_params
        start = whole_number(given.get("cursor", "0"), "cursor")
        limit = min(whole_number(given.get("limit", str(_PAGE)), "limit"), _PAGE_MAX)
        shown, total = await vault.pending.page(_wanted(given), start, limit)
        more = start + limit if start + limit < total else None
        found = [suggestion(each) for each in shown]
        return JSONResponse({"total": total, "suggestions": found, "cursor": more})

    async def review(request: Request) -> Response:
        body = await body_of(request)
        verdict = body.get("decision")
        if verdict not in ("accept", "reject"):
            raise BadArgument('decision must be "accept" or "reject".')
        chosen = await _chosen(vault, body)
        reason = str(body.get("reason") or "")[:REASON_MAX]
        if (text := body.get("text")) is not None:
            ((path, (id, *_)),) = chosen.items()
            done = await vault.review.accept_as(path, id, str(text), who(request.scope, body))
        else:
            done = await vault.review.decide(verdict, chosen, who(request.scope, body), reason)
        decided = [{"path": path, "id": id} for path, id in done.decided]
        answer = {"decided": decided, "conflicts": [], "undo": done.undo, "late": [*done.late]}
        return JSONResponse(answer)

    async def undo(request: Request) -> Response:
        body = await body_of(request)
        return JSONResponse({"undone": await vault.review.undo(str(body.get("undo") or ""))})

    async def ledger(request: Request) -> Response:
        await vault.ledger.load()
        limit = min(whole_number(request.query_params.get("limit", "100"), "limit"), LEDGER_MAX)
        rows = vault.ledger.decisions(limit)
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


async def _chosen(vault: Vault, body: Body) -> dict[str, list[str]]:
    """Work out which suggestions a request means."""
    named = body.get("suggestions")
    if isinstance(named, list):
        pairs = [pair(one) for one in cast("list[object]", named)]
    elif any(body.get(key) for key in ("path", "author", "all")):
        path, author = (str(body.get(key) or "") for key in ("path", "author"))
        pending, _ = await vault.pending.page(SuggestionFilter(path or None, author=author or None))
        pairs = [(each.path, each.id) for each in pending]
    else:
        raise BadArgument("Name suggestions, a path, an author, or all.")
    if not pairs:
        raise NotFound("There is nothing to decide.")
    chosen: dict[str, list[str]] = {}
    for path, id in pairs:
        chosen.setdefault(path, []).append(id)
    return chosen


def pair(one: object) -> tuple[str, str]:
    """Read the path and the id that name a suggestion."""
    if isinstance(one, dict):
        row = cast("dict[str, object]", one)
        path, id = row.get("path"), row.get("id")
        if isinstance(path, str) and isinstance(id, str):
            return path, id
    raise BadArgument("Each suggestion is named by its path and id.")


def _wanted(given: Mapping[str, str]) -> SuggestionFilter:
    path, folder, author, kind = (given.get(k) for k in ("path", "folder", "author", "kind"))
    before = given.get("before")
    until = whole_number(before, "before") / 1000 if before else None
    return SuggestionFilter(path, folder, author, kind or None, until)
