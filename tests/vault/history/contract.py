"""What every implementation of the history must hold.

A subclass named `Test…` says how to open one.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from commonplace.core.history import Delta, PassageChange, apply, between, spliced, started
from commonplace.errors import NotFound
from commonplace.vault.history.history import History, NewRevision, RevisionFilter
from tests.core.history.histories import words, written


def revision(
    before: str,
    after: str,
    *,
    document: str = "note",
    path: str = "a.md",
    actor: str = "person:Ann",
    cause: str = "typing",
    set: str = "",  # noqa: A002 (the domain's word)
    time: float = 1.0,
    delta: Delta | None = None,
) -> NewRevision:
    made = between(before, after) if delta is None else delta
    return NewRevision(document, path, time, time, actor, cause, set, made, before, after, 7)


@pytest.mark.anyio
class HistoryContract:
    """The tests; `open_history` is the implementation's."""

    def open_history(self, folder: Path) -> History:
        raise NotImplementedError

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    @pytest.fixture
    async def history(self, tmp_path: Path) -> AsyncIterator[History]:
        async with self.opened(tmp_path) as history:
            yield history

    @asynccontextmanager
    async def opened(self, folder: Path) -> AsyncGenerator[History]:
        history = self.open_history(folder)
        try:
            yield history
        finally:
            await history.close()

    async def test_a_note_without_history_has_none(self, history: History) -> None:
        assert await history.head("note") is None
        assert await history.revisions(RevisionFilter()) == []
        assert await history.find(1) is None
        assert await history.size() == (0, 0)
        with pytest.raises(NotFound):
            await history.text(1)

    async def test_what_was_kept_is_there_after_reopening(self, tmp_path: Path) -> None:
        async with self.opened(tmp_path) as history:
            (number,) = await history.append([revision("old", "old and new", set="s1")])
        async with self.opened(tmp_path) as history:
            head = await history.head("note")
            assert head is not None
            assert (head.revision, head.seq, head.path) == (number, 7, "a.md")
            assert head.text == "old and new"
            assert head.blame == ((3, 0), (8, number)) or sum(n for n, _ in head.blame) == 11
            (one,) = await history.revisions(RevisionFilter(set="s1"))
            assert (one.actor, one.cause, one.set) == ("person:Ann", "typing", "s1")

    async def test_every_text_can_be_read_and_blame_is_right(self, history: History) -> None:
        random = Random(2)
        made = written(random, 150)
        texts, blame = [made.base], started(made.base)
        for each in made.made:
            texts.append(apply(texts[-1], each.delta))
        numbers = await history.append(
            [
                revision(before, after, actor=each.actor, delta=each.delta)
                for each, (before, after) in zip(made.made, pairwise(texts), strict=True)
            ]
        )
        text = texts[-1]
        for each, number in zip(made.made, numbers, strict=True):
            blame = spliced(blame, each.delta, number)
        for number, expected in zip(numbers, texts[1:], strict=True):
            assert await history.text(number) == expected
        head = await history.head("note")
        assert head is not None
        assert (head.text, head.blame) == (text, blame)
        middle = numbers[len(numbers) // 2]
        before, of_before = await history.blame_before(middle)
        assert before == texts[len(numbers) // 2]
        for each in await history.steps("note", middle):
            before, of_before = apply(before, each.delta), spliced(of_before, each.delta, each.id)
        assert (before, of_before) == (text, blame)

    async def test_a_created_note_is_all_its_makers(self, history: History) -> None:
        (number,) = await history.append([revision("", "whole text", cause="create")])
        head = await history.head("note")
        assert head is not None
        assert head.blame == ((10, number),)
        assert await history.text(number) == "whole text"

    async def test_what_is_older_than_the_history_is_not_guessed(self, history: History) -> None:
        await history.append([revision("a text", "a text", cause="rename", delta=())])
        head = await history.head("note")
        assert head is not None
        assert head.blame == ((6, 0),)

    async def test_revisions_are_found_by_every_filter(self, history: History) -> None:
        await history.append(
            [
                revision("", "x", document="one", path="A/one.md", actor="a", time=10.0),
                revision("", "x", document="two", path="B/two.md", actor="b", time=20.0),
                revision("x", "xy", document="one", path="A/one.md", actor="b", time=30.0),
            ]
        )

        async def found(wanted: RevisionFilter) -> list[tuple[str, str]]:
            return [(each.document, each.actor) for each in await history.revisions(wanted)]

        assert await found(RevisionFilter()) == [("one", "b"), ("two", "b"), ("one", "a")]
        assert await found(RevisionFilter(actor="a")) == [("one", "a")]
        assert await found(RevisionFilter(folder="A")) == [("one", "b"), ("one", "a")]
        assert await found(RevisionFilter(document="two")) == [("two", "b")]
        assert await found(RevisionFilter(since=15.0)) == [("one", "b"), ("two", "b")]
        assert await found(RevisionFilter(limit=1, offset=1)) == [("two", "b")]
        newest = (await history.revisions(RevisionFilter(limit=1)))[0].id
        assert await found(RevisionFilter(before=newest)) == [("two", "b"), ("one", "a")]
        assert await found(RevisionFilter(after=newest)) == []
        assert list(await history.touched("b")) == ["two", "one"]
        assert list(await history.touched("b", 25.0)) == ["one"]
        assert await history.document_at("B/two.md") == "two"
        assert await history.document_at("C.md") is None

    async def test_a_history_goes_on_under_another_id(self, history: History) -> None:
        (number,) = await history.append([revision("", "x", document="old")])
        await history.adopt("old", "new")
        assert await history.head("old") is None
        head = await history.head("new")
        assert head is not None
        assert (head.revision, head.text, head.seq) == (number, "x", 0)

    async def test_the_newest_can_be_made_longer_and_no_other(self, history: History) -> None:
        first, newest = await history.append([revision("", "a"), revision("a", "ab")])
        await history.extend(newest, revision("a", "abcd", time=9.0))
        head = await history.head("note")
        assert head is not None
        assert (head.text, head.blame) == ("abcd", ((1, first), (3, newest)))
        assert await history.text(newest) == "abcd"
        with pytest.raises(NotFound):
            await history.extend(first, revision("", "x"))

    async def test_put_back_text_stays_of_its_writer(self, history: History) -> None:
        first, _, _ = await history.append(
            [
                revision("", "cat"),
                revision("cat", ""),
                revision("", "cat", cause="undo", delta=(PassageChange(0, "", "cat", ((3, 1),)),)),
            ]
        )
        head = await history.head("note")
        assert head is not None
        assert head.blame == ((3, first),)

    async def test_old_revisions_go_by_age_and_the_rest_is_whole(self, history: History) -> None:
        texts = ["".join(f"{n} " for n in range(count)) for count in range(101)]
        numbers = await history.append(
            [revision(*pair, time=float(number)) for number, pair in enumerate(pairwise(texts))]
        )
        text = texts[-1]
        assert await history.trim(60.0, 10**9) == 59
        assert len(await history.revisions(RevisionFilter(document="note", limit=200))) == 41
        assert await history.text(numbers[59]) == "".join(f"{n} " for n in range(60))
        assert await history.text(numbers[99]) == text
        with pytest.raises(NotFound):
            await history.text(numbers[58])
        assert await history.trim(60.0, 10**9) == 0

    async def test_old_revisions_go_by_size(self, history: History) -> None:
        texts = ["", *(words(Random(number), 50) for number in range(50))]
        await history.append([revision(*pair) for pair in pairwise(texts)])
        text = texts[-1]
        _, size = await history.size()
        assert await history.trim(0.0, size // 2) > 10
        count, left = await history.size()
        assert left < size * 0.7
        assert count > 5
        head = await history.head("note")
        assert head is not None
        assert head.text == text

    async def test_a_forgotten_passage_is_nowhere(self, tmp_path: Path) -> None:
        async with self.opened(tmp_path) as history:
            texts = ["", "my sec", "my secret is 4711", "mine is 4711", "nothing"]
            await history.append([revision(*pair) for pair in pairwise(texts)])
            await history.append([revision("", "keep", document="other")])
            assert await history.forget("secret is 4711") == {"note": 4}
            assert await history.forget("secret is 4711") == {}
            for each in await history.revisions(RevisionFilter()):
                assert "4711" not in await history.text(each.id)
                assert "sec" not in await history.text(each.id)
            head = await history.head("note")
            assert head is not None
            assert head.text == "nothing"
        for file in tmp_path.iterdir():
            assert b"4711" not in file.read_bytes()

    async def test_a_thousand_revisions_of_a_note_take_little_room(self, history: History) -> None:
        random = Random(4)
        text = words(random, 1_000)
        batch: list[NewRevision] = []
        for _ in range(1_000):
            at = random.randint(0, len(text))
            change = PassageChange(at, text[at : at + 30], words(random, 8))
            after = apply(text, (change,))
            batch.append(revision(text, after, delta=(change,)))
            text = after
        await history.append(batch)
        _, size = await history.size()
        assert size < 600_000

    async def test_who_accepted_a_suggestion_is_kept_beside_who_made_it(
        self, history: History
    ) -> None:
        texts = [
            "one two",
            "one {++and ++}two",
            "one {++and ++}two {++more++}",
            "one and two {++more++}",
        ]
        whose = [("assistant:A", "call"), ("assistant:B", "call"), ("person:Ann", "accept")]
        numbers = [
            (await history.append([revision(*both, actor=actor, cause=cause)]))[0]
            for both, (actor, cause) in zip(pairwise(texts), whose, strict=True)
        ]
        assert await history.acceptors(numbers) == {numbers[0]: ["person:Ann"]}

    async def test_revisions_are_listed_by_cause(self, history: History) -> None:
        await history.append(
            [revision("a", "ab", cause="typing"), revision("ab", "b", cause="call")]
        )
        found = await history.revisions(RevisionFilter(cause="call"))
        assert [each.cause for each in found] == ["call"]
