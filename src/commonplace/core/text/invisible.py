"""Characters that a reader cannot see: controls, zero widths, bidi marks, tags.

Some of them belong to ordinary writing: joiners inside Persian or Indic words and emoji, variation
selectors after what they vary, three flags. Those are left alone; the rest can hide words from a
person while an assistant reads them, or make two names look like one.
"""

import re
import unicodedata
from collections.abc import Iterator

_HIDDEN = (
    *((0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD)),
    *((0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xD800, 0xDFFF)),
    *((0xFDD0, 0xFDEF), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB)),
    *((0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
    *((plane | 0xFFFE, plane | 0xFFFF) for plane in range(0, 0x110000, 0x10000)),
)
_CLASS = "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in _HIDDEN)
_SUSPECT = re.compile(f"[{_CLASS}]")

_ASCII = bytes(range(128))
_SEEN = b"\t\n" + bytes(range(0x20, 0x7F))

_JOINERS = "\u200c\u200d"
_EMOJI_STYLE = "\ufe0f"
_KEYCAP = "\u20e3"
_KEYCAP_BASES = frozenset("0123456789#*")
_VIRAMA = 9
_FLAGS = tuple(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)


def positions(text: str) -> Iterator[tuple[int, str]]:
    """Yield where the invisible characters are, and each of them."""
    if _all_seen(text):
        return
    for found in _SUSPECT.finditer(text):
        if not _belongs(text, found.start()):
            yield found.start(), found[0]


def _all_seen(text: str) -> bool:
    """Tell quickly that a text holds nothing to look for; False if it takes a closer look."""
    lines = text.replace("\r\n", "\n")
    if text.isascii():
        return not lines.encode().translate(None, _SEEN)
    if not lines.replace("\n", "").replace("\t", "").isprintable():
        return False
    return not _SUSPECT.search(text.encode().translate(None, _ASCII).decode())


def visible(text: str) -> str:
    """Write every invisible character as its number: `<U+202E>`."""
    pieces: list[str] = []
    done = 0
    for at, character in positions(text):
        pieces += (text[done:at], f"<{label(character)}>")
        done = at + 1
    return "".join([*pieces, text[done:]])


def label(character: str) -> str:
    """Name a character by its number: `U+202E`."""
    return f"U+{ord(character):04X}"


def pictographic(character: str) -> bool:
    """Say whether a character is in the blocks kept for emoji, assigned yet or not."""
    return 0x1F000 <= ord(character) <= 0x1FAFF


def _belongs(text: str, at: int) -> bool:
    character = text[at]
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if character < "\u0100":
        return character == "\r" and after == "\n"
    if character in _JOINERS:
        varied = before == _EMOJI_STYLE and _varies(text[at - 2 : at - 1])
        return _follows_virama(before) or ((varied or _written(before)) and _written(after))
    if "\ufe00" <= character <= "\ufe0f":
        return _varies(before) or (after == _KEYCAP and before in _KEYCAP_BASES)
    if "\U000e0020" <= character <= "\U000e007f":
        return _in_flag(text, at)
    return _varies_script(character, before)


def _follows_virama(before: str) -> bool:
    return before != "" and unicodedata.combining(before) == _VIRAMA


def _written(character: str) -> bool:
    if character <= "\x7f" or _SUSPECT.match(character):
        return False
    return unicodedata.category(character)[0] in "LMS" or pictographic(character)


def _varies(before: str) -> bool:
    # never after another selector: a run of them can spell a hidden message
    return _written(before) or (before > "\x7f" and unicodedata.category(before)[0] == "P")


def _varies_script(character: str, before: str) -> bool:
    if "\U000e0100" <= character <= "\U000e01ef":
        return "\u3400" <= before <= "\U0003ffff" and _written(before)
    return "\u180b" <= character <= "\u180f" and "\u1800" <= before <= "\u18aa" and _written(before)


def _in_flag(text: str, at: int) -> bool:
    start = text.rfind(_FLAGS[0][0], max(0, at - len(_FLAGS[0]) + 1), at)
    return start >= 0 and text.startswith(_FLAGS, start)
