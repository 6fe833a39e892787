"""Who is to have a vault: the same answer on each node, and equal shares."""

from collections import Counter
from pathlib import Path

from commonplace.server.cluster.places import rank
from commonplace.server.cluster.team import Team
from tests.server.cluster.test_node_listener import team

NODES = {"10.0.0.1:8421", "10.0.0.2:8421", "10.0.0.3:8421"}
VAULTS = [f"vault-{number}" for number in range(1_000)]


def test_vaults_are_spread_over_the_nodes() -> None:
    shares = Counter(rank(vault, NODES)[0] for vault in VAULTS)
    assert all(250 < share < 420 for share in shares.values())


def test_a_dead_nodes_vaults_fall_to_all_others_and_the_rest_stay() -> None:
    dead = min(NODES)
    before = {vault: rank(vault, NODES)[0] for vault in VAULTS}
    after = {vault: rank(vault, NODES - {dead})[0] for vault in VAULTS}
    moved = [vault for vault in VAULTS if before[vault] != after[vault]]
    assert moved == [vault for vault in VAULTS if before[vault] == dead]
    shares = Counter(after[vault] for vault in moved)
    assert len(shares) == 2
    assert all(share > len(moved) / 3 for share in shares.values())


def test_each_vault_seals_with_a_key_of_its_own(tmp_path: Path) -> None:
    """A cookie of one of several vaults of an origin opens no other."""
    nodes: Team = team(tmp_path, "key")
    keys = {nodes.sealing_key(vault) for vault in ("", "alpha", "beta")}
    assert len(keys) == 3
    (tmp_path / "state").mkdir()
    nodes.seal(tmp_path / "state", "alpha")
    assert (tmp_path / "state" / "state.key").read_bytes() == nodes.sealing_key("alpha")
