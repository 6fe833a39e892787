"""Links to attachments: which file one means, and how it is spelled when that file moves."""

import pytest

from commonplace.core import links
from commonplace.core.links import attachments

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
