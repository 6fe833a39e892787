from time import process_time

import pytest
from hypothesis import given, strategies as st

from commonplace.core import frontmatter, markdown
from commonplace.core.markdown import Link
from tests.core.case_files import cases

PIECES = r"""
[[a]] [[b|c]] [[d#e]] [[f^g]] ![[h]] [[ i ]] [[ü😀]] [j](k.md) [l](<m n.md>) [o][p] [p]: q.md #r #é
[ ] ( ) ! | \ ` ``` <!-- --> <b> %% $ * _ ~~~ --- === > - 1. : &amp; {++ ++} \[ "
"""
MARKUP = st.lists(
    st.one_of(
        st.sampled_from([*PIECES.split(), " ", "\n", "\n\n", "\r", "\t", "    "]),
        st.text(max_size=3),
    ),
    max_size=12,
).map("".join)
NOTES = st.one_of(MARKUP, MARKUP.map(lambda body: f'---\na: "[[é]]"\nb: [[c|d]]\n---\n{body}'))


def links(text: str) -> str:
    return "\n".join(_line(text.encode(), link) for link in markdown.scan(text).links)


def _line(source: bytes, link: Link) -> str:
    heading = f" # {link.heading}" if link.heading else ""
    alias = f" | {link.alias}" if link.alias else ""
    raw = source[link.start : link.end].decode()
    target = source[link.target_start : link.target_end].decode()
    return f"{link.kind} {link.target}{heading}{alias} = {raw} @{target}"


@pytest.mark.parametrize(("text", "expected"), cases("markdown_links.md"))
def test_links_are_found_with_their_places(text: str, expected: str) -> None:
    assert links(f"{text}\n") == expected


@pytest.mark.parametrize(
    "text", ["[`](a.md) x`](a.md)", "[![b](a.md)](a.md)", "[](a.md)", "[*a.md*](a.md)"]
)
def test_a_destination_is_found_behind_the_text_of_its_link(text: str) -> None:
    link = markdown.scan(text).links[0]
    assert (link.start, link.target_start) == (0, text.rindex("a.md"))


@pytest.mark.parametrize(("text", "expected"), cases("markdown_tags.md"))
def test_tags_are_found_with_their_places(text: str, expected: str) -> None:
    tags = markdown.scan(text).tags
    assert "\n".join(tag.name for tag in tags) == expected
    assert [text.encode()[tag.start : tag.end].decode() for tag in tags] == [
        f"#{tag.name}" for tag in tags
    ]


@pytest.mark.parametrize(("text", "expected"), cases("markdown_headings.md"))
def test_headings_are_found_with_their_places(text: str, expected: str) -> None:
    found = markdown.scan(text).headings
    lines = (f"{h.level} {h.text} = {text.encode()[h.start : h.end].decode()}" for h in found)
    assert "\n".join(lines) == expected


def test_code_blocks_are_counted_and_placed() -> None:
    text = "---\na: é\n---\n```py\nx\n```\n\ntext `no`\n\n    indented\n\n> ~~~\n> quoted\n> ~~~\n"
    scanned = markdown.scan(text)
    assert scanned.code_blocks == 3
    assert [text.encode()[start:end].decode() for start, end in scanned.code] == [
        "```py\nx\n```",
        "indented\n",
        "~~~\n> quoted\n> ~~~",
    ]


def test_frontmatter_is_placed_in_bytes() -> None:
    text = "---\ntitle: Café\n...\n# Body\n"
    scanned = markdown.scan(text)
    assert scanned.frontmatter is not None
    assert text.encode()[slice(*scanned.frontmatter)] == "title: Café\n".encode()
    assert text.encode()[scanned.body_start :] == b"# Body\n"


def test_a_note_without_frontmatter_is_all_body() -> None:
    scanned = markdown.scan("text\n---\na: 1\n---\n")
    assert (scanned.frontmatter, scanned.body_start) == (None, 0)


@given(NOTES)
def test_every_place_holds_what_it_names(text: str) -> None:
    source, scanned = text.encode(), markdown.scan(text)
    block = frontmatter.split(text)
    assert source[scanned.body_start :].decode() == (text[block.body_start :] if block else text)
    assert scanned.frontmatter is None or block is not None
    for link in scanned.links:
        raw = source[link.start : link.end].decode()
        target = source[link.target_start : link.target_end].decode()
        assert raw.startswith(
            {"wikilink": "[[", "embed": "![[", "markdown": ("[", "![")}[link.kind]
        )
        assert link.target.strip() == link.target != ""
        assert link.kind == "markdown" or (target == link.target and raw.endswith("]]"))
    for tag in scanned.tags:
        assert source[tag.start : tag.end].decode() == f"#{tag.name}"
    starts = [link.start for link in scanned.links]
    assert starts == sorted(starts)


