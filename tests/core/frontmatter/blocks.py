"""Frontmatter in the many forms that people and programs write it; the same six hundred each time.

The forms are those of public vaults: what editors, templates, importers and sync programs leave.
"""

import random
from collections.abc import Iterator

BLOCKS = 600

_VALUES = (
    *("A plain title", '"quoted: with colon"', "'single ''quoted'''", "2024-03-01", "no", "~", ""),
    *("2024-03-01T10:20:30Z", "12:30", "007", "1_000", "3.50", "true", "null", "0x1f", "1e3"),
    *("[a, b]", '[ "x" ,y ]', "[]", '["[[A note]]", "[[B|c]]"]', '"[[A note]]"', "{x: 1, y: [2]}"),
    *("🌱 budding", "日本語の題", "“curly” – dash…", "C#", "a #b", "https://example.org/a?b=c#d"),
    *('"tab\\tand \\u00e9"', "'#tag'", '""', "''", "- not a list".replace("- ", "−"), "!!str 5"),
)
_BELOW = (
    "\n  - one\n  - two",
    "\n- at the margin\n- second",
    "\n  - \"[[Linked note]]\"\n  - '[[Other|name]]'",
    "\n    - deep indent\n    - 2024-01-01",
    "\n  - a: 1\n    b: 2\n  - a: 3",
    "\n  nested: 1\n  other:\n    - x",
    " |\n  literal text\n\n  # no comment\n  more",
    " |-\n  kept: as is\n    indented",
    " >\n  folded text\n  goes on\n\n  new paragraph",
    " >-\n  folded",
    " folded plain\n  that goes on\n  and on",
    ' "quoted text\n  that goes on"',
    "\n  # a comment inside\n  - item # and beside\n\n  - after a blank line",
)
_NAMES = (
    *(
        "title",
        "aliases",
        "tags",
        "cssclass",
        "created",
        "date created",
        "Author",
        "up",
        "banner_x",
    ),
    *(
        "dg-publish",
        "kanban-plugin",
        "source url",
        "Über",
        "题目",
        "🎯",
        '"quoted name"',
        "'with: colon'",
    ),
    *("publish", "status", "rating", "parent.child", "no", "1", "x-y_z"),
)
_COLONS = (": ", ":  ", ":\t", " : ")
_GAPS = ("", "", "", "", "\n", "# a comment\n", "\n# two\n# lines\n\n", "#no space\n")
_BEHIND = ("", "", "", "  ", " # beside", "\t# tab before")
_BODIES = ("", "\n", "# Title\n\ntext\n", "no newline at the end", "---\nanother: fence\n---\n")
_FENCES = ("---", "---", "---", "--- ", "---\t")


def blocks() -> Iterator[bytes]:
    """Make files, each a block and a body."""
    rng = random.Random(2026)
    for _ in range(BLOCKS):
        names = rng.sample(_NAMES, rng.randint(1, 8))
        lines = "".join(rng.choice(_GAPS) + _entry(name, rng) for name in names)
        opened, closed = rng.choice(_FENCES), rng.choice((*_FENCES, "..."))
        text = f"{opened}\n{lines}{rng.choice(_GAPS)}{closed}\n{rng.choice(_BODIES)}"
        if rng.random() < 0.25:
            text = text.replace("\n", "\r\n")
        yield (b"\xef\xbb\xbf" if rng.random() < 0.05 else b"") + text.encode()


def _entry(name: str, rng: random.Random) -> str:
    if rng.random() < 0.35:
        return f"{name}:{rng.choice(_BELOW)}\n"
    value = rng.choice(_VALUES)
    behind = rng.choice(_BEHIND)
    return f"{name}{rng.choice(_COLONS)}{value}{behind}\n" if value else f"{name}:{behind}\n"
