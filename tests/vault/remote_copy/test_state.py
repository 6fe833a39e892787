"""What a copy remembers outlives a crash: what was agreed on, and what was begun."""

from collections.abc import Generator
from pathlib import Path

import pytest

from commonplace.errors import Conflict
from commonplace.vault.files.reader import Stamp
from commonplace.vault.remote_copy.state import AgreedFile, CopyState, Sending, Writing

FILE = AgreedFile("sha", Stamp(1, 2, 3), has_text=True)


@pytest.fixture
def state(tmp_path: Path) -> Generator[CopyState]:
    found = CopyState(tmp_path / "copy.db")
    yield found
    found.close()


def reopened(tmp_path: Path) -> CopyState:
    return CopyState(tmp_path / "copy.db")


def test_a_folder_is_a_copy_of_one_vault(state: CopyState) -> None:
    state.belong_to("https://a")
    state.belong_to("https://a")
    with pytest.raises(Conflict, match="is a copy of https://a"):
        state.belong_to("https://b")


def test_what_was_agreed_on_is_there_after_reopening(state: CopyState, tmp_path: Path) -> None:
    state.agree("é.md", FILE, "漢".encode())
    state.agree("b.pdf", AgreedFile("other", Stamp(4, 5, 6)), None)
    again = reopened(tmp_path)
    assert again.agreed() == {"é.md": FILE, "b.pdf": AgreedFile("other", Stamp(4, 5, 6))}
    assert (again.text("é.md"), again.text("b.pdf"), again.text("c.md")) == (
        "漢".encode(),
        None,
        None,
    )
    again.look_alike("é.md", Stamp(7, 8, 9))
    assert again.agreed()["é.md"] == AgreedFile("sha", Stamp(7, 8, 9), has_text=True)
    again.forget("é.md")
    assert list(again.agreed()) == ["b.pdf"]
    again.close()


def test_an_empty_text_is_a_text(state: CopyState) -> None:
    state.agree("a.md", FILE, b"")
    assert state.agreed()["a.md"].has_text
    assert state.text("a.md") == b""


def test_a_move_takes_the_place_of_what_stood_there(state: CopyState) -> None:
    state.agree("a.md", FILE, b"a")
    state.agree("b.md", AgreedFile("b", Stamp(0, 0, 0)), b"b")
    state.move("a.md", "b.md")
    assert state.agreed() == {"b.md": FILE}
    assert state.text("b.md") == b"a"


def test_a_save_is_remembered_until_both_agree(state: CopyState, tmp_path: Path) -> None:
    save = Sending("a.md", "name", "was", None, b"data")
    state.send(save)
    state.send(Sending("b.md", "other", "was", b"base", b"data"))
    again = reopened(tmp_path)
    assert min(again.sending(), key=lambda one: one.path) == save
    again.agree("a.md", FILE, b"data")
    again.drop("b.md")
    assert again.sending() == []
    again.close()


def test_a_change_here_is_remembered_until_it_is_made(state: CopyState, tmp_path: Path) -> None:
    change = Writing("token", "a.md", "sha")
    state.write(change)
    again = reopened(tmp_path)
    assert again.writing() == [change]
    again.wrote("token")
    assert state.writing() == []
    again.close()


def test_what_is_cleared_is_what_was_agreed_on(state: CopyState) -> None:
    state.belong_to("https://a")
    state.agree("a.md", FILE, b"")
    state.send(Sending("a.md", "name", "was", None, b""))
    state.write(Writing("token", "a.md", "sha"))
    state.clear()
    assert (state.agreed(), state.sending()) == ({}, [])
    assert len(state.writing()) == 1, "what lies beside a file has to be cleared away yet"
    with pytest.raises(Conflict):
        state.belong_to("https://b")
