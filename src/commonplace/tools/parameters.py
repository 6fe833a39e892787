"""Typed access to arguments that have passed their schema."""

from collections.abc import Mapping

from commonplace.errors import BadArgument

_NUMBER_MAX = 2**31


def text(arguments: Mapping[str, object], name: str, default: str | None = None) -> str:
    """Return a text argument; without a default it is one that the schema requires."""
    value = arguments.get(name, default)
    assert isinstance(value, str), name
    return value


def whole_number(
    arguments: Mapping[str, object], name: str, default: int, *, least: int, most: int = _NUMBER_MAX
) -> int:
    """Return a number argument that has to be whole and within bounds."""
    value = arguments.get(name, default)
    assert isinstance(value, int | float), name
    if value != int(value):
        raise BadArgument(f"`{name}` must be a whole number, got {value}.")
    if not least <= value <= most:
        bounds = f"{least} or more" if value < least else f"at most {most}"
        raise BadArgument(f"`{name}` must be {bounds}, got {int(value)}.")
    return int(value)
