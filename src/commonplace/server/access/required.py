"""Which scope a request needs, by its method and path.

What nobody thought of is closed: a request that could write, and is not named here, needs the
highest scope. What is open to all shows nothing of the vault.
"""

from commonplace.core.scopes import Scope

GRANTED = "/d/"
_OPEN = frozenset(("/", "/healthz", "/readyz", "/api/session"))
_OPEN_BELOW = ("/assets/", "/.well-known/")
READING = frozenset(("GET", "HEAD", "OPTIONS"))
_NEEDED: dict[str, Scope] = {
    "/mcp": "read",
    "/check_store": "read",
    "/doc/new": "read",
    "/api/notes": "write",
    "/api/notes/delete": "write",
    "/api/notes/restore": "write",
    "/api/notes/rename": "write",
    "/api/notes/rename/undo": "write",
    "/api/approvals": "approve",
    "/api/remembered": "approve",
    "/api/doctor": "approve",
}


def is_open(path: str) -> bool:
    """Tell whether anybody may ask for this: it shows nothing of the vault."""
    return path in _OPEN or path.startswith(_OPEN_BELOW)


def needed(method: str, path: str) -> Scope:
    """Say what a request needs; what is not known here and could write needs everything."""
    if path.startswith(GRANTED) or (path.startswith("/doc/") and path.endswith("/auth")):
        return "read"  # what the grant allows is decided with it
    known = _NEEDED.get(path.rstrip("/"), "approve" if method not in READING else "read")
    return "read" if known == "write" and method in READING else known
