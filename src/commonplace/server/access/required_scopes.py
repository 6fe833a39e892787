"""Which scope a request needs, by its method and path.

What nobody thought of is closed: a request that could write, and is not named here, needs the
highest scope. What is open to all shows nothing of the vault.
"""

from commonplace.core.scopes import Scope

GRANTED = "/d/"
_OPEN = frozenset(("/", "/diagrams", "/healthz", "/readyz", "/api/session"))
_OPEN_BELOW = ("/assets/", "/.well-known/")
_AGENTS = "/api/agents"
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
    "/api/folders/create": "write",
    "/api/folders/rename": "write",
    "/api/attachments": "write",
    "/api/attachments/rename": "write",
    "/api/files/save": "suggest",
    "/api/files/delete": "write",
    "/api/files/rename": "write",
    "/api/comments": "write",
    "/api/comments/resolve": "write",
    "/api/history/restore": "write",
    "/api/approvals": "approve",
    "/api/remembered": "approve",
    "/api/doctor": "approve",
}
# Each of these is answered from the part of the vault that a token shows. All else is closed to a
# token that is limited to folders, whatever its scope.
_FOR_PARTS = frozenset(
    (
        "/mcp",
        "/ready",
        "/check_store",
        "/doc/new",
        "/api/status",
        "/api/search",
        "/api/find",
        "/api/names",
        "/api/tree",
        "/api/document",
        "/api/note",
        "/api/links",
        "/api/tags",
        "/api/tagged",
        "/api/complete",
        "/api/templates",
        "/api/events",
        "/api/graph",
        "/api/suggestions",
        "/api/file",
        "/api/attachments",
        "/api/notes",
        "/api/notes/delete",
    )
)
_FOR_PARTS_BELOW = ("/sync/", GRANTED)


def is_open(path: str) -> bool:
    """Tell whether anybody may ask for this: it shows nothing of the vault."""
    return path in _OPEN or path.startswith(_OPEN_BELOW)


def is_offered_for_part(path: str) -> bool:
    """Tell whether a token that is limited to folders may ask for this at all."""
    if path.startswith("/doc/") and path.endswith("/auth"):
        return True
    return path.rstrip("/") in _FOR_PARTS or path.startswith(_FOR_PARTS_BELOW)


def needed(method: str, path: str) -> Scope:
    """Say what a request needs; what is not known here and could write needs everything."""
    if path == _AGENTS or path.startswith(f"{_AGENTS}/"):
        return "approve"  # an agent is a program that runs as the person
    if path.startswith(GRANTED) or (path.startswith("/doc/") and path.endswith("/auth")):
        return "read"  # what the grant allows is decided with it
    known = _NEEDED.get(path.rstrip("/"), "approve" if method not in READING else "read")
    return "read" if known == "write" and method in READING else known
