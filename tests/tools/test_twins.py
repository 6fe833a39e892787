"""Suggestions that are equal to the letter: a decision hits the one that was meant, or none."""

from collections.abc import Callable
from typing import Any, Literal

import anyio
import pytest

from commonplace.errors import Conflict
from commonplace.vault.suggestions.authorship import Suggester

pytestmark = pytest.mark.anyio

OpenDesk = Callable[[dict[str, Any]], Any]
Verdict = Literal["accept", "reject"]

TWINS = "1 {--cat--}{++dog++}\n2 {--cat--}{++dog++}\n3 {--cat--}{++dog++}\n"


@pytest.mark.parametrize("number", range(3))
async def test_the_one_that_was_named_is_decided(desk: OpenDesk, number: int) -> None:
    at = await desk({"a.md": TWINS})
    waiting = await at.vault.pending.listed()
    await at.vault.review.decide("accept", {"a.md": [waiting[number].id]}, "Anna")
    lines = (await at.vault.texts.marked("a.md")).splitlines()
    assert [line.endswith(" dog") for line in lines] == [n == number for n in range(3)]


async def test_an_id_from_before_a_twin_was_decided_names_none(desk: OpenDesk) -> None:
    at = await desk({"a.md": TWINS})
    first, second, third = await at.vault.pending.listed()
    await at.vault.review.decide("accept", {"a.md": [second.id]}, "Anna")
    text = await at.vault.texts.marked("a.md")
    for stale in (first, second, third):
        with pytest.raises(Conflict, match="Nothing was decided"):
            await at.vault.review.decide("reject", {"a.md": [stale.id]}, "Ben")
    assert await at.vault.texts.marked("a.md") == text


@pytest.mark.parametrize("chosen", [(0, 0), (0, 1), (1, 0), (2, 2)])
async def test_of_two_who_race_on_twins_one_decides_one(
    desk: OpenDesk, chosen: tuple[int, int]
) -> None:
    at = await desk({"a.md": TWINS})
    waiting = await at.vault.pending.listed()
    won: list[tuple[int, Verdict]] = []

    async def decide(number: int, verdict: Verdict) -> None:
        try:
            await at.vault.review.decide(verdict, {"a.md": [waiting[number].id]}, verdict)
        except Conflict:
            return
        won.append((number, verdict))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(decide, chosen[0], "accept")
        tasks.start_soon(decide, chosen[1], "reject")
    ((number, verdict),) = won
    lines = [str(line) for line in TWINS.splitlines()]
    lines[number] = f"{number + 1} {'dog' if verdict == 'accept' else 'cat'}"
    assert (await at.vault.texts.marked("a.md")).splitlines() == lines
    assert len(at.vault.ledger.decisions(10)) == 1


async def test_all_twins_can_be_decided_at_once(desk: OpenDesk) -> None:
    at = await desk({"a.md": TWINS})
    ids = [one.id for one in await at.vault.pending.listed()]
    await at.vault.review.decide("reject", {"a.md": ids}, "Anna")
    assert await at.vault.texts.marked("a.md") == "1 cat\n2 cat\n3 cat\n"


async def test_each_twin_keeps_its_author_whatever_becomes_of_the_other(desk: OpenDesk) -> None:
    at = await desk({"a.md": "one\ntwo\n"})
    for who, line in (("ant", "two"), ("bee", "one")):
        await at.vault.reader.read("a.md", who, who)
        await at.vault.suggestions.suggest("a.md", line, f"{line} more", Suggester(who, who))
    assert await at.vault.texts.marked("a.md") == "one{++ more++}\ntwo{++ more++}\n"

    async def authors() -> list[str | None]:
        return [one.author for one in await at.vault.pending.listed()]

    assert await authors() == ["bee", "ant"]
    first, _ = await at.vault.pending.listed()
    done = await at.vault.review.decide("accept", {"a.md": [first.id]}, "Anna")
    assert await authors() == ["ant"]
    await at.vault.review.undo(done.undo)
    assert await authors() == ["bee", "ant"]
    _, second = await at.vault.pending.listed()
    await at.vault.review.decide("reject", {"a.md": [second.id]}, "Anna", "no more")
    assert await authors() == ["bee"]
    for who, told in (("ant", ["reject"]), ("bee", ["accept", "undone"])):
        assert [
            one.verdict for one in (await at.vault.reader.read("a.md", who, who)).decided
        ] == told
