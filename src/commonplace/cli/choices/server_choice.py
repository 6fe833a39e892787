"""The server of a vault, as a person names it, and the access token that it is asked with.

The secret comes from the environment, or from a file that only the person can read; never from the
command line, where other programs see it.
"""

import stat
from collections.abc import Mapping
from pathlib import Path

from commonplace.cli.roots import expanded
from commonplace.errors import BadArgument

TOKEN = "COMMONPLACE_TOKEN"  # noqa: S105 (the name of a variable)
TOKEN_FILE = "COMMONPLACE_TOKEN_FILE"  # noqa: S105 (the name of a variable)
_TOKEN_BYTES_MAX = 4_096


def is_server(word: str) -> bool:
    """Tell whether a word names a server, and not a folder."""
    return word.lower().startswith(("http://", "https://"))


def token(named_file: str | None, environ: Mapping[str, str]) -> str:
    """Return the access token; nothing if there is none."""
    if named_file is None and (given := environ.get(TOKEN)):
        return _checked(given.strip(), TOKEN)
    name = named_file or environ.get(TOKEN_FILE)
    where = "--token-file" if named_file else TOKEN_FILE
    return _checked(_read(expanded(name), where), where) if name else ""


def _read(file: Path, where: str) -> str:
    try:
        mode = file.stat().st_mode
        text = file.read_bytes()[:_TOKEN_BYTES_MAX].decode().strip()
    except (OSError, UnicodeDecodeError):
        raise BadArgument(f"{where}: the file cannot be read.") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise BadArgument(
            f"{where}: others can read the file. Make it yours alone: chmod 600 FILE."
        )
    return text


def _checked(text: str, where: str) -> str:
    if not text.isascii() or not text.isprintable() or " " in text:
        raise BadArgument(f"{where}: that is no access token. One begins with cp_.")
    return text
