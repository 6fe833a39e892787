"""Edits that no note can take are refused before anything is touched."""

import pytest

from commonplace.core.text.edits import Edit
from commonplace.errors import BadArgument
from commonplace.vault.documents.changes import Purpose, refuse_unwritable, too_long
from commonplace.vault.files.reader import NOTE_BYTES_MAX


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "x\udfff"])
def test_what_is_no_text_is_refused(text: str) -> None:
    with pytest.raises(BadArgument, match="NUL or half a character"):
        refuse_unwritable([Edit(0, 0, "fine"), Edit(1, 1, text)], "fine")


@pytest.mark.parametrize("character", ["a", "é", "漢", "😀"])
def test_a_note_has_its_bound_in_bytes(character: str) -> None:
    most = NOTE_BYTES_MAX // len(character.encode())
    refuse_unwritable([], character * most)
    with pytest.raises(BadArgument, match="longer than"):
        refuse_unwritable([], character * most + "aaaa")
    assert too_long("", NOTE_BYTES_MAX + 1)
    assert not too_long("", NOTE_BYTES_MAX)


def test_a_purpose_is_kept_as_its_cause_and_its_set() -> None:
    assert (Purpose("undo", "7").packed, Purpose().packed) == ("undo 7", "call")
