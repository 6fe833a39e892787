"""Lines that one side adds stay lines, whatever the lines around them look like."""

import random

from commonplace.core.text import edits
from commonplace.core.text.edits import Edit


def test_a_line_that_starts_like_the_next_is_added_as_a_line() -> None:
    old = "17-0\n17-12 é\n"
    assert edits.diff(old, "17-0\n17-4 é\n17-12 é\n") == [Edit(5, 5, "17-4 é\n")]
    assert edits.diff(old, "17-0\n17-12 é\n17-13 é\n") == [Edit(13, 13, "17-13 é\n")]
    assert edits.diff(old, "17-0\n") == [Edit(5, 13, "")]


def test_a_change_inside_a_long_line_stays_small() -> None:
    old = "x" * 500_000 + "cat" + "y" * 500_000
    assert edits.diff(old, old.replace("cat", "dog")) == [Edit(500_000, 500_003, "dog")]


def test_edits_give_the_new_text() -> None:
    rng = random.Random(3)
    for _ in range(2000):
        lines = [f"{rng.randrange(30)}-{rng.randrange(4)}" for _ in range(rng.randrange(8))]
        old = "\n".join(lines) + rng.choice(["", "\n"])
        for _ in range(rng.randrange(4)):
            lines.insert(rng.randint(0, len(lines)), f"{rng.randrange(30)}-x")
        if lines and rng.random() < 0.3:
            lines.pop(rng.randrange(len(lines)))
        new = "\n".join(lines) + rng.choice(["", "\n"])
        assert edits.apply(old, edits.diff(old, new)) == new
