"""A network of its own for a node: two cables to this machine, each of which can be pulled."""

import os
import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cable:
    """What joins this machine (`here`) and the network of a node (`there`)."""

    name: str
    here: str
    there: str

    def pull(self) -> None:
        """Let nothing through; the node's own end stays up, so nobody there is told."""
        _ip("link", "set", self.name, "down")

    def mend(self) -> None:
        _ip("link", "set", self.name, "up")


@dataclass(frozen=True, slots=True)
class Network:
    """A namespace, with a cable to the database and one to everybody else."""

    name: str
    database: Cable
    clients: Cable

    @property
    def prefix(self) -> tuple[str, ...]:
        """What runs a program inside."""
        return ("ip", "netns", "exec", self.name)


@contextmanager
def network() -> Generator[Network | None]:
    """Make a network; None where that cannot be done: it takes `ip` and root."""
    number = os.getpid()
    name = f"cp-{number}"
    if not shutil.which("ip") or _tried("netns", "add", name):
        yield None
        return
    # Addresses that are set aside for tests of networks (RFC 2544).
    start = f"198.{18 + number // 256 % 2}.{number % 256}"
    cables = (
        Cable(f"cpd{number}", f"{start}.1", f"{start}.2"),
        Cable(f"cpc{number}", f"{start}.5", f"{start}.6"),
    )
    try:
        _ip("-n", name, "link", "set", "lo", "up")
        for cable in cables:
            inner = f"{cable.name}n"
            peer = ("peer", "name", inner, "netns", name)
            _ip("link", "add", cable.name, "type", "veth", *peer)
            _ip("addr", "add", f"{cable.here}/30", "dev", cable.name)
            _ip("link", "set", cable.name, "up")
            _ip("-n", name, "addr", "add", f"{cable.there}/30", "dev", inner)
            _ip("-n", name, "link", "set", inner, "up")
        yield Network(name, *cables)
    finally:
        for cable in cables:
            _tried("link", "del", cable.name)
        _tried("netns", "del", name)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def _tried(*words: str) -> int:
    return subprocess.run(["ip", *words], check=False, capture_output=True).returncode
