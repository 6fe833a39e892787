"""The key that seals cookies and grants."""

from pathlib import Path

from commonplace.server.access.state_key import put_state_key, state_key


def test_it_stays_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    key = state_key(tmp_path)
    assert len(key) == 32
    assert state_key(tmp_path) == key
    assert (tmp_path / "state.key").stat().st_mode & 0o777 == 0o600


def test_one_that_was_cut_short_is_made_anew(tmp_path: Path) -> None:
    key = state_key(tmp_path)
    (tmp_path / "state.key").write_bytes(key[:16])
    fresh = state_key(tmp_path)
    assert len(fresh) == 32
    assert fresh != key


def test_one_that_was_put_there_is_taken(tmp_path: Path) -> None:
    put_state_key(tmp_path, b"k" * 32)
    assert state_key(tmp_path) == b"k" * 32
