r"""Between a file's bytes and the text that everyone edits, which has LF endings and no BOM.

`decode` gives the text and the `FileForm` that was taken off it; `encode` puts the form back. Bytes
that were not edited come back as they were, even where one file mixes CRLF and LF: every line
keeps its own ending, and a new line takes the file's usual one. A CR without an LF is an ordinary
character, so a line whose text ends in CR can only be told apart when it ends in CRLF.

No text holds NUL. Where a file does, a character stands for it that the file does not have, first
of all U+2400: it can be seen and deleted, and what is left of it is written as NUL again.
"""

from dataclasses import dataclass

from commonplace.errors import Unreadable

ALIGN_CELLS_MAX = 100_000_000

NUL_SHOWN = "\u2400"

_BOM = b"\xef\xbb\xbf"
_NULS_MIN = 4  # from here on, a file with a NUL for every few characters is taken for no text
_NULS_PART = 8


@dataclass(frozen=True, slots=True)
class FileForm:
    """How a file writes its text: `odd` holds the lines, from 0, that do not end the usual way."""

    bom: bool = False
    crlf: bool = False
    odd: tuple[int, ...] = ()
    nul: str = ""
    """What stands for NUL in the text, if the file has any."""


def decode(data: bytes) -> tuple[str, FileForm]:
    """Take a file's bytes apart."""
    bom = data.startswith(_BOM)
    raw, nul = _without_nul(_text(data[len(_BOM) :] if bom else data))
    if "\r" not in raw:
        return raw, FileForm(bom, nul=nul)
    windows = raw.count("\r\n")
    total = raw.count("\n")
    crlf = windows * 2 > total
    odd = () if windows in (0, total) else _odd_lines(raw, crlf)
    return raw.replace("\r\n", "\n"), FileForm(bom, crlf, odd, nul)


def encode(text: str, form: FileForm, base: str) -> bytes:
    """Write an edited text in the form that was taken off `base`."""
    written = _mixed(text, form, base) if form.odd else _uniform(text, form.crlf)
    if form.nul:
        written = written.replace(form.nul, "\0")
    return (_BOM if form.bom else b"") + written.encode()


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Unreadable(
            "The file is not UTF-8 text; it is listed but cannot be shown or edited"
        ) from None


def _without_nul(text: str) -> tuple[str, str]:
    """Put something that can be seen in the place of each NUL; tells what."""
    count = text.count("\0")
    if not count:
        return text, ""
    if count >= _NULS_MIN and count * _NULS_PART > len(text):
        raise Unreadable(
            "The file holds NUL characters all over, as UTF-16 does; it is listed but cannot be"
            " shown or edited. Save it as UTF-8"
        )
    candidates = (NUL_SHOWN, *map(chr, range(0xE000, 0xF8FF)))
    nul = next((one for one in candidates if one not in text), "")
    return text.replace("\0", nul), nul


def _odd_lines(raw: str, crlf: bool) -> tuple[int, ...]:
    lines = raw.split("\n")[:-1]
    return tuple(at for at, line in enumerate(lines) if line.endswith("\r") != crlf)


def _uniform(text: str, crlf: bool) -> str:
    return text.replace("\n", "\r\n") if crlf else text.replace("\r\n", "\r\r\n")


def _mixed(text: str, form: FileForm, base: str) -> str:
    before, after = base.split("\n"), text.split("\n")
    odd = frozenset(form.odd)
    endings = [(at in odd) != form.crlf for at in range(len(before) - 1)]
    endings.append(form.crlf)  # the last line has no ending to hand on
    sources = _sources(before, after)
    windows = [form.crlf if source is None else endings[source] for source in sources[:-1]]
    ended = [
        f"{line}\r\n" if crlf or line.endswith("\r") else f"{line}\n"
        for line, crlf in zip(after, windows, strict=False)
    ]
    return "".join([*ended, after[-1]])


def _sources(before: list[str], after: list[str]) -> list[int | None]:
    """Say of each line after an edit which line before it stands for, None for a new one."""
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    middle = [None if source is None else start + source for source in _aligned(old, new)]
    return [*range(start), *middle, *range(len(before) - end, len(before))]


def _common(left: list[str], right: list[str]) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(left), len(right)))


def _aligned(old: list[str], new: list[str]) -> list[int | None]:
    sources: list[int | None] = [None] * len(new)
    old_at = new_at = 0
    for old_end, new_end, size in _equal_runs(old, new):
        # what was rewritten in between stands line by line for what was there
        for step in range(min(old_end - old_at, new_end - new_at)):
            sources[new_at + step] = old_at + step
        for step in range(size):
            sources[new_end + step] = old_end + step
        old_at, new_at = old_end + size, new_end + size
    return sources


def _equal_runs(old: list[str], new: list[str]) -> list[tuple[int, int, int]]:
    from rapidfuzz.distance import Indel  # late: most calls need none

    if len(old) * len(new) > ALIGN_CELLS_MAX:
        return [(len(old), len(new), 0)]
    blocks = Indel.opcodes(old, new).as_matching_blocks()
    return [(block.a, block.b, block.size) for block in blocks]
