"""The person's policies: what happens on a create, an update, a delete, a rename.

Of all rules that match, the strictest counts: deny, ask, suggest, allow; when none matches, ask.
"""

from collections.abc import Mapping
from typing import cast

from commonplace.core import globs
from commonplace.core.globs import Glob
from commonplace.vault.permissions.requests import Operation
from commonplace.vault.settings import POLICIES, WritePolicy, rule_parts


class Policies:
    """The person's policies, as `settings.policies_of` writes them."""

    def __init__(self, named: Mapping[str, str]) -> None:
        self._rules: list[tuple[str, Glob | None, str, WritePolicy]] = [
            (*_parsed(rule), cast("WritePolicy", policy)) for rule, policy in named.items()
        ]

    def of(self, operation: Operation, path: str, actor: str) -> WritePolicy:
        """Return the strictest policy that matches."""
        found = self._matching(operation, path, actor)
        return max(found, key=POLICIES.index) if found else "ask"

    def allow_edit(self, path: str, actor: str) -> bool:
        """Tell whether suggestions may be made in a note: they may unless a rule says deny."""
        return "deny" not in self._matching("edit", path, actor)

    def _matching(self, operation: str, path: str, actor: str) -> set[WritePolicy]:
        return {
            policy
            for wanted, folder, name, policy in self._rules
            if wanted in ("*", operation)
            and (folder is None or folder.matches(path))
            and (name in ("", "*") or name.casefold() == actor.casefold())
        }


def _parsed(rule: str) -> tuple[str, Glob | None, str]:
    operation, folder, actor = rule_parts(rule)
    return operation, globs.compile_glob(folder) if folder else None, actor
