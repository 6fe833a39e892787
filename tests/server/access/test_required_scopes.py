"""Which scope a request needs, by its method and path; what nobody thought of is closed."""

import pytest

from commonplace.server.access.required_scopes import is_offered_for_part, is_open, needed


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", "/api/note", "read"),
        ("GET", "/api/notes", "read"),
        ("HEAD", "/api/approvals", "approve"),
        ("POST", "/api/notes", "write"),
        ("POST", "/api/notes/", "write"),
        ("POST", "/api/files/save", "suggest"),
        ("POST", "/mcp", "read"),
        ("GET", "/api/agents", "approve"),
        ("GET", "/api/agents/x/y", "approve"),
        ("GET", "/api/agentsome", "read"),
        ("POST", "/d/abc/update", "read"),
        ("POST", "/doc/abc/auth", "read"),
        # what nobody thought of
        ("POST", "/api/new", "approve"),
        ("DELETE", "/api/notes/delete/all", "approve"),
        ("BREW", "/", "approve"),
        ("POST", "//api/notes", "approve"),
        ("POST", "/API/NOTES", "approve"),
        ("POST", "/doc/abc", "approve"),
    ],
)
def test_a_request_needs_a_scope(method: str, path: str, scope: str) -> None:
    assert needed(method, path) == scope


@pytest.mark.parametrize(
    ("path", "open_to_all"),
    [
        ("/", True),
        ("/healthz", True),
        ("/api/session", True),
        ("/assets/main-1.js", True),
        ("/.well-known/x", True),
        ("/metrics", False),
        ("/assets", False),
        ("/api/session/x", False),
        ("", False),
    ],
)
def test_what_is_open_shows_nothing_of_the_vault(path: str, open_to_all: bool) -> None:
    assert is_open(path) is open_to_all


@pytest.mark.parametrize(
    ("path", "offered"),
    [
        ("/api/note", True),
        ("/api/note/", True),
        ("/sync/abc", True),
        ("/d/abc", True),
        ("/doc/abc/auth", True),
        ("/api/history", False),
        ("/api/sets", False),
        ("/api/notes/restore", False),
        ("/sync", False),
        ("/doc/abc", False),
    ],
)
def test_who_sees_some_folders_is_offered_what_was_made_for_that(path: str, offered: bool) -> None:
    assert is_offered_for_part(path) is offered
