"""The `notes` family, what only reads: notes, metadata, lists, searches, figures.

Metadata, lists and property searches come from the index; no note is opened for them.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from itertools import islice
from typing import cast
from urllib.parse import quote

from commonplace.core import excerpts
from commonplace.core.render import document_page
from commonplace.core.search.query import RESULTS_MAX
from commonplace.core.text import line_pages
from commonplace.core.text.line_pages import LinePage, fit, lines_of
from commonplace.errors import BadArgument, Unreadable
from commonplace.tools.parameters import text, whole_number
from commonplace.tools.table import Answer, Call
from commonplace.vault.index.reader import FolderRow
from commonplace.vault.search import undecided_hits
from commonplace.vault.search.ripgrep import Pattern
from commonplace.vault.search.search import NoteMatch
from commonplace.vault.threads import aside, in_time
from commonplace.vault.vault import Vault

Arguments = Mapping[str, object]

LIMIT = 10
_LISTED_MAX = 500
COUNTED_MAX = 1_000_000
_CONTEXT_LINES = 2

_REGEX = "regex:"
_quoted = json.JSONEncoder(ensure_ascii=False).encode
_LITERAL = str.maketrans({sign: f"\\{sign}" for sign in r"\.+*?()|[]{}^$#&-~"})


def answer(value: Mapping[str, object]) -> Answer:
    """Answer JSON, as this family does."""
    return Answer(json.dumps(value, ensure_ascii=False))


class ReadingTools:
    """The tools that read, over one vault."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def read_note(self, call: Call, arguments: Arguments) -> Answer:
        """Read a note, or some of its lines."""
        first = whole_number(arguments, "start_line", 1, least=1)
        last = whole_number(arguments, "end_line", 2**31, least=1)
        if first > last:
            raise BadArgument(f"`start_line` ({first}) is after `end_line` ({last}).")
        reader, actor = self._vault.reader, call.actor
        note = await reader.read(text(arguments, "path"), actor.id, actor.name)
        lines = lines_of(note.text)
        page = fit(lines, first, last - first + 1, line_pages.PAGE_CHARS_MAX)
        await reader.show(note.path, actor.id, actor.name, page)
        chosen = [_cut(line, line_pages.PAGE_CHARS_MAX) for line in lines[first - 1 : page.last]]
        whole = page.whole and len(chosen) == len(lines)
        return answer(
            {
                "path": note.path,
                "content": note.text if whole else "\n".join(chosen),
                "total_lines": len(lines),
                "lines_returned": len(chosen),
                **_rest_of(page, min(last, len(lines))),
                **note.said,
            }
        )

    async def read_metadata(self, call: Call, arguments: Arguments) -> Answer:
        """Read what the index knows of a note."""
        about = await self._vault.listing.about(text(arguments, "path"))
        if about.problem is not None:
            named = about.problem.startswith(about.path)
            raise Unreadable(about.problem if named else f"{about.path}: {about.problem}")
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
                **({"_warnings": [about.fault]} if about.fault else {}),
            }
        )

    async def list_notes(self, call: Call, arguments: Arguments) -> Answer:
        """List a folder."""
        folder = text(arguments, "folder", "")
        deep = arguments.get("recursive") is not False
        found = await self._vault.listing.inside(folder, COUNTED_MAX, deep=deep)
        with_frontmatter = arguments.get("include_frontmatter") is True
        rows = [_row(row, with_frontmatter=with_frontmatter) for row in found[:_LISTED_MAX]]
        how = "Name a folder, set recursive to false, or use glob or property_search."
        more = "".join(
            f", {_quoted(name)}: {json.dumps(value)}"
            for name, value in _more(len(rows), len(found), how).items()
        )
        notes = ", ".join(rows)
        return Answer(
            f'{{"folder": {_quoted(folder)}, "notes": [{notes}], "count": {len(rows)}{more}}}',
            notes=() if deep or found else self._roots_of(folder),
        )

    def _roots_of(self, folder: str) -> tuple[str, ...]:
        """Say what the top of a vault of several folders holds: no notes, but those."""
        settings = self._vault.settings
        if not settings.several_roots or folder.strip("./"):
            return ()
        return (f"[The top holds folders alone: {', '.join(r.name for r in settings.roots)}.]",)

    async def text_search(self, call: Call, arguments: Arguments) -> Answer:
        """Find lines."""
        query = text(arguments, "query")
        limit = _limit(arguments)
        ignore_case = arguments.get("case_insensitive") is not False
        found = await self._vault.search.grep(
            _pattern(query, ignore_case=ignore_case),
            folder=text(arguments, "folder", ""),
            comments=True,
        )
        matches = await aside(_first_matches, found, limit + 1)
        shown = matches[:limit]
        cut = len(matches) > limit
        lines = [(str(each["path"]), cast("int", each["line_number"])) for each in shown]
        how = f"Set limit (at most {RESULTS_MAX}), name a folder, or use grep, which can go on."
        more = {"notes_with_matches": len(found), "more": how} if cut else {}
        counted = {"count": len(shown), "truncated": cut, **more}
        told = answer({"query": query, "matches": shown, **counted})
        undecided = undecided_hits.of_lines(self._vault.index, lines)
        return replace(told, notes=(*undecided, *found.notice))

    async def property_search(self, call: Call, arguments: Arguments) -> Answer:
        """Find notes by their properties."""
        query = cast("Mapping[str, object]", arguments["properties"])
        limit = _limit(arguments)
        found = await self._vault.listing.having(query, limit)
        total = len(found)
        if total == limit:
            total = await self._vault.listing.count_having(query)
        how = f"Set limit (at most {RESULTS_MAX}), or add a property."
        matches = [
            {"path": each.path, "frontmatter": each.properties, "word_count": each.words or 0}
            for each in found
        ]
        counted = {"count": len(matches), **_more(len(matches), total, how)}
        return answer({"properties": query, "matches": matches, **counted})

    async def get_kiln_info(self, call: Call, arguments: Arguments) -> Answer:
        """Tell what the vault holds."""
        several = self._vault.settings.several_roots
        roots = [
            {"uri": f"note:///{quote(root.name)}/" if several else "note:///", "name": root.name}
            for root in self._vault.settings.roots
        ]
        counts = await self._vault.health.census()
        stats = {
            "total_notes": counts["notes"],
            "total_size_bytes": counts["bytes"],
            "total_words": counts["words"],
            "indexed_notes": counts["indexed"],
            "pending_index": counts["notes"] - counts["indexed"] - counts["problems"],
        }
        if arguments.get("detailed") is True:
            await self._vault.meaning.first_round.wait_for_provider()
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
    return whole_number(arguments, "limit", LIMIT, least=1, most=RESULTS_MAX)


