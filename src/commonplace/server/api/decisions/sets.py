"""JSON for change sets: what they hold, decisions, undo, and how people arrange them."""

from typing import cast

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace.errors import BadArgument
from commonplace.server.access.identity import who
from commonplace.server.api.answers import answering, guarded
from commonplace.server.api.decisions.review import REASON_MAX, pair
from commonplace.server.api.decisions.set_desk import SetDesk, summary
from commonplace.server.body import Body, body_of, whole_number
from commonplace.vault.sets.decide import Chosen
from commonplace.vault.vault import Vault


def routes(vault: Vault, *, read_only: bool = False) -> list[Route]:
    """Make the routes over one vault; one that is only read can still be looked through."""
    api = _SetsApi(vault)
    post = ["POST"]
    reading = [
        Route("/api/sets", answering(api.list)),
        Route("/api/sets/{number:int}", answering(api.get)),
        Route("/api/sets/{number:int}/following", answering(api.following)),
    ]
    writing = [
        Route("/api/sets/merge", guarded(api.merge), methods=post),
        Route("/api/sets/{number:int}/decide", guarded(api.decide), methods=post),
        Route("/api/sets/{number:int}/undo", guarded(api.undo), methods=post),
        Route("/api/sets/{number:int}/rename", guarded(api.rename), methods=post),
        Route("/api/sets/{number:int}/split", guarded(api.split), methods=post),
        Route("/api/sets/{number:int}/send_back", guarded(api.send_back), methods=post),
    ]
    return reading if read_only else [*reading, *writing]


class _SetsApi:
    def __init__(self, vault: Vault) -> None:
        self._sets = vault.sets
        self._desk = SetDesk(vault.sets)

    async def list(self, _: Request) -> Response:
        """List all sets, the latest first."""
        return JSONResponse({"sets": await self._desk.listed()})

    async def get(self, request: Request) -> Response:
        """Show one set with all that it refers to."""
        return JSONResponse(await self._desk.shown(_number(request)))

    async def decide(self, request: Request) -> Response:
        """Accept or reject part of a set, or all of it; `soon`: answer once it is on record."""
        body = await body_of(request)
        verdict = body.get("decision")
        if verdict not in ("accept", "reject"):
            raise BadArgument('decision must be "accept" or "reject".')
        reason = str(body.get("reason") or "")[:REASON_MAX]
        number, person = _number(request), who(request.scope, body)
        decide = self._desk.decide_soon if body.get("soon") is True else self._desk.decide
        done = await decide(number, verdict, _chosen(body), person, reason)
        return JSONResponse({"decision": done, "following": self._desk.following(number)})

    async def following(self, request: Request) -> Response:
        """Tell what is yet to follow of the last decision on a set."""
        return JSONResponse({"following": self._desk.following(_number(request))})

    async def undo(self, request: Request) -> Response:
        """Take back the last decision on a set, or one that is named."""
        body = await body_of(request)
        named = body.get("decision")
        id = None if named is None else whole_number(str(named), "decision")
        undone = await self._desk.undo(_number(request), who(request.scope, body), id)
        return JSONResponse({"undone": undone})

    async def rename(self, request: Request) -> Response:
        """Give a set another title."""
        body = await body_of(request)
        await self._sets.kept.rename(_number(request), _text(body, "title"))
        return await self._summary(_number(request))

    async def split(self, request: Request) -> Response:
        """Make a set of its own of what was written to some notes."""
        body = await body_of(request)
        named = {str(path) for path in _list(body, "paths")}
        fresh = await self._sets.kept.split(_number(request), named, _text(body, "title"))
        return await self._summary(fresh.number)

    async def merge(self, request: Request) -> Response:
        """Make one set of several."""
        listed = _list(await body_of(request), "sets")
        numbers = [whole_number(str(n), "sets") for n in listed]
        return await self._summary((await self._sets.kept.merge(numbers)).number)

    async def send_back(self, request: Request) -> Response:
        """Let a set wait for its assistant."""
        body = await body_of(request)
        await self._sets.kept.send_back(_number(request), _text(body, "reason"))
        return await self._summary(_number(request))

    async def _summary(self, number: int) -> Response:
        contents = await self._sets.reader.get(number)
        return JSONResponse({"set": summary(contents.summary)})


def _chosen(body: Body) -> Chosen:
    changes: dict[str, list[str]] = {}
    for path, id in map(pair, _list(body, "changes")):
        changes.setdefault(path, []).append(id)
    writes = [whole_number(str(n), "writes") for n in _list(body, "writes")]
    text = body.get("text")
    if text is not None and (writes or len(changes) != 1 or len(*changes.values()) != 1):
        raise BadArgument("text is for one change alone.")
    return Chosen(changes, writes, None if text is None else str(text))


def _number(request: Request) -> int:
    return int(request.path_params["number"])


def _text(body: Body, name: str) -> str:
    return str(body.get(name) or "")


def _list(body: Body, name: str) -> list[object]:
    found = body.get(name, [])
    if not isinstance(found, list):
        raise BadArgument(f"{name} must be a list.")
    return cast("list[object]", found)
