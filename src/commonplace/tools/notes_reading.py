"""The `notes` family, what only reads: notes, metadata, lists, searches, figures.

Metadata, lists and property searches come from the index; no note is opened for them.
"""

import json
from collections.abc import Mapping
from datetime import date, timedelta
from functools import lru_cache
from typing import cast

from commonplace.core import excerpts, render
from commonplace.errors import BadArgument, Unreadable
from commonplace.tools.parameters import text, whole_number
from commonplace.tools.table import Answer, Call
from commonplace.vault.finding import Match
from commonplace.vault.index import Row
from commonplace.vault.ripgrep import Pattern
from commonplace.vault.vault import Vault

Arguments = Mapping[str, object]

LIMIT = 10
LIMIT_MAX = 100
LISTED_MAX = 20_000
CONTEXT_LINES = 2

_REGEX = "regex:"
_quoted = json.JSONEncoder(ensure_ascii=False).encode
_LITERAL = str.maketrans({sign: f"\\{sign}" for sign in r"\.+*?()|[]{}^$#&-~"})


def answer(value: Mapping[str, object]) -> Answer:
    """Answer JSON, as this family does."""
    return Answer(json.dumps(value, ensure_ascii=False))


class Reading:
    """The tools that read, over one vault."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def read_note(self, call: Call, arguments: Arguments) -> Answer:
        """Read a note, or some of its lines."""
        first = whole_number(arguments, "start_line", 1, least=1)
        last = whole_number(arguments, "end_line", 2**31, least=1)
        if first > last:
            raise BadArgument(f"`start_line` ({first}) is after `end_line` ({last}).")
        note = await self._vault.read(text(arguments, "path"), call.actor.id)
        lines = _lines(note.text)
        chosen = lines[first - 1 : last]
        whole = len(chosen) == len(lines)
        return answer(
            {
                "path": note.path,
                "content": note.text if whole else "\n".join(chosen),
                "total_lines": len(lines),
                "lines_returned": len(chosen),
            }
        )

    async def read_metadata(self, call: Call, arguments: Arguments) -> Answer:
        """Read what the index knows of a note."""
        about = await self._vault.listing.about(text(arguments, "path"))
        if about.problem is not None:
            raise Unreadable(f"{about.path}: {about.problem}")
        return answer(
            {
                "path": about.path,
                "frontmatter": about.properties,
                "stats": {
                    "word_count": about.words,
                    "char_count": about.chars,
                    "heading_count": about.headings,
                    "code_block_count": about.code_blocks,
                    "wikilink_count": about.wikilinks,
                },
                "modified": _utc(about.mtime_ns),
            }
        )

    async def list_notes(self, call: Call, arguments: Arguments) -> Answer:
        """List a folder."""
        folder = text(arguments, "folder", "")
        deep = arguments.get("recursive") is not False
        found = await self._vault.listing.inside(folder, LISTED_MAX + 1, deep=deep)
        with_frontmatter = arguments.get("include_frontmatter") is True
        rows = [_row(row, with_frontmatter=with_frontmatter) for row in found[:LISTED_MAX]]
        more = ', "truncated": true' if len(found) > LISTED_MAX else ""
        notes = ", ".join(rows)
        return Answer(
            f'{{"folder": {_quoted(folder)}, "notes": [{notes}], "count": {len(rows)}{more}}}'
        )

    async def text_search(self, call: Call, arguments: Arguments) -> Answer:
        """Find lines."""
        query = text(arguments, "query")
        limit = _limit(arguments)
        ignore_case = arguments.get("case_insensitive") is not False
        found = await self._vault.finding.grep(
            _pattern(query, ignore_case=ignore_case), folder=text(arguments, "folder", "")
        )
        matches: list[dict[str, object]] = []
        for match in found:
            matches += _matches(match, limit + 1 - len(matches))
            if len(matches) > limit:
                break
        shown = matches[:limit]
        cut = len(matches) > limit
        return answer({"query": query, "matches": shown, "count": len(shown), "truncated": cut})

    async def property_search(self, call: Call, arguments: Arguments) -> Answer:
        """Find notes by their properties."""
        query = cast("Mapping[str, object]", arguments["properties"])
        found = await self._vault.listing.having(query, _limit(arguments))
        matches = [
            {"path": each.path, "frontmatter": each.properties, "word_count": each.words or 0}
            for each in found
        ]
        return answer({"properties": query, "matches": matches, "count": len(matches)})

    async def get_kiln_info(self, call: Call, arguments: Arguments) -> Answer:
        """Tell what the vault holds."""
        several = self._vault.settings.several_roots
        roots = [
            {"uri": f"note:///{root.name}/" if several else "note:///", "name": root.name}
            for root in self._vault.settings.roots
        ]
        counts = await self._vault.census()
        stats = {
            "total_notes": counts["notes"],
            "total_size_bytes": counts["bytes"],
            "total_words": counts["words"],
            "indexed_notes": counts["indexed"],
            "pending_index": counts["notes"] - counts["indexed"] - counts["problems"],
        }
        if arguments.get("detailed") is True:
            stats |= {
                "tags": counts["tags"],
                "links": counts["links"],
                "broken_links": counts["unresolved"],
                "orphans": counts["orphans"],
                "index_size_bytes": counts["index_bytes"],
                "embedding_model": self._vault.meaning.progress.provider,
            }
        return answer({"roots": roots, "stats": stats})


def _limit(arguments: Arguments) -> int:
    return whole_number(arguments, "limit", LIMIT, least=1, most=LIMIT_MAX)


def _lines(content: str) -> list[str]:
    return content.removesuffix("\n").split("\n") if content else []


def _utc(mtime_ns: int) -> str:
    days, seconds = divmod(mtime_ns // 1_000_000_000, 86_400)
    minutes, second = divmod(seconds, 60)
    return f"{_day(days)}T{minutes // 60:02}:{minutes % 60:02}:{second:02}Z"


@lru_cache(maxsize=1024)
def _day(days: int) -> str:
    return (date(1970, 1, 1) + timedelta(days)).isoformat()


def _row(found: Row, *, with_frontmatter: bool) -> str:
    """Write a row of a list as JSON by hand: the properties are JSON already, and of thousands."""
    name = found.path.rpartition("/")[2]
    frontmatter = f', "frontmatter": {found.properties or "{}"}' if with_frontmatter else ""
    return (
        f'{{"path": {_quoted(found.path)}, "name": {_quoted(name)}, "word_count": {found.words},'
        f' "modified": "{_utc(found.mtime_ns)}"{frontmatter}}}'
    )


def _pattern(query: str, *, ignore_case: bool) -> Pattern:
    given = query.removeprefix(_REGEX)
    if not given:
        raise BadArgument("`query` is empty. Say what to search for.")
    regex = given if query.startswith(_REGEX) else given.translate(_LITERAL)
    multiline = "\n" in given or (regex == given and r"\n" in given)
    return Pattern(regex, ignore_case=ignore_case, multiline=multiline)


def _matches(match: Match, most: int) -> list[dict[str, object]]:
    """Show the first matching lines of a note, each with the lines around it."""
    content = match.text()
    lines = content.removesuffix(b"\n").split(b"\n")

    def shown(start: int, end: int) -> list[str]:
        return [_shown(line) for line in lines[max(0, start) : end]]

    numbers = [n for n in excerpts.matching_lines(content, match.spans) if n <= len(lines)]
    return [
        {
            "path": match.path,
            "line_number": number,
            "line_content": _shown(lines[number - 1]),
            "context_before": shown(number - 1 - CONTEXT_LINES, number - 1),
            "context_after": shown(number, number + CONTEXT_LINES),
        }
        for number in numbers[:most]
    ]


def _shown(line: bytes) -> str:
    whole = line.decode("utf-8", "replace").removesuffix("\r")
    return whole if len(whole) <= render.LINE_MAX else f"{whole[: render.LINE_MAX]}... [truncated]"
