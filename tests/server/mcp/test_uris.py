"""Addresses of notes, there and back."""

import pytest
from hypothesis import given, strategies as st

from commonplace.errors import NotFound
from commonplace.server.mcp.uris import SCHEME, canonical, note_path, note_uri


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40))
def test_an_address_leads_back_to_its_path(path: str) -> None:
    uri = note_uri(path)
    assert note_path(uri) == path
    assert uri.isascii()
    assert canonical(uri) == uri


def test_what_a_client_expands_by_itself_is_the_same_note() -> None:
    assert note_path("note:///Reading list?.md#top") == "Reading list?.md#top"
    assert canonical("note:///Reading list.md") == "note:///Reading%20list.md"


@pytest.mark.parametrize("uri", ["file:///etc/passwd", "note://a.md", "", f"{SCHEME}%ff.md"])
def test_another_address_is_refused_and_told_how_they_look(uri: str) -> None:
    with pytest.raises(NotFound, match=r"Notes have addresses like|Percent-encode"):
        note_path(uri)
    assert canonical(uri) == uri
