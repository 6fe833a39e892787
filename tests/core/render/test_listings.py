"""The answers of `glob` and `get_links`, word for word."""

import pytest

from commonplace.core.render import listings
from tests.core.case_files import cases


def test_paths_are_listed_up_to_a_hundred() -> None:
    assert listings.path_list([]) == "No files found"
    assert listings.path_list(["b.md", "a.md"]) == "b.md\na.md"
    names = [f"{at}.md" for at in range(130)]
    note = (
        "(Showing 100 of 130 matching files; 30 more are not listed. "
        "Narrow the pattern or path to see the rest.)"
    )
    expected = "\n".join([*names[:100], note])
    assert listings.path_list(names) == listings.path_list(names[:100], 130) == expected
    assert "Showing" not in listings.path_list(names[:100], 100)


@pytest.mark.parametrize(("into", "out", "nowhere", "answer"), cases("render_links.md"))
def test_the_links_of_a_document(into: str, out: str, nowhere: str, answer: str) -> None:
    lists = (into.splitlines(), out.splitlines(), nowhere.splitlines())
    assert listings.link_lists(*lists) == answer


def test_what_does_not_exist() -> None:
    missing = "Document not found: Lens/Photosyntesis.md"
    assert str(listings.not_found("Lens/Photosyntesis.md")) == missing
    assert str(listings.not_found("Lens/Photosyntesis.md", ["Lens/Photosynthesis.md"])) == (
        f"{missing}. Did you mean Lens/Photosynthesis.md?"
    )
    assert str(listings.not_found("Lens/Photosyntesis.md", ["a.md", "b.md", "c.md"])) == (
        f"{missing}. Did you mean a.md, b.md or c.md?"
    )
