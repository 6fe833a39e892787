"""Times as people write them: `2h`, `yesterday`, `2026-11-15`, `2026-11-15T09:30`."""

from datetime import datetime, timedelta

from commonplace.errors import BadArgument

_UNITS = {"m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}


def since(given: str, now: float) -> float:
    """Return the seconds since 1970 that a text means; nothing means the beginning."""
    text = given.strip().lower()
    if not text:
        return 0.0
    number, unit = text[:-1], text[-1]
    if unit in _UNITS and number.isdecimal():
        return now - int(number) * _UNITS[unit]
    today = datetime.fromtimestamp(now).astimezone().replace(hour=0, minute=0, second=0)
    days = {"today": 0, "yesterday": 1}
    if text in days:
        return (today - timedelta(days=days[text])).timestamp()
    try:
        return datetime.fromisoformat(given.strip()).astimezone().timestamp()
    except (ValueError, OverflowError, OSError):
        raise BadArgument(
            f"{given!r} is no time. Write 2h, 3d, today, yesterday or a date like 2026-11-15."
        ) from None
