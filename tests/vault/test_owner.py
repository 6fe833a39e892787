"""One owner per root: locks, sockets, and what is said when somebody else has them."""

import contextlib
import fcntl
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from commonplace.errors import OwnedElsewhere, Unavailable
from commonplace.vault import owner
from commonplace.vault.owner import (
    Claim,
    claim,
    connect,
    listen_as_node,
    lock_for_node,
    lock_vaults_folder,
    prepare_state,
    socket_folder,
)
from commonplace.vault.settings import Root, Settings


def settings(tmp_path: Path, *names: str, state: str = "state") -> Settings:
    for name in names:
        (tmp_path / name).mkdir(exist_ok=True)
    roots = tuple(Root(name, tmp_path / name) for name in names)
    return Settings(roots, tmp_path / state)


def held(settings: Settings) -> Claim:
    claimed = claim(settings)
    assert claimed
    return claimed


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(owner, "_PATIENCE", 0.05)


def test_the_first_to_claim_owns_the_vault_and_the_next_finds_it(tmp_path: Path):
    here = settings(tmp_path, "a")
    assert connect(here) is None
    with held(here):
        assert claim(here) is None
        link = connect(here)
        assert link
        link.close()
    held(here).close()


def test_a_claim_that_is_closed_lets_nobody_wait(tmp_path: Path):
    here = settings(tmp_path, "a")
    with held(here):
        link = connect(here)
        assert link
    with link:
        link.settimeout(5)
        with contextlib.suppress(ConnectionResetError):
            assert link.recv(1) == b""
    assert connect(here) is None


def test_an_owner_listens_for_as_long_as_it_holds_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Else a process that comes at this moment takes the vault for somebody else's."""
    here = settings(tmp_path, "a")
    claimed = held(here)
    unlock, listening = owner.unlock, list[bool]()

    def spy(locks: list[int]) -> None:
        link = connect(here)
        listening.append(link is not None)
        if link:
            link.close()
        unlock(locks)

    monkeypatch.setattr(owner, "unlock", spy)
    claimed.close()
    assert listening == [True]


def test_another_state_folder_cannot_own_the_same_root(tmp_path: Path):
    with (
        held(settings(tmp_path, "a")),
        pytest.raises(OwnedElsewhere, match=rf"'a' is already open .* \(process {os.getpid()}\)"),
    ):
        claim(settings(tmp_path, "a", state="other"))


def test_another_set_of_folders_cannot_own_a_root_it_shares(tmp_path: Path):
    with held(settings(tmp_path, "a", "b")):
        other = settings(tmp_path, "b", "c", state="other")
        with pytest.raises(OwnedElsewhere, match="'b' is already open"):
            claim(other)
    # What it had locked before it failed is free again.
    held(settings(tmp_path, "c", state="third")).close()


def test_the_same_folders_in_another_order_are_the_same_vault(tmp_path: Path):
    with held(settings(tmp_path, "a", "b")):
        assert claim(settings(tmp_path, "b", "a")) is None


def test_a_folder_reached_by_a_symlink_is_the_same_root(tmp_path: Path):
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to("a")
    with held(settings(tmp_path, "a")):
        assert claim(Settings((Root("link", tmp_path / "link"),), tmp_path / "state")) is None


def test_nothing_is_written_into_the_vault(tmp_path: Path):
    with held(settings(tmp_path, "a")):
        assert list((tmp_path / "a").iterdir()) == []


def test_a_socket_left_by_a_dead_owner_is_replaced(tmp_path: Path):
    here = settings(tmp_path, "a")
    here.state.mkdir()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(here.state / "owner.sock"))
    with held(here):
        link = connect(here)
        assert link
        link.close()


