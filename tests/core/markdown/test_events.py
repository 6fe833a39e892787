"""The parser's events, gathered: headings without their markup, and what is opaque."""

import pytest

from commonplace.core.markdown.events import EMBEDS_NESTED_MAX, EventReader


def read(body: str, offset: int = 0) -> EventReader:
    reader = EventReader(b"." * offset + body.encode(), body, offset, keep_opaque=True)
    reader.read()
    return reader


def test_a_heading_is_its_text_and_its_bytes_alone() -> None:
    reader = read("# A *b* `c` [d](e.md) $f$  \n\nTwo\n===\n", 10)
    assert [(h.level, h.text) for h in reader.headings] == [(1, "A b c d f"), (1, "Two")]
    assert reader.headings[0].start == 10


@pytest.mark.parametrize(
    ("body", "opaque"),
    [
        ("a `b` c", ["`b`"]),
        ("```\nx\n```\n", ["```\nx\n```"]),
        ("a $b$ c", ["$b$"]),
        ("a <b> c", ["<b>"]),
        ("[x](y.md)", ["[x](y.md)"]),
        ("[x]: y.md\n", ["[x]: y.md"]),
        ("plain", []),
    ],
)
def test_code_math_html_and_links_are_opaque(body: str, opaque: list[str]) -> None:
    raw = body.encode()
    assert [raw[start:end].decode().rstrip("\n") for start, end in read(body).opaque()] == opaque


def test_links_inside_links_are_each_made_from_their_own_ends() -> None:
    reader = read("[![p](p.png) t](n.md) [[a|b *c*]]")
    assert [(link.target, link.alias) for link in reader.links] == [
        ("n.md", "t"),
        ("p.png", "p"),
        ("a", "b c"),
    ]


def test_a_reference_is_found_at_its_definition_whatever_the_case_of_its_label() -> None:
    body = "[x][A  b] [a b][] [nobody][no]\n\n[a B]: <n m.md>\n"
    found = read(body).links
    assert [link.target for link in found] == ["n m.md", "n m.md"]
    assert {body[link.target_start : link.target_end] for link in found} == {"n m.md"}


def test_embeds_that_nest_absurdly_deep_are_read_as_text() -> None:
    deep = EMBEDS_NESTED_MAX + 1
    assert read("![[a " * deep + "]]" * deep).links == []
    assert len(read("![[a]] " * deep).links) == deep
