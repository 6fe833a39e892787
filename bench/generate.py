"""Makes a vault of any size: Zipf-distributed links and words, headings, tags, frontmatter, CJK.

The same size gives the same files, so that runs can be compared.
"""

import random
import sys
from bisect import bisect
from itertools import accumulate
from pathlib import Path

_SYLLABLES = [
    "ba",
    "be",
    "bi",
    "bo",
    "bu",
    "da",
    "de",
    "di",
    "do",
    "du",
    "ka",
    "ke",
    "ki",
    "ko",
    "ku",
    "la",
    "le",
    "li",
    "lo",
    "lu",
    "ma",
    "me",
    "mi",
    "mo",
    "mu",
    "ra",
    "re",
    "ri",
    "ro",
    "ru",
    "sa",
    "se",
    "si",
    "so",
    "su",
    "ta",
    "te",
    "ti",
    "to",
    "tu",
    "va",
    "ve",
    "vi",
    "vo",
    "vu",
]
_CJK = "学习知识图谱链接笔记文件搜索编辑建议协作系统设计可靠安全性能测试"
NOTES_A_FOLDER = 50


class Zipf:
    """Picks 0, 1, 2, ... with falling probability."""

    def __init__(self, size: int, exponent: float, rng: random.Random) -> None:
        self._sums = list(accumulate(1 / (n + 1) ** exponent for n in range(size)))
        self._rng = rng

    def pick(self) -> int:
        return bisect(self._sums, self._rng.random() * self._sums[-1])


def words(count: int, rng: random.Random) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < count:
        found["".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4)))] = None
    return list(found)


def path(number: int) -> str:
    area, folder = number // (NOTES_A_FOLDER * 40), number // NOTES_A_FOLDER
    return f"Area {area:02}/Folder {folder:04}/Note {number:06}.md"


def generate(folder: Path, size: int, seed: int = 7) -> None:
    """Write the vault, unless it is there already."""
    done = folder.parent / f"{folder.name}.done"
    if done.exists():
        return
    rng = random.Random(seed)
    vocabulary = words(20_000, rng)
    word, popular = Zipf(len(vocabulary), 1.0, rng), Zipf(size, 0.8, rng)
    for number in range(size):
        file = folder / path(number)
        if number % NOTES_A_FOLDER == 0:
            file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_note(number, vocabulary, word, popular, rng), encoding="utf-8")
    done.touch()


def _note(number: int, vocabulary: list[str], word: Zipf, popular: Zipf, rng: random.Random) -> str:
    def sentence() -> str:
        chosen = [vocabulary[word.pick()] for _ in range(rng.randint(6, 18))]
        return " ".join(chosen).capitalize() + "."

    def link() -> str:
        target = popular.pick()
        alias = f"|{vocabulary[word.pick()]}" if rng.random() < 0.3 else ""
        return f"[[Note {target:06}{alias}]]"

    tags = ", ".join(f"topic/{vocabulary[rng.randint(0, 200)]}" for _ in range(2))
    lines = [
        "---",
        f"title: {sentence()[:-1]}",
        f"tags: [{tags}]",
        f"status: {rng.choice(['draft', 'done', 'idea', 'archived'])}",
        f"created: 20{rng.randint(10, 26)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
        f"rating: {rng.randint(1, 5)}",
        "---",
        f"# Note {number:06}",
        "",
    ]
    for section in range(rng.randint(1, 4)):
        lines += [f"## {sentence()[:-1]}", ""]
        for _ in range(rng.randint(1, 3)):
            lines += [
                " ".join([sentence(), link(), sentence(), f"#{vocabulary[rng.randint(0, 99)]}"]),
                "",
            ]
        if number % 11 == 0 and section == 0:
            lines += ["".join(rng.choices(_CJK, k=80)), ""]
        if number % 7 == 0:
            lines += ["```python", f"x = {number}", "```", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    generate(Path(sys.argv[1]), int(sys.argv[2]))
