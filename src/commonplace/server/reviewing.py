"""JSON for review: what waits, decisions, undo, and the ledger. Only people come here.

Ids count like suggestions of a note from the first, so a decision may tell how many it saw
(`alike`): if there are more or fewer by now, its id could mean another one, and it is refused.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import cast

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace.errors import BadArgument, NotFound
from commonplace.server.api import answering, guarded
from commonplace.server.holders import who
from commonplace.vault.index import Pending
from commonplace.vault.vault import Vault

PAGE = 200
PAGE_MAX = 1000
LEDGER_MAX = 500
REASON_MAX = 2000

Body = Mapping[str, object]


def routes(vault: Vault, *, read_only: bool = False) -> list[Route]:
    """Make the routes over one vault; one that is only read can still be looked through."""

    async def suggestions(request: Request) -> Response:
        given = request.query_params
        wanted = _filter(given)
        pending = await vault.pending(given.get("path"))
        found = [each for each in pending if wanted(each)]
        start = _whole(given.get("cursor", "0"))
        limit = min(_whole(given.get("limit", str(PAGE))), PAGE_MAX)
        shown = found[start : start + limit]
        more = start + limit if start + limit < len(found) else None
        alike = Counter(_texts(each) for each in pending)
        rows = [_row(each) | {"alike": alike[_texts(each)]} for each in shown]
        return JSONResponse({"total": len(found), "suggestions": rows, "cursor": more})

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


async def _chosen(vault: Vault, body: Body) -> dict[str, dict[str, int]]:
    """Work out which suggestions a request means, and how many like each it has seen."""
    named = body.get("suggestions")
    if isinstance(named, list):
        pairs = [_pair(one) for one in cast("list[object]", named)]
    elif any(body.get(key) for key in ("path", "author", "all")):
        path, author = body.get("path"), body.get("author")
        pending = await vault.pending(str(path) if path else None)
        pairs = [(p.path, p.id, 0) for p in pending if not author or p.author == author]
    else:
        raise BadArgument("Name suggestions, a path, an author, or all.")
    if not pairs:
        raise NotFound("There is nothing to decide.")
    chosen: dict[str, dict[str, int]] = {}
    for path, id, alike in pairs:
        chosen.setdefault(path, {})[id] = alike
    return chosen


def _texts(each: Pending) -> tuple[str, str, str]:
    return each.path, each.old, each.new


def _pair(one: object) -> tuple[str, str, int]:
    if isinstance(one, dict):
        row = cast("dict[str, object]", one)
        path, id, alike = row.get("path"), row.get("id"), row.get("alike", 0)
        if isinstance(path, str) and isinstance(id, str) and isinstance(alike, int):
            return path, id, alike
    raise BadArgument("Each suggestion is named by its path and id.")


def _filter(given: Mapping[str, str]) -> Callable[[Pending], bool]:
    folder, author, kind, before = (given.get(k) for k in ("folder", "author", "kind", "before"))
    inside = f"{folder.rstrip('/')}/" if folder else ""
    latest = _whole(before) / 1000 if before else None

    def wanted(each: Pending) -> bool:
        return (
            each.path.startswith(inside)
            and (not author or each.author == author)
            and (not kind or each.kind == kind)
            and (latest is None or (each.time is not None and each.time <= latest))
        )

    return wanted


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
