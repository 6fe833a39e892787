"""`semantic_search` of the `notes` family: offered where a provider of embeddings works."""

import json
from collections.abc import Mapping
from typing import cast

from commonplace.core.search.query import RESULTS_MAX
from commonplace.errors import BadArgument
from commonplace.tools.parameters import text, whole_number
from commonplace.tools.table import Answer, Call, Tool, definition
from commonplace.vault.search import undecided_hits
from commonplace.vault.vault import Vault


def tools(vault: Vault) -> list[Tool]:
    """Return the tool, if it can be offered."""

    async def semantic_search(call: Call, arguments: Mapping[str, object]) -> Answer:
        query = text(arguments, "query").strip()
        if not query:
            raise BadArgument("`query` is empty. Say what to search for.")
        limit = whole_number(arguments, "limit", 10, least=1, most=RESULTS_MAX)
        filters = cast("Mapping[str, object] | None", arguments.get("filters"))
        hits = await vault.search.search(query, limit, filters or None)
        about = {hit.path: await vault.listing.about(hit.path) for hit in hits}
        results = [
            {
                "path": hit.path,
                "score": hit.score,
                "snippet": hit.snippet,
                "frontmatter": about[hit.path].properties,
                "word_count": about[hit.path].words or 0,
            }
            for hit in hits
        ]
        progress = vault.meaning.progress
        answer: dict[str, object] = {"query": query, "results": results, "count": len(results)}
        if progress.embedded < progress.total or progress.problem:
            answer["indexed"] = {"embedded": progress.embedded, "total": progress.total}
        if progress.embedded < progress.total and not progress.problem:
            answer["_incomplete"] = {"indexed": progress.embedded, "total": progress.total}
        if progress.problem:
            answer["note"] = f"Searched by words alone: {progress.problem}"
        notes = undecided_hits.of_places([hit.path for hit in hits if hit.undecided])
        return Answer(json.dumps(answer, ensure_ascii=False), notes=notes)

    if not vault.meaning.works:
        return []
    return [
        Tool(
            definition("semantic_search"),
            "notes",
            writes=False,
            run=semantic_search,
            ready=vault.readiness.indexed,
        )
    ]
