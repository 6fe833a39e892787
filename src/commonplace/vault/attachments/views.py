"""What an assistant gets to see of an attachment: a picture, the text of a PDF, or a sentence."""

import json
import os
import sys
from dataclasses import dataclass
from subprocess import DEVNULL
from typing import cast

import anyio

from commonplace.core.attachments import media
from commonplace.errors import Unavailable, Unreadable
from commonplace.vault.attachments.decoder import PAGES_MAX

PICTURE_FILE_BYTES_MAX = 5_000_000
PDF_FILE_BYTES_MAX = 50_000_000
SECONDS_MAX = 25.0
WORKERS_MAX = 2
# Nothing of this process is the decoder's business but where its code is.
_ENVIRONMENT = {"PYTHONPATH": os.pathsep.join(sys.path)}
PICTURES = frozenset(("png", "jpg", "jpeg", "gif", "webp"))


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as models take it, and a line about it."""

    type: str
    data: bytes
    text: str


@dataclass(frozen=True, slots=True)
class PdfPages:
    """The text of some pages of a PDF: (number, text), and how many pages there are."""

    pages: list[tuple[int, str]]
    total: int


class Views:
    """Shows attachments to assistants; a few at a time."""

    def __init__(self) -> None:
        self._turns = anyio.Semaphore(WORKERS_MAX)

    async def picture(self, path: str, data: bytes) -> Picture:
        """Show a picture."""
        head, body = await self._made(path, data, "picture")
        size, shown = cast("list[int]", head["size"]), cast("list[int]", head["shown"])
        what = f"{path} ({size[0]} x {size[1]} pixels, {len(data) / 1000:,.0f} kB)"
        scaled = "" if size == shown else f", scaled down to {shown[0]} x {shown[1]}"
        return Picture(str(head["type"]), body, f"{what}{scaled}")

    async def pages(self, path: str, data: bytes, first: int, count: int) -> PdfPages:
        """Show the text of some pages of a PDF."""
        last = first + min(count, PAGES_MAX) - 1
        head, _ = await self._made(path, data, "pdf", str(first), str(last))
        pages = cast("list[list[object]]", head["pages"])
        found = [(int(str(number)), str(text)) for number, text in pages]
        return PdfPages(found, int(str(head["total"])))

    async def _made(self, path: str, data: bytes, *words: str) -> tuple[dict[str, object], bytes]:
        command = [sys.executable, "-m", "commonplace.vault.attachments.decoder", *words]
        async with self._turns:
            with anyio.move_on_after(SECONDS_MAX):
                done = await anyio.run_process(
                    command, input=data, check=False, env=_ENVIRONMENT, stderr=DEVNULL
                )
                head, _, body = done.stdout.partition(b"\n")
                if done.returncode != 0 or not head:
                    raise Unreadable(f"{path} cannot be shown: reading it failed. Is it damaged?")
                answer = cast("dict[str, object]", json.loads(head))
                if why := answer.get("refused"):
                    raise Unreadable(f"{path} cannot be shown: {why}.")
                return answer, body
        raise Unavailable(f"{path} cannot be shown: reading it takes too long.")


def is_picture(path: str) -> bool:
    """Tell whether a file is a picture that assistants can be shown."""
    return media.ending(path) in PICTURES