def _rest_of(page: LinePage, last: int) -> dict[str, object]:
    """Tell how to read on, where there was no room for all lines that were wanted."""
    if page.last < last:
        return {"truncated": True, "more": f"Read on with start_line={page.last + 1}."}
    return {} if page.whole else {"truncated": True, "more": "A line is cut. Use grep or edit."}


def _more(shown: int, total: int, how: str) -> dict[str, object]:
    """Tell how many there are, and how to see more, where not all are shown."""
    return {"total": total, "truncated": True, "more": how} if shown < total else {}


def _utc(mtime_ns: int) -> str:
    days, seconds = divmod(mtime_ns // 1_000_000_000, 86_400)
    minutes, second = divmod(seconds, 60)
    return f"{_day(days)}T{minutes // 60:02}:{minutes % 60:02}:{second:02}Z"


@lru_cache(maxsize=1024)
def _day(days: int) -> str:
    return (date(1970, 1, 1) + timedelta(days)).isoformat()


def _row(found: FolderRow, *, with_frontmatter: bool) -> str:
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


def _first_matches(found: Iterable[NoteMatch], most: int) -> list[dict[str, object]]:
    matches: list[dict[str, object]] = []
    for match in in_time(found):
        matches += _matches(match, most - len(matches))
        if len(matches) >= most:
            break
    return matches


def _matches(match: NoteMatch, most: int) -> list[dict[str, object]]:
    """Show the first matching lines and comments of a note, each with the lines around it."""
    content = match.text()
    lines = content.removesuffix(b"\n").split(b"\n")

    def shown(start: int, end: int) -> list[str]:
        return [_shown(line) for line in lines[max(0, start) : end]]

    touched = islice(excerpts.matching_lines(content, match.spans), most)
    rows = [(number, _shown(lines[number - 1])) for number in touched if number <= len(lines)]
    rows = sorted([*rows, *match.comments[:most]], key=lambda row: row[0])[:most]
    return [
        {
            "path": match.path,
            "line_number": number,
            "line_content": line,
            "context_before": shown(number - 1 - _CONTEXT_LINES, number - 1),
            "context_after": shown(number, number + _CONTEXT_LINES),
        }
        for number, line in rows
    ]


def _shown(line: bytes) -> str:
    return _cut(line.decode("utf-8", "replace").removesuffix("\r"), document_page.SHOWN_LINE_MAX)


def _cut(line: str, most: int) -> str:
    return line if len(line) <= most else f"{line[:most]}... [truncated]"
