"""A block as the lines of each property."""

from hypothesis import given, strategies as st

from commonplace.core.frontmatter.entries import Gap, cut


@given(st.text(alphabet="ab:#- \n\"'[]{},|>&*", max_size=60))
def test_cutting_a_block_loses_nothing(yaml: str) -> None:
    assert "".join(part.text for part in cut(f"{yaml}\n")) == f"{yaml}\n"


def test_gaps_are_blank_lines_and_comments() -> None:
    parts = cut("# a\n\nb: 1\n\n# c\nd: |\n  x\n\n  # y\n\n")
    gaps = [part.text for part in parts if isinstance(part, Gap)]
    assert gaps == ["# a\n\n", "\n# c\n", "\n"]
