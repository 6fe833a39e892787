"""`commonplace model status`: whether the model for search by meaning is there and whole."""

import json
from pathlib import Path

import pytest

from tests.cli.commands.conftest import Say


@pytest.fixture(autouse=True)
def _no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMONPLACE_MODELS", str(tmp_path / "models"))


@pytest.mark.parametrize("more", [(), ("--check",)])
def test_without_a_model_it_says_how_to_get_one(say: Say, more: tuple[str, ...]) -> None:
    assert "commonplace model install" in say("model", "status", *more, code=1)
    found = json.loads(say("model", "status", "--json", *more, code=1))
    assert found["state"] != "ready"
    assert found["message"]
