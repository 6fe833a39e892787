"""Which provider of embeddings is chosen, and `commonplace model`."""

from pathlib import Path

import pytest

from commonplace.cli.choices import embedding_choice
from commonplace.cli.group import run
from commonplace.cli.options import Choices, Flags
from commonplace.errors import BadArgument
from commonplace.vault.settings import Embeddings, embeddings_of


def named(flag: str | None, environ: dict[str, str]) -> str | None:
    return Choices(Flags(given={"embeddings": flag} if flag else {}), environ).read(
        "embeddings", embeddings_of, None
    )


def test_the_local_model_is_what_nobody_has_to_choose(tmp_path: Path) -> None:
    environ = {"COMMONPLACE_MODELS": str(tmp_path)}
    assert embedding_choice.provider(None, environ) == (tmp_path, None)
    assert embedding_choice.provider("local", environ) == (tmp_path, None)
    assert embedding_choice.provider("none", environ) == (None, None)


def test_a_flag_wins_over_the_environment() -> None:
    environ = {"COMMONPLACE_EMBEDDINGS": "none"}
    assert named("local", environ) == "local"
    assert named(None, environ) == "none"
    assert named(None, {}) is None


def test_a_server_is_a_url_with_a_model_behind_it_and_its_key_is_not_shown() -> None:
    found = embedding_choice.provider("https://x.example/v1#m", {embedding_choice.KEY: "secret"})
    assert found == (None, Embeddings("https://x.example/v1", "m", "secret"))
    assert "secret" not in repr(found)


@pytest.mark.parametrize(
    "wrong",
    [
        "http://localhost:1",
        "http://localhost:1# ",
        "ftp://x#m",
        "remote",
        "http://#m",
        "http://[::1#m",
        "http://x:port/#m",
        "http://localhost\n.evil.example/v1#m",
        "http://local\thost/v1#m",
        "http://localhost\\.evil.example#m",
        "http://localhost@evil.example#m",
        "http://localhost\u3002evil.example#m",
        "\u200bhttp://localhost#m",
        "\x01http://localhost#m",
    ],
)
def test_what_is_no_provider_or_can_be_read_in_two_ways_is_refused(wrong: str) -> None:
    with pytest.raises(BadArgument, match=r"--embeddings: .* is neither"):
        named(wrong, {})


@pytest.mark.parametrize("space", ["", " ", "\t\n", "\u00a0", "\u3000", "\u2003", "\x1c"])
def test_an_address_is_checked_in_the_form_in_which_it_is_used(space: str) -> None:
    plain = "http://localhost:11434/v1#m"
    assert named(f"{space}{plain}{space}", {}) == plain


def test_model_status_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COMMONPLACE_MODELS", str(tmp_path))
    assert run(["model", "status"]) == 1
    assert "commonplace model install" in capsys.readouterr().out
