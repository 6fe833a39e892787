"""The part of a file that a Range header asks for."""

import pytest

from commonplace.core.attachments import byte_ranges


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        ("", None),
        ("bytes=0-0", (0, 1)),
        ("bytes=2-", (2, 10)),
        ("bytes=-3", (7, 10)),
        ("bytes=-30", (0, 10)),
        ("bytes=8-99", (8, 10)),
        ("bytes=10-", byte_ranges.BEYOND),
        ("bytes=-0", byte_ranges.BEYOND),
        ("bytes=5-2", None),
        ("bytes=0-1,4-5", None),
        ("bytes=-", None),
        ("lines=1-2", None),
        ("bytes=99999999999999999999999-", None),
    ],
)
def test_a_range_of_ten_bytes(header: str, wanted: object) -> None:
    assert byte_ranges.parse(header, 10) == wanted
