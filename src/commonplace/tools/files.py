"""The `files` family: read, glob, grep and get_links, as an assistant knows them for its own disk.

Each tool is a straight line: parse, act, render. All of them read the accepted view, so the line
numbers of one are those of the others, and a path that one prints is taken by every other.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from commonplace.core import excerpts, globs, paths
from commonplace.core.attachments import media
from commonplace.core.critic import NoChange
from commonplace.core.render import document_page, grep_lines, listings, remarks
from commonplace.core.render.grep_lines import GrepPage
from commonplace.core.text import quotation
from commonplace.core.text.line_pages import LinePage
from commonplace.errors import (
    BadArgument,
    BadPath,
    BadPattern,
    ChangedSinceRead,
    CommonplaceError,
    NotFound,
    NotRead,
    Unreadable,
)
from commonplace.tools.answer import Shown
from commonplace.tools.parameters import text, whole_number
from commonplace.tools.table import Answer, Call, Ready, Tool, ToolFunction, definition, plain_error
from commonplace.vault.attachments.files import File
from commonplace.vault.attachments.views import (
    PDF_FILE_BYTES_MAX,
    PICTURE_FILE_BYTES_MAX,
    is_picture,
)
from commonplace.vault.search import undecided_hits
from commonplace.vault.search.ripgrep import Pattern
from commonplace.vault.search.search import Matches, NoteMatch
from commonplace.vault.suggestions.authorship import Suggester
from commonplace.vault.suggestions.note_reader import NoteRead
from commonplace.vault.threads import aside, aside_if_long, in_time
from commonplace.vault.vault import Vault

Arguments = Mapping[str, object]

CONTEXT_LINES_MAX = 1000

# Errors that the contract words without "Error: " before them.
_WORDED = (BadPattern, NotRead, NoChange, ChangedSinceRead)


def tools(vault: Vault) -> list[Tool]:
    """Return the family's tools over one vault."""

    async def read(call: Call, arguments: Arguments) -> Answer:
        offset = max(1, whole_number(arguments, "offset", 1, least=0))
        limit = whole_number(arguments, "limit", document_page.PAGE_LINES, least=1)
        if (file := await _attachment(vault, arguments)) is not None:
            return await _shown(vault, file, offset, limit)
        note = await vault.reader.read(text(arguments, "file_path"), call.actor.id, call.actor.name)
        shown, page = await aside_if_long(partial(_page, note, offset, limit), note.text)
        await vault.reader.show(note.path, call.actor.id, call.actor.name, page)
        return Answer(shown)

    async def glob(call: Call, arguments: Arguments) -> Answer:
        pattern = globs.compile_glob(text(arguments, "pattern"))
        folder = paths.folder_path(text(arguments, "path", ""))
        matching = _matching(pattern, await _listed(vault, pattern, folder), folder)
        return Answer(listings.path_list(matching[: listings.FILES_MAX], len(matching)))

    async def grep(call: Call, arguments: Arguments) -> Answer:
        show = _shown_as(arguments)
        pattern = Pattern(
            text(arguments, "pattern"),
            ignore_case=arguments.get("-i") is True,
            multiline=arguments.get("multiline") is True,
        )
        matches = await _grep(vault, pattern, arguments)
        shown = await aside(show, matches)
        undecided = undecided_hits.of_matches(vault.index, matches)
        return Answer(shown, notes=(*undecided, *matches.notice))

    async def get_links(call: Call, arguments: Arguments) -> Answer:
        if (file := await _attachment(vault, arguments)) is not None:
            return Answer(listings.attachment_links(await vault.attachments.linked_from(file.path)))
        path = vault.texts.find(text(arguments, "file_path"))
        links = await vault.listing.links(path)
        attached = await vault.attachments.of_note(path)
        files = [each.path or f"{each.link} (missing)" for each in attached]
        linked = {each.link for each in attached}
        unresolved = [each for each in links.unresolved if each not in linked]
        lists = (links.backlinks, links.forward, unresolved, files, links.hidden)
        return Answer(await aside(listings.link_lists, *lists))

    async def edit(call: Call, arguments: Arguments) -> Answer:
        path = vault.texts.find(text(arguments, "file_path"))
        vault.permissions.check_edit(path, call.actor.name)
        made = await vault.suggestions.suggest(
            path,
            text(arguments, "old_string"),
            text(arguments, "new_string"),
            Suggester(call.actor.id, call.actor.name),
            replace_all=arguments.get("replace_all") is True,
        )
        late = await vault.notes.late_files([path])
        follows = " Its file could not be written yet and will follow." if late else ""
        return Answer(
            f"Edited {path}: replaced {made.replaced} characters."
            f" The change is wrapped in CriticMarkup for human review.{follows}"
        )

    ready = vault.readiness
    needs: dict[ToolFunction, Ready] = {
        glob: ready.listed,
        grep: ready.searchable,
        get_links: ready.indexed,
    }
    return [
        Tool(
            definition(run.__name__),
            "files",
            writes=run is edit,
            run=run,
            error_text=_error_text,
            ready=needs.get(run),
        )
        for run in (read, glob, grep, edit, get_links)
    ]


async def _attachment(vault: Vault, arguments: Arguments) -> File | None:
    """Return the attachment that a call names; None if it names a note, or nothing."""
    named = text(arguments, "file_path")
    try:
        file = await vault.attachments.find(named)
    except BadPath:
        return None  # whoever looks for a note says what may be meant
    return None if file is None or vault.texts.exists(f"{file.path}.md") else file


