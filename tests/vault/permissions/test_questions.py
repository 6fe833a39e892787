"""A question is answered once, by the call that it was asked in."""

from dataclasses import replace

import pytest

from commonplace.errors import Unavailable
from commonplace.vault.permissions import questions as module
from commonplace.vault.permissions.questions import Questions
from commonplace.vault.permissions.requests import Asker, Reply, Wish

ASKER = Asker("process:1", "Claude")


def wish(text: str = "new") -> Wish:
    return Wish("create", "a.md", "create", {"path": "a.md", "text": text}, "create a.md", "+ new")


def replied(question: str, actor: str = ASKER.id) -> Asker:
    return replace(ASKER, id=actor, reply=Reply(question, "once"))


def test_an_answer_belongs_to_the_call_and_the_assistant_that_asked() -> None:
    questions = Questions()
    put = questions.put(wish(), ASKER, "key")
    found = questions.answered("key", replied(put.id))
    assert found is not None
    assert found.wish == wish()
    assert questions.answered("other", replied(put.id)) is None
    assert questions.answered("key", replied(put.id, "process:2")) is None
    assert questions.answered("key", replied("unknown")) is None
    assert questions.answered("key", ASKER) is None


def test_the_same_answer_again_gets_the_same_result() -> None:
    questions = Questions()
    put = questions.put(wish(), ASKER, "key")
    asked = questions.begin(put.id)
    meanwhile = questions.answered("key", replied(put.id))
    assert meanwhile is not None
    assert isinstance(meanwhile.result, Unavailable), "who answers meanwhile is told to wait"
    questions.settle(put.id, asked, {"status": "done"})
    again = questions.answered("key", replied(put.id))
    assert again is not None
    assert again.result == {"status": "done"}
    assert (again.wish.change, again.wish.diff) == ({}, ""), "its text is let go"


def test_the_oldest_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_QUESTIONS_MAX", 2)
    questions = Questions()
    ids = [questions.put(wish(), ASKER, "key").id for _ in range(3)]
    assert [questions.answered("key", replied(id)) is None for id in ids] == [True, False, False]
    with pytest.raises(Unavailable, match="Call the tool again"):
        questions.begin(ids[0])


def test_long_texts_push_others_out_but_not_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUESTIONS_CHARS_MAX", 100)
    questions = Questions()
    first = questions.put(wish("x" * 60), ASKER, "key").id
    second = questions.put(wish("x" * 500), ASKER, "key").id
    assert questions.answered("key", replied(first)) is None
    assert questions.answered("key", replied(second)) is not None
