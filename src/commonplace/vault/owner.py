"""One owner per root: the locks, and the socket on which the owner listens.

The lock of a root is `flock` on the folder itself, so nothing is written into the vault, and two
state folders can never both own it. Whoever holds the locks is listening: `claim` binds
`owner.sock` as soon as it has locked, a claim unlocks before it stops listening, and only the
holder touches the socket's name. So a held lock without a socket that answers belongs to a process
that serves other folders, or the same ones under another state folder.
"""

import contextlib
import fcntl
import hashlib
import os
import socket
import stat
import time
from pathlib import Path
from typing import Self

from commonplace.errors import OwnedElsewhere, Unavailable
from commonplace.vault import memory
from commonplace.vault.settings import Root, Settings

OWNER_SOCKET = "owner.sock"
_NODE_SOCKET = "node.sock"

_TEAM_MARK = "for-a-team"

_BACKLOG_MAX = 128
_PATIENCE = 1.0
_PAUSE = 0.02
# The shortest `sun_path` there is (macOS), less the longest name that a socket gets.
_SOCKET_FOLDER_MAX = 104 - len("/http-00000000.sock") - 1
# Not the TMPDIR of the environment: a shell and an assistant's child have different ones.
_SHORT_FOLDER = Path("/tmp")  # noqa: S108 (what we make in it is 0700, and checked to be ours)


class Claim:
    """The right to be the vault's owner, for as long as it is open."""

    def __init__(self, locks: list[int], listener: socket.socket) -> None:
        self._locks = locks
        self.listener = listener

    def close(self) -> None:
        """Unlock, then stop listening: in this order, see the module's rule."""
        unlock(self._locks)
        self.listener.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def claim(settings: Settings) -> Claim | None:
    """Become the owner, or give None when the vault has one that answers."""
    folder = prepared_sockets(settings)
    until = time.monotonic() + _PATIENCE
    while True:
        locks = _lock_all(settings)
        if not isinstance(locks, Root):
            if _is_teams(settings):
                unlock(locks)
                return _front_end_of_node(settings)
            memory.share_one_heap()  # an owner runs for days, in threads that start after this
            return _listening(folder, locks)
        link = connect(settings)
        if link is not None:
            link.close()
            return None
        if time.monotonic() > until:
            raise _between_owners() if _is_node(settings) else _owned_elsewhere(locks)
        time.sleep(_PAUSE)


def keep_for_team(state_base: Path) -> None:
    """Let nobody but nodes own vaults with this state folder, be they open just now or not.

    What such an owner would save is in files on this machine, where no node looks.
    """
    prepare_state(state_base)
    (state_base / _TEAM_MARK).touch(mode=0o600)


def listen_for_vaults(state_base: Path) -> socket.socket:
    """Listen for programs that mean any vault of this node that is not open here."""
    return _listen(_prepared_sockets(state_base), _NODE_SOCKET)


def _front_end_of_node(settings: Settings) -> None:
    """Find the node that carries programs to a team's vault: nobody here may own it."""
    link = connect(settings)
    if link is None:
        raise OwnedElsewhere(
            "This vault is a team's, and its node does not run here now. Start it, or try again on"
            " a machine where one runs; or, if this is no node of a team's server any more, name"
            " another folder with --state."
        )
    link.close()


def lock_for_node(settings: Settings) -> list[int]:
    """Lock a node's roots and its state folder, which are its own although the vault is not.

    Which node is the owner is the database's to say; the locks keep everybody else out.
    """
    prepare_state(settings.state)
    locks = [_lock_folder(settings.state, fcntl.LOCK_EX)]
    if locks[0] is None:
        raise OwnedElsewhere(
            "Another process uses this state folder. Each node needs one of its own: name it with"
            " --state."
        )
    for root in settings.roots:
        locks.append(_lock_folder(root.path, fcntl.LOCK_EX))
        if locks[-1] is None:
            unlock([lock for lock in locks if lock is not None])
            raise _owned_elsewhere(root)
    (settings.state / _TEAM_MARK).touch(mode=0o600)
    return [lock for lock in locks if lock is not None]


def lock_vaults_folder(folder: Path) -> int:
    """Lock a folder of vaults for one node: each has its own copies of their files."""
    lock = _lock_folder(folder, fcntl.LOCK_EX)
    if lock is None:
        raise OwnedElsewhere(
            "Another node has this folder of vaults. Each needs one of its own: name it with"
            " --vaults."
        )
    return lock


def listen_as_node(settings: Settings) -> Claim:
    """Listen for front ends on this machine, for a node that holds the vault's lease."""
    return _listening(_prepared_sockets(settings.state), [])


def connect(settings: Settings) -> socket.socket | None:
    """Reach the vault's owner, or who carries to it; None when nobody listens here for either."""
    owner = socket_folder(settings) / OWNER_SOCKET
    node = _sockets_of(settings.state.parent) / _NODE_SOCKET
    return _connected(owner) or (_connected(node) if _is_own(node) else None)


