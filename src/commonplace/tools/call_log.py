"""Each tool call in the log, if that is wanted: tool, note, actor, outcome, time taken.

No text of a note or of an answer is in it.
"""

import logging
import time
from collections.abc import Mapping

from commonplace.core.text import quotation

_logger = logging.getLogger(__name__)
_NOTE_ARGUMENTS = ("file_path", "path", "id", "source", "folder")


class CallTimer:
    """One call, from its beginning to its end."""

    def __init__(self, tool: str, arguments: Mapping[str, object], actor: str) -> None:
        self._begun = time.perf_counter()
        self._tool = tool
        self._arguments = arguments
        self._actor = actor

    def end(self, outcome: str) -> None:
        """Write the line: `ok`, or the name of the error."""
        if not _logger.isEnabledFor(logging.INFO):
            return
        named = (self._arguments.get(name) for name in _NOTE_ARGUMENTS)
        note = next((value for value in named if isinstance(value, str)), "")
        event = {
            "tool": self._tool,
            "note": quotation.one_line(note),
            "actor": quotation.name(self._actor),
            "outcome": outcome,
            "milliseconds": round((time.perf_counter() - self._begun) * 1000, 1),
        }
        _logger.info("tool call", extra={"event": event})
