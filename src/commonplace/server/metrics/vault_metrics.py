"""How a vault is doing, in numbers that are at hand: nothing here waits or asks a disk."""

from collections.abc import Iterator
from typing import NamedTuple

from commonplace import __version__
from commonplace.server.metrics.counts import Counters
from commonplace.server.metrics.registry import named
from commonplace.server.metrics.text import Family, Sample, gauge, histogram
from commonplace.vault.lease.lease import Lease
from commonplace.vault.vault import Vault


class Sockets(NamedTuple):
    """How many sockets are open, and how many of them read too slowly."""

    connections: int = 0
    behind: int = 0


def owner_families(
    vault: Vault, counts: Counters, sockets: Sockets, lease: Lease | None
) -> list[Family]:
    """Return all that an owner tells of its vault; a team's vault is named in each line."""
    found = [*counts.families(), *_vault_families(vault, sockets)]
    if lease is None:
        return found
    state = lease_families(held=not lease.is_lost, fence=lease.fence, left=lease.seconds_left)
    return named([*found, *state], lease.vault)


def lease_families(*, held: bool, fence: int, left: float = 0.0) -> Iterator[Family]:
    """Return the state of a lease, as the node that holds it or another knows it."""
    yield gauge("commonplace_lease_held", "Whether this node owns the vault (1).", held)
    yield gauge("commonplace_lease_fence", "The number of the lease that holds.", fence)
    yield gauge("commonplace_lease_seconds_left", "How long it holds without a renewal.", left)


def follower_families(vault: str, fence: int, carried: int) -> list[Family]:
    """Return what a node tells that passes everybody on to the owner."""
    here = gauge("commonplace_info", "What runs here.", 1, version=__version__)
    passed = gauge("commonplace_connections_passed_on", "Connections to the owner.", carried)
    return named([here, passed, *lease_families(held=False, fence=fence)], vault)


def _vault_families(vault: Vault, sockets: Sockets) -> Iterator[Family]:
    log, history, state = vault.log.commit_load, vault.history.commit_load, vault.indexer.state
    yield gauge("commonplace_info", "What runs here.", 1, version=__version__)
    yield histogram(
        "commonplace_commit_seconds",
        "How long commits took until they were kept, by database.",
        "database",
        {"log": log.durations, "history": history.durations},
    )
    yield _by(
        "commonplace_queue_length",
        "What waits: writes for a database, notes for their files or for the index.",
        "queue",
        {
            "log": log.waiting,
            "history": history.waiting,
            "files": len(vault.notes.queue.ids()),
            "index": max(0, state.todo - state.read) if state.building else 0,
        },
    )
    yield _by(
        "commonplace_failing",
        "Whether something cannot be done and is tried again (1); /readyz has the words.",
        "part",
        {
            "log": vault.log.problem is not None,
            "files": vault.notes.queue.failing > 0,
            "index": state.failing,
        },
    )
    yield gauge("commonplace_documents", "Live documents.", vault.notes.documents.count)
    yield gauge(
        "commonplace_sockets", "Open sockets of pages and Yjs clients.", sockets.connections
    )
    yield gauge(
        "commonplace_sockets_behind",
        "Those that read too slowly, and will be told all at once what they missed.",
        sockets.behind,
    )


def _by(name: str, help: str, label: str, found: dict[str, int]) -> Family:  # noqa: A002
    samples = (Sample(int(value), ((label, word),)) for word, value in found.items())
    return Family(name, "gauge", help, tuple(samples))
