"""Texts, and what became of them by a few changes."""

from hypothesis import strategies as st

texts = st.lists(st.sampled_from(("a", "b", "cat", " ", "\n", "\r\n", "😀", "漢", "one\n"))).map(
    "".join
)


@st.composite
def versions(draw: st.DrawFn) -> tuple[str, str]:
    """A text and what became of it by a few changes."""
    old = draw(texts)
    new = old
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(new)))
        end = min(len(new), start + draw(st.integers(0, 6)))
        new = new[:start] + draw(texts) + new[end:]
    return old, new
