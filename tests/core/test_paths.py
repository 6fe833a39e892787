"""The path policy: what is refused, at which level, and what is offered instead."""

import json
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from commonplace.core import paths
from commonplace.errors import BadPath
from tests.core.case_files import cases

CORPUS = json.loads((Path(__file__).parents[1] / "corpus" / "paths.json").read_text("utf-8"))
REFUSED: list[Any] = [entry["path"] for entry in CORPUS["reject"]]
ACCEPTED: list[str] = CORPUS["accept"]

WORDS = st.text(st.sampled_from("abcXYZ01 .-_~%é日😀\u0301\u200d\u200b/\\:"), max_size=12)
ANY_PATH = WORDS | st.text(max_size=20) | st.sampled_from(ACCEPTED)
GOOD_NAME = st.text(st.sampled_from("abcXYZ019-_éß日本😀"), min_size=1, max_size=8)
GOOD_PATH = st.lists(GOOD_NAME, min_size=1, max_size=4).map(lambda parts: "/".join(parts) + ".md")


def refuses(check: Any, raw: object) -> bool:
    try:
        check(raw)
    except BadPath:
        return True
    return False


@pytest.mark.parametrize("raw", REFUSED, ids=ascii)
def test_no_new_note_gets_a_name_of_the_corpus(raw: object) -> None:
    with pytest.raises(BadPath):
        paths.new_note_path(raw)


@pytest.mark.parametrize("raw", ACCEPTED, ids=ascii)
def test_ordinary_names_pass_at_both_levels(raw: str) -> None:
    canonical = unicodedata.normalize("NFC", raw)
    assert paths.note_path(raw) == canonical
    assert paths.new_note_path(raw) == canonical
    assert paths.is_document(raw)


def test_access_refuses_what_could_lead_out_or_deceive() -> None:
    # the other 159 are names that an existing file may have, and that harm nobody on disk
    assert len(REFUSED) == 402
    assert sum(refuses(paths.note_path, raw) for raw in REFUSED) == 243


@pytest.mark.parametrize(
    "kind",
    ["absolute", "control", "dotdot", "drive", "empty", "invisible", "nul", "surrogate", "unc"],
)
def test_access_refuses_the_whole_class(kind: str) -> None:
    names = [entry["path"] for entry in CORPUS["reject"] if entry["class"] == kind]
    assert names
    assert all(refuses(paths.note_path, name) for name in names)


@pytest.mark.parametrize(("raw", "message"), cases("paths_refused.md"))
def test_the_refusal_says_why_and_what_to_write(raw: str, message: str) -> None:
    with pytest.raises(BadPath) as refused:
        paths.note_path(raw)
    assert str(refused.value) == message


@pytest.mark.parametrize(("raw", "message"), cases("paths_not_new.md"))
def test_what_may_exist_need_not_be_made(raw: str, message: str) -> None:
    assert paths.note_path(raw) == raw
    with pytest.raises(BadPath) as refused:
        paths.new_note_path(raw)
    assert str(refused.value) == message


@pytest.mark.parametrize("raw", ["/home/someone/vault/a.md", "C:/Users/someone/a.md"])
def test_a_refusal_does_not_repeat_a_path_of_the_host(raw: str) -> None:
    with pytest.raises(BadPath) as refused:
        paths.note_path(raw)
    assert "someone" not in str(refused.value)


@pytest.mark.parametrize("character", ["\u200b", "\u202e", "\U000e0041", "\ufeff", "\t", "\x1b"])
def test_an_invisible_character_is_named_by_its_number(character: str) -> None:
    with pytest.raises(BadPath, match=rf"\(U\+{ord(character):04X}\)"):
        paths.note_path(f"No{character}te.md")


@pytest.mark.parametrize(
    "name",
    ["می‌خواهم.md", "👩‍👩‍👧.md", "❤️ list.md", "1️⃣ first.md", "അവന്‍.md", "🏴󠁧󠁢󠁳󠁣󠁴󠁿.md", "🫨.md"],
)
def test_joiners_and_selectors_inside_words_and_emoji_are_writing(name: str) -> None:
    assert paths.new_note_path(name) == name


def test_bounds_are_in_bytes() -> None:
    assert paths.note_path("é" * 126 + ".md")
    assert refuses(paths.note_path, "é" * 127 + ".md")
    assert paths.new_note_path("a" * 227 + ".md")
    assert refuses(paths.new_note_path, "a" * 228 + ".md")
    assert paths.note_path("/".join(["é" * 100] * 5) + ".md")
    assert refuses(paths.note_path, "/".join(["é" * 100] * 6) + ".md")
    assert paths.note_path("/".join("a" * paths.PATH_DEPTH_MAX))
    assert refuses(paths.note_path, "/".join("a" * (paths.PATH_DEPTH_MAX + 1)))


@pytest.mark.parametrize("raw", ["", ".", "/"])
def test_the_top_of_the_vault_has_three_names(raw: str) -> None:
    assert paths.folder_path(raw) == ""


@pytest.mark.parametrize("raw", ["..", "//", "./", "/Lens", "Lens//", ".git", "~", None, 3])
def test_a_folder_is_held_to_the_same_rules(raw: object) -> None:
    assert refuses(paths.folder_path, raw)


