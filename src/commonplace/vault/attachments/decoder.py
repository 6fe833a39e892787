"""Makes of a file what an assistant can take, in a process that can do no harm and not last long.

    python -m commonplace.vault.attachments.decoder picture|pdf [FIRST LAST] < file

A picture comes out no larger than models take it, in one of four formats; a PDF as the text of
its pages. The decoders read whatever somebody put into the vault, so memory and time are limited
here and by the caller, and a crash is the end of this process alone.
"""

import io
import json
import resource
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    import pypdf
    from PIL import Image

MEMORY_BYTES_MAX = 1 << 30
CPU_SECONDS_MAX = 20
PIXELS_MAX = 80_000_000
SIDE_MAX = 1_568
PICTURE_BYTES_MAX = 3_750_000  # five million characters in base64
PAGES_MAX = 20
_PAGE_CHARS_MAX = 20_000
_FORMATS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}


def main() -> None:
    """Answer one question: a line of JSON, and behind it the bytes of a picture."""
    limit()
    what, *pages = sys.argv[1:]
    data = sys.stdin.buffer.read()
    if what == "picture":
        head, body = picture(data)
    else:
        head, body = text(data, *map(int, pages)), b""
    write(sys.stdout.buffer, head, body)


def write(out: BinaryIO, head: dict[str, object], body: bytes) -> None:
    """Write the answer."""
    out.write(json.dumps(head).encode() + b"\n" + body)
    out.flush()


def limit() -> None:
    """Give this process an end: so much memory, so much time, no file to write to."""
    with suppress(ValueError, OSError):  # macOS knows no such limit
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES_MAX, MEMORY_BYTES_MAX))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS_MAX, CPU_SECONDS_MAX))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def picture(data: bytes) -> tuple[dict[str, object], bytes]:
    """Return a picture as models take it: unchanged if it is small, else scaled down."""
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = PIXELS_MAX
    try:
        with Image.open(io.BytesIO(data), formats=list(_FORMATS)) as image:
            kind, size = str(image.format), image.size
            if size[0] * size[1] > PIXELS_MAX:
                return _refused(f"it has {size[0]} x {size[1]} pixels, which is too many"), b""
            image.load()
            if max(size) <= SIDE_MAX and len(data) <= PICTURE_BYTES_MAX:
                return _described(kind, size, size), data
            return _scaled(image, kind, size)
    except (OSError, ValueError, SyntaxError, EOFError, MemoryError, Image.DecompressionBombError):
        return _refused("it is damaged, or not the picture that its name says"), b""


def _scaled(
    image: "Image.Image", kind: str, size: tuple[int, int]
) -> tuple[dict[str, object], bytes]:
    plain = image.convert(
        "RGBA" if "A" in image.getbands() or "transparency" in image.info else "RGB"
    )
    plain.thumbnail((SIDE_MAX, SIDE_MAX))
    for kept in ("PNG", "WEBP") if kind in ("PNG", "GIF") else ("WEBP",):
        out = io.BytesIO()
        plain.save(out, kept, quality=85)
        if out.tell() <= PICTURE_BYTES_MAX:
            return _described(kept, size, plain.size), out.getvalue()
    return _refused("it stays too large however it is scaled"), b""


def _described(kind: str, size: tuple[int, int], shown: tuple[int, int]) -> dict[str, object]:
    return {"type": _FORMATS[kind], "size": size, "shown": shown}


def _refused(why: str) -> dict[str, object]:
    return {"refused": why}


def text(data: bytes, first: int, last: int) -> dict[str, object]:
    """Return the text of some pages of a PDF, from the first to the last wanted."""
    import pypdf
    from pypdf.errors import PyPdfError

    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            return _refused("it is locked by a password")
        total = len(reader.pages)
        wanted = range(first, min(last, total, first + PAGES_MAX - 1) + 1)
        pages = [(number, _page(reader, number)) for number in wanted]
    except (
        PyPdfError,
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
        MemoryError,
    ):
        return _refused("it is damaged, or not a PDF")
    return {"total": total, "pages": pages}


def _page(reader: "pypdf.PdfReader", number: int) -> str:
    return reader.pages[number - 1].extract_text()[:_PAGE_CHARS_MAX].strip()


if __name__ == "__main__":
    main()