def _is_own(path: Path) -> bool:
    """Tell whether this user made a file: in a folder like /tmp anybody could have."""
    try:
        return path.lstat().st_uid == os.getuid()
    except OSError:
        return False


def _connected(path: Path) -> socket.socket | None:
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        link.connect(str(path))
    except OSError:
        link.close()
        return None
    return link


def listen(path: Path) -> socket.socket:
    """Listen on a Unix socket that only this user can reach, in place of a stale one."""
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    # Before `listen` nobody can connect, so the default mode is never open to others.
    path.chmod(0o600)
    listener.listen(_BACKLOG_MAX)
    return listener


def prepare_state(folder: Path) -> None:
    """Make the state folder, for this user alone."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if stat.S_IMODE(folder.stat().st_mode) != 0o700:
            folder.chmod(0o700)
    except OSError as error:
        raise Unavailable(
            f"The state folder cannot be made or used ({error.strerror}). "
            "Name another with --state or COMMONPLACE_STATE."
        ) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Unavailable(
            "The state folder is not writable. Name another with --state or COMMONPLACE_STATE."
        )


def socket_folder(settings: Settings) -> Path:
    """Say where the vault's sockets are: the state folder, or a short one when that is too long."""
    return _sockets_of(settings.state)


def prepared_sockets(settings: Settings) -> Path:
    """Make the folder of the vault's sockets, and return it."""
    prepare_state(settings.state)
    return _prepared_sockets(settings.state)


def _sockets_of(state: Path) -> Path:
    name = os.fsencode(state)
    if len(name) <= _SOCKET_FOLDER_MAX:
        return state
    digest = hashlib.sha256(name).hexdigest()[:16]
    return _SHORT_FOLDER / f"commonplace-{os.getuid()}" / digest


def _prepared_sockets(state: Path) -> Path:
    folder = _sockets_of(state)
    if folder != state:
        _make_private(folder.parent)
        _make_private(folder)
    return folder


def _listening(folder: Path, locks: list[int]) -> Claim:
    try:
        return Claim(locks, _listen(folder, OWNER_SOCKET))
    except Unavailable:
        unlock(locks)
        raise


def _listen(folder: Path, name: str) -> socket.socket:
    try:
        return listen(folder / name)
    except OSError as error:
        raise Unavailable(
            f"The owner's socket cannot be made ({error.strerror or error}). Try another --state."
        ) from None


def _make_private(folder: Path) -> None:
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    if not ours or stat.S_IMODE(found.st_mode) != 0o700:
        raise Unavailable("The folder for sockets belongs to somebody else. Use a shorter --state.")


def _lock_all(settings: Settings) -> list[int] | Root:
    """Lock every root, or none and give the one that is held."""
    locks: list[int] = []
    # In one order, so that two processes that want the same roots cannot each get half.
    for root in sorted(settings.roots, key=lambda root: str(root.path.resolve())):
        try:
            locks.append(_lock(root, settings))
        except BlockingIOError:
            unlock(locks)
            return root
        except OSError as error:
            unlock(locks)
            raise Unavailable(
                f"The folder {root.name!r} cannot be opened ({error.strerror})."
            ) from None
    return locks


def _lock(root: Root, settings: Settings) -> int:
    handle = os.open(root.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise
    except OSError:
        os.close(handle)
        return _lock_beside(root, settings)
    return handle


def _lock_folder(folder: Path, how: int) -> int | None:
    """Lock a folder, as far as its file system can; None if another process has it."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    except OSError:
        pass  # some network file systems lock no folders
    return handle


def _lock_beside(root: Root, settings: Settings) -> int:
    """Lock a file named after the folder: some network file systems lock no folders."""
    folder = settings.locks or settings.state.parent / "locks"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = hashlib.sha256(os.fsencode(root.path.resolve())).hexdigest()[:24]
    handle = os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    return handle


def unlock(locks: list[int]) -> None:
    """Let go of locks."""
    while locks:
        os.close(locks.pop())


def _is_node(settings: Settings) -> bool:
    return (settings.state / _TEAM_MARK).exists()


def _is_teams(settings: Settings) -> bool:
    return _is_node(settings) or (settings.state.parent / _TEAM_MARK).exists()


def _between_owners() -> OwnedElsewhere:
    return OwnedElsewhere(
        "This vault is a team's, and its node here has reached no owner yet: it waits for the"
        " database, or until another node takes over. Try again in a moment; its log says more."
    )


def _owned_elsewhere(root: Root) -> OwnedElsewhere:
    holder = _holder(root)
    who = f"process {holder}" if holder else "another process"
    return OwnedElsewhere(
        f"The folder {root.name!r} is already open in Commonplace ({who}), with other folders or "
        "another state folder. Stop that process, or name the same folders and --state as it does."
    )


def _holder(root: Root) -> int | None:
    """Find the process that holds a root's lock, where the system tells."""
    try:
        found = root.path.stat()
        with open("/proc/locks", encoding="ascii") as table:
            rows = [line.split() for line in table]
    except OSError:
        return None
    device = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    held = (int(row[4]) for row in rows if row[1:2] == ["FLOCK"] and row[5] == device)
    return next(held, None)