@given(GOOD_PATH)
def test_a_folder_may_end_in_a_slash(path: str) -> None:
    assert paths.folder_path(path) == paths.folder_path(f"{path}/") == paths.note_path(path)


@given(ANY_PATH)
def test_what_is_accepted_is_canonical(raw: str) -> None:
    if refuses(paths.note_path, raw):
        return
    path = paths.note_path(raw)
    assert paths.note_path(path) == path == unicodedata.normalize("NFC", raw)
    parts = path.split("/")
    assert all(part and not part.startswith(".") and "\\" not in part for part in parts)
    assert path.encode()


@given(ANY_PATH)
def test_the_stricter_level_is_within_the_other(raw: str) -> None:
    if not refuses(paths.new_note_path, raw):
        assert paths.new_note_path(raw) == paths.note_path(raw)
        assert paths.is_document(raw)


@given(st.text(st.sampled_from("aZ0_ .,-/&'()+\\~:é\n"), max_size=12))
def test_the_short_cut_for_plain_paths_takes_nothing_more(raw: str) -> None:
    if not paths._is_plain(raw):
        return
    paths._check_start(raw)
    paths._check_characters(raw)
    for part in raw.split("/"):
        paths._check_part(part)
    assert unicodedata.normalize("NFC", raw) == raw


@pytest.mark.parametrize(
    ("name", "is_document"),
    [
        ("a.md", True),
        ("Sub/UPPER.MD", True),
        ("Why?.md", True),
        ("e\u0301.md", True),
        ("a.markdown", False),
        ("a", False),
        (".md", False),
        (".obsidian/a.md", False),
        ("bad\udcff.md", False),
        ("no\u200bte.md", False),
    ],
    ids=ascii,
)
def test_the_scanner_lists_what_can_be_asked_for(name: str, is_document: bool) -> None:
    assert paths.is_document(name) is is_document


def test_names_that_some_systems_take_for_one_share_a_key() -> None:
    same = ["Straße/É.md", "STRASSE/e\u0301.MD", "strasse/é.md"]
    assert len({paths.collision_key(path) for path in same}) == 1
    assert paths.collision_key("ᾳ\u0301") == paths.collision_key("ᾴ")
    assert paths.collision_key("a.md") != paths.collision_key("b.md")


def test_a_collision_key_is_its_own_key() -> None:
    for number in range(0x110000):
        key = paths.collision_key(chr(number))
        assert paths.collision_key(key) == key


@given(GOOD_PATH)
def test_parent_and_stem_make_the_path_again(path: str) -> None:
    folder = paths.parent(path)
    assert f"{folder}/{paths.stem(path)}.md".removeprefix("/") == path


@pytest.mark.parametrize(
    ("path", "stem"),
    [("a/B.MD", "B"), ("approx.md.md", "approx.md"), ("a/b", "b"), ("x.txt", "x.txt")],
)
def test_a_stem_loses_only_the_suffix_of_a_note(path: str, stem: str) -> None:
    assert paths.stem(path) == stem


@pytest.mark.parametrize(("wanted", "names", "offered"), cases("paths_near.md"))
def test_near_names_are_offered(wanted: str, names: str, offered: str) -> None:
    assert paths.near(wanted, names.splitlines()) == offered.splitlines()


@given(st.lists(GOOD_PATH, unique=True, max_size=12), st.data())
def test_a_name_in_another_case_is_offered_first(names: list[str], data: st.DataObject) -> None:
    wanted = data.draw(st.sampled_from([*names, "zzz.md"]))
    offered = paths.near(wanted.swapcase(), names)
    assert set(offered) <= set(names)
    assert len(offered) <= 3
    if wanted in names:
        assert paths.collision_key(offered[0]) == paths.collision_key(wanted.swapcase())


@given(ANY_PATH, st.lists(ANY_PATH, max_size=5), st.integers(-1, 5))
def test_near_takes_any_text(wanted: str, names: list[str], limit: int) -> None:
    assert set(paths.near(wanted, names, limit)) <= set(names)


def test_among_many_files_of_one_name_the_path_decides() -> None:
    names = [f"{at:03}/index.md" for at in range(200)] + ["Projects/Garden/index.md"]
    assert paths.near("Projects/Gardn/index.md", names)[0] == "Projects/Garden/index.md"


def test_a_hundred_thousand_names_are_searched_while_one_waits() -> None:
    names = [f"Folder {at % 97}/Sub {at % 7}/Meeting notes {at:06}.md" for at in range(100_000)]
    started = time.process_time()
    assert paths.near("Folder 3/Sub 1/Meetng notes 050000.md", names)[0].endswith(" 050000.md")
    assert time.process_time() - started < 0.4


@pytest.mark.parametrize(
    "unit", ["a", "/", "../", "\u200d", "é\u200d", "%25", "\\", "~1", "\ud800"]
)
def test_a_megabyte_is_refused_at_once(unit: str) -> None:
    started = time.process_time()
    assert refuses(paths.new_note_path, unit * (1_000_000 // len(unit)))
    assert time.process_time() - started < 0.5
