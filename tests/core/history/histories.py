"""Random histories of one text, and oracles that carry what they must know a character."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from commonplace.core import critic
from commonplace.core.history import (
    Delta,
    Step,
    Undone,
    apply,
    between,
    from_edits,
    started,
    undo,
)
from commonplace.core.text.edits import Edit
from commonplace.core.text.merge import merge3
from commonplace.errors import CommonplaceError

PEOPLE = ("person:Ann", "person:Bo", "person:Cy")
ASSISTANTS = ("assistant:One", "assistant:Two")
WRITERS = (*PEOPLE, *ASSISTANTS)
WORDS = (
    "the",
    "quick",
    "brown",
    "fox",
    "lazy",
    "dog",
    "漢字",
    "😀",
    "and",
    "a",
    "\n",
    "- [ ]",
    "ß",
)


@dataclass(frozen=True)
class Made:
    """A revision of a random history: who, what it changed, and in which way."""

    number: int
    actor: str
    delta: Delta
    accepts: bool = False
    revives: bool = False
    redoes: bool = False

    def step(self, actor: str) -> Step:
        """The revision as the undoing of an actor sees it."""
        mine = self.actor == actor
        return Step(self.number, self.delta, mine, mine, self.accepts, self.revives, self.redoes)


@dataclass
class History:
    """A text and how it came about."""

    base: str
    made: list[Made] = field(default_factory=list[Made])
    text: str = ""

    def __post_init__(self) -> None:
        self.text = self.base

    def add(
        self,
        actor: str,
        delta: Delta,
        *,
        accepts: bool = False,
        revives: bool = False,
        redoes: bool = False,
    ) -> None:
        if delta:
            self.made.append(Made(len(self.made) + 1, actor, delta, accepts, revives, redoes))
            self.text = apply(self.text, delta)

    def actor(self, number: int) -> str:
        return self.made[number - 1].actor if number else ""


def words(random: Random, count: int) -> str:
    return " ".join(random.choice(WORDS) for _ in range(count))


def written(random: Random, steps: int = 12) -> History:
    """Let five write: plain edits, suggestions, decisions of people, saves of stale copies."""
    history = History(words(random, 60))
    stale = history.text
    for _ in range(steps):
        actor = random.choice(WRITERS)
        kind = random.random()
        if kind < 0.25 and actor in ASSISTANTS:
            _suggest(history, random, actor)
        elif kind < 0.35 and actor in PEOPLE:
            _decide(history, random, actor)
        elif kind < 0.45 and actor in PEOPLE:
            saved = _edited(stale, random)
            history.add(actor, between(history.text, merge3(stale, history.text, saved)))
        else:
            history.add(actor, between(history.text, _edited(history.text, random)))
        if random.random() < 0.3:
            stale = history.text
    return history


def _edited(text: str, random: Random) -> str:
    start = random.randint(0, len(text))
    length = random.choice((0, 0, 3, 8, 20))
    new = words(random, random.randint(0 if length else 1, 3))
    return text[:start] + new + text[start + length :]


def _suggest(history: History, random: Random, actor: str) -> None:
    text = critic.accepted(history.text)
    start = random.randint(0, len(text))
    old = text[start : start + random.choice((3, 8, 20))]
    try:
        made = critic.suggest(history.text, old, words(random, 2), author=actor)
    except CommonplaceError:
        return
    history.add(actor, from_edits(history.text, made.edits))


def _decide(history: History, random: Random, actor: str) -> None:
    """Accept or reject one suggestion; accepted, its deletions are in its author's name."""
    found = critic.suggestions(history.text)
    if not found:
        return
    one = random.choice(found)
    accepts = random.random() < 0.7
    choose = critic.accept if accepts else critic.reject
    try:
        made: list[Edit] = choose(history.text, [one.id])
    except CommonplaceError:
        return
    history.add(actor, from_edits(history.text, made), accepts=accepts)


def authors(history: History) -> list[int]:
    """The revision of each character, by brute force."""
    found = [0] * len(history.base)
    for made in history.made:
        for change in reversed(made.delta):
            origins = [number for length, number in change.origins for _ in range(length)]
            found[change.start : change.end] = origins or [made.number] * len(change.added)
    return found


def history_of(base: str, *texts: tuple[str, str]) -> History:
    """A history that goes from text to text, each of its author."""
    history = History(base)
    for actor, text in texts:
        history.add(actor, between(history.text, text))
    return history


def undone(history: History, actor: str) -> Undone:
    """All that one of them did, taken back."""
    return undo(
        started(history.base),
        history.base,
        [made.step(actor) for made in history.made],
        lambda number: history.actor(number) == actor,
    )


@dataclass
class Letter:
    """A character that was ever written, for the oracle of undoing."""

    character: str
    id: int
    mine: bool
    ghost: bool = False


def without(history: History, actor: str, *, late: bool = True) -> list[Letter]:
    """The text without an actor's revisions, by brute force, a letter at a time.

    Where new text stands beside what the actor had deleted, it goes behind that (`late`) or
    before it: the two answers differ where nobody can know.
    """
    numbers = iter(range(10**9))
    letters = [Letter(character, next(numbers), mine=False) for character in history.base]
    for made in history.made:
        step = made.step(actor)
        for change in reversed(step.delta):
            fresh = [Letter(each, next(numbers), step.inserts) for each in change.added]
            _change(letters, change.start, change.end, fresh, step, late=late)
    return [letter for letter in letters if not letter.mine]


def _standing(letters: list[Letter]) -> Iterator[int]:
    return (index for index, letter in enumerate(letters) if not letter.ghost)


def _change(
    letters: list[Letter], start: int, end: int, fresh: list[Letter], step: Step, *, late: bool
) -> None:
    """Take letters away, and put others in at one of the two places where they may belong."""
    standing = list(_standing(letters))
    taken = standing[start:end]
    following = letters[standing[end]] if end < len(standing) else None
    marks = step.accepts and start < len(standing) and letters[standing[start]].mine
    left = [at for at in taken if (step.deletes or marks) and not letters[at].mine]
    gone = {id(letters[at]) for at in taken} - {id(letters[at]) for at in left}
    if late:
        ends_with_others = bool(taken) and not letters[taken[-1]].mine
        anchor = _after(letters, taken[-1] + 1, gone) if ends_with_others else following
    elif left:  # in the stead of what it took away
        anchor = _after(letters, left[-1] + 1, gone)
    elif taken and not letters[taken[0]].mine:
        anchor = _after(letters, taken[0], gone)
    else:
        anchor = _after(letters, standing[start - 1] + 1 if start else 0, gone)
    for at in left:
        letters[at].ghost = True
    letters[:] = [letter for letter in letters if id(letter) not in gone]
    place = next((at for at, each in enumerate(letters) if each is anchor), len(letters))
    letters[place:place] = fresh


def _after(letters: list[Letter], at: int, gone: set[int]) -> Letter | None:
    return next((letter for letter in letters[at:] if id(letter) not in gone), None)
