"""What arrives is told while it arrives, whatever pip says of it."""

import hashlib
import sys
from pathlib import Path

import pytest

from commonplace.errors import Unavailable
from commonplace.vault.embeddings.model import download

_SLOW_PIP = """
import os, pathlib, sys, time, tempfile
folder = pathlib.Path(tempfile.mkdtemp())
with (folder / "part").open("wb", buffering=0) as part:
    while not pathlib.Path({go!r}).exists():
        part.write(b"x" * 1000)
        time.sleep(0.01)
into = sys.argv[sys.argv.index("--dest") + 1]
pathlib.Path(into, "a-1.whl").write_bytes(b"wheel")
"""


def test_bytes_are_counted_while_they_arrive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    go, pip = tmp_path / "go", tmp_path / "pip.py"
    pip.write_text(_SLOW_PIP.format(go=str(go)))
    monkeypatch.setattr(download, "_pip", lambda: [sys.executable, str(pip)])
    (tmp_path / "into").mkdir()
    seen: list[int] = []

    def arrived(size: int) -> None:
        seen.append(size)
        if len(set(seen)) > 3:
            go.touch()

    sha = hashlib.sha256(b"wheel").hexdigest()
    wheel = download.fetch_wheel("a==1", sha, tmp_path / "into", arrived)
    assert wheel.read_bytes() == b"wheel"
    assert seen == sorted(seen)
    assert max(seen) >= 3000
    assert [file.name for file in (tmp_path / "into").iterdir()] == ["a-1.whl"]


def test_what_pip_complains_of_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pip = tmp_path / "pip.py"
    pip.write_text("import sys; sys.exit('ERROR: No matching distribution found for a==1')")
    monkeypatch.setattr(download, "_pip", lambda: [sys.executable, str(pip)])
    with pytest.raises(Unavailable, match="No matching distribution found for a==1"):
        download.fetch_wheel("a==1", "", tmp_path)
