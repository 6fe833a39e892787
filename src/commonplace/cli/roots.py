"""VAULT on the command line: a folder, or several `NAME=DIR`, checked before anything is opened.

A folder may hold a `commonplace.toml`. Its `[roots]` split it into several; those that lie outside
it count only once the person trusts the vault (`vault.trust`).
"""

import os
import stat
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from commonplace.errors import BadArgument, NotFound, Unreadable
from commonplace.vault.settings import CONFIG_FILE, Root
from commonplace.vault.settings.config_file import Config, parse_config
from commonplace.vault.trust import real_root

CONFIG_BYTES_MAX = 64 * 1024


def from_environment(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Give the vault that nobody named: `COMMONPLACE_VAULT`, else the current folder."""
    named = environ.get("COMMONPLACE_VAULT")
    if not named:
        return (".",)
    return (named,) if _is_folder(expanded(named)) else tuple(named.split(os.pathsep))


def find(named: Sequence[str], text: bytes | None = None) -> tuple[tuple[Root, ...], Config]:
    """Find the folders that were named, and what the `commonplace.toml` of the first says.

    A team's vault has the file's `text` in the database, and its folder here an older one, or
    none yet; the folders that make the vault up are those of this machine.
    """
    roots = tuple(map(_root, named))
    config = _config(roots[0].path)
    if text is not None:
        config = replace(_parsed(text), roots=config.roots)
    return roots, config if len(roots) == 1 else replace(config, roots=())


def split(roots: tuple[Root, ...], config: Config) -> tuple[Root, ...]:
    """Return the roots of the vault: those that its file names, if it does, else the folders."""
    if config.roots:
        roots = tuple(_part(roots[0].path, name, where) for name, where in config.roots)
    _refuse_overlap(roots)
    return roots


def absolute(text: str) -> str:
    """Write a VAULT so that it means the same from any folder."""
    name, equals, folder = text.partition("=")
    path = expanded(text)
    if equals and not _is_folder(path):
        return f"{name}={expanded(folder).absolute()}"
    return str(path.absolute())


def expanded(text: str) -> Path:
    """Read a path as a shell does: `~` is the person's home."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise BadArgument(f"There is no such home: {text}. Write the whole path.") from None


def writable(roots: Sequence[Root]) -> bool:
    """Say whether notes can be changed at all."""
    return all(os.access(root.path, os.W_OK) for root in roots)


def state_base(named: str | None) -> Path:
    """Say where the state folders of all vaults are."""
    if named:
        return expanded(named).absolute()
    if sys.platform == "linux":  # as `platformdirs` does, which takes long to load
        given = os.environ.get("XDG_DATA_HOME", "").strip()
        base = Path(given) if given.startswith("/") else Path("~/.local/share").expanduser()
        return base / "commonplace"
    import platformdirs

    return platformdirs.user_data_path("commonplace", appauthor=False)


def personal_file(named: str | None) -> Path:
    """Say where the person's own settings file is."""
    if named:
        return expanded(named).absolute()
    if sys.platform == "linux":
        given = os.environ.get("XDG_CONFIG_HOME", "").strip()
        base = Path(given) if given.startswith("/") else Path("~/.config").expanduser()
        return base / "commonplace" / "settings.toml"
    import platformdirs

    return platformdirs.user_config_path("commonplace", appauthor=False) / "settings.toml"


def _root(text: str) -> Root:
    name, equals, folder = text.partition("=")
    if equals and not _is_folder(expanded(text)):
        return Root(_checked_name(name), _checked(folder))
    found = _checked(text)
    return Root(_checked_name(found.name or "vault"), found)


def _part(vault: Path, name: str, where: str) -> Root:
    return Root(_checked_name(name), _checked(str(real_root(vault, where)), shown=where))


def _checked_name(name: str) -> str:
    plain = unicodedata.normalize("NFC", name)
    if not plain.strip() or "/" in plain or plain.startswith(".") or not plain.isprintable():
        raise BadArgument(f"{name!r} cannot name a folder of the vault. Use a plain word.")
    return plain


def _checked(text: str, shown: str = "") -> Path:
    shown = shown or text
    path = expanded(text).absolute()
    closed = Unreadable(f"The folder cannot be read: {shown}. Give yourself permission.")
    try:
        mode = path.stat().st_mode
    except PermissionError:
        raise closed from None
    except (OSError, ValueError):  # also for what can be the name of nothing
        raise NotFound(f"No such folder: {shown}. Make it first, or name another.") from None
    if not stat.S_ISDIR(mode):
        raise BadArgument(f"Not a folder: {shown}. A vault is a folder of Markdown files.")
    if not os.access(path, os.R_OK | os.X_OK):
        raise closed
    return path


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a name that is too long, or a folder that may not be entered
        return False


def _config(folder: Path) -> Config:
    file = folder / CONFIG_FILE
    try:
        with file.open("rb") as source:
            text = source.read(CONFIG_BYTES_MAX + 1)
    except FileNotFoundError:
        return Config()
    except OSError as error:
        raise Unreadable(f"{CONFIG_FILE} cannot be read ({error.strerror}).") from None
    return _parsed(text)


def _parsed(text: bytes) -> Config:
    if len(text) > CONFIG_BYTES_MAX:
        raise BadArgument(f"{CONFIG_FILE} is over {CONFIG_BYTES_MAX // 1024} KiB.")
    return parse_config(text.decode("utf-8", "replace"))


def _refuse_overlap(roots: Sequence[Root]) -> None:
    seen: dict[str, Path] = {}
    for root in roots:
        if root.name in seen:
            raise BadArgument(f"Two folders are named {root.name!r}. Name one: OTHER=DIR.")
        real = root.path.resolve()
        for name, other in seen.items():
            if real.is_relative_to(other) or other.is_relative_to(real):
                raise BadArgument(
                    f"The folders {name!r} and {root.name!r} overlap. Name the outer one alone."
                )
        seen[root.name] = real
