"""The key that seals cookies, grants and what clients carry, kept with a vault's state."""

import os
from pathlib import Path

_KEY_BYTES = 32


def state_key(state: Path) -> bytes:
    """Return the key; it stays, so that the next owner can unseal what this one sealed."""
    file = _file(state)
    key = file.read_bytes() if file.exists() else b""
    if len(key) != _KEY_BYTES:
        key = os.urandom(_KEY_BYTES)
        put_state_key(state, key)
    return key


def put_state_key(state: Path, key: bytes) -> None:
    """Put a key where an owner looks for its own, readable by its owner alone."""
    file = _file(state)
    file.touch(mode=0o600)
    file.write_bytes(key)


def _file(state: Path) -> Path:
    return state / "state.key"