async def _shown(vault: Vault, file: File, offset: int, limit: int) -> Answer:
    """Show an attachment: a picture as one, a PDF as its text."""
    attachments, kind = vault.attachments, media.of(file.path)
    if is_picture(file.path):
        data = await attachments.read(file, PICTURE_FILE_BYTES_MAX)
        shown = await attachments.views.picture(file.path, data)
        return Answer(shown.text, pictures=(Shown(shown.type, shown.data),))
    if kind.kind == "pdf":
        data = await attachments.read(file, PDF_FILE_BYTES_MAX)
        found = await attachments.views.pages(file.path, data, offset, limit)
        return Answer(document_page.pdf_pages(found.pages, found.total))
    raise Unreadable(
        f"{file.path} ({file.stamp.size / 1000:,.1f} kB) is no file that can be shown here:"
        " pictures (PNG, JPEG, GIF, WebP) and PDF are. The person can open it in the page."
    )


async def _listed(vault: Vault, pattern: globs.Glob, folder: str) -> list[str]:
    """List the notes, and the attachments of the kinds that a pattern names, newest first."""
    notes = await vault.listing.newest(folder)
    wanted = globs.endings(pattern.pattern) - {"md"}
    if not wanted:
        return [entry.path for entry in notes]
    snapshot = await vault.attachments.files.current()
    inside = f"{folder}/" if folder else ""
    files = [
        (file.stamp.mtime_ns, file.path)
        for file in snapshot.by_path.values()
        if media.ending(file.path) in wanted and file.path.startswith(inside)
    ]
    both = [*((entry.mtime_ns, entry.path) for entry in notes), *files]
    return [path for _, path in sorted(both, key=lambda each: (-each[0], each[1]))]


def _page(note: NoteRead, offset: int, limit: int, text: str) -> tuple[str, LinePage]:
    below = (
        remarks.pending_list(note.pending),
        remarks.comment_list(note.comments, note.more_comments),
        remarks.decided_list(note.decided),
        document_page.invisible_note(text),
    )
    lines, page = document_page.numbered(text, offset, limit)
    return "\n\n".join([lines, *filter(None, below)]), page


def _error_text(error: CommonplaceError) -> str:
    """Word an error as the contract does: some sentences stand by themselves."""
    return str(error) if isinstance(error, _WORDED) else plain_error(error)


def _matching(pattern: globs.Glob, listed: list[str], folder: str) -> list[str]:
    """Match paths as a whole, or relative to the folder that was given."""
    if not folder:
        return pattern.filter(listed)
    inside = len(folder) + 1
    return [p for p in listed if pattern.matches(p[inside:]) or pattern.matches(p)]


async def _grep(vault: Vault, pattern: Pattern, arguments: Arguments) -> Matches:
    chosen = _chosen(arguments)
    place = text(arguments, "path", "")
    folder = paths.folder_path(place)
    if not vault.texts.is_folder(folder):
        try:
            only = vault.texts.find(place)
        except NotFound as error:
            if vault.texts.exists(folder):
                raise  # an attachment, and the error says so
            missing = f"Path does not exist: {quotation.one_line(folder)}"
            hint = error.hint or vault.texts.no_folder(folder).hint
            raise NotFound(f"{missing}. {hint}".strip()) from error
        folder, chosen = paths.parent(only), _both(chosen, only.__eq__)
    return await vault.search.grep(pattern, chosen, folder, comments=True)


def _chosen(arguments: Arguments) -> Callable[[str], bool] | None:
    kind = text(arguments, "type", "md")
    if kind not in ("md", "markdown"):
        raise BadArgument(
            f"Unknown type: {quotation.name(kind)}. All documents are Markdown; use md, or leave"
            " it out."
        )
    wanted = text(arguments, "glob", "")
    return globs.compile_glob(wanted).matches if wanted else None


def _both(one: Callable[[str], bool] | None, other: Callable[[str], bool]) -> Callable[[str], bool]:
    return other if one is None else lambda path: one(path) and other(path)


def _shown_as(arguments: Arguments) -> Callable[[Sequence[NoteMatch]], str]:
    """Choose how matches are shown, before anything is searched."""
    limit = whole_number(arguments, "head_limit", grep_lines.HEAD_LIMIT, least=0)
    page = GrepPage(limit, whole_number(arguments, "offset", 0, least=0))
    around = whole_number(arguments, "-C", 0, least=0, most=CONTEXT_LINES_MAX)
    before = whole_number(arguments, "-B", around, least=0, most=CONTEXT_LINES_MAX)
    after = whole_number(arguments, "-A", around, least=0, most=CONTEXT_LINES_MAX)
    numbers = arguments.get("-n") is not False

    def content(matches: Sequence[NoteMatch]) -> str:
        found = (
            excerpts.excerpt(m.path, m.text(), m.spans, before, after, m.comments)
            for m in in_time(matches)
        )
        return grep_lines.found_lines(found, page, numbers=numbers, context=bool(before or after))

    def count(matches: Sequence[NoteMatch]) -> str:
        counts = ((m.path, _count(m)) for m in in_time(matches))
        return grep_lines.found_counts(counts, page)

    def files_with_matches(matches: Sequence[NoteMatch]) -> str:
        return grep_lines.found_files((m.path for m in matches), page)

    modes = {"content": content, "count": count}
    return modes.get(text(arguments, "output_mode", ""), files_with_matches)


def _count(match: NoteMatch) -> int:
    return sum(1 for _ in excerpts.matching_lines(match.text(), match.spans)) + len(match.comments)
