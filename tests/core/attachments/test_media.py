"""Content types by name, and the part of a file that a Range header asks for."""

import pytest

from commonplace.core import globs, links, paths
from commonplace.core.attachments import byte_ranges, media
from commonplace.core.links import attachments
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
    ("header", "wanted"),
    [
        ("", None),
        ("bytes=0-0", (0, 1)),
        ("bytes=2-", (2, 10)),
        ("bytes=-3", (7, 10)),
        ("bytes=-30", (0, 10)),
        ("bytes=8-99", (8, 10)),
        ("bytes=10-", byte_ranges.BEYOND),
        ("bytes=-0", byte_ranges.BEYOND),
        ("bytes=5-2", None),
        ("bytes=0-1,4-5", None),
        ("bytes=-", None),
        ("lines=1-2", None),
        ("bytes=99999999999999999999999-", None),
    ],
)
def test_a_range_of_ten_bytes(header: str, wanted: object) -> None:
    assert byte_ranges.parse(header, 10) == wanted


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


_FILES = ("pic.png", "img/pic.png", "img/a b.png", "deep/er/One.PNG", "notes/img/near.png")


def _named(key: str) -> list[str]:
    return [path for path in _FILES if links.name_key(path) == key]


@pytest.mark.parametrize(
    ("link", "source", "meant"),
    [
        ("pic.png", "Note.md", "pic.png"),
        ("pic.png", "img/Note.md", "img/pic.png"),
        ("img/pic.png", "Note.md", "img/pic.png"),
        ("../img/a b.png", "notes/Note.md", "img/a b.png"),
        ("a b.png", "notes/Note.md", "img/a b.png"),
        ("one.png", "Note.md", "deep/er/One.PNG"),
        ("er/One.PNG", "Note.md", "deep/er/One.PNG"),
        ("img/near.png", "notes/Note.md", "notes/img/near.png"),
        ("/img/a b.png", "notes/Note.md", "img/a b.png"),
        ("no.png", "Note.md", None),
        ("../../etc/passwd", "Note.md", None),
    ],
)
def test_a_link_means_the_file_that_obsidian_would_show(
    link: str, source: str, meant: str | None
) -> None:
    found = attachments.resolve(link, source, _named)
    assert (found and found.path) == meant


@pytest.mark.parametrize(
    ("spelling", "source", "new", "wanted"),
    [
        ((False, "near.png"), "Note.md", "other/far.png", "far.png"),
        ((False, "notes/img/near.png"), "Note.md", "other/far.png", "other/far.png"),
        ((True, "img/near.png"), "notes/Note.md", "notes/pics/far.png", "pics/far.png"),
        ((True, "../notes/img/near.png"), "deep/Note.md", "x/far.png", "../x/far.png"),
        ((False, "near.png"), "Note.md", "other/pic.png", "other/pic.png"),
    ],
)
def test_a_link_to_a_file_keeps_its_style(
    spelling: tuple[bool, str], source: str, new: str, wanted: str
) -> None:
    old = "notes/img/near.png"

    def after(key: str) -> list[str]:
        left = [path for path in _named(key) if path != old]
        return [*left, new] if links.name_key(new) == key else left

    assert attachments.respelled(spelling, source, old, new, after) == wanted
