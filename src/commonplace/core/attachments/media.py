"""What kind of file an attachment is, told by its name alone from a fixed list.

A browser is never left to guess, and nothing on the list is a page: what could run (HTML, scripts,
whatever is unknown) is sent as bytes to be saved. SVG can hold scripts, so it is marked `active`
and is shown as a picture or inside a sandbox only.
"""

from dataclasses import dataclass
from typing import Literal

MediaKind = Literal["picture", "audio", "video", "pdf", "text", "other"]

SAVED_BYTES_MAX = 25_000_000

_TYPES: dict[MediaKind, dict[str, str]] = {
    "picture": {
        "png": "image/png",
        "jpg": "image/jpeg",
        "jpeg": "image/jpeg",
        "gif": "image/gif",
        "webp": "image/webp",
        "avif": "image/avif",
        "bmp": "image/bmp",
        "ico": "image/x-icon",
        "svg": "image/svg+xml",
    },
    "audio": {
        "mp3": "audio/mpeg",
        "m4a": "audio/mp4",
        "wav": "audio/wav",
        "flac": "audio/flac",
        "ogg": "audio/ogg",
        "opus": "audio/ogg",
        "3gp": "audio/3gpp",
    },
    "video": {
        "mp4": "video/mp4",
        "mov": "video/quicktime",
        "mkv": "video/x-matroska",
        "ogv": "video/ogg",
        "webm": "video/webm",
    },
    "pdf": {"pdf": "application/pdf"},
    "text": dict.fromkeys(
        ("txt", "csv", "tsv", "log", "json", "yaml", "yml", "toml", "canvas", "base"), "text/plain"
    ),
}


@dataclass(frozen=True, slots=True)
class Media:
    """A kind of file, and the content type that it is sent with."""

    kind: MediaKind
    type: str

    @property
    def active(self) -> bool:
        """Whether a browser that opened it by itself might run something in it."""
        return self.type == "image/svg+xml"


OTHER = Media("other", "application/octet-stream")
_BY_ENDING = {
    name: Media(kind, sent) for kind, types in _TYPES.items() for name, sent in types.items()
}


def ending(path: str) -> str:
    """Return what stands behind the last dot of a file's name, in lower case."""
    _, dot, found = path.rpartition("/")[2].rpartition(".")
    return found.lower() if dot else ""


def of(path: str) -> Media:
    """Return the kind of a file."""
    return _BY_ENDING.get(ending(path), OTHER)
