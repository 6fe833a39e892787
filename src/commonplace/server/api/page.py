"""The page: one HTML file and its assets, built from `web/` into `static/` beside this module.

Styles that the editor makes while it runs carry a nonce, new for each answer; there is no inline
script at all. An asset's name holds a hash of its content, so a browser may keep it for ever.
"""

import lzma
import mimetypes
import secrets
from pathlib import Path

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

NOT_BUILT = (
    "This installation of Commonplace carries no page. Install it from a wheel, or with Node 20"
    " or newer on the machine (`pip install .`). MCP and the command line work without it.\n"
)
_STATIC = Path(__file__).parents[1] / "static"
_PACKED = ".xz"  # as a wheel carries large scripts (`hatch_build.py`)
_NONCE_BYTES = 16
_FOR_EVER = "public, max-age=31536000, immutable"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; media-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# Where diagrams are drawn from a note's text: scripts run, in an origin of their own that can read
# nothing of ours and reach nobody.
_FRAME_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; "
    "font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
    "sandbox allow-scripts"
)


def routes(static: Path = _STATIC) -> list[Route]:
    """Make the routes of the page; they say so when it was not built."""
    index, frame = static / "index.html", static / "diagrams.html"
    files = [file for file in (static / "assets").glob("*") if file.is_file()]
    names = {file.name.removesuffix(_PACKED) for file in files}
    assets = {name: static / "assets" / name for name in names}

    async def page(_: Request) -> Response:
        if not index.is_file():
            return PlainTextResponse(NOT_BUILT, 503)
        nonce = secrets.token_urlsafe(_NONCE_BYTES)
        html = index.read_text(encoding="utf-8").replace("NONCE", nonce)
        return HTMLResponse(html, headers=_headers(nonce))

    async def diagrams(_: Request) -> Response:
        if not frame.is_file():
            return PlainTextResponse(NOT_BUILT, 503)
        headers = {**_headers(""), "content-security-policy": _FRAME_POLICY}
        return HTMLResponse(frame.read_text(encoding="utf-8"), headers=headers)

    async def asset(request: Request) -> Response:
        # Only names that were listed at the start: no path of a caller reaches the disk.
        file = assets.get(request.path_params["name"])
        if file is None:
            return PlainTextResponse("There is no such asset; reload the page.\n", 404)
        kind = mimetypes.guess_type(file)[0] or "application/octet-stream"
        kind = {".js": "text/javascript", ".woff2": "font/woff2"}.get(file.suffix, kind)
        content = await to_thread.run_sync(read_asset, file)
        return Response(content, media_type=kind, headers={"cache-control": _FOR_EVER})

    return [Route("/", page), Route("/diagrams", diagrams), Route("/assets/{name}", asset)]


def read_asset(file: Path) -> bytes:
    """Read an asset, by the name it was built with."""
    packed = file.with_name(file.name + _PACKED)
    return lzma.decompress(packed.read_bytes()) if packed.exists() else file.read_bytes()


def _headers(nonce: str) -> dict[str, str]:
    return {
        "content-security-policy": _POLICY.format(nonce=nonce),
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "cross-origin-opener-policy": "same-origin",
    }
