"""A save is taken for a change of what its program had read."""

from commonplace.vault.checkout.earlier_texts import (
    KNOWN_NOTES_MAX,
    KNOWN_SECONDS_MAX,
    STATES_MAX,
    Earlier,
)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_save_is_made_from_the_state_that_it_is_nearest_to() -> None:
    earlier = Earlier(Clock())
    earlier.put("a.md", "one two three")
    base = "one two three and a person's words"
    assert earlier.base_of("a.md", base, "one 2 three") == "one two three"
    assert earlier.base_of("a.md", base, base + "!") == base
    assert earlier.base_of("other.md", base, "one 2 three") == base


def test_a_file_put_back_as_it_was_is_a_wish() -> None:
    earlier = Earlier(Clock())
    earlier.put("a.md", "as it was")
    assert earlier.base_of("a.md", "as it is", "as it was") == "as it is"


def test_what_is_long_ago_does_not_count() -> None:
    clock = Clock()
    earlier = Earlier(clock)
    earlier.put("a.md", "one two three")
    clock.now = KNOWN_SECONDS_MAX
    assert earlier.base_of("a.md", "other words here", "one 2 three") == "one two three"
    clock.now = KNOWN_SECONDS_MAX + 1
    assert earlier.base_of("a.md", "other words here", "one 2 three") == "other words here"


def test_what_the_program_itself_has_saved_it_knows() -> None:
    earlier = Earlier(Clock())
    earlier.put("a.md", "one two three")
    earlier.forget("a.md")
    assert earlier.base_of("a.md", "other words here", "one 2 three") == "other words here"


def test_only_so_much_is_remembered() -> None:
    earlier = Earlier(Clock())
    for number in range(STATES_MAX + 1):
        earlier.put("a.md", f"state {number} of this note")
    assert earlier.base_of("a.md", "x", "state 1 of this note!") == "state 1 of this note"
    assert earlier.base_of("a.md", "x", "state 0 of this note!") != "state 0 of this note"
    for number in range(KNOWN_NOTES_MAX):
        earlier.put(f"{number}.md", "x")
    assert earlier.base_of("a.md", "other", "state 5 of this note!") == "other"
