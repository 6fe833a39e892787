"""What other packages add, by the entry points that they declare."""

import sys
from pathlib import Path

import pytest

from commonplace.errors import BadArgument, Unavailable
from commonplace.vault import plugins


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package as an installer leaves it, with two stores: one is broken."""
    info = tmp_path / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[commonplace.stores]\nzoo = made_up_other:make\nbroken = made_up_missing:make\n"
    )
    (tmp_path / "made_up_other.py").write_text("def make():\n    return 'made'\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return tmp_path


def test_names_are_those_that_installed_packages_declare(package: Path) -> None:
    assert package.exists()
    assert plugins.names("commonplace.stores") == ["broken", "zoo"]
    assert "zoo" not in plugins.names("commonplace.embeddings")


def test_what_is_declared_is_loaded(package: Path) -> None:
    made = plugins.load("commonplace.stores", "zoo")
    assert callable(made)
    assert made() == "made"
    sys.modules.pop("made_up_other")


def test_what_is_not_there_or_cannot_be_loaded_is_told(package: Path) -> None:
    with pytest.raises(BadArgument, match="No installed package offers 'none'"):
        plugins.load("commonplace.stores", "none")
    with pytest.raises(Unavailable, match="of the package other cannot be loaded"):
        plugins.load("commonplace.stores", "broken")
