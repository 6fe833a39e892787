"""A burst is very many writes from many sides, and nobody who writes on and on."""

from commonplace.vault.log.burst_detector import BurstDetector


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def told(commits: int, keys: list[str], pause: float) -> list[bool]:
    """Commit again and again, with a pause between; return what was told each time."""
    clock = Clock()
    detector = BurstDetector(clock)
    found: list[bool] = []
    for _ in range(commits):
        clock.now += pause
        found.append(detector.after(keys))
    return found


MANY = [f"note {number}" for number in range(40)]


def test_many_who_write_at_once_are_a_burst() -> None:
    assert told(50, MANY, 0.01)[-1]


def test_one_who_writes_on_and_on_is_none() -> None:
    assert not any(told(500, ["note"], 0.0005))
    assert not any(told(500, ["note", "note"], 0.0005))


def test_many_who_write_now_and_then_are_none() -> None:
    assert not any(told(50, MANY, 0.5))


def test_a_burst_is_over_once_it_is_quiet() -> None:
    clock = Clock()
    detector = BurstDetector(clock)
    for _ in range(50):
        clock.now += 0.01
        detector.after(MANY)
    clock.now += 2.0
    assert not detector.after(["note 1"])
