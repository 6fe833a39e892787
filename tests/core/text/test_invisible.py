"""Which characters count as invisible, and which belong to ordinary writing."""

import sys
import time
import unicodedata

import pytest
from hypothesis import given, strategies as st

from commonplace.core.text import invisible

TEXTS = st.text(st.sampled_from("ab é😀\n\n\u200b\u2028\x0b\x85\u202e\r"), min_size=1, max_size=30)

# visible in every font that has them, though Unicode files them under "format"
SHOWN_FORMATS = {
    *(*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD),
    *range(0x13430, 0x13440),
}


def found(text: str) -> list[str]:
    return [invisible.label(character) for _, character in invisible.positions(text)]


@pytest.mark.parametrize(
    "text",
    [
        "plain text\twith a tab\nand lines\r\nof both kinds",
        "Straße, naïve, 日本語, עברית",
        "می‌خواهم",
        "ശ്രീ അവന്‍ എന്ന്",
        "👨‍👩‍👧‍👦 ❤️ ❤️‍🔥 1️⃣ #️⃣ ‼️ 👩🏽‍🚀 🏳️‍🌈",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿",
        "葛\U000e0100城",
        "ᠠ᠋ᠨ",
    ],
)
def test_ordinary_writing_holds_nothing_invisible(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\u200bb", ["U+200B"]),
        ("a\u200db", ["U+200D"]),
        ("\u200d", ["U+200D"]),
        ("é\u200d", ["U+200D"]),
        ("é\u200d\u200dé", ["U+200D", "U+200D"]),
        ("é\u200d\u3164", ["U+200D", "U+3164"]),
        ("x\ufe0f\u200dé", ["U+FE0F", "U+200D"]),
        ("❤\ufe0f\ufe0f\ufe01", ["U+FE0F", "U+FE01"]),
        ("1\ufe0f", ["U+FE0F"]),
        ("\ufe0f\u20e3", ["U+FE0F"]),
        ("葛\U000e0100\U000e0101", ["U+E0101"]),
        ("a\U000e0100", ["U+E0100"]),
        ("hi\U000e0068\U000e0069", ["U+E0068", "U+E0069"]),
        ("🏴\U000e0068\U000e0069\U000e007f", ["U+E0068", "U+E0069", "U+E007F"]),
        ("\u202etxt.exe\u202c", ["U+202E", "U+202C"]),
        ("a\rb", ["U+000D"]),
        ("end\r", ["U+000D"]),
        ("\x1b[2J\x00\x85", ["U+001B", "U+0000", "U+0085"]),
        ("\ufeffstart", ["U+FEFF"]),
        ("\ud800", ["U+D800"]),
    ],
    ids=ascii,
)
def test_what_hides_is_found(text: str, expected: list[str]) -> None:
    assert found(text) == expected


def test_every_control_format_and_line_character_is_found_alone() -> None:
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        expected = unicodedata.category(character) in hidden and character not in "\t\n"
        if expected and number not in SHOWN_FORMATS:
            assert found(f"a{character}b"), invisible.label(character)


@given(st.text())
def test_positions_are_in_order_and_hold_what_they_say(text: str) -> None:
    positions = list(invisible.positions(text))
    assert [at for at, _ in positions] == sorted({at for at, _ in positions})
    assert all(text[at] == character for at, character in positions)


@pytest.mark.parametrize("unit", ["\u200b", "é\u200d", "🏴", "\U000e0067", "\ufe0f", "\r", "a"])
def test_long_texts_are_read_in_linear_time(unit: str) -> None:
    started = time.process_time()
    assert len(list(invisible.positions(unit * (300_000 // len(unit))))) <= 300_000
    assert time.process_time() - started < 2


@given(st.text(st.sampled_from("aé\r\n\t \u00a0\u200b\u200d\ufe0f\U0001f600\x00\x7f\ud800\u3164")))
def test_a_quick_look_misses_nothing_that_a_closer_one_finds(text: str) -> None:
    closer = [at for at, _ in invisible.positions(f"{text}\x00")][:-1]
    assert [at for at, _ in invisible.positions(text)] == closer


def test_invisible_characters_are_written_out() -> None:
    text = "pay\u202egpj.exe \u200b❤️ 👩‍🚀 می‌خواهم\U000e0041"
    assert invisible.visible(text) == "pay<U+202E>gpj.exe <U+200B>❤️ 👩‍🚀 می‌خواهم<U+E0041>"


@given(TEXTS | st.text())
def test_nothing_stays_invisible(text: str) -> None:
    shown = invisible.visible(text)
    assert list(invisible.positions(shown)) == []
    hidden = [f"<{invisible.label(character)}>" for _, character in invisible.positions(text)]
    assert len(shown) == len(text) - len(hidden) + sum(map(len, hidden))
