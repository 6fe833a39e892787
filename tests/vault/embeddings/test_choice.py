"""The providers of embeddings: built in, of other packages, or refused by name."""

import sys
from pathlib import Path

import pytest

from commonplace.errors import BadArgument
from commonplace.vault.embeddings.choice import open_embedder, provider
from commonplace.vault.settings import Embeddings, Root, Settings


def test_a_name_that_nobody_has_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(BadArgument, match=r"no provider of embeddings 'none'\. There are: local"):
        provider("none")
    assert provider("local") is not provider("http")


def test_another_packages_provider_is_given_what_the_person_chose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[commonplace.embeddings]\nours = made_up_embeddings:open_ours\n"
    )
    (tmp_path / "made_up_embeddings.py").write_text(
        "def open_ours(choice, data):\n    return choice, data\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    chosen = Embeddings("http://host", "model", provider="ours")
    settings = Settings((Root("v", tmp_path),), tmp_path, embeddings=chosen, models=tmp_path / "m")
    assert open_embedder(settings) == (chosen, tmp_path / "m")
    sys.modules.pop("made_up_embeddings")
