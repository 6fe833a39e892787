"""Folders of two people, kept in step through different nodes of a team's server."""

from collections.abc import Generator
from pathlib import Path

import anyio
import pytest

from commonplace.cli.commands.programs.import_ import import_folder
from tests.engines.postgres.server import PostgresServer
from tests.engines.postgres.test_several import TeamOfThree, make_database
from tests.vault.remote_copy.processes import Copy, Files, fill
from tests.wait import PATIENCE, until

VAULT = "notes"
BEGUN: Files = {
    "A.md": b"one\r\n\r\ntwo\r\n\r\nthree\r\n",
    "Folder/B.md": b"\xef\xbb\xbfno newline",
    "pic.png": bytes(range(256)),
}


@pytest.fixture
def team(postgres: PostgresServer, tmp_path: Path) -> Generator[TeamOfThree]:
    make_database(postgres, "copied")
    url = postgres.url("copied")
    fill(tmp_path / "begun", BEGUN)
    (tmp_path / "team").mkdir()
    team = TeamOfThree(url, tmp_path / "team")
    anyio.run(import_folder, url, VAULT, tmp_path / "begun", False)
    with team:
        yield team


def test_two_folders_are_kept_in_step_through_any_node(team: TeamOfThree, tmp_path: Path) -> None:
    one, two = (
        Copy(tmp_path, f"{node.http}/v/{VAULT}", f"copy {at}")
        for at, node in enumerate(team.nodes[:2])
    )
    with one.running() as first, two.running() as second:
        first.wait_for("ready")
        second.wait_for("ready")
        assert one.files() == two.files() == BEGUN
        (one.folder / "A.md").write_bytes(b"one here\r\n\r\ntwo\r\n\r\nthree\r\n")
        (two.folder / "A.md").write_bytes(b"one\r\n\r\ntwo\r\n\r\nthree there\r\n")
        (two.folder / "new.bin").write_bytes(b"\0\1\2")
        both = b"one here\r\n\r\ntwo\r\n\r\nthree there\r\n"
        until(lambda: one.files() == two.files() and one.files().get("new.bin") == b"\0\1\2")
        assert one.files()["A.md"] == both
        # The machine that owns the vault dies; both go on writing, one of them perhaps offline.
        owner = team.owners()[VAULT]
        owner.kill()
        owner.process.wait(PATIENCE)
        (one.folder / "A.md").write_bytes(both.replace(b"two", b"two, one says"))
        (two.folder / "After.md").write_bytes(b"after the fall\n")
        if owner is not team.nodes[2]:
            (second if owner is team.nodes[1] else first).wait_for("offline")
        owner.start()
        owner.wait_ready()
        until(lambda: one.files() == two.files() and "After.md" in one.files())
        assert one.files()["A.md"] == both.replace(b"two", b"two, one says")
    assert {row["event"] for row in first.told() + second.told()} & {"conflict", "held"} == set()
    assert one.files()["pic.png"] == BEGUN["pic.png"]
