"""Glob patterns: what they cover, compared with a plain backtracking reading, and how fast."""

import time
import unicodedata

import pytest
from hypothesis import assume, given, settings, strategies as st

from commonplace.core.globs import (
    ALTERNATIVES_MAX,
    EXPANDED_MAX,
    PATTERN_MAX,
    compile_glob,
)
from commonplace.errors import BadArgument
from tests.core.case_files import cases

ATOMS = st.sampled_from(["a", "b", "*", "**", "?", "/", "/", "[ab]", "[!a]", "[a-b]"])
PATTERNS = st.lists(ATOMS, max_size=9).map("".join)
PARTS = st.text("ab", min_size=1, max_size=5)
PATHS = st.lists(PARTS, min_size=1, max_size=4).map("/".join)
ANYTHING = st.text(st.sampled_from("ab*?/[]!^-{},\\.é\u0301"), max_size=14)


def covers(pattern: str, path: str) -> bool:
    """Read a pattern without braces the obvious way, trying everything."""
    whole = f"{pattern}**" if pattern.endswith("/") else pattern
    parts = whole.removeprefix("/").split("/")
    is_anchored = "/" in pattern.rstrip("/")
    return covers_parts(parts if is_anchored else ["**", *parts], path.split("/"))


def covers_parts(parts: list[str], names: list[str]) -> bool:
    if not parts:
        return not names
    first, *rest = parts
    if first == "**":
        return any(covers_parts(rest, names[at:]) for at in range(len(names) + 1)) and (
            bool(rest) or bool(names)
        )
    return bool(names) and covers_name(first, names[0]) and covers_parts(rest, names[1:])


def covers_name(part: str, name: str) -> bool:
    if not part:
        return not name
    if part[0] == "*":
        return any(covers_name(part[1:], name[at:]) for at in range(len(name) + 1))
    if not name:
        return False
    if part[0] == "[":
        members, rest = part[1:].split("]", 1)
        is_member = name[0] in members.replace("a-b", "ab")
        return is_member != members.startswith("!") and covers_name(rest, name[1:])
    return part[0] in ("?", name[0]) and covers_name(part[1:], name[1:])


@pytest.mark.parametrize(("pattern", "listing"), cases("globs_matches.md"))
def test_a_pattern_covers(pattern: str, listing: str) -> None:
    glob = compile_glob(pattern)
    rows = [(row[2:], row.startswith("+")) for row in listing.splitlines()]
    assert [(path, glob.matches(path)) for path, _ in rows] == rows
    assert glob.filter(path for path, _ in rows) == [path for path, covered in rows if covered]


@settings(max_examples=1_000)
@given(PATTERNS, PATHS)
def test_taking_the_earliest_place_misses_nothing(pattern: str, path: str) -> None:
    assert compile_glob(pattern).matches(path) == covers(pattern, path)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(["a", "b", "*", "?"]), max_size=12).map("".join), PARTS)
def test_stars_inside_a_name_miss_nothing(pattern: str, name: str) -> None:
    assert compile_glob(pattern).matches(name) == covers(pattern, name)


@settings(max_examples=1_000)
@given(
    st.lists(st.sampled_from(["**", "**", "a", "b", "*", "a*", "?"]), max_size=8).map("/".join),
    st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=7).map("/".join),
)
def test_gaps_between_folders_miss_nothing(pattern: str, path: str) -> None:
    assert compile_glob(f"/{pattern}").matches(path) == covers(f"/{pattern}", path)


@given(st.lists(st.lists(PATTERNS, min_size=1, max_size=3), max_size=3), PATTERNS, PATHS)
def test_braces_are_the_same_as_all_that_they_stand_for(
    groups: list[list[str]], rest: str, path: str
) -> None:
    pattern, written_out = "/", ["/"]
    for group in groups:
        pattern += "{" + ",".join(group) + "}"
        written_out = [text + each for text in written_out for each in group]
    patterns = [text + rest for text in written_out]
    assume(not any("//" in text for text in patterns))
    expected = any(covers(text, path) for text in patterns)
    assert compile_glob(pattern + rest).matches(path) == expected


@given(ANYTHING, st.lists(PATHS | st.text(st.sampled_from("ab/.é\u0301[]{},"), min_size=1)))
def test_filtering_is_matching_each(pattern: str, paths: list[str]) -> None:
    glob = compile_glob(pattern)
    assert glob.filter(paths) == [path for path in paths if glob.matches(path)]


@pytest.mark.parametrize(
    "pattern", ["**/*.md", "*.md", "**", "*", "a/**", "a/b/**/*b", "/a/**", "*.{md,a,b}", "**/*b"]
)
@given(paths=st.lists(st.text(st.sampled_from("ab/.md"), min_size=1, max_size=12)))
def test_the_short_cuts_are_exact(pattern: str, paths: list[str]) -> None:
    valid = [path for path in paths if all(path.split("/"))]
    glob = compile_glob(pattern)
    assert glob.filter(valid) == [path for path in valid if glob.matches(path)]


@given(st.text(st.sampled_from("ab .-é日😀"), min_size=1))
def test_text_without_signs_covers_itself(name: str) -> None:
    path = unicodedata.normalize("NFC", f"/x/{name}.md")
    assert compile_glob(path).matches(path.removeprefix("/"))


def test_composed_and_decomposed_letters_are_the_same() -> None:
    assert compile_glob("Caf\u0065\u0301/[é]?.md").matches("Café/e\u0301x.md")
    assert compile_glob("Café/*").filter(["Cafe\u0301/a.md"]) == ["Cafe\u0301/a.md"]


@pytest.mark.parametrize(
    "pattern",
    [
        "a" * (PATTERN_MAX + 1),
        "{a,b}" * 9,
        "{" + "a," * ALTERNATIVES_MAX + "b}",
        "{a,b}" * 190 + "{",
        "{a,b}" * 8 + "c" * (EXPANDED_MAX // ALTERNATIVES_MAX),
    ],
)
def test_what_is_too_big_is_refused(pattern: str) -> None:
    with pytest.raises(BadArgument):
        compile_glob(pattern)


def test_as_many_alternatives_as_allowed() -> None:
    glob = compile_glob("{a,b}" * 8)
    assert glob.matches("abababab")
    assert not glob.matches("abababa")


HOSTILE = [
    "*a" * 400 + "b",
    "**/" * 330 + "b",
    "**/a/" * 190 + "b",
    "**/*a*/" * 140 + "b",
    "*/" * 400 + "b",
    "?*" * 400 + "b",
    "{" * 1_000,
    "[" * 1_000,
    "[!" * 500,
    "{a," * 300,
    "{" * 450 + "b" + "}" * 450,
    "\\" * 999,
    "[a-" * 300,
]


@pytest.mark.parametrize("pattern", HOSTILE, ids=lambda pattern: pattern[:10])
def test_no_pattern_is_slow(pattern: str) -> None:
    paths = ["a" * 1_000, "/".join("a" * 500), "/".join(["a" * 30] * 32)] * 20
    started = time.process_time()
    assert compile_glob(pattern).filter(paths) == []
    assert time.process_time() - started < 1


def test_a_hundred_thousand_paths_are_filtered_at_once() -> None:
    paths = [f"Folder {at % 97}/Sub {at % 7}/Note {at}.md" for at in range(100_000)]
    started = time.process_time()
    assert len(compile_glob("**/*.md").filter(paths)) == 100_000
    assert time.process_time() - started < 0.3
