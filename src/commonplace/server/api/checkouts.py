"""A working copy for as long as somebody listens: only on the command line's own socket.

Whoever asks names a folder of this machine, so nobody else may.
"""

import hashlib
import json
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from commonplace.core.view import FOLDERS_MAX, View
from commonplace.errors import BadArgument, CommonplaceError, Conflict
from commonplace.server.api.answers import guarded, refusal
from commonplace.server.body import body_of, texts_of
from commonplace.vault.checkout.working_copy import WorkingCopy, check_room
from commonplace.vault.permissions.requests import Asker
from commonplace.vault.permissions.tokens import NAME_CHARS_MAX
from commonplace.vault.vault import Vault

_BEAT_SECONDS = 20.0
_LINES_MAX = 1_000


def routes(vault: Vault) -> list[Route]:
    """Make the route over one vault."""
    open_copies: set[Path] = set()

    async def checkout(request: Request) -> Response:
        body = await body_of(request)
        folder, name = Path(str(body.get("folder", ""))), str(body.get("name", "")).strip()
        if not name or len(name) > NAME_CHARS_MAX or not name.isprintable():
            raise BadArgument(f"A name has 1 to {NAME_CHARS_MAX} printable characters.")
        chosen = View.of(texts_of(body, "folders", FOLDERS_MAX))
        check_room(vault, chosen)
        bases = _bases(vault, folder)
        if folder in open_copies:
            raise Conflict("That folder is a working copy in use already.")
        by = Asker(f"checkout:{name}", name, suggests_only=True)
        return StreamingResponse(
            _followed(vault, folder, bases, by, chosen, open_copies),
            media_type="application/x-ndjson",
        )

    return [Route("/api/checkout", guarded(checkout), methods=["POST"])]


def _bases(vault: Vault, folder: Path) -> Path:
    """Check a folder, and return where its bases are kept."""
    if not folder.is_absolute():
        raise BadArgument("Name the folder by its whole path.")
    for root in vault.settings.roots:
        top, real = root.path.resolve(), folder.resolve()
        if real.is_relative_to(top) or top.is_relative_to(real):
            raise BadArgument("The folder lies in the vault, or the vault in it. Choose another.")
    kept = vault.settings.state / "checkouts"
    kept.mkdir(mode=0o700, parents=True, exist_ok=True)
    bases = kept / f"{hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:24]}.db"
    if not bases.exists() and folder.exists() and any(folder.iterdir()):
        raise BadArgument("The folder is not empty, and is no working copy of this vault.")
    return bases


async def _followed(
    vault: Vault, folder: Path, bases: Path, by: Asker, chosen: View, open_copies: set[Path]
) -> AsyncGenerator[bytes]:
    """Keep the copy, and tell what cannot be taken, a JSON line each."""
    send, receive = anyio.create_memory_object_stream[dict[str, object]](_LINES_MAX)

    def tell(path: str, text: str) -> None:
        if send.statistics().current_buffer_used < _LINES_MAX:
            send.send_nowait({"path": path, "trouble": text})

    open_copies.add(folder)
    try:
        async with send, receive, WorkingCopy.open(vault, folder, bases, by, chosen) as copy:
            copy.listeners.append(tell)
            yield _line({"ready": True, "troubles": copy.troubles})
            while True:
                news: dict[str, object] = {}
                with anyio.move_on_after(_BEAT_SECONDS):
                    news = await receive.receive()
                yield _line(news)
    except CommonplaceError as error:
        yield _line(refusal(error)[1])
    finally:
        open_copies.discard(folder)


def _line(news: dict[str, object]) -> bytes:
    return json.dumps(news).encode() + b"\n"
