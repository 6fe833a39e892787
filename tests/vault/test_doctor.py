"""What `doctor` says about the disk that a vault lies on."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.vault.doctor import Check, examine
from commonplace.vault.files import rename
from commonplace.vault.files.roots import Roots
from commonplace.vault.settings import Settings

Make = Callable[..., Settings]


def refuse(code: int) -> Callable[..., None]:
    def call(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    return call


def folder_check(settings: Settings) -> Check:
    settings.state.mkdir(parents=True, exist_ok=True)
    roots = Roots(settings)
    try:
        return next(check for check in examine(settings, roots) if check.name.startswith("folder"))
    finally:
        roots.close()


@pytest.mark.parametrize(
    ("exchanges", "links", "said"),
    [
        (True, True, "readable and writable"),
        (False, True, "cannot exchange names, so hard links"),
        (False, False, "neither exchange nor hard links"),
    ],
)
def test_how_a_disk_lets_files_be_replaced_is_told(
    make_settings: Make,
    monkeypatch: pytest.MonkeyPatch,
    exchanges: bool,
    links: bool,
    said: str,
) -> None:
    settings = make_settings({"a.md": "x"})
    if not exchanges:
        monkeypatch.setattr(rename, "_libc", None)
    if not links:
        monkeypatch.setattr(os, "link", refuse(errno.EPERM))
    found = folder_check(settings)
    assert found.ok
    assert found.detail.endswith(said) if exchanges else said in found.detail
    assert left(settings) == ["a.md"]


def test_a_disk_that_takes_nothing_is_told(
    make_settings: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = make_settings({"a.md": "x"})
    monkeypatch.setattr(rename.os, "write", refuse(errno.ENOSPC))
    found = folder_check(settings)
    monkeypatch.undo()
    assert not found.ok
    assert "no space left on device" in found.detail
    assert left(settings) == ["a.md"]


def left(settings: Settings) -> list[str]:
    return sorted(os.listdir(Path(settings.roots[0].path)))
