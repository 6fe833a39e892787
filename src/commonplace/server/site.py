"""Writes a vault as a site of plain files: a page for each note, and the page's own renderer.

Nothing in it needs a server: pages load their script, the list of notes and, for a search, the
texts as classic scripts, so that it works from a folder as well. Pictures and other files that the
notes use lie beside them; what a browser would run as a page is left out. A list of what was
written lies there too, so that the next run can clear away what is gone; a folder that holds
something else is left alone.
"""

import html
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast
from urllib.parse import quote

from commonplace.core.attachments import media
from commonplace.core.site import SitePage, described
from commonplace.errors import Conflict, Unavailable
from commonplace.server.api.page import read_asset

CHUNK_CHARS_MAX = 400_000
LIST = "commonplace-site.json"

_STATIC = Path(__file__).parent / "static"
_FIRST = ("start here.md", "readme.md", "index.md", "home.md")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "media-src 'self'; frame-src 'self'; font-src 'self'; worker-src data:; base-uri 'none'; "
    "form-action 'none'"
)
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<meta name="description" content="{description}">
<link rel="stylesheet" href="{top}assets/{style}">
</head>
<body data-top="{top}" data-page="{kind}">
<div id="site"></div>
<noscript>{plain}</noscript>
<script type="application/json" id="note">{note}</script>
<script src="{top}data.js"></script>
<script src="{top}assets/{script}"></script>
</body>
</html>
"""


Copy = Callable[[str, Path], None]
"""Copies an attachment, by its path in the vault, to a place on disk."""


def shown_files(pages: Iterable[SitePage]) -> list[str]:
    """Return the attachments that a site can show, each once: nothing that would run as a page."""
    found = {path for page in pages for path in page.files.values()}
    return sorted(path for path in found if media.of(path).kind != "other")


def write(
    pages: Mapping[str, SitePage],
    title: str,
    folder: Path,
    static: Path = _STATIC,
    copy: Copy | None = None,
) -> int:
    """Write the site into a folder, and return how many files it has.

    `copy` brings an attachment; without it there are none.
    """
    assets = _assets(static)
    before = _written_before(folder)
    files = {path: f"files/{path}" for path in shown_files(pages.values())} if copy else {}
    made = {name: content.encode("utf-8") for name, content in _files(pages, files, title, assets)}
    names = cast("list[str]", assets["files"])
    try:
        for name, content in made.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        (folder / "assets").mkdir(exist_ok=True)
        for name in names:
            (folder / "assets" / name).write_bytes(read_asset(static / "assets" / name))
        for path, name in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            cast("Copy", copy)(path, folder / name)
        everything = sorted([*made, *(f"assets/{name}" for name in names), *files.values()])
        for name in before - set(everything):
            (folder / name).unlink(missing_ok=True)
        (folder / LIST).write_text(json.dumps({"files": everything}, indent=1), "utf-8")
    except OSError as error:
        raise Unavailable(f"The site could not be written ({error.strerror}).") from None
    return len(everything)


def _assets(static: Path) -> dict[str, object]:
    try:
        return json.loads((static / "site.json").read_text("utf-8"))
    except OSError:
        raise Unavailable(
            "This installation carries no page, so it can make no site. Install it from a wheel."
        ) from None


def _written_before(folder: Path) -> set[str]:
    """Return the files of an earlier run; refuse a folder that holds anything else."""
    if not folder.exists() or not any(folder.iterdir()):
        return set()
    try:
        names = json.loads((folder / LIST).read_text("utf-8"))["files"]
        found = {name for name in names if isinstance(name, str)}
    except (OSError, ValueError, TypeError, KeyError):
        raise Conflict(
            f"{folder.name} holds files that are not of a site made by this command. "
            "Name a folder that is empty, or not there yet."
        ) from None
    return {name for name in found if ".." not in name.split("/") and not name.startswith("/")}


def _files(
    pages: Mapping[str, SitePage],
    files: Mapping[str, str],
    title: str,
    assets: Mapping[str, object],
) -> Iterator[tuple[str, str]]:
    numbers = {path: number for number, path in enumerate(pages)}
    first = _first(list(pages))
    chunks = list(_chunks([page.text for page in pages.values()]))
    yield "data.js", _data(pages, files, numbers, title, first, len(chunks))
    for number, chunk in enumerate(chunks):
        texts = ",".join(f"[{at},{_json(text)}]" for at, text in chunk)
        yield f"texts-{number}.js", f"window.commonplaceSite.texts.push({texts});\n"
    for path, page in pages.items():
        yield page.file, _page(page, pages, numbers[path], assets, "../" * page.depth, title)
    shown = pages.get(first)
    contents = _list(pages.values(), "")
    if shown is not None:
        yield "index.html", _page(shown, pages, numbers[first], assets, "", title, contents)
    else:
        yield "index.html", _shell(title, "", "", assets, plain=contents, kind="graph")
    yield "graph.html", _shell(f"Graph · {title}", "", "", assets, plain=contents, kind="graph")


def _data(
    pages: Mapping[str, SitePage],
    files: Mapping[str, str],
    numbers: Mapping[str, int],
    title: str,
    first: str,
    chunks: int,
) -> str:
    rows = [
        [
            page.path,
            page.title,
            list(page.tags),
            page.url,
            sorted({numbers[to] for to in page.links.values()} - {numbers[page.path]}),
            {link: quote(files[path]) for link, path in page.files.items() if path in files},
        ]
        for page in pages.values()
    ]
    site = {"title": title, "first": numbers.get(first, 0), "chunks": chunks, "notes": rows}
    return f"window.commonplaceSite = {_json({**site, 'texts': []})};\n"


def _page(
    page: SitePage,
    pages: Mapping[str, SitePage],
    number: int,
    assets: Mapping[str, object],
    top: str,
    title: str,
    contents: str = "",
) -> str:
    note = _json({"at": number, "text": page.text, "links": page.links})
    linked = _list((pages[path] for path in dict.fromkeys(page.links.values())), top)
    plain = f"<h1>{html.escape(page.title)}</h1><pre>{html.escape(page.text)}</pre>"
    name = page.title if page.title == title else f"{page.title} · {title}"
    return _shell(name, described(page), note, assets, top=top, plain=plain + (contents or linked))


def _shell(
    title: str,
    description: str,
    note: str,
    assets: Mapping[str, object],
    *,
    plain: str,
    top: str = "",
    kind: str = "note",
) -> str:
    return _PAGE.format(
        policy=html.escape(_POLICY),
        title=html.escape(title),
        description=html.escape(description),
        top=top,
        style=assets["style"],
        script=assets["script"],
        kind=kind,
        plain=plain,
        note=note or _json({"at": None, "text": "", "links": {}}),
    )


def _list(pages: Iterable[SitePage], top: str) -> str:
    rows = (f'<li><a href="{top}{page.url}">{html.escape(page.title)}</a></li>' for page in pages)
    return f"<ul>{''.join(rows)}</ul>"


def _first(paths: Sequence[str]) -> str:
    top = {path.lower(): path for path in paths}
    return next((top[name] for name in _FIRST if name in top), paths[0] if paths else "")


def _chunks(texts: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
    chunk: list[tuple[int, str]] = []
    size = 0
    for at, text in enumerate(texts):
        if chunk and size + len(text) > CHUNK_CHARS_MAX:
            yield chunk
            chunk, size = [], 0
        chunk.append((at, text))
        size += len(text)
    if chunk:
        yield chunk


def _json(value: object) -> str:
    """Write JSON that may stand in a script and in an element of a page."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for letter in ("<", ">", "&", "\u2028", "\u2029"):
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text
