"""Which provider of embeddings is chosen, and `commonplace model`."""

from pathlib import Path

import pytest

from commonplace.cli import embeddings
from commonplace.cli.root import run
from commonplace.errors import BadArgument
from commonplace.vault.settings import Embeddings


def test_the_local_model_is_what_nobody_has_to_choose(tmp_path: Path) -> None:
    environ = {"COMMONPLACE_MODELS": str(tmp_path)}
    assert embeddings.chosen(None, environ, None) == (tmp_path, None)
    assert embeddings.chosen("none", environ, None) == (None, None)
    assert embeddings.chosen("local", environ, "none") == (tmp_path, None)
    assert embeddings.chosen(None, environ, "none") == (None, None)


def test_a_server_is_a_url_with_a_model_behind_it_and_its_key_is_not_shown() -> None:
    environ = {"COMMONPLACE_EMBEDDINGS": "https://x.example/v1#m", embeddings.KEY: "secret"}
    assert embeddings.chosen(None, environ, None) == (
        None,
        Embeddings("https://x.example/v1", "m", "secret"),
    )
    assert "secret" not in repr(embeddings.chosen(None, environ, None))


@pytest.mark.parametrize("wrong", ["http://localhost:1", "ftp://x#m", "remote"])
def test_what_is_no_provider_is_refused(wrong: str) -> None:
    with pytest.raises(BadArgument):
        embeddings.chosen(wrong, {}, None)


def test_a_vault_may_not_send_its_notes_elsewhere() -> None:
    with pytest.raises(BadArgument, match="this machine only"):
        embeddings.chosen(None, {}, "https://far.example/v1#m")
    assert embeddings.chosen(None, {}, "http://localhost:11434#m")[1] is not None


def test_model_status_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COMMONPLACE_MODELS", str(tmp_path))
    assert run(["model", "status"]) == 1
    assert "commonplace model install" in capsys.readouterr().out
