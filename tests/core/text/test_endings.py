"""From bytes to text and back: what was not edited comes back byte for byte."""

import time

import pytest
from hypothesis import given, strategies as st

from commonplace.core.text.endings import FileForm, decode, encode
from commonplace.errors import Unreadable
from tests.core.case_files import cases

WORDS = st.text(st.sampled_from("ab é😀\r\ufeff\x85\u2028"), max_size=4)
ENDED = st.tuples(WORDS, st.sampled_from(["\n", "\r\n", "\r\n", "\r\r\n"])).map("".join)
MARKS = st.sampled_from(["", "\ufeff"])
FILES = (
    st.tuples(MARKS, st.lists(ENDED, max_size=8).map("".join), WORDS).map("".join).map(str.encode)
)
TEXTS = st.lists(WORDS.filter(lambda word: "\ufeff" not in word), max_size=9).map("\n".join)


def literal(block: str) -> bytes:
    joined = block.replace("\n", "")
    return joined.encode("latin-1").decode("unicode_escape").encode("latin-1")


@pytest.mark.parametrize(("before", "text", "after"), cases("endings_edits.md"))
def test_an_edit_leaves_the_other_lines_as_they_are(before: str, text: str, after: str) -> None:
    base, form = decode(literal(before))
    assert encode(literal(text).decode(), form, base) == literal(after)


@given(FILES)
def test_an_unedited_file_is_written_as_it_was(data: bytes) -> None:
    text, form = decode(data)
    assert encode(text, form, text) == data


@given(FILES)
def test_the_text_has_neither_mark_nor_crlf(data: bytes) -> None:
    text, form = decode(data)
    assert text.count("\n") == data.count(b"\n")
    assert form.bom == data.startswith(b"\xef\xbb\xbf")
    assert len(form.odd) * 2 <= text.count("\n")


@given(st.binary() | FILES.map(lambda data: data + b"\xff") | FILES)
def test_any_bytes_are_text_or_refused(data: bytes) -> None:
    try:
        text, form = decode(data)
    except Unreadable:
        return
    assert encode(text, form, text) == data


@given(FILES, TEXTS)
def test_what_is_written_reads_back(data: bytes, text: str) -> None:
    base, form = decode(data)
    assert decode(encode(text, form, base))[0] == text


@given(FILES, st.data())
def test_rewriting_one_line_changes_only_its_bytes(data: bytes, choice: st.DataObject) -> None:
    base, form = decode(data)
    lines = base.split("\n")
    at = choice.draw(st.integers(0, len(lines) - 1))
    word = choice.draw(st.text("xyz", max_size=3))
    edited = "\n".join([*lines[:at], word, *lines[at + 1 :]])
    written = encode(edited, form, base)
    old_lines = data.split(b"\n")
    ending = b"\r" if at < len(lines) - 1 and old_lines[at].endswith(b"\r") else b""
    bom = b"\xef\xbb\xbf" if at == 0 and form.bom else b""
    expected = [*old_lines[:at], bom + word.encode() + ending, *old_lines[at + 1 :]]
    assert written.split(b"\n") == expected


@given(FILES, st.integers(0, 8), st.text("xyz", min_size=1, max_size=3))
def test_a_new_line_changes_no_other(data: bytes, at: int, word: str) -> None:
    base, form = decode(data)
    lines = base.split("\n")[:-1]
    last = base.split("\n")[-1]
    place = min(at, len(lines))
    edited = "\n".join([*lines[:place], word, *lines[place:], last])
    written = encode(edited, form, base).split(b"\n")
    bom = b"\xef\xbb\xbf" if place == 0 and form.bom else b""
    inserted = written.pop(place).removeprefix(bom)
    assert inserted == word.encode() + (b"\r" if form.crlf else b"")
    assert bom + b"\n".join(written) == data


@pytest.mark.parametrize("data", [b"\xff\xfea\x00", b"caf\xe9", b"\xed\xa0\x80", b"a\xc0\x80"])
def test_what_is_not_utf_8_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable, match=r"is not UTF-8 text; it is listed but cannot be shown"):
        decode(data)


@pytest.mark.parametrize("data", ["note \u2603".encode("utf-16-le"), b"h\0e\0l\0l\0o\0"])
def test_nul_all_over_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable, match=r"NUL|not UTF-8"):
        decode(data)


@pytest.mark.parametrize(
    "data", [b"a\0b", b"\xef\xbb\xbf\0\r\n\0x\n", "\u2400\0 and more".encode()]
)
def test_nul_is_seen_and_comes_back_unless_it_is_deleted(data: bytes) -> None:
    text, form = decode(data)
    assert "\0" not in text
    assert encode(text, form, text) == data
    assert encode(text.replace(form.nul, ""), form, text) == data.replace(b"\0", b"")
    assert encode(text + "more", form, text) == data + b"more"


def test_nul_is_shown_as_its_sign() -> None:
    assert decode(b"a\0b")[0] == "a\u2400b"


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (b"", FileForm()),
        (b"a", FileForm()),
        (b"a\r\n", FileForm(crlf=True)),
        (b"a\r\nb\n", FileForm(odd=(0,))),
        (b"a\r\nb\nc\r\n", FileForm(crlf=True, odd=(1,))),
        (b"\xef\xbb\xbf\xef\xbb\xbfa", FileForm(bom=True)),
    ],
)
def test_the_form_says_what_was_taken_off(data: bytes, form: FileForm) -> None:
    assert decode(data)[1] == form


@pytest.mark.parametrize("unit", [b"\r", b"\r\n", b"\n", b"\n\r\n", b"\xef\xbb\xbf", b"a\n"])
def test_a_megabyte_takes_linear_time(unit: bytes) -> None:
    data = unit * (1_000_000 // len(unit))
    started = time.process_time()
    text, form = decode(data)
    assert decode(encode(f"x{text}y", form, text))[0] == f"x{text}y"
    assert time.process_time() - started < 4


def test_a_big_rewrite_of_mixed_endings_is_aligned_in_bounds() -> None:
    base, form = decode(b"".join(b"%d\n" % at for at in range(12_000)) + b"odd\r\n")
    text = "".join(f"{at * 7 % 12_000} new\n" for at in range(12_000))
    started = time.process_time()
    assert encode(text, form, base).count(b"\r\n") <= 1
    assert time.process_time() - started < 3
