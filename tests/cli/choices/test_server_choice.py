"""The server that a person names, and the access token that it is asked with."""

from pathlib import Path

import pytest

from commonplace.cli.choices.server_choice import is_server, token
from commonplace.errors import BadArgument


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "token"
    file.write_text("cp_file\n")
    file.chmod(0o600)
    return file


@pytest.mark.parametrize(
    ("word", "server"),
    [
        ("https://notes.example", True),
        ("HTTP://NOTES", True),
        ("https:/notes", False),
        ("~/https://x", False),
        ("", False),
    ],
)
def test_a_server_is_told_from_a_folder(word: str, server: bool) -> None:
    assert is_server(word) is server


def test_the_file_that_was_named_goes_before_the_environment(file: Path) -> None:
    environ = {"COMMONPLACE_TOKEN": " cp_environ ", "COMMONPLACE_TOKEN_FILE": "/no/such/file"}
    assert token(str(file), environ) == "cp_file"
    assert token(None, environ) == "cp_environ"
    assert token(None, {"COMMONPLACE_TOKEN": "", "COMMONPLACE_TOKEN_FILE": str(file)}) == "cp_file"
    assert token(None, {}) == ""


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_file_that_others_can_read_is_refused(file: Path, mode: int) -> None:
    file.chmod(mode)
    with pytest.raises(BadArgument, match=r"^--token-file: others can read the file\..*chmod 600"):
        token(str(file), {})


@pytest.mark.parametrize("content", [b"cp one", b"cp_\x1b", "cp_é".encode(), b"\xff", b"a\nb"])
def test_what_is_no_token_is_refused_and_not_shown(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(BadArgument, match=r"^COMMONPLACE_TOKEN_FILE: ") as caught:
        token(None, {"COMMONPLACE_TOKEN_FILE": str(file)})
    assert "cp" not in str(caught.value).removesuffix("One begins with cp_.")


@pytest.mark.parametrize("name", ["no such file", ".", "x" * 300, "~nobody-of-this-name/token"])
def test_a_file_that_cannot_be_read_is_told(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadArgument):
        token(name, {})
