"""The three sides of every file, as far as they are known."""

import pytest

from commonplace.core.file_sides import Sides
from commonplace.vault.attachments.files import File
from commonplace.vault.files.reader import Stamp
from commonplace.vault.remote_copy.file_states import FileStates
from commonplace.vault.remote_copy.server import RemoteFiles
from commonplace.vault.remote_copy.state import AgreedFile

OLD, NEW = Stamp(1, 1, 1), Stamp(2, 2, 2)


def told(
    files: dict[str, str] | None = None,
    gone: set[str] | None = None,
    large: set[str] | None = None,
    *,
    whole: bool = False,
) -> RemoteFiles:
    return RemoteFiles(
        cursor="",
        whole=whole,
        files=files or {},
        gone=frozenset(gone or ()),
        may="write",
        large=frozenset(large or ()),
    )


@pytest.fixture
def states() -> FileStates:
    return FileStates({"a.md": AgreedFile("base", OLD)})


def test_what_the_server_says_is_added_or_is_all(states: FileStates) -> None:
    states.take(told({"a.md": "1", "b.md": "2"}))
    states.take(told({"c.md": "3"}, gone={"a.md"}))
    assert states.there == {"b.md": "2", "c.md": "3"}
    states.take(told({"d.md": "4"}, whole=True))
    assert states.there == {"d.md": "4"}


def test_a_file_that_is_too_large_is_left_alone_until_it_is_not(states: FileStates) -> None:
    states.take(told({"a.md": "1"}))
    states.take(told(large={"a.md"}))
    assert "a.md" not in states.sides()
    states.take(told({"a.md": "2"}))
    assert states.sides()["a.md"] == Sides("base", None, "2")
    states.take(told(large={"a.md", "b"}))
    states.take(told(gone={"b"}))
    assert states.large == {"a.md"}
    states.take(told(whole=True))
    assert states.large == set()


def test_an_answer_that_is_older_than_what_was_told_since_is_passed_over(
    states: FileStates,
) -> None:
    states.take(told({"a.md": "1"}))
    states.know_there("a.md", "0", "9")
    assert states.there["a.md"] == "1"
    states.know_there("a.md", "1", "2")
    assert states.there["a.md"] == "2"
    states.know_there("a.md", "2", None)
    states.know_there("a.md", None, None)
    assert states.there == {}


def test_a_hash_holds_for_the_state_that_the_file_is_in(states: FileStates) -> None:
    assert states.hash_here("a.md") is None
    states.here["a.md"] = File("a.md", OLD, "a.md")
    assert states.hash_here("a.md") == "base", "it looks as when both agreed"
    states.here["a.md"] = File("a.md", NEW, "A.md")
    assert states.hash_here("a.md") is None
    assert "a.md" not in states.sides(), "what it holds has to be read first"
    states.know_here("a.md", NEW, "mine")
    assert states.hash_here("a.md") == "mine"
    assert states.here["a.md"].on_disk == "A.md"
    assert states.sides() == {"a.md": Sides("base", "mine", None)}
    states.know_here("a.md", None)
    assert states.sides() == {"a.md": Sides("base", None, None)}
