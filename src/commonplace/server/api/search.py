"""JSON for the page's search box and for its palette: notes by a query, and by other names."""

from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace.core.search import query as search_query
from commonplace.core.text import words
from commonplace.errors import BadArgument
from commonplace.server.api.answers import answering, limit_of, query_of
from commonplace.vault.search.search import Order
from commonplace.vault.vault import Vault

_NAMES_MAX = 20
HEADINGS_MAX = 12
_HEADING_CHARS_MIN = 2
_ORDERS = ("relevance", "modified", "name")


def routes(vault: Vault) -> list[Route]:
    """Make the routes over one vault."""

    async def find(request: Request) -> Response:
        query = search_query.parse(query_of(request))
        hits = await vault.search.find(query, limit_of(request), _order(request))
        # Said of each word that is looked for, so that the page marks those and no others.
        terms = words.query_terms(query.text) if query.text else []
        return JSONResponse({"terms": terms, "hits": [asdict(hit) for hit in hits]})

    async def names(request: Request) -> Response:
        typed = query_of(request)
        found = [
            {"path": each.path, "name": each.name, "kind": each.kind.name.lower()}
            for each in await vault.listing.other_names(typed, _NAMES_MAX)
        ]
        if len(typed) >= _HEADING_CHARS_MIN:
            found += [
                {"path": path, "name": heading, "kind": "heading"}
                for path, heading in await vault.search.headings(typed, HEADINGS_MAX)
            ]
        return JSONResponse({"names": found})

    return [Route("/api/find", answering(find)), Route("/api/names", answering(names))]


def _order(request: Request) -> Order:
    order = request.query_params.get("sort", "relevance")
    if order not in _ORDERS:
        raise BadArgument(f"sort must be one of {', '.join(_ORDERS)}.")
    return order
