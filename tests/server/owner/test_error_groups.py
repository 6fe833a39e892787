"""Errors out of the groups that task groups put them in."""

import pytest

from commonplace.errors import Conflict, NotFound
from commonplace.server.owner.error_groups import plain_errors

LOST = NotFound("gone")


@pytest.mark.parametrize(
    "group",
    [
        BaseExceptionGroup("one", [LOST]),
        BaseExceptionGroup("a bug beside it", [ValueError(), LOST]),
        BaseExceptionGroup("deep", [KeyboardInterrupt(), BaseExceptionGroup("in", [LOST])]),
        BaseExceptionGroup("the first counts", [LOST, Conflict("later")]),
    ],
)
def test_what_somebody_can_mend_comes_as_itself(group: BaseExceptionGroup[BaseException]) -> None:
    with pytest.raises(NotFound) as caught, plain_errors():
        raise group
    assert caught.value is LOST
    assert caught.value.__suppress_context__


def test_a_group_of_bugs_stays_a_group() -> None:
    with pytest.raises(BaseExceptionGroup, match="bugs"), plain_errors():
        raise BaseExceptionGroup("bugs", [ValueError()])


def test_an_error_alone_and_none_go_through() -> None:
    with plain_errors():
        pass
    with pytest.raises(ValueError, match="alone"), plain_errors():
        raise ValueError("alone")
