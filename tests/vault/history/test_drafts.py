"""Which changes make one revision."""

import pytest

from commonplace.vault.documents.changes import CALL, FILE, TYPING, Purpose
from commonplace.vault.history.drafts import TYPING_SECONDS, OpenRevision

ANN = "person:Ann"


def begun(purpose: Purpose) -> OpenRevision:
    return OpenRevision(ANN, purpose, 100.0, 100.0, "", str)


@pytest.mark.parametrize(
    ("before", "actor", "purpose", "after", "goes_on"),
    [
        (TYPING, ANN, TYPING, 1.0, True),
        (FILE, ANN, FILE, 1.0, True),
        (TYPING, ANN, TYPING, TYPING_SECONDS - 1, True),
        (TYPING, ANN, TYPING, TYPING_SECONDS, False),
        (TYPING, "person:Bo", TYPING, 1.0, False),
        (TYPING, ANN, FILE, 1.0, False),
        (CALL, ANN, CALL, 1.0, False),
        (Purpose("typing", "3"), ANN, TYPING, 1.0, False),
    ],
)
def test_typing_of_one_actor_goes_on_for_a_while(
    before: Purpose, actor: str, purpose: Purpose, after: float, goes_on: bool
) -> None:
    assert begun(before).goes_on(actor, purpose, 100.0 + after) is goes_on
