r"""Glob patterns over note paths, read as ripgrep and gitignore read them.

`*` and `?` stay inside a part, `**` spans parts, `[a-z]`, `[!a]`, `{a,b}`; a backslash takes the
next character as itself. Without a slash a pattern matches file names at any depth; with one it
is anchored at the top, and one at its end means everything beneath. What is malformed is literal
text.

Matching cannot be made slow. A pattern is pieces of fixed length with gaps between them, and each
piece is taken at the earliest place where it fits: a later place never lets more match, so nothing
is tried twice. Atomic groups say that to `re`, which gets a caller's text only as escaped
characters.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from commonplace.errors import BadArgument

PATTERN_MAX = 1_000
ALTERNATIVES_MAX = 256
EXPANDED_MAX = 32_000

_CLASS = r"\[(?>[!^]?)(?>\]?)[^\]/]*\]"
_BRACE_ATOM = re.compile(rf"\\.|{_CLASS}|[^\\\[{{}},]+|.", re.DOTALL)
_PART_ATOM = re.compile(rf"\\.|{_CLASS}|\*+|[^\\\[*?]+|.", re.DOTALL)
_RANGE = re.compile(r"(.)-(.)|.", re.DOTALL)
_NOT_PLAIN = re.compile(r"[*?\[\\]|[^\x00-\x7f]")
_ENDING = re.compile(r"\.([A-Za-z0-9]{1,16})\Z")
_OUTSIDE_CLASS = {"[": r"\[", r"\/": "/"}

_FOLDERS = "(?:[^/]+/)*?"
_ALL_FOLDERS = "(?>(?:.*/)?)"
_END_OF_PART = r"(?=/|\Z)"


@dataclass(frozen=True, slots=True)
class Glob:
    """A compiled pattern. Paths are as `core.paths` gives them: relative, without empty parts."""

    pattern: str
    _regex: re.Pattern[str]
    _ends: tuple[str, tuple[str, ...]] | None

    def matches(self, path: str) -> bool:
        """Say whether the pattern covers the path."""
        text = path if path.isascii() else unicodedata.normalize("NFC", path)
        return self._regex.fullmatch(text) is not None

    def filter(self, paths: Iterable[str]) -> list[str]:
        """Return the paths that the pattern covers, in their order."""
        if self._ends is None:
            return [path for path in paths if self.matches(path)]
        start, endings = self._ends
        if not start:
            return [path for path in paths if path.endswith(endings)]
        return [path for path in paths if path.startswith(start) and path.endswith(endings)]


def compile_glob(pattern: str) -> Glob:
    """Read a pattern."""
    if len(pattern) > PATTERN_MAX:
        raise BadArgument(
            f"The glob pattern has {len(pattern)} characters; at most {PATTERN_MAX} are allowed. "
            "Shorten it, or search in parts."
        )
    text = unicodedata.normalize("NFC", pattern)
    anchored = "/" in text.rstrip("/")
    alternatives = [_parts(each, anchored) for each in dict.fromkeys(_expanded(text))]
    regex = "|".join(map(_regex, alternatives))
    return Glob(pattern, re.compile(regex, re.DOTALL), _ends(alternatives))


def endings(pattern: str) -> frozenset[str]:
    """Return the file endings that a pattern names outright: of `*.{md,PNG}`, md and png."""
    found = (_ENDING.search(each) for each in _expanded(unicodedata.normalize("NFC", pattern)))
    return frozenset(each[1].lower() for each in found if each)


def _expanded(pattern: str) -> list[str]:
    """Write out the braces: `a{b,c}` is `ab` and `ac`."""
    atoms = _BRACE_ATOM.findall(pattern)
    closed = _closed_braces(atoms)
    outer: list[tuple[list[str], list[str]]] = []
    texts = [""]
    for at, atom in enumerate(atoms):
        if at in closed:
            outer.append((texts, []))
            texts = [""]
        elif atom == "," and outer:
            outer[-1][1].extend(texts)
            texts = [""]
        elif atom == "}" and outer:
            before, alternatives = outer.pop()
            texts = _joined(before, [*alternatives, *texts])
        else:
            texts = _joined(texts, [_OUTSIDE_CLASS.get(atom, atom)])
    return texts


def _closed_braces(atoms: list[str]) -> set[int]:
    opened: list[int] = []
    closed: set[int] = set()
    for at, atom in enumerate(atoms):
        if atom == "{":
            opened.append(at)
        elif atom == "}" and opened:
            closed.add(opened.pop())
    return closed


def _joined(befores: list[str], afters: list[str]) -> list[str]:
    if len(befores) * len(afters) > ALTERNATIVES_MAX:
        raise BadArgument(
            f"The braces of the glob pattern stand for more than {ALTERNATIVES_MAX} alternatives. "
            "Use fewer, or `*`."
        )
    texts = [before + after for before in befores for after in afters]
    if sum(map(len, texts)) > EXPANDED_MAX:
        raise BadArgument("The glob pattern is too long once its braces are written out.")
    return texts


def _parts(text: str, anchored: bool) -> list[str]:
    whole = f"{text}**" if text.endswith("/") else text
    parts = whole.removeprefix("./").removeprefix("/").split("/")
    if not anchored:
        parts = ["**", *parts]
    pairs = zip(parts, [None, *parts], strict=False)
    return [part for part, before in pairs if not part == before == "**"]


def _regex(parts: list[str]) -> str:
    runs: list[list[str]] = [[]]
    for part in parts:
        if part == "**":
            runs.append([])
        else:
            runs[-1].append(_part(part))
    if len(runs) == 1:
        return "/".join(runs[0])
    first, *middle, last = runs
    head = "".join(f"{part}/" for part in first)
    gaps = "".join(f"(?>{_FOLDERS}{'/'.join(run)}/)" for run in middle)
    folders = _ALL_FOLDERS if len(last) == 1 else _FOLDERS
    return f"{head}{gaps}{folders}{'/'.join(last)}" if last else f"{head}{gaps}.+"


def _part(text: str) -> str:
    pieces = [""]
    for atom in _PART_ATOM.findall(text):
        if atom.startswith("*"):
            pieces.append("")
        else:
            pieces[-1] += _one(atom)
    if len(pieces) == 1:
        return pieces[0]
    first, *middle, last = pieces
    gaps = "".join(f"(?>[^/]*?{piece})" for piece in middle)
    return f"{first}{gaps}(?>[^/]*?{last}{_END_OF_PART})"


def _one(atom: str) -> str:
    if atom == "?":
        return "[^/]"
    if len(atom) > 1 and atom[0] == "[":
        return _class(atom)
    return re.escape(atom[1:] if len(atom) == 2 and atom[0] == "\\" else atom)


def _class(atom: str) -> str:
    negated = atom[1] in "!^"
    items = list(_RANGE.finditer(atom, 1 + negated, len(atom) - 1))
    if any(item[1] and item[1] > item[2] for item in items):
        return re.escape(atom)
    inside = "".join(
        f"{re.escape(item[1])}-{re.escape(item[2])}" if item[1] else re.escape(item[0])
        for item in items
    )
    return f"(?!/)[{'^' if negated else ''}{inside}]"


def _ends(alternatives: list[list[str]]) -> tuple[str, tuple[str, ...]] | None:
    """Return the start and the endings that say it all, for patterns like `Lens/**/*.{md,txt}`."""
    found = [_start_and_ending(parts) for parts in alternatives]
    pairs = [pair for pair in found if pair]
    starts = {start for start, _ in pairs}
    if len(pairs) < len(found) or len(starts) != 1:
        return None
    return starts.pop(), tuple(ending for _, ending in pairs)


def _start_and_ending(parts: list[str]) -> tuple[str, str] | None:
    at = parts.index("**") if "**" in parts else len(parts)
    folders, rest = parts[:at], parts[at + 1 :]
    ending = "".join(rest)[1:]
    shaped = rest == [] or (len(rest) == 1 and rest[0].startswith("*"))
    if at == len(parts) or not shaped or _NOT_PLAIN.search("".join(folders) + ending):
        return None
    return "".join(f"{folder}/" for folder in folders), ending
