"""What is kept of a conversation: bounded, found again, and nothing of others' making is read."""

from pathlib import Path

import pytest

from commonplace.agent import record
from commonplace.agent.record import ConversationRecord, ConversationRecords
from commonplace.errors import NotFound


def test_the_oldest_entries_go_when_there_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    kept, one = ConversationRecords(tmp_path), ConversationRecord.new("x", 1.0)
    monkeypatch.setattr(record, "ENTRIES_MAX", 10)
    one.entries += [{"n": n, "kind": "said", "text": "word"} for n in range(25)]
    kept.save(one)
    assert [entry["n"] for entry in kept.load(one.id).entries] == list(range(15, 25))
    monkeypatch.setattr(record, "RECORD_CHARS_MAX", 1_000)
    one.entries += [{"n": n, "kind": "said", "text": "w" * 100} for n in range(25, 35)]
    kept.save(one)
    loaded = kept.load(one.id).entries
    assert 0 < len(loaded) < 10
    assert loaded[-1]["n"] == 34
    assert (tmp_path / one.id / "conversation.json").stat().st_size <= 1_000


@pytest.mark.parametrize("id", ["", "../up", "0" * 15, "g" * 16, "0" * 16])
def test_what_is_no_conversation_is_not_found(tmp_path: Path, id: str):
    with pytest.raises(NotFound):
        ConversationRecords(tmp_path).load(id)