@given(NOTES, st.text(alphabet="abé ", min_size=1).filter(str.strip))
def test_splicing_a_target_renames_that_link_alone(text: str, name: str) -> None:
    source, scanned = text.encode(), markdown.scan(text)
    wikilinks = [link for link in scanned.links if link.kind != "markdown"]
    for at, link in enumerate(wikilinks):
        spliced = source[: link.target_start] + name.encode() + source[link.target_end :]
        again = markdown.scan(spliced.decode()).links
        renamed = [found for found in again if found.kind != "markdown"]
        assert [found.target for found in renamed] == [
            name.strip() if place == at else other.target for place, other in enumerate(wikilinks)
        ]
        assert (renamed[at].heading, renamed[at].alias) == (link.heading, link.alias)


@pytest.mark.parametrize(
    ("properties", "text", "expected"),
    [
        ({"title": " Named "}, "# Heading", "Named"),
        ({"title": 1984}, "# Heading", "1984"),
        ({"title": ""}, "### Sub\n\n# *Heading*\n\n# Second", "Heading"),
        ({"title": ["no"]}, "### Sub", "file"),
        ({"title": True}, "#\n\n# Filled", "Filled"),
        ({}, "", "file"),
    ],
)
def test_a_title_is_named_headed_or_the_file(
    properties: dict[str, object], text: str, expected: str
) -> None:
    assert markdown.title(markdown.scan(text), properties, "file") == expected


@pytest.mark.parametrize(
    ("properties", "expected", "duplicates"),
    [
        ({"tags": ["a", "#b"]}, ("a", "b", "In", "line"), ()),
        ({"tags": "a, #b c"}, ("a", "b", "c", "In", "line"), ()),
        (
            {"tag": "a", "Tags": ["b", 2024, None, True, ["no"]]},
            ("a", "b", "2024", "In", "line"),
            (),
        ),
        ({"tags": ["a", "A", "x", "a"]}, ("a", "x", "In", "line"), ("A", "a")),
        ({"tags": ["LINE", "in"]}, ("LINE", "in"), ()),
        ({"tags": {"no": 1}}, ("In", "line"), ()),
        ({"tags": None}, ("In", "line"), ()),
    ],
)
def test_tags_of_frontmatter_and_text_come_once_each(
    properties: dict[str, object], expected: tuple[str, ...], duplicates: tuple[str, ...]
) -> None:
    found = markdown.all_tags(markdown.scan("#In #line #in"), properties)
    assert (found.tags, found.duplicates) == (expected, duplicates)


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"aliases": ["One two", " Three ", "", None, 4]}, ("One two", "Three", "4")),
        ({"aliases": "One two, Three"}, ("One two", "Three")),
        ({"alias": "One", "Aliases": ["One", "one"]}, ("One", "one")),
        ({}, ()),
    ],
)
def test_aliases_are_a_list_or_a_text_with_commas(
    properties: dict[str, object], expected: tuple[str, ...]
) -> None:
    assert markdown.aliases(properties) == expected


HOSTILE = {
    "one long line": "a" * 1_000_000,
    "open brackets": "[" * 1_000_000,
    "nested brackets": "[" * 50_000 + "]" * 50_000,
    "open wikilinks": "[[" * 500_000,
    "open wikilinks with text": "[[a" * 300_000,
    "open aliases": "[[a|" * 250_000,
    "nested embeds": "![[a " * 140_000 + "]]" * 140_000,
    "nested embeds in a heading": "# " + "![[a " * 100_000 + "]]" * 100_000,
    "nested aliases": "![[a|" * 50_000 + "]]" * 50_000,
    "nested images": "![" * 50_000 + "](a)" * 50_000,
    "open destinations": "[a](" * 250_000,
    "hashes": "#" * 1_000_000,
    "hashes and letters": "#a" * 500_000,
    "backticks": "".join("`" * n + " " for n in range(1, 1400)),
    "open comments": "<!--" * 250_000,
    "definitions": "".join(f"[{n}]: b\n" for n in range(60_000)) + "[1] " * 60_000,
    "carriage returns": "\r" * 1_000_000,
    "quotes": ">" * 500_000,
    "unclosed frontmatter": "---\n" + "a: [[b]]\n" * 100_000,
    "spaces in frontmatter": "---\na: [[b]]\nc: |\n" + " " * 60_000 + "\n---\n",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_megabyte_takes_linear_time(text: str) -> None:
    started = process_time()
    markdown.scan(text)
    assert process_time() - started < 4


def test_a_note_with_many_embeds_keeps_its_links() -> None:
    text = "![[a]] [[b\n\n" * 1000 + "[[end]]"
    found = markdown.scan(text).links
    assert (len(found), found[-1].target) == (1001, "end")
