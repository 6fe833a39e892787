"""What a tag in the text is, by Obsidian's rule, and which of them stand in code."""

import pytest

from commonplace.core.markdown.tags import Tag, inline_tags, outside


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("#a #b/c #d-e_f", ["a", "b/c", "d-e_f"]),
        ("a#b (#c) #123 #1a # #", ["1a"]),
        ("#é #漢字 #😀 #٣", ["é", "漢字", "😀"]),
        ("#a. #b, #c! #d:", ["a", "b", "c", "d"]),
        ("#a/ #b// #/", ["a", "b"]),
        ("#a#b\n#c\t#d\u00a0#e", ["a", "c", "d", "e"]),
        ("", []),
    ],
)
def test_a_tag_is(text: str, names: list[str]) -> None:
    assert [tag.name for tag in inline_tags(text, 0)] == names


def test_a_place_is_in_bytes_behind_the_offset() -> None:
    text = "é #漢/ x"
    (tag,) = inline_tags(text, 100)
    assert tag == Tag("漢", 103, 107)
    assert text.encode()[tag.start - 100 : tag.end - 100].decode() == "#漢"


def test_what_begins_inside_a_range_is_left_out() -> None:
    found = [Tag(str(at), at, at + 2) for at in (0, 3, 5, 8, 10, 12)]
    opaque = [(3, 5), (8, 11), (9, 10)]
    assert [tag.start for tag in outside(found, opaque)] == [0, 5, 12]
    assert list(outside(found, [])) == found
    assert list(outside(list[Tag](), opaque)) == []
