"""Named maps of plain values, as replicas that come together."""

from commonplace.vault.documents.engine.maps import Maps

NAMES = ("files", "docs")


def test_what_one_puts_another_reads() -> None:
    one, other = Maps(NAMES, 1), Maps(NAMES, 2)
    value = {"id": "x", "deep": {"list": [1, "é"]}}
    other.load([one.put([("files", "/a", value), ("docs", "/a", "x")])])
    assert other.value("files", "/a") == value
    assert other.value("docs", "/a") == "x"
    assert other.value("docs", "/b") is None
    other.load([one.put([("files", "/a", None), ("files", "/none", None)])])
    assert other.value("files", "/a") is None


def test_what_an_update_touched_is_told_with_what_was_there() -> None:
    one, other = Maps(NAMES, 1), Maps(NAMES, 2)
    first = one.put([("docs", "/a", "x"), ("docs", "/b", "y")])
    other.apply([first])
    assert other.touched == {("docs", "/a"): None, ("docs", "/b"): None}
    other.apply([one.put([("docs", "/a", "z"), ("docs", "/b", None)])])
    assert other.touched == {("docs", "/a"): "x", ("docs", "/b"): "y"}
    other.apply([first])
    assert other.touched == {}, "it was known already"


def test_two_who_write_one_key_end_with_the_same_value() -> None:
    one, other = Maps(NAMES, 1), Maps(NAMES, 2)
    mine, theirs = one.put([("docs", "/a", "1")]), other.put([("docs", "/a", "2")])
    one.load([theirs])
    other.load([mine])
    assert one.value("docs", "/a") == other.value("docs", "/a") in ("1", "2")
