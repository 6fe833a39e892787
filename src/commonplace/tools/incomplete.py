"""An answer that was given before the index knew every note says so."""

import json
from dataclasses import replace
from typing import cast

from commonplace.tools.answer import Answer
from commonplace.vault.search.readiness import Incomplete


def marked_incomplete(answer: Answer, incomplete: Incomplete, *, as_json: bool) -> Answer:
    """Say in an answer how far the index is: in the object, else in a line or block of its own."""
    if answer.is_error:
        return answer
    if not as_json:
        return replace(answer, text=f"{answer.text}\n\n{incomplete.sentence}")
    value: object = json.loads(answer.text)
    if not isinstance(value, dict):
        return replace(answer, notes=(*answer.notes, incomplete.sentence))
    found = cast("dict[str, object]", value)
    far = {"indexed": incomplete.indexed, "total": incomplete.total}
    return replace(answer, text=json.dumps({**found, "_incomplete": far}, ensure_ascii=False))
