"""The `files` family: read, glob, grep and get_links, as an assistant knows them for its own disk.

Each tool is a straight line: parse, act, render. All of them read the accepted view, so the line
numbers of one are those of the others, and a path that one prints is taken by every other.
"""

from collections.abc import Callable, Mapping, Sequence

from commonplace.core import excerpts, globs, paths, render
from commonplace.core.render import Page
from commonplace.errors import BadArgument, CommonplaceError, NotFound
from commonplace.tools.parameters import text, whole_number
from commonplace.tools.table import Answer, Call, Tool, definition, plain_error
from commonplace.vault.finding import Match
from commonplace.vault.ripgrep import Pattern
from commonplace.vault.suggesting import Suggester
from commonplace.vault.vault import Vault

Arguments = Mapping[str, object]

CONTEXT_LINES_MAX = 1000

_SENTENCES = (
    "Invalid regex pattern: ",
    "You must read this document ",
    "No changes to make: ",
    "Document changed since last read.",
)


def tools(vault: Vault) -> list[Tool]:
    """Return the family's tools over one vault."""

    async def read(call: Call, arguments: Arguments) -> Answer:
        offset = whole_number(arguments, "offset", 1, least=1)
        limit = whole_number(arguments, "limit", render.PAGE_LINES, least=1)
        note = await vault.read(text(arguments, "file_path"), call.actor.id)
        page = render.numbered(note.text, offset, limit)
        below = (
            render.pending_list(note.pending),
            render.decided_list(note.decided),
            render.invisible_note(note.text),
        )
        return Answer("\n\n".join([page, *filter(None, below)]))

    async def glob(call: Call, arguments: Arguments) -> Answer:
        pattern = globs.compile_glob(text(arguments, "pattern"))
        folder = paths.folder_path(text(arguments, "path", ""))
        listed = [entry.path for entry in await vault.listing.newest(folder)]
        matching = _matching(pattern, listed, folder)
        return Answer(render.path_list(matching[: render.FILES_MAX], len(matching)))

    async def grep(call: Call, arguments: Arguments) -> Answer:
        show = _shown_as(arguments)
        pattern = Pattern(
            text(arguments, "pattern"),
            ignore_case=arguments.get("-i") is True,
            multiline=arguments.get("multiline") is True,
        )
        return Answer(show(await _grep(vault, pattern, arguments)))

    async def get_links(call: Call, arguments: Arguments) -> Answer:
        links = await vault.listing.links(text(arguments, "file_path"))
        lists = render.link_lists(links.backlinks, links.forward, links.unresolved)
        return Answer("\n\n".join([lists, *_unfinished(vault)]))

    async def edit(call: Call, arguments: Arguments) -> Answer:
        path = vault.find(text(arguments, "file_path"))
        made = await vault.suggest(
            path,
            text(arguments, "old_string"),
            text(arguments, "new_string"),
            Suggester(call.actor.id, call.actor.name),
            replace_all=arguments.get("replace_all") is True,
        )
        return Answer(
            f"Edited {path}: replaced {made.replaced} characters."
            " The change is wrapped in CriticMarkup for human review."
        )

    return [
        Tool(definition(run.__name__), "files", writes=run is edit, run=run, error_text=_error_text)
        for run in (read, glob, grep, edit, get_links)
    ]


def _error_text(error: CommonplaceError) -> str:
    """Word an error as the contract does: some sentences stand by themselves."""
    text = str(error)
    return text if text.startswith(_SENTENCES) else plain_error(error)


def _matching(pattern: globs.Glob, listed: list[str], folder: str) -> list[str]:
    """Match paths as a whole, or relative to the folder that was given."""
    if not folder:
        return pattern.filter(listed)
    inside = len(folder) + 1
    return [p for p in listed if pattern.matches(p[inside:]) or pattern.matches(p)]


async def _grep(vault: Vault, pattern: Pattern, arguments: Arguments) -> Sequence[Match]:
    chosen = _chosen(arguments)
    place = text(arguments, "path", "")
    folder = paths.folder_path(place)
    if not vault.texts.is_folder(folder):
        try:
            only = vault.find(place)
        except NotFound as error:
            raise NotFound(f"Path does not exist: {folder}. {_hint(str(error))}".strip()) from error
        folder, chosen = paths.parent(only), _both(chosen, only.__eq__)
    return await vault.finding.grep(pattern, chosen, folder)


def _hint(message: str) -> str:
    return message.partition(". ")[2]


def _chosen(arguments: Arguments) -> Callable[[str], bool] | None:
    kind = text(arguments, "type", "md")
    if kind not in ("md", "markdown"):
        raise BadArgument(
            f"Unknown type: {kind}. All documents are Markdown; use md, or leave it out."
        )
    wanted = text(arguments, "glob", "")
    return globs.compile_glob(wanted).matches if wanted else None


def _both(one: Callable[[str], bool] | None, other: Callable[[str], bool]) -> Callable[[str], bool]:
    return other if one is None else lambda path: one(path) and other(path)


def _shown_as(arguments: Arguments) -> Callable[[Sequence[Match]], str]:
    """Choose how matches are shown, before anything is searched."""
    page = Page(whole_number(arguments, "head_limit", render.HEAD_LIMIT, least=0))
    around = whole_number(arguments, "-C", 0, least=0, most=CONTEXT_LINES_MAX)
    before = whole_number(arguments, "-B", around, least=0, most=CONTEXT_LINES_MAX)
    after = whole_number(arguments, "-A", around, least=0, most=CONTEXT_LINES_MAX)
    numbers = arguments.get("-n") is not False

    def content(matches: Sequence[Match]) -> str:
        found = (excerpts.excerpt(m.path, m.text(), m.spans, before, after) for m in matches)
        return render.found_lines(found, page, numbers=numbers, context=bool(before or after))

    def count(matches: Sequence[Match]) -> str:
        counts = ((m.path, len(excerpts.matching_lines(m.text(), m.spans))) for m in matches)
        return render.found_counts(counts, page)

    def files_with_matches(matches: Sequence[Match]) -> str:
        return render.found_files((m.path for m in matches), page)

    modes = {"content": content, "count": count}
    return modes.get(text(arguments, "output_mode", ""), files_with_matches)


def _unfinished(vault: Vault) -> list[str]:
    if (far := vault.listing.unfinished) is None:
        return []
    return [f"[The index is being built ({far[0]} of {far[1]} notes): links may be missing yet.]"]
