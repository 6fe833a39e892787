"""File names made from titles."""

import re
import unicodedata

from commonplace.core.text import invisible
from commonplace.errors import BadArgument

NAME_BYTES_MAX = 200

# What file systems refuse, what looks like a slash or a dot, and what no link can hold.
_REFUSED = re.compile(
    '[<>:"/\\\\|?*#^\\[\\]\x00-\x1f\x7f\u2024-\u2026\u2044\u2215\u2216\u29f5\u29f8'
    "\u3002\ufe52\ufe68\uff0e\uff0f\uff3c\uff61]"
)
_SPACES = re.compile(r"\s+")
_HYPHENS = re.compile(r"-{2,}")


def slug(title: str) -> str:
    """Make a file name: lower case, hyphens for spaces."""
    hyphened = _SPACES.sub("-", _plain(title).lower())
    return _checked(_HYPHENS.sub("-", hyphened).strip("-."), title)


def file_name(title: str) -> str:
    """Make a file name that is spelled as the title is."""
    return _checked(_plain(title).strip(". "), title)


def in_the_style_of(stem: str, title: str) -> str:
    """Make a file name: a slug if the one before was a slug, else the title itself."""
    try:
        was_slug = stem == slug(stem)
    except BadArgument:
        was_slug = False
    return slug(title) if was_slug else file_name(title)


def _plain(title: str) -> str:
    shown = "".join(each for each in title if not any(invisible.positions(each)))
    return _SPACES.sub(" ", _REFUSED.sub("", unicodedata.normalize("NFC", shown))).strip()


def _checked(name: str, title: str) -> str:
    short = name.encode("utf-8", "ignore")[:NAME_BYTES_MAX].decode("utf-8", "ignore").strip("-. ")
    if not short:
        raise BadArgument(f"No file name can be made from the title {title[:50]!r}. Use letters.")
    return short
