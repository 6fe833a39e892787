"""What a node's copy and the store last agreed on."""

from collections.abc import Generator
from pathlib import Path

import pytest

from commonplace.vault.files.reader import Stamp
from commonplace.vault.team_files.store import KeptFile
from commonplace.vault.team_files.synced_files import SyncedFile, SyncedFiles

STAMP = Stamp(5, 2, 3)
ONE, TWO = KeptFile(b"1", 0o600, 5), KeptFile(b"2", 0o600, 5)


@pytest.fixture
def synced(tmp_path: Path) -> Generator[SyncedFiles]:
    found = SyncedFiles(tmp_path / "copy.db")
    yield found
    found.close()


def test_what_was_put_is_there_after_reopening(synced: SyncedFiles, tmp_path: Path) -> None:
    synced.put([(b"a.md", ONE, STAMP), ("é.md".encode(), TWO, STAMP)])
    again = SyncedFiles(tmp_path / "copy.db")
    assert again.get(b"a.md") == SyncedFile(ONE, STAMP, frozenset({b"1"}))
    assert again.all().keys() == {b"a.md", "é.md".encode()}
    assert again.count() == 2
    again.remove([b"a.md", b"none"])
    assert again.get(b"a.md") is None
    again.close()


def test_what_we_put_there_before_is_still_ours(synced: SyncedFiles) -> None:
    synced.put([(b"a.md", ONE, STAMP)])
    synced.put([(b"a.md", TWO, STAMP)])
    found = synced.get(b"a.md")
    assert found is not None
    assert (found.kept, found.ours) == (TWO, frozenset({b"1", b"2"}))


def test_what_is_expected_is_ours_until_it_is_there(synced: SyncedFiles) -> None:
    synced.expect(b"new.md", b"9")
    found = synced.get(b"new.md")
    assert found is not None
    assert (found.kept, found.ours) == (None, frozenset({b"9"}))
    synced.put([(b"a.md", ONE, STAMP)])
    synced.expect(b"a.md", b"9")
    expected = synced.get(b"a.md")
    assert expected is not None
    assert (expected.kept, expected.ours) == (ONE, frozenset({b"1", b"9"}))
    synced.put([(b"new.md", KeptFile(b"9", 0o600, 5), STAMP)])
    found = synced.get(b"new.md")
    assert found is not None
    assert found.ours == frozenset({b"9"})


def test_our_contents_are_all_that_we_ever_were_about_to_write(synced: SyncedFiles) -> None:
    synced.announce(b"7")
    synced.put([(b"a.md", ONE, STAMP)])
    synced.put([(b"a.md", TWO, STAMP)])
    synced.expect(b"a.md", b"9")
    assert synced.our_contents() == {b"7", b"1", b"2", b"9"}


def test_files_beneath_a_folder_are_told_from_those_beside_it(synced: SyncedFiles) -> None:
    paths = [b"a/b.md", b"a/c/d.md", b"a.md", b"a b/c.md", b"a0.md", b"ab/x.md"]
    synced.put([(path, ONE, STAMP) for path in paths])
    assert synced.below(b"a") == {b"a/b.md", b"a/c/d.md"}
    assert synced.below(b"") == set(paths)
    assert synced.below(b"none") == set()


def test_very_many_that_vanish_at_once_are_told(synced: SyncedFiles) -> None:
    assert not synced.are_very_many(20)
    assert synced.are_very_many(21)
    synced.put([(b"%d.md" % number, ONE, STAMP) for number in range(200)])
    assert not synced.are_very_many(40)
    assert synced.are_very_many(41)


def test_the_last_turn_is_remembered(synced: SyncedFiles, tmp_path: Path) -> None:
    assert synced.fence == -1
    synced.take_turn(4)
    synced.take_turn(6)
    again = SyncedFiles(tmp_path / "copy.db")
    assert again.fence == 6
    again.close()
