"""A real PostgreSQL server for the tests: processes over a folder, to be started, stopped, killed.

Run as a program it sees to it that the server is installed: Debian's package, where that can be
had. Where it cannot, it says so in a line, and the tests that need it are left out.
PostgreSQL refuses to run as root; then it runs as `postgres` or `nobody`.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

SUPERUSER = "admin"
ROLE = "commonplace"
PASSWORD = "a-password-of-the-tests"
START_SECONDS_MAX = 120.0

_DEBIAN = Path("/usr/lib/postgresql")
_DEFAULTS = Path("/etc/postgresql-common/createcluster.conf")
_VERSION_MIN = 15


class PostgresServer:
    """One server over one folder; after a stop or a kill it can be started again."""

    def __init__(self, home: Path, *settings: str) -> None:
        """Take a folder that does not exist yet, and settings such as `fsync=off`."""
        self.home = home
        self.data = home / "data"
        self.port = 0
        self.settings = list(settings)
        self._process: subprocess.Popen[Any] | None = None

    def url(
        self, database: str, *, role: str = ROLE, port: int = 0, host: str = "127.0.0.1"
    ) -> str:
        """Return where a database of it answers; another port or host is that of a proxy."""
        return f"postgresql://{role}:{PASSWORD}@{host}:{port or self.port}/{database}"

    def create(self) -> None:
        """Make the files of a server with nothing in it."""
        self.home.mkdir(parents=True)
        password = self.home / "password"
        password.write_text(PASSWORD)
        if (user := _user()) is not None:
            for path in (self.home, password):
                os.chown(path, user.pw_uid, user.pw_gid)
        self._run(
            *("initdb", "--pgdata", str(self.data), "--username", SUPERUSER),
            *("--pwfile", str(password), "--auth", "scram-sha-256"),
            *("--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync"),
        )

    def follow(self, primary: "PostgresServer") -> None:
        """Make the files of a standby that follows another server."""
        self.home.mkdir(parents=True)
        if (user := _user()) is not None:
            os.chown(self.home, user.pw_uid, user.pw_gid)
        self._run(
            *("pg_basebackup", "--pgdata", str(self.data), "--write-recovery-conf", "--no-sync"),
            *("--checkpoint", "fast", "--dbname", primary.url("postgres", role=SUPERUSER)),
        )

    def start(self) -> None:
        """Start it, and wait until it answers; the port stays the same from the first time on."""
        self.port = self.port or _free_port()
        given = [part for setting in self.settings for part in ("-c", setting)]
        with (self.home / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    str(binaries() / "postgres"),
                    *("-D", str(self.data), "-p", str(self.port), "-k", str(self.home)),
                    *("-c", "listen_addresses=127.0.0.1"),
                    # beside its data, so that a killed server leaves nothing behind elsewhere
                    *("-c", "dynamic_shared_memory_type=mmap", *given),
                ],
                stdout=log,
                stderr=log,
                cwd="/",
                **_as_user(),
            )
        self._wait()

    def _wait(self) -> None:
        assert self._process is not None
        end = time.monotonic() + START_SECONDS_MAX
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > end:
                self.kill()
                log = (self.home / "server.log").read_text("utf-8", "replace")[-2000:]
                raise RuntimeError(f"PostgreSQL did not start: {log}")
            time.sleep(0.02)

    def _answers(self) -> bool:
        ready = [str(binaries() / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(ready, check=False, cwd="/").returncode == 0

    def promote(self) -> None:
        """Make a standby the primary."""
        self._run("pg_ctl", "promote", "--pgdata", str(self.data), "--wait")

    def stop(self) -> None:
        """End it in order, whoever is connected."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """End it as a power cut would: it recovers at the next start."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        self._process.send_signal(how)
        self._process.wait(60)
        self._process = None
        end = time.monotonic() + 60  # its children see that it is gone, and go
        while _has_children(self.data) and time.monotonic() < end:
            time.sleep(0.02)

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(binaries() / program), *arguments],
            check=True,
            cwd="/",
            stdout=subprocess.DEVNULL,
            **_as_user(),
        )


def _has_children(data: Path) -> bool:
    """Tell whether any process still works in a server's folder."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink() == data:
                return True
        except OSError:
            continue
    return False


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def _user() -> pwd.struct_passwd | None:
    """Return whom the server runs as; None for ourselves."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise RuntimeError("There is no user but root to run PostgreSQL as.")


def _as_user() -> dict[str, Any]:
    user = _user()
    if user is None:
        return {}
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def binaries() -> Path:
    """Return the folder of the server's programs."""
    if (found := _binaries()) is None:
        raise FileNotFoundError("PostgreSQL is not installed.")
    return found


def _binaries() -> Path | None:
    versions = [path for path in _DEBIAN.glob("[0-9]*/bin") if (path / "initdb").exists()]
    newest = max(versions, key=lambda path: int(path.parent.name), default=None)
    if newest is not None and int(newest.parent.name) >= _VERSION_MIN:
        return newest
    found = shutil.which("initdb")
    return None if found is None else Path(found).resolve().parent


def missing() -> str | None:
    """Say what the machine lacks, if anything."""
    if _binaries() is None:
        return (
            "PostgreSQL 15 or newer is not installed: the tests over it are left out."
            " On Debian and Ubuntu: apt-get install postgresql"
        )
    return None


def install() -> None:
    """Install Debian's package, without the server that it would start by itself."""
    for package in ("postgresql-common", "postgresql"):
        install_package(package)
        if package == "postgresql-common" and _DEFAULTS.exists():
            text = _DEFAULTS.read_text()
            _DEFAULTS.write_text(
                text.replace("#create_main_cluster = true", "create_main_cluster = false")
            )


def install_package(name: str) -> None:
    """Install a package of Debian; its lists may be old, or missing."""
    apt = ["apt-get", "-q", "-y", "--no-install-recommends", "install", name]
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    if subprocess.run(apt, check=False, env=quiet, stdout=subprocess.DEVNULL).returncode:
        subprocess.run(["apt-get", "-q", "update"], check=False, stdout=subprocess.DEVNULL)
        subprocess.run(apt, check=False, env=quiet, stdout=subprocess.DEVNULL)


def main() -> int:
    """Get PostgreSQL ready, or say why not; and what makes networks that can be cut."""
    may_install = os.geteuid() == 0 and shutil.which("apt-get")
    if missing() and may_install:
        install()
    if not shutil.which("ip") and may_install:
        install_package("iproute2")
    if why := missing():
        sys.stderr.write(why + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
