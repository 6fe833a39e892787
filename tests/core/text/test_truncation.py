"""Which texts look like half of a save."""

import pytest

from commonplace.core.text.truncation import deletes_much

BASE = "".join(f"line {n} of the note\n" for n in range(40))
NEW = "a line of theirs\n" + BASE


@pytest.mark.parametrize(
    "text",
    [
        "",
        BASE[:1],
        BASE[:-1],
        BASE[: len(BASE) // 2],
        NEW[: len(NEW) * 7 // 10],
        NEW[:-3],
        "new\n" * 1000 + BASE[:400],
        "something else\n",
    ],
)
def test_half_of_a_save_is_in_doubt(text: str) -> None:
    assert deletes_much(BASE, text)


@pytest.mark.parametrize(
    "text",
    [
        BASE,
        NEW,
        BASE + "one more\n",
        BASE.replace("line 7", "row 7"),
        BASE.replace("line 7 of the note\n", ""),
        BASE[:-1] + "!\n",
    ],
)
def test_an_ordinary_save_is_not(text: str) -> None:
    assert not deletes_much(BASE, text)


def test_an_empty_note_cannot_lose_anything() -> None:
    assert not deletes_much("", "anything")
    assert not deletes_much("", "")
