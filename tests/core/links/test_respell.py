"""Links spelled anew: every style is kept, and every spelling means the note alone."""

from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from commonplace.core import links, markdown, paths
from commonplace.core.links import Candidate, NameKind, respell
from commonplace.core.links.respell import LinkPlace, Meant
from commonplace.core.text import edits


def named(*notes: str) -> "respell.Callable[[str], Sequence[Candidate]]":
    def look(key: str) -> Sequence[Candidate]:
        return [
            Candidate(path, NameKind.FILE)
            for path in notes
            if links.name_key(paths.stem(path)) == key
        ]

    return look


@pytest.mark.parametrize(
    ("raw", "is_markdown", "source", "old", "new", "spelled"),
    [
        ("Old", False, "a/s.md", "b/Old.md", "b/New.md", "New"),
        ("Old.md", False, "a/s.md", "b/Old.md", "b/New.md", "New.md"),
        ("b/Old", False, "a/s.md", "b/Old.md", "b/New.md", "b/New"),
        ("b/Old", False, "a/s.md", "b/Old.md", "c/d/New.md", "c/d/New"),
        ("/b/Old", False, "a/s.md", "b/Old.md", "c/New.md", "/c/New"),
        ("../b/Old", False, "a/s.md", "b/Old.md", "c/New.md", "../c/New"),
        ("./Old", False, "a/s.md", "a/Old.md", "a/New.md", "./New"),
        ("./Old", False, "a/s.md", "a/Old.md", "b/New.md", "../b/New"),
        ("sub/Old", False, "a/s.md", "a/sub/Old.md", "a/sub/New.md", "sub/New"),
        ("c/Old", False, "a/s.md", "b/c/Old.md", "b/c/New.md", "c/New"),
        ("Old.md", True, "a/s.md", "a/Old.md", "b/New.md", "../b/New.md"),
        ("Old.md", True, "a/s.md", "a/Old.md", "a/New.md", "New.md"),
        ("../b/Old.md", True, "a/s.md", "b/Old.md", "b/New One.md", "../b/New One.md"),
        ("b/Old.md", True, "a/s.md", "b/Old.md", "b/New.md", "b/New.md"),
        ("old", False, "a/s.md", "b/Old.md", "b/OLD.md", "old"),
    ],
)
def test_a_link_keeps_its_style(
    raw: str, is_markdown: bool, source: str, old: str, new: str, spelled: str
) -> None:
    found = respell.respelled(
        (is_markdown, raw), LinkPlace(source, source), Meant(old, new), named(new, source)
    )
    assert found == spelled


def test_a_name_that_is_taken_elsewhere_is_spelled_as_a_path() -> None:
    look = named("b/New.md", "c/New.md")
    found = respell.respelled(
        (False, "Old"), LinkPlace("a/s.md", "a/s.md"), Meant("b/Old.md", "b/New.md"), look
    )
    assert found == "b/New"


def test_with_several_roots_a_path_starts_in_its_own_root() -> None:
    look = named("One/x/New.md", "Two/x/New.md")
    meant = Meant("One/x/Old.md", "One/x/New.md")
    inside = respell.respelled(
        (False, "x/Old"), LinkPlace("One/s.md", "One/s.md", "One"), meant, look
    )
    across = respell.respelled(
        (False, "One/x/Old"), LinkPlace("Two/s.md", "Two/s.md", "Two"), meant, look
    )
    assert (inside, across) == ("x/New", "One/x/New")


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("[[Old]] ![[Old|a]] [[Old#h|b]] [[Old^c]]", "[[N w]] ![[N w|a]] [[N w#h|b]] [[N w^c]]"),
        (
            "[x](Old.md) [y](<Old.md>) ![z](Old.md#h)",
            "[x](N%20w.md) [y](<N w.md>) ![z](N%20w.md#h)",
        ),
        ("[r][1] [s][1]\n\n[1]: Old.md\n", "[r][1] [s][1]\n\n[1]: N%20w.md\n"),
        ("`[[Old]]` <!-- [[Old]] -->\n\n```\n[[Old]]\n```\n", None),
        ("[[Older]] [[Old/x]] Old", None),
        ("é😀 [[Old]]", "é😀 [[N w]]"),
        ("---\nup: '[[Old]]'\n---\n", "---\nup: '[[N w]]'\n---\n"),
        ("{--[[Old]]--}{++see [[Old]]++}", "{--[[N w]]--}{++see [[N w]]++}"),
    ],
)
def test_only_targets_are_rewritten(text: str, after: str | None) -> None:
    spellings = {(False, "Old"): "N w", (True, "Old.md"): "N w.md"}
    changes, left = respell.rewrites(text, spellings)
    found = edits.apply(text, changes)
    assert (found, left) == (text if after is None else after, [])
    assert respell.rewrites(found, spellings) == ([], [])


def test_a_quote_in_yaml_is_doubled() -> None:
    text = "---\nup: '[[Old]]'\n---\n[[Old]]"
    found = edits.apply(text, respell.rewrites(text, {(False, "Old"): "It's"})[0])
    assert found == "---\nup: '[[It''s]]'\n---\n[[It's]]"


@pytest.mark.parametrize(
    ("yaml", "new", "after"),
    [
        ("up: [[Old]]", "Paris, France", 'up: "[[Paris, France]]"'),
        ("up: [[Old|a]]", "N} w", 'up: "[[N} w|a]]"'),
        ("up: [[Old]]", "N w", "up: [[N w]]"),
        ("up: [[Old]]", "It's", "up: [[It's]]"),
        ("up: '[[Old]]'", "It's, so", "up: '[[It''s, so]]'"),
        ('up: ["[[Old]]", b]', "N, w", 'up: ["[[N, w]]", b]'),
        ("up:\n  - [[Old]]\n  - é", "- w", 'up:\n  - "[[- w]]"\n  - é'),
    ],
)
def test_a_property_is_still_a_link_under_any_name(yaml: str, new: str, after: str) -> None:
    text = f"---\n{yaml}\n---\n[[Old]]"
    found = edits.apply(text, respell.rewrites(text, {(False, "Old"): new})[0])
    assert found == f"---\n{after}\n---\n[[{new}]]"
    assert [link.target for link in markdown.scan(found).links] == [new, new]


PARTS = st.lists(st.sampled_from("abc"), max_size=3)


@given(PARTS, PARTS)
def test_a_relative_way_leads_there(folder: list[str], beneath: list[str]) -> None:
    target = "/".join([*beneath, "n.md"])
    way = respell.relative("/".join(folder), target)
    at = list(folder)
    for part in way.split("/"):
        if part == "..":
            at.pop()
        else:
            at.append(part)
    assert "/".join(at) == target
