"""A folder goes into PostgreSQL and out again, to the byte."""

import os
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from commonplace.cli.group import run
from commonplace.errors import CommonplaceError, Conflict, NotFound, Unavailable, Unreadable
from commonplace.vault.postgres.connection import Connection
from commonplace.vault.team_files.folder import TakenIn, is_taken_in, take_in, write_out
from commonplace.vault.team_files.store import FileStore, KeptFile, sha_of
from tests.engines.postgres.node import make_node, take
from tests.engines.postgres.team_node import end_lease, fill, owning

pytestmark = pytest.mark.anyio

FILES = {
    b"Home.md": b"# Home\n",
    b"windows.md": b"\xef\xbb\xbfone\r\ntwo",
    b"empty.md": b"",
    "日本/メモ.md".encode(): "知識の庭\n".encode(),
    "e\u0301.md".encode(): b"decomposed\n",
    "\u00e9.md".encode(): b"composed\n",
    b"not \xff text.md": b"a name that is not UTF-8\n",
    b".trash/old.md": b"thrown away\n",
    b"Files/big.bin": bytes(range(256)) * 20_000,
    b"Files/same.bin": bytes(range(256)) * 20_000,
    b"nul.md": b"a\0b",
}


@pytest.fixture
def node(url: str) -> Generator[Connection]:
    with make_node(url) as connection:
        yield connection


@pytest.fixture
async def store(url: str, node: Connection) -> AsyncGenerator[FileStore]:
    store = FileStore(url, take(node))
    yield store
    await store.close()


def read(folder: Path) -> dict[bytes, tuple[bytes, int, int]]:
    base = os.fsencode(folder)
    found: dict[bytes, tuple[bytes, int, int]] = {}
    for place, _, names in os.walk(base):
        for name in names:
            target = os.path.join(place, name)
            with open(target, "rb") as file:
                data = file.read()
            seen = os.stat(target)
            found[os.path.relpath(target, base)] = (data, seen.st_mode, seen.st_mtime_ns)
    return found


async def test_a_folder_comes_out_as_it_went_in(url: str, store: FileStore, tmp_path: Path) -> None:
    given = fill(tmp_path / "in", FILES)
    (given / "Home.md").chmod(0o640)
    os.utime(given / "Home.md", ns=(1, 1_700_000_000_123_456_789))
    assert await take_in(store, given) == TakenIn(len(FILES), 0)
    assert write_out(url, "team", tmp_path / "out") == len(FILES)
    assert read(tmp_path / "out") == read(given)


async def test_what_is_hidden_is_left_out_and_counted(store: FileStore, tmp_path: Path) -> None:
    given = fill(tmp_path / "in", FILES | {b".git/config": b"", b"Files/.DS_Store": b""})
    (given / ".link").symlink_to("/etc/passwd")
    assert await take_in(store, given) == TakenIn(len(FILES), 3)
    assert set(await store.listed()) == set(FILES)


async def test_a_vault_is_taken_in_once_it_has_files_or_was_open(
    url: str, store: FileStore, tmp_path: Path
) -> None:
    """A node that could not take its folder in leaves tables without a file behind."""
    assert not is_taken_in(url, "nobody")
    assert await store.listed() == {}
    assert not is_taken_in(url, "team")
    await take_in(store, fill(tmp_path / "in", {b"a.md": b""}))
    assert is_taken_in(url, "team")
    await store.replace_all({})
    assert not is_taken_in(url, "team")
    end_lease(url)
    async with owning(url, tmp_path / "one"):
        assert is_taken_in(url, "team")


def test_the_command_line_moves_a_folder_in_and_out(
    url: str,
    node: Connection,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COMMONPLACE_DATABASE", url)

    def commonplace(*arguments: str) -> tuple[int, str]:
        return run([*arguments, "--vault", "Team"]), capsys.readouterr().err

    given = fill(tmp_path / "in", FILES | {b".git/config": b""})
    code, told = commonplace("import", str(given))
    assert (code, f"{len(FILES)} files" in told, "1 hidden" in told) == (0, True, True)
    assert commonplace("export", str(tmp_path / "out"))[0] == 0
    (given / ".git" / "config").unlink()
    assert read(tmp_path / "out") == read(given)
    (given / "Home.md").unlink()
    assert "--replace" in commonplace("import", str(given))[1]
    assert commonplace("import", str(given), "--replace")[0] == 0
    assert commonplace("export", str(tmp_path / "next"))[0] == 0
    assert read(tmp_path / "next") == read(given)
    node.execute("UPDATE leases SET until = 'infinity'")
    assert "Stop its nodes first" in commonplace("import", str(given), "--replace")[1]


async def test_one_content_is_kept_once_and_goes_with_its_last_file(
    store: FileStore, node: Connection, tmp_path: Path
) -> None:
    given = fill(tmp_path / "in", FILES)
    await take_in(store, given)

    def contents() -> int:
        row = node.execute("SELECT count(*) FROM vault_team.contents").fetchone()
        assert row is not None
        return row[0]

    assert contents() == len(set(FILES.values())) == len(FILES) - 1
    (given / "Files/big.bin").unlink()
    await take_in(store, given)
    assert contents() == len(FILES) - 1
    (given / "Files/same.bin").unlink()
    await take_in(store, given)
    assert contents() == len(FILES) - 2
    assert b"Files/same.bin" not in await store.listed()


async def test_what_is_no_file_is_refused_and_nothing_changes(
    store: FileStore, tmp_path: Path
) -> None:
    given = fill(tmp_path / "in", FILES)
    await take_in(store, given)
    before = await store.listed()
    (given / "Home.md").write_bytes(b"changed")
    (given / "zlink.md").symlink_to("/etc/passwd")
    with pytest.raises(Unreadable, match="zlink"):
        await take_in(store, given)
    assert await store.listed() == before


async def test_nothing_is_written_over(url: str, store: FileStore, tmp_path: Path) -> None:
    await take_in(store, fill(tmp_path / "in", FILES))
    with pytest.raises(Conflict, match="not empty"):
        write_out(url, "team", tmp_path / "in")
    with pytest.raises(NotFound, match="has no files of a vault"):
        write_out(url, "other", tmp_path / "out")


async def test_changes_are_all_or_none(store: FileStore) -> None:
    (sha,) = await store.put_contents([b"one"])
    await store.change({b"a.md": KeptFile(sha), b"b.md": KeptFile(sha)})
    with pytest.raises(CommonplaceError, match="nothing of it was saved"):  # no such content
        await store.change({b"a.md": None, b"c.md": KeptFile(sha_of(b"nowhere"))})
    assert set(await store.listed()) == {b"a.md", b"b.md"}
    await store.change({b"a.md": None})
    assert await store.sweep() == 0
    assert await store.content(sha) == b"one"
    await store.change({b"b.md": None})
    assert await store.sweep() == 1
    with pytest.raises(NotFound):
        await store.content(sha)


async def test_a_zombie_changes_no_file(url: str, node: Connection, store: FileStore) -> None:
    (sha,) = await store.put_contents([b"one"])
    await store.change({b"a.md": KeptFile(sha)})
    owner = FileStore(url, take(node))
    with pytest.raises(Unavailable, match="another node"):
        await store.change({b"a.md": None})
    assert set(await owner.listed()) == {b"a.md"}
    await owner.close()
