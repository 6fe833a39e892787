"""Content types by name."""

import pytest

from commonplace.core import globs, paths
from commonplace.core.attachments import media
from commonplace.errors import BadPath


@pytest.mark.parametrize(
    ("path", "kind", "sent"),
    [
        ("a/Pic.PNG", "picture", "image/png"),
        ("x.pdf", "pdf", "application/pdf"),
        ("x.svg", "picture", "image/svg+xml"),
        ("x.html", "other", "application/octet-stream"),
        ("x.js", "other", "application/octet-stream"),
        ("x.xml", "other", "application/octet-stream"),
        ("png", "other", "application/octet-stream"),
        ("a.png/b", "other", "application/octet-stream"),
    ],
)
def test_a_file_is_what_its_name_says(path: str, kind: str, sent: str) -> None:
    assert (media.of(path).kind, media.of(path).type) == (kind, sent)


def test_nothing_on_the_list_is_a_page_or_a_script() -> None:
    sent = {media.of(f"x.{ending}").type for ending in ("htm", "html", "xhtml", "xml", "js", "mjs")}
    assert sent == {"application/octet-stream"}


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("**/*.md", {"md"}),
        ("*.{md,PNG}", {"md", "png"}),
        ("img/a.pdf", {"pdf"}),
        ("**", set[str]()),
        ("*link*", set[str]()),
        ("a.b/*", set[str]()),
    ],
)
def test_endings_that_a_pattern_names(pattern: str, found: set[str]) -> None:
    assert globs.endings(pattern) == found


def test_an_attachment_is_no_note_and_has_an_ending() -> None:
    assert paths.new_file_path("img/a b.png") == "img/a b.png"
    for wrong in ("a.md", "noending", ".png", "../x.png", "img/.hidden/x.png", "a?.png", "con.png"):
        with pytest.raises(BadPath):
            paths.new_file_path(wrong)
