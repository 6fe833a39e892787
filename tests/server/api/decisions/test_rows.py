"""What is decided about, as plain JSON values: times in milliseconds, no secrets."""

import json

from commonplace.server.api.decisions.rows import approval, grant, suggestion
from commonplace.vault.index.queries.suggestions import PendingSuggestion
from commonplace.vault.permissions.approvals import Parked
from commonplace.vault.permissions.grants import Grant


def pending(time: float | None) -> PendingSuggestion:
    return PendingSuggestion(
        id="x",
        path="日/あ.md",
        kind="replace",
        line=3,
        old="a",
        new="b",
        author="Claude",
        time=time,
        before="",
        after="",
        perhaps_rejected=False,
    )


def test_a_suggestion_may_have_no_time() -> None:
    assert suggestion(pending(None))["time"] is None
    assert suggestion(pending(1.5))["time"] == 1_500
    assert json.loads(json.dumps(suggestion(pending(0.0))))["time"] == 0


def test_a_write_that_waits_says_what_a_yes_for_always_would_reach() -> None:
    parked = Parked(
        7,
        key="k",
        kind="create",
        change={"secret": 1},
        actor="token:1",
        time=2.0,
        operation="create",
        path="a.md",
        who="Claude",
        summary="new",
        diff="+x",
    )
    row = approval(parked)
    assert (row["id"], row["time"]) == ("7", 2_000)
    assert "Claude" in str(row["always"])
    assert not {"change", "actor", "key"} & row.keys()


def test_what_is_always_allowed_is_said_in_words() -> None:
    row = grant(Grant("create:token:1", "create", "Claude", 3.0))
    assert (row["key"], row["time"]) == ("create:token:1", 3_000)
    assert "Claude" in str(row["meaning"])
