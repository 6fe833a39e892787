"""Each scope allows what those below it allow."""

import itertools

from commonplace.core.scopes import SCOPES, allows


def test_a_scope_allows_itself_and_those_below_it() -> None:
    for one, other in itertools.product(SCOPES, SCOPES):
        assert allows(one, other) is (SCOPES.index(one) >= SCOPES.index(other))
    assert allows("approve", "read")
    assert not allows("suggest", "write")
