"""A person's folder and a server's vault: real processes, kept in step both ways."""

import os
import signal
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.vault.remote_copy.processes import (
    Copy,
    Files,
    ServedVault,
    command,
    files_in,
    fill,
    hidden_in,
)
from tests.wait import has_words, until

pytestmark = pytest.mark.slow

BYTES: Files = {
    "crlf.md": b"one\r\ntwo\r\n",
    "mixed.md": b"one\r\ntwo\nthree\r\nfour",
    "bom.md": b"\xef\xbb\xbfwith a BOM",
    "no newline.md": b"the end",
    "empty.md": b"",
    "latin.md": b"caf\xe9\n",
    "Ordner/\xc3\x9cbung \xf0\x9f\x8c\xb1.md".encode("latin-1").decode(): "grün 🌱\n".encode(),
    "Files/picture.png": bytes(range(256)) * 300,
    "Files/empty.bin": b"",
    "marked.md": b"a {++new++} word {>>why?<<}\n",
}


@pytest.fixture
def served(tmp_path: Path) -> Generator[ServedVault]:
    with ServedVault(tmp_path, {"A.md": b"first\n\nmiddle\n\nlast\n"}) as served:
        yield served


@pytest.fixture
def copy(tmp_path: Path, served: ServedVault) -> Copy:
    return Copy(tmp_path, served.url)


def alike(served: ServedVault, copy: Copy) -> bool:
    return files_in(served.vault) == copy.files()


def test_every_byte_comes_and_goes(served: ServedVault, copy: Copy) -> None:
    fill(served.vault, BYTES)
    copy.once()
    assert copy.files() == {"A.md": b"first\n\nmiddle\n\nlast\n", **BYTES}
    assert hidden_in(copy.folder) == []
    again = {f"sent {name}": data for name, data in BYTES.items() if "/" not in name}
    again["Sub/deep/er/picture.png"] = bytes(reversed(BYTES["Files/picture.png"]))
    fill(copy.folder, again)
    copy.once()
    there = files_in(served.vault)
    assert {path: there.get(path) for path in again} == again
    assert alike(served, copy)
    assert {row["event"] for row in copy.once()} == {"scope"}


def test_an_edit_changes_only_its_span(served: ServedVault, copy: Copy) -> None:
    fill(served.vault, BYTES)
    copy.once()
    (copy.folder / "mixed.md").write_bytes(b"one\r\ntwo more\nthree\r\nfour")
    (copy.folder / "bom.md").write_bytes(b"\xef\xbb\xbfwith a BOM and more")
    (copy.folder / "crlf.md").write_bytes(b"one\ntwo\n")
    (copy.folder / "latin.md").write_bytes(b"caf\xe9 noir\n")
    copy.once()
    there = files_in(served.vault)
    assert there["mixed.md"] == b"one\r\ntwo more\nthree\r\nfour"
    assert there["bom.md"] == b"\xef\xbb\xbfwith a BOM and more"
    assert there["crlf.md"] == b"one\ntwo\n"
    assert there["latin.md"] == b"caf\xe9 noir\n"
    assert alike(served, copy)


def test_both_sides_are_merged_after_a_while_offline(served: ServedVault, copy: Copy) -> None:
    with copy.running() as running:
        running.wait_for("ready")
        served.kill()
        running.wait_for("offline")
        (copy.folder / "A.md").write_bytes(b"first and mine\n\nmiddle\n\nlast\n")
        (copy.folder / "New.md").write_bytes(b"made offline\n")
        (served.vault / "A.md").write_bytes(b"first\n\nmiddle\n\nlast and theirs\n")
        served.start()
        running.wait_for("online")
        until(lambda: alike(served, copy) and "New.md" in copy.files())
    assert copy.files()["A.md"] == b"first and mine\n\nmiddle\n\nlast and theirs\n"


