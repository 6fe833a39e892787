"""Of all rules that match, the strictest counts."""

import pytest

from commonplace.vault.permissions.policies import Policies


@pytest.mark.parametrize(
    ("rules", "policy"),
    [
        ({}, "ask"),
        ({"create": "allow"}, "allow"),
        ({"update": "allow"}, "ask"),
        ({"*": "allow", "create": "suggest"}, "suggest"),
        ({"create": "allow", "create:Journal/**": "deny"}, "deny"),
        ({"create": "allow", "create:Other/**": "deny"}, "allow"),
        ({"create@claude": "allow"}, "allow"),
        ({"create@CLAUDE": "deny", "create": "allow"}, "deny"),
        ({"create@cursor": "deny", "create": "allow"}, "allow"),
        ({"*:Journal/**@*": "deny"}, "deny"),
    ],
)
def test_the_strictest_rule_that_matches_counts(rules: dict[str, str], policy: str) -> None:
    assert Policies(rules).of("create", "Journal/today.md", "Claude") == policy


def test_suggestions_may_be_made_unless_a_rule_denies_it() -> None:
    policies = Policies({"edit:Private/**": "deny", "edit@robot": "deny", "update": "deny"})
    assert policies.allow_edit("Journal/today.md", "Claude")
    assert not policies.allow_edit("Private/today.md", "Claude")
    assert not policies.allow_edit("Journal/today.md", "Robot")
