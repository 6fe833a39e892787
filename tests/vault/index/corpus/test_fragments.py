"""Patterns with a rare text in them: answered as ripgrep answers them, without reading all."""

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.core.search.literals import Literals, literals
from commonplace.errors import BadPattern
from commonplace.vault.index.corpus import shards
from commonplace.vault.index.corpus.fragments import LITERAL_BYTES_MIN, fragments_file, stretches
from commonplace.vault.index.corpus.shards import Corpus, CorpusWriter, shard_file
from commonplace.vault.search import ripgrep
from commonplace.vault.search.grep import Hits, search_corpus, search_with_ripgrep
from commonplace.vault.search.ripgrep import Pattern

PATTERNS = int(os.environ.get("COMMONPLACE_PATTERNS", "80"))
ODD = [
    "ſtraße",
    "Kelvin",
    "İstanbul",
    "知识图谱",
    "naïve",
    "CO₂",
    "a-b",
    "c++",
    "(x)",
    "$5",
    "x" * 90,
]
SIGNS = "abdeghiklmnoprstuwABKS .-_"


def words(rng: random.Random) -> list[str]:
    made = ["".join(rng.choices("abdegiklmnoprstuKS", k=rng.randint(2, 9))) for _ in range(9000)]
    return [*made, *ODD]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ripgrep, "SEARCH_SECONDS_MAX", 600.0)  # what is compared is not the time
    monkeypatch.setattr(shards, "_RIPGREP_MIN", 0)  # as in a corpus that is large


@pytest.fixture(scope="module")
def texts() -> list[str]:
    rng = random.Random(3)
    known = words(rng)
    common = known[:60]

    def line() -> str:
        return " ".join(rng.choice(known if rng.random() < 0.2 else common) for _ in range(12))

    sizes = [0, 1, 3, 30, 30, 30, 400]
    return ["\n".join(line() for _ in range(rng.choice(sizes))) for _ in range(450)]


