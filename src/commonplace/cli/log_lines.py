"""What goes to standard error by the way: as text for people, or a JSON object a line."""

import json
import logging
import time
from typing import cast

from commonplace.core.text.invisible import visible


class TextLines(logging.Formatter):
    """A message, and the fields of an event behind it."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging's own name)
        """Write one record; what it says of an event stands in one line."""
        fields = event_of(record)
        named = " ".join(f"{name}={visible(str(value))}" for name, value in fields.items())
        tool, _, rest = named.removeprefix("tool=").partition(" ") if named else ("", "", "")
        shown = f"{record.message} {tool} {rest}" if named else record.message
        return f"commonplace: {shown}"


class JsonLines(logging.Formatter):
    """Time, level and event, and the fields of the event."""

    def format(self, record: logging.LogRecord) -> str:
        """Write one record as a JSON object."""
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        told: dict[str, object] = {
            "time": f"{moment}.{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **event_of(record),
        }
        if record.exc_info:
            told["error"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False)


def event_of(record: logging.LogRecord) -> dict[str, object]:
    """Return the fields that a record carries beside its message."""
    return cast("dict[str, object]", getattr(record, "event", {}))


def log_to_stderr(level: str, form: str) -> None:
    """Let warnings and bugs be seen, and of our own doing as much as the level says."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if form == "json" else TextLines("%(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("commonplace").setLevel(level.upper())