def test_saves_on_both_sides_arrive_while_it_runs(served: ServedVault, copy: Copy) -> None:
    with copy.running() as running:
        running.wait_for("ready")
        (copy.folder / "A.md").write_bytes(b"first here\n\nmiddle\n\nlast\n")
        (served.vault / "A.md").write_bytes(b"first\n\nmiddle\n\nlast there\n")
        has_words(copy.folder / "A.md", "last there")
        has_words(served.vault / "A.md", "first here")
        until(lambda: alike(served, copy))
        (served.vault / "pic.png").write_bytes(b"\x89PNG\0")
        until(lambda: copy.files().get("pic.png") == b"\x89PNG\0")
        os.rename(copy.folder / "A.md", copy.folder / "B.md")
        running.wait_for("renamed")
        until(lambda: alike(served, copy))
        (copy.folder / "B.md").unlink()
        (served.vault / "pic.png").unlink()
        until(lambda: files_in(served.vault) == copy.files() == {})
    assert [file.name for file in (served.vault / ".trash").iterdir()] == ["B.md"]


def test_what_is_no_text_is_kept_twice_where_both_changed_it(
    served: ServedVault, copy: Copy
) -> None:
    (served.vault / "p.png").write_bytes(b"\0begun")
    copy.once()
    (served.vault / "p.png").write_bytes(b"\0theirs")
    (copy.folder / "p.png").write_bytes(b"\0mine")
    (served.vault / "New.md").write_bytes(b"theirs\n")
    (copy.folder / "New.md").write_bytes(b"mine\n")
    told = copy.once()
    assert sorted(row["path"] for row in told if row["event"] == "conflict") == ["New.md", "p.png"]
    found = copy.files()
    assert found["p.png"] == b"\0theirs"
    assert found["New.md"] == b"theirs\n"
    mine = {data for path, data in found.items() if "(conflict " in path}
    assert mine == {b"\0mine", b"mine\n"}
    assert alike(served, copy)


@pytest.mark.parametrize("side", ["here", "there"])
def test_who_changed_a_file_wins_over_who_deleted_it(
    served: ServedVault, copy: Copy, side: str
) -> None:
    copy.once()
    deleted, changed = (
        (copy.folder, served.vault) if side == "here" else (served.vault, copy.folder)
    )
    (deleted / "A.md").unlink()
    (changed / "A.md").write_bytes(b"first\n\nmiddle\n\nlast words\n")
    copy.once()
    assert copy.files() == {"A.md": b"first\n\nmiddle\n\nlast words\n"}
    assert alike(served, copy)


@pytest.mark.parametrize("side", ["here", "there"])
def test_very_many_deletions_wait_for_a_word(served: ServedVault, copy: Copy, side: str) -> None:
    fill(served.vault, {f"n/{number}.md": b"note %d\n" % number for number in range(20)})
    copy.once()
    deleted, left = (copy.folder, served.vault) if side == "here" else (served.vault, copy.folder)
    for number in range(11):
        (deleted / f"n/{number}.md").unlink()
    told = copy.once()
    assert [row["count"] for row in told if row["event"] == "held"] == [11]
    assert len(files_in(left)) == 21
    copy.once("--delete-many")
    assert len(files_in(left)) == 10
    assert alike(served, copy)


def test_a_folder_that_is_renamed_is_no_deletion(served: ServedVault, copy: Copy) -> None:
    fill(served.vault, {f"n/{number}.md": b"note %d\n" % number for number in range(20)})
    copy.once()
    os.rename(copy.folder / "n", copy.folder / "m")
    told = copy.once()
    assert [row for row in told if row["event"] == "held"] == []
    assert sum(row["event"] == "renamed" for row in told) == 20
    assert alike(served, copy)
    assert not (served.vault / ".trash").exists()
    os.rename(served.vault / "m", served.vault / "o")
    assert [row for row in copy.once() if row["event"] == "held"] == []
    assert alike(served, copy)
    assert "o/7.md" in copy.files()
    assert not (copy.folder / "m").exists()


def test_a_folder_that_became_a_link_is_not_deleted(
    served: ServedVault, copy: Copy, tmp_path: Path
) -> None:
    fill(served.vault, {"n/B.md": b"b\n"})
    copy.once()
    os.rename(copy.folder / "n", tmp_path / "elsewhere")
    (copy.folder / "n").symlink_to(tmp_path / "elsewhere")
    assert any("cannot be seen" in row.get("text", "") for row in copy.once())
    assert files_in(served.vault)["n/B.md"] == b"b\n"
    (served.vault / "n/B.md").write_bytes(b"more\n")
    copy.once()
    assert files_in(tmp_path / "elsewhere") == {"B.md": b"b\n"}