def test_a_killed_owner_leaves_the_vault_free(tmp_path: Path):
    here = settings(tmp_path, "a")
    code = (
        "import sys, os, signal; from pathlib import Path\n"
        "from commonplace.vault.owner import claim\n"
        "from commonplace.vault.settings import Root, Settings\n"
        "held = claim(Settings((Root('a', Path(sys.argv[1])),), Path(sys.argv[2])))\n"
        "assert held; os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "a"), str(here.state)]
    assert subprocess.run(command, check=False).returncode == -9
    held(here).close()


def test_state_and_socket_are_for_this_user_alone(tmp_path: Path):
    here = settings(tmp_path, "a")
    here.state.mkdir(mode=0o755)
    with held(here):
        assert stat.S_IMODE(here.state.stat().st_mode) == 0o700
        assert stat.S_IMODE((here.state / "owner.sock").stat().st_mode) == 0o600


def test_a_state_folder_too_long_for_sockets_gets_a_short_one_that_is_ours(tmp_path: Path):
    here = settings(tmp_path, "a", state="s" * 150)
    with held(here):
        folder = socket_folder(here)
        assert len(str(folder)) < 90
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
        assert claim(here) is None
    (folder / "owner.sock").unlink()
    folder.rmdir()


def test_a_short_folder_that_somebody_else_made_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # A socket's path has to be short, shorter than those that pytest makes.
    with TemporaryDirectory(prefix="cp") as short:
        monkeypatch.setattr(owner, "_SHORT_FOLDER", Path(short))
        trap = Path(short) / f"commonplace-{os.getuid()}"
        (Path(short) / "elsewhere").mkdir(mode=0o700)
        trap.symlink_to("elsewhere")
        here = settings(tmp_path, "a", state="s" * 150)
        with pytest.raises(Unavailable, match="somebody else"):
            claim(here)
        trap.unlink()
        held(here).close()


def test_a_file_system_that_locks_no_folders_gets_a_lock_file_beside_the_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    lock = fcntl.flock

    def refuse_folders(handle: int, how: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(9, "Bad file descriptor")
        lock(handle, how)

    monkeypatch.setattr(owner.fcntl, "flock", refuse_folders)
    locks = tmp_path / "locks"
    (tmp_path / "a").mkdir()
    roots = (Root("a", tmp_path / "a"),)
    with held(Settings(roots, tmp_path / "state", locks=locks)):
        assert len(list(locks.iterdir())) == 1
        with pytest.raises(OwnedElsewhere):
            claim(Settings(roots, tmp_path / "other", locks=locks))


def test_a_state_folder_that_cannot_be_made_is_named_with_the_way_out(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable, match="--state"):
        prepare_state(tmp_path / "file" / "state")


def test_a_root_that_is_gone_is_a_clear_error(tmp_path: Path):
    here = settings(tmp_path, "a")
    (tmp_path / "a").rmdir()
    with pytest.raises(Unavailable, match="'a' cannot be opened"):
        claim(here)


def test_a_node_of_a_team_keeps_everybody_out_of_its_folder(tmp_path: Path):
    locks = lock_for_node(settings(tmp_path, "a", state="one"))
    with pytest.raises(OwnedElsewhere, match="already open"):
        lock_for_node(settings(tmp_path, "a", state="two"))
    with pytest.raises(OwnedElsewhere):
        claim(settings(tmp_path, "a", state="three"))
    for lock in locks:
        os.close(lock)
    held(settings(tmp_path, "a", state="three")).close()


def test_a_node_is_kept_out_of_a_folder_that_a_process_owns_by_itself(tmp_path: Path):
    with held(settings(tmp_path, "a")), pytest.raises(OwnedElsewhere, match="already open"):
        lock_for_node(settings(tmp_path, "a", state="other"))


def test_each_node_has_a_state_folder_of_its_own(tmp_path: Path):
    locks = lock_for_node(settings(tmp_path, "a"))
    with pytest.raises(OwnedElsewhere, match="state folder"):
        lock_for_node(settings(tmp_path, "a"))
    for lock in locks:
        os.close(lock)


def test_each_node_has_a_folder_of_vaults_of_its_own(tmp_path: Path):
    lock = lock_vaults_folder(tmp_path)
    with pytest.raises(OwnedElsewhere, match="--vaults"):
        lock_vaults_folder(tmp_path)
    held(settings(tmp_path, "a")).close()  # the folders in it are locked by themselves
    os.close(lock)
    os.close(lock_vaults_folder(tmp_path))


def test_a_front_end_finds_the_node_that_has_the_lease(tmp_path: Path):
    here = settings(tmp_path, "a")
    locks = lock_for_node(here)
    with listen_as_node(here):
        link = connect(here)
        assert link
        link.close()
        assert claim(here) is None
    for lock in locks:
        os.close(lock)


def test_a_front_end_finds_the_node_that_carries_to_any_vault_if_its_user_made_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "base").mkdir()
    given = Settings((Root("vault", tmp_path / "vault"),), tmp_path / "base" / "state")
    assert connect(given) is None
    listener = owner.listen_for_vaults(tmp_path / "base")
    link = connect(given)
    assert link is not None
    link.close()
    monkeypatch.setattr(os, "getuid", lambda: os.stat(tmp_path).st_uid + 1)
    assert connect(given) is None
    listener.close()
