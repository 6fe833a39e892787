"""Places in characters become places in bytes, for any text."""

from hypothesis import given, strategies as st

from commonplace.core.markdown.byte_offsets import byte_offsets


@given(st.text(alphabet="aé漢😀\n", max_size=20), st.data())
def test_a_place_is_as_many_bytes_as_stand_before_it(text: str, data: st.DataObject) -> None:
    places = sorted(data.draw(st.lists(st.integers(0, len(text)))))
    assert byte_offsets(text, places) == [len(text[:place].encode()) for place in places]