def test_a_token_that_may_read_leaves_what_is_saved_here(tmp_path: Path) -> None:
    with ServedVault(tmp_path, {"A.md": b"first\n\nlast\n", "B.md": b"b\n"}) as served:
        copy = Copy(tmp_path, served.url, token=served.token("read"))
        assert {"event": "scope", "text": "read"} in copy.once()
        (copy.folder / "A.md").write_bytes(b"first of mine\n\nlast\n")
        (copy.folder / "B.md").unlink()
        told = copy.once()
        assert [row["path"] for row in told if row["event"] == "trouble"] == ["A.md"]
        assert copy.files() == {"A.md": b"first of mine\n\nlast\n", "B.md": b"b\n"}
        (served.vault / "A.md").write_bytes(b"first\n\nlast of theirs\n")
        copy.once()
        assert copy.files()["A.md"] == b"first of mine\n\nlast of theirs\n"
        assert files_in(served.vault)["A.md"] == b"first\n\nlast of theirs\n"


def test_a_token_that_may_suggest_makes_suggestions(tmp_path: Path) -> None:
    with ServedVault(tmp_path, {"A.md": b"one word\n", "B.md": b"b\n"}) as served:
        copy = Copy(tmp_path, served.url, token=served.token("suggest"))
        copy.once()
        (copy.folder / "A.md").write_bytes(b"one other\n")
        (copy.folder / "B.md").unlink()
        (copy.folder / "p.png").write_bytes(b"\0")
        told = copy.once()
        assert files_in(served.vault) == {"A.md": b"one {--word--}{++other++}\n", "B.md": b"b\n"}
        assert copy.files() == {**files_in(served.vault), "p.png": b"\0"}
        assert [row["path"] for row in told if row["event"] == "trouble"] == ["p.png"]
        assert {row["event"] for row in copy.once()} <= {"scope", "trouble"}


def test_a_strange_token_is_refused_and_never_shown(tmp_path: Path) -> None:
    served = ServedVault(tmp_path, {"A.md": b"a\n"}, "--require-token")
    good = served.token("write")
    with served:
        done = Copy(tmp_path, served.url, token="cp_wrong").tried()
        assert done.returncode == 1
        assert "access token" in done.stderr
        assert "cp_wrong" not in done.stderr + done.stdout
        file = tmp_path / "token"
        file.write_text(good)
        file.chmod(0o644)
        copy = Copy(tmp_path, served.url)
        assert "chmod 600" in copy.tried("--token-file", str(file)).stderr
        file.chmod(0o600)
        copy.once("--token-file", str(file))
        assert copy.files() == {"A.md": b"a\n"}


def test_a_folder_with_other_files_is_refused(served: ServedVault, copy: Copy) -> None:
    fill(copy.folder, {"Mine.md": b"mine\n"})
    done = copy.tried()
    assert done.returncode == 2
    assert "not empty" in done.stderr
    assert copy.files() == {"Mine.md": b"mine\n"}


def test_a_folder_belongs_to_one_server_and_one_process(
    served: ServedVault, copy: Copy, tmp_path: Path
) -> None:
    with copy.running() as running:
        running.wait_for("ready")
        assert "Another process" in copy.tried().stderr
        running.kill(signal.SIGINT)
        running.wait()
    copy.url = "http://127.0.0.1:1"
    assert "is a copy of" in copy.tried().stderr


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://notes.example.org", "Use https://"),
        ("https://ann:secret@notes.example.org", "neither a name nor a password"),
        ("https://notes.example.org:99999", "no valid port"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(tmp_path: Path, url: str, words: str) -> None:
    done = command("checkout", url, str(tmp_path / "copy"), "--state", str(tmp_path / "state"))
    assert done.returncode == 2
    assert words in done.stderr
    assert not (tmp_path / "copy").exists()


def test_an_emptied_folder_is_filled_anew(served: ServedVault, copy: Copy) -> None:
    copy.once()
    (copy.folder / "A.md").unlink()
    copy.once()
    assert alike(served, copy)
    assert copy.files()