@pytest.fixture(scope="module")
def folder(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    writer = CorpusWriter(folder, 1, 1)
    for text in texts:
        writer.append(text)
        writer.flush()
    writer.close()
    return folder


def loaded(folder: Path, texts: list[str]) -> Corpus:
    corpus, start = Corpus(folder, 1, 1), 0
    for note, text in enumerate(texts):
        length = len(text.encode()) + (1 if text else 0)
        corpus.load([(note, 0, start, length)])
        start += length + 2
    for note in range(0, len(texts), 9):
        corpus.forget(note)
    return corpus


def of_line(texts: list[str], rng: random.Random) -> str:
    """Some signs in a row that stand in a note."""
    lines = rng.choice([text for text in texts if text]).split("\n")
    line = rng.choice(lines)
    start = rng.randrange(len(line))
    return line[start : start + rng.randint(3, 14)]


def escaped(text: str) -> str:
    return "".join(f"\\{sign}" if sign in r"\.+*?()|[]{}^$#&-~" else sign for sign in text)


def pattern(texts: list[str], rng: random.Random) -> Pattern:
    """Make a pattern of the kinds that people write, and of some that nobody would."""
    some, other = escaped(of_line(texts, rng)), escaped(of_line(texts, rng))
    sign = rng.choice(SIGNS)
    regex = rng.choice(
        [
            *[some] * 3,
            f"{some}|{other}",
            f"\\b{some}",
            f"{some}.*{other}",
            f"({some}|{other}){sign}*",
            f"(?:{some})?{other}",
            f"{some}{sign}?",
            f"{some}{sign}+{other}",
            f"{some[:-1]}[^{sign}x]",
            f"^{some}",
            f"{some}$",
            f"{sign}{{0,2}}{some}",
            f"{some}(?P<y>{other}|)",
            f"(?i){some}",
            f"{some}\\d*",
            f"[[:alpha:]]{some}",
            f"{some}(",
            "".join(rng.choices([*SIGNS, "(", ")", "|", "*", "+?", "[", "]", "\\", "{2}"], k=8)),
        ]
    )
    return Pattern(regex, ignore_case=rng.random() < 0.4, multiline=rng.random() < 0.2)


def answer(search: Callable[[], Hits]) -> dict[int, list[tuple[int, int]]] | str:
    try:
        return {note: list(spans) for note, spans in search().items()}
    except BadPattern as error:
        return str(error)


def differing(folder: Path, texts: list[str], seed: int, tries: int) -> list[Pattern]:
    rng, corpus = random.Random(seed), loaded(folder, texts)
    wrong: list[Pattern] = []
    for _ in range(tries):
        made = pattern(texts, rng)
        while literals(made.regex, LITERAL_BYTES_MIN, ignore_case=made.ignore_case) is None:
            made = pattern(texts, rng)  # ripgrep alone would answer it
        ours = answer(lambda: search_corpus(made, folder, corpus))  # noqa: B023
        if ours != answer(lambda: search_with_ripgrep(made, folder, corpus)):  # noqa: B023
            wrong.append(made)
    return wrong


def test_every_pattern_is_answered_as_ripgrep_answers_it(folder: Path, texts: list[str]) -> None:
    assert differing(folder, texts, int(os.environ.get("COMMONPLACE_SEED", "1")), PATTERNS) == []


def test_most_of_the_text_is_left_out(folder: Path, texts: list[str]) -> None:
    shard, size = shard_file(folder, 1, 0), shard_file(folder, 1, 0).stat().st_size
    described = size - size % (1 << 20)
    assert described >= 2 << 20
    left = sum(min(end, described) - start for start, end in stretches(shard, size, [b"zqxjkv"]))
    assert left <= 0
    (start, end), *_ = stretches(shard, size, ["知识图谱".encode()])
    assert "知识图谱" in shard.read_bytes()[start : end + 64].decode("utf-8", "replace")


def test_what_is_wrongly_left_out_would_be_seen(
    folder: Path, texts: list[str], tmp_path: Path
) -> None:
    for file in (shard := shard_file(folder, 1, 0), fragments_file(shard)):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    empty = tmp_path / fragments_file(shard).name
    empty.write_bytes(b"\0" * empty.stat().st_size)
    assert differing(tmp_path, texts, 1, 20)


def test_a_description_counts_only_for_text_that_is_there(folder: Path, tmp_path: Path) -> None:
    """A power cut may take the end of a shard, and leave what was said of it."""
    shard = shard_file(tmp_path, 1, 0)
    whole, described = shard_file(folder, 1, 0), fragments_file(shard)
    shard.write_bytes(whole.read_bytes()[: (1 << 20) + 100] + b"\n")
    described.write_bytes(fragments_file(whole).read_bytes())
    one = described.stat().st_size // (whole.stat().st_size >> 20)
    assert (1 << 20, shard.stat().st_size) in list(
        stretches(shard, shard.stat().st_size, [b"zqxj"])
    )
    writer = CorpusWriter(tmp_path, 1, 1)
    assert described.stat().st_size == one
    there = writer.append("zqxjkv\n" * 200_000)
    writer.flush()
    writer.close()
    corpus = Corpus(tmp_path, 1, 1)
    corpus.place(1, there)
    assert len(search_corpus(Pattern("zqxjkv"), tmp_path, corpus)[1]) == 200_000


@pytest.mark.parametrize(
    ("regex", "texts", "whole"),
    [
        ("plain text", ["plain text"], True),
        (r"a\.b\+c", ["a.b+c"], True),
        ("first|second", ["first", "second"], True),
        ("colou?r", ["colo"], False),
        ("colou+?r", ["colou"], False),
        (r"\bword\b", ["word"], False),
        ("(?:begin|start)ing.*done", ["begin", "start"], False),
        ("[a-z]+tail", ["tail"], False),
        ("(maybe)?tail", ["tail"], False),
        (r"per\%", ["per%"], False),
        ("知识", ["知识"], True),
    ],
)
def test_what_every_match_holds_is_read_from_a_pattern(
    regex: str, texts: list[str], whole: bool
) -> None:
    found = literals(regex, LITERAL_BYTES_MIN, ignore_case=False)
    assert found == Literals(tuple(sorted(text.encode() for text in texts)), whole, False)


@pytest.mark.parametrize(
    "regex",
    [
        *("abc", "", ".*", "long|", "long|abc", "(?i)long", "(?x)l o n g", r"\x41long", r"\pLlong"),
        *("[[:alpha:]]long", "[]x]long", "long)", "(long", "long{", "long+*", "(long)*", "lo\nng"),
    ],
)
def test_nothing_is_read_from_a_pattern_that_is_not_plain(regex: str) -> None:
    assert literals(regex, LITERAL_BYTES_MIN, ignore_case=False) is None


def test_letters_with_cousins_beyond_ascii_are_left_out_when_case_does_not_count() -> None:
    found = literals("Masking Tape", LITERAL_BYTES_MIN, ignore_case=True)
    assert found == Literals((b"ing tape",), False, True)
