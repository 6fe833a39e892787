"""The page reads CriticMarkup as the server does: both are given the same texts."""

import json
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from commonplace.core import critic
from tests.node import node
from tests.web.build import packages

_PROGRAM = Path(__file__).parent / "node" / "read_marks.ts"
_CASES = Path(__file__).parents[1] / "core" / "cases"
_TEXTS = 4_000
_SIGNS = (
    "{++ ++} {-- --} {~~ ~> ~~} {>> <<} {== ==} {++ ++} {-- --} { } ++ -- ~~ == @@ +} -} "
    "``` ~~~ ```` ` a word é 😀 中"
)
_PIECES = (
    *_SIGNS.split(),
    *(" ", "  ", "    ", "\t", "\n", "\n", "\n", "\r\n", "> ", "- ", "1. "),
    *("\n```\n", "\n~~~ js\n", "- ```\n", "> ```\n", "{}@@", '{"x":1}@@', '{"time":true}@@'),
    *('{"author":"Ann"}@@', '{"author":"Ann","time":12}@@', '{"timestamp":1500}@@'),
    '{"a":"\\ud800","t":NaN}@@',
    '{"author":"Bo","authors":["Ann","Bo",3,"Ann"]}@@',
    '{"authors":["Ann","\\ud800"]}@@',
)


def _mark(mark: critic.Mark) -> list[object]:
    kind, start, body, middle, tail, end, meta = mark
    told = None if meta is None else [meta.author, meta.time, *meta.earlier]
    return [kind.value, start, body, middle, tail, end, told]


def _read(text: str) -> dict[str, Any]:
    marked = critic.parse(text)
    return {
        "suggested": [_mark(m) for m in marked.suggested],
        "comments": [_mark(m) for m in marked.comments],
        "highlights": [_mark(m) for m in marked.highlights],
        "fences": [list(fence) for fence in marked.fences],
        "pending": [[s.id, s.kind.value, s.old, s.new, s.author] for s in critic.suggestions(text)],
        "accepted": critic.accepted(text),
        "base": critic.base(text),
    }


def _read_by_page(texts: Sequence[str], folder: Path) -> list[dict[str, Any]]:
    program = folder / "read_marks.mjs"
    esbuild = packages() / "esbuild" / "bin" / "esbuild"
    bundle = [
        node(),
        esbuild,
        _PROGRAM,
        "--bundle",
        "--format=esm",
        "--platform=node",
        "--log-level=error",
    ]
    subprocess.run([*bundle, f"--outfile={program}"], check=True)
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    done = subprocess.run(
        [node(), program], input=lines, capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def _compare(texts: Sequence[str], folder: Path) -> None:
    answers = _read_by_page(texts, folder)
    assert len(answers) == len(texts)
    for text, told in zip(texts, answers, strict=True):
        assert told == _read(text), json.dumps(text)


@pytest.mark.slow
def test_random_texts_are_read_alike(tmp_path: Path) -> None:
    chosen = random.Random(7)
    texts = ["".join(chosen.choices(_PIECES, k=chosen.randint(1, 40))) for _ in range(_TEXTS)]
    assert sum(bool(critic.suggestions(text)) for text in texts) > _TEXTS / 10
    _compare(texts, tmp_path)


@pytest.mark.slow
def test_the_cases_of_the_core_are_read_alike(tmp_path: Path) -> None:
    texts = [part for file in _CASES.glob("*.md") for part in file.read_text("utf-8").split("````")]
    _compare(texts, tmp_path)


@pytest.mark.slow
def test_a_long_hostile_text_is_read_in_linear_time(tmp_path: Path) -> None:
    texts = [
        piece * (300_000 // len(piece)) for piece in ("{++", "{>>", "++}", "{==", "{--}", "```\n")
    ]
    _compare(texts, tmp_path)
