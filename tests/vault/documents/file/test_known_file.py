"""Whether a content found in a file is cut short, and what the file looked like."""

import pytest

from commonplace.vault.documents.file.known_file import cuts_short, stamp_of, stamped
from commonplace.vault.files.reader import Stamp, content_sha
from commonplace.vault.log.log import FileRecord

LONG = "A line of words that says something.\n" * 40


@pytest.mark.parametrize(
    ("data", "cut"),
    [
        (LONG.encode(), False),
        ((LONG + "more\n").encode(), False),
        (LONG.replace("words", "other words").encode(), False),
        (b"", True),
        (LONG[:100].encode(), True),
        (LONG.encode() + b"\xc3", True),
        (LONG.replace("\n", "\r\n").encode(), False),
    ],
)
def test_a_content_that_deletes_much_or_is_no_text_may_be_cut_short(data: bytes, cut: bool) -> None:
    assert cuts_short(data, LONG) == cut
    assert not cuts_short(data, LONG, None, content_sha(data)), "what we wrote is whole"


def test_a_stamp_is_kept_with_the_record() -> None:
    disk = FileRecord(b"sha", b"base", mtime_ns=1, size=2, inode=3)
    assert stamp_of(stamped(disk, Stamp(7, 8, 9))) == Stamp(7, 8, 9)
    assert stamped(disk, Stamp(7, 8, 9)).base == disk.base
