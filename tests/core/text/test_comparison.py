from hypothesis import given, strategies as st

from commonplace.core.text.comparison import common_prefix, common_suffix

texts = st.lists(st.sampled_from(("a", "b", "cat", " ", "\n", "\r\n", "😀", "漢", "one\n"))).map(
    "".join
)


@given(texts, texts)
def test_common_ends_are_counted(one: str, other: str) -> None:
    head, tail = common_prefix(one, other), common_suffix(one, other)
    assert one[:head] == other[:head]
    assert one[len(one) - tail :] == other[len(other) - tail :]
    short = min(len(one), len(other))
    assert head == short or one[head] != other[head]
    assert tail == short or one[-tail - 1] != other[-tail - 1]
