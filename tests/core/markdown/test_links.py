"""Links as they stand, with the bytes of their targets."""

import pytest
from hypothesis import given, strategies as st

from commonplace.core import frontmatter
from commonplace.core.markdown.links import (
    Link,
    definition,
    frontmatter_links,
    leads_elsewhere,
    loose_images,
    markdown_link,
    wikilink,
)


def shown(source: str, link: Link | None) -> tuple[str, str, str] | None:
    raw = source.encode()
    return link and (link.target, link.heading, raw[link.target_start : link.target_end].decode())


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("a", ("a", "", "a")),
        (" é # h ", ("é", "h", "é")),
        ("a^b", ("a", "^b", "a")),
        ("a#^b", ("a", "^b", "a")),
        ("a#b#c", ("a", "b#c", "a")),
        ("#h", None),
        ("^b", None),
        ("", None),
        (" ", None),
        ("https://x.org", None),
    ],
)
def test_a_wikilink_names(inner: str, expected: tuple[str, str, str] | None) -> None:
    for kind, opener in (("wikilink", "[["), ("embed", "![[")):
        source = f"{opener}{inner}]]"
        found = wikilink(kind, inner, "", 0, len(source.encode()))  # type: ignore[arg-type]
        assert shown(source, found) == expected


@pytest.mark.parametrize(
    ("destination", "elsewhere"),
    [
        ("https://x.org", True),
        ("mailto:a@b", True),
        ("//x.org/a", True),
        ("#heading", True),
        ("a: b.md", False),
        ("Folder/a.md", False),
        ("1:2.md", False),
        ("", False),
    ],
)
def test_an_address_is_told_from_a_path(destination: str, elsewhere: bool) -> None:
    assert leads_elsewhere(destination) == elsewhere


@pytest.mark.parametrize(
    ("raw", "destination", "expected"),
    [
        ("a.md", "a.md", ("a.md", "", "a.md")),
        ("a%20b.md#x%20y", "a%20b.md#x%20y", ("a b.md", "x y", "a%20b.md")),
        ("<a b.md>", "a b.md", ("a b.md", "", "a b.md")),
        ("a\\_b.md", "a_b.md", ("a_b.md", "", "a\\_b.md")),
        ("<a\\_b.md#h>", "a_b.md#h", ("a_b.md", "h", "a\\_b.md")),
        ("#h", "#h", None),
    ],
)
def test_a_markdown_link_names(
    raw: str, destination: str, expected: tuple[str, str, str] | None
) -> None:
    source = f"[é]({raw})"
    end = len(source.encode())
    found = markdown_link(source.encode(), destination, "é", 0, end, (5, end - 1))
    assert shown(source, found) == expected


@pytest.mark.parametrize(
    ("body", "targets"),
    [
        ("![](a b.png)", ["a b.png"]),
        ("é ![x](a%20b c.png)!", ["a b c.png"]),
        ("![](a.png) ![]( a b.png) ![](a b) ![](https://x/a b.png) \\![](a b.png)", []),
        ("no", []),
    ],
)
def test_a_picture_whose_address_holds_a_space_is_found(body: str, targets: list[str]) -> None:
    found = loose_images(body, 7)
    assert [link.target for link in found] == targets
    raw = b"." * 7 + body.encode()
    assert all(raw[link.start : link.end].startswith(b"![") for link in found)
    assert all(b" " in raw[link.target_start : link.target_end] for link in found)


def test_a_definition_stands_behind_its_label() -> None:
    source = rb"x [a\]b]: c.md"
    start, end = definition(source, 2, len(source))
    assert source[start:end] == b" c.md"
    assert definition(source, 0, len(source)) == (len(source), len(source))


@pytest.mark.parametrize(
    ("yaml", "targets"),
    [
        ('a: "[[x]]"', ["x"]),
        ("a: [[x]]", ["x"]),
        ('a:\n  - "[[é|y]]"\n  - [[z#h]]', ["é", "z"]),
        ('a: ["[[x]]", "[[y]]"]', ["x", "y"]),
        ("a: '[[It''s|y]]'", ["It's"]),
        ('a: "see [[x]]"', []),
        ("a: '[[x]]' # [[y]]", ["x"]),
        ("a: [", []),
    ],
)
def test_a_property_is_a_link_where_it_is_nothing_else(yaml: str, targets: list[str]) -> None:
    text = f"---\n{yaml}\n---\n"
    block = frontmatter.split(text)
    assert block is not None
    found = frontmatter_links(block)
    assert [link.target for link in found] == targets
    raw = text.encode()
    written = [raw[link.target_start : link.target_end].decode() for link in found]
    assert [each.replace("''", "'") for each in written] == targets


@given(st.text(alphabet="[]|#^ aé\n", max_size=12))
def test_the_bytes_of_a_target_are_its_text(inner: str) -> None:
    source = f"![[{inner}]]".encode()
    link = wikilink("embed", inner, "", 0, len(source))
    assert link is None or source[link.target_start : link.target_end].decode() == link.target
