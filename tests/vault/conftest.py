"""Vaults to test on."""

from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.vault.settings import Root, Settings

Notes = dict[str, str | bytes]


def write(folder: Path, notes: Notes) -> None:
    """Write files, their folders as well."""
    for path, text in notes.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio, as the product does."""
    return "asyncio"


@pytest.fixture
def make_settings(tmp_path: Path) -> Callable[..., Settings]:
    """Return a function that writes notes and says how to open them."""

    def make(notes: Notes, **more: object) -> Settings:
        folder = tmp_path / "vault"
        folder.mkdir(exist_ok=True)
        write(folder, notes)
        return Settings((Root("vault", folder),), tmp_path / "state", **more)  # pyright: ignore[reportArgumentType]

    return make
