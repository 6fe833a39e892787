"""A settings file can be just what it was before our entry came."""

from pathlib import Path

from hypothesis import given, strategies as st

from commonplace.cli.client_origin import Origins, between

texts = st.text("ab{}\n", max_size=12)


@given(texts, texts)
def test_what_a_file_was_is_found_again(before: str, after: str) -> None:
    origin = between(before, after, absent=False, empty=False)
    assert origin.of(after) == before
    assert origin.of(f"{after} ") is None


def test_no_more_is_kept_than_what_was_replaced() -> None:
    origin = between("secret {} more", "secret {ours} more", absent=False, empty=False)
    assert origin.replaced == ""
    assert "secret" not in str(origin)


def test_origins_are_kept_by_file_and_forgotten(tmp_path: Path) -> None:
    origins = Origins(tmp_path)
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    origin = between("a", "b", absent=True, empty=False)
    origins.keep(one, origin)
    origins.keep(other, between("", "c", absent=False, empty=True))
    assert Origins(tmp_path).get(one) == origin
    origins.keep(one, None)
    assert Origins(tmp_path).get(one) is None
    assert Origins(tmp_path).get(other) is not None


def test_a_lost_or_damaged_file_is_no_harm(tmp_path: Path) -> None:
    origins = Origins(tmp_path)
    for damage in ("", "[]", "{", '{"x": 1}'):
        (tmp_path / "clients.json").write_text(damage)
        assert origins.get(Path("x")) is None
    origins.keep(tmp_path / "a", between("a", "b", absent=False, empty=False))
    assert origins.get(tmp_path / "a") is not None
