"""Passes over the values inside a Yjs update: numbers, strings, lists and maps of them.

The CRDT engine recurses into them until its stack ends. Here nesting is a list, and bounded.
"""

from commonplace.core.yjs.encoding import ByteReader, HostileUpdate

VALUE_DEPTH_MAX = 32

_WIDTHS = {127: 0, 126: 0, 121: 0, 120: 0, 124: 4, 123: 8, 122: 8}
_INTEGER, _STRING, _BYTES, _LIST, _MAP = 125, 119, 116, 117, 118


def skip_value(reader: ByteReader, passed: int, values_max: int) -> int:
    """Pass over one value and all inside it; answers how many were passed so far."""
    around: list[tuple[int, bool]] = [(1, False)]  # what is left in each list or map; has keys?
    while around:
        left, keyed = around.pop()
        if not left:
            continue
        around.append((left - 1, keyed))
        if keyed:
            reader.var_string()
        inside = _skip_one(reader)
        if inside is not None:
            around.append(inside)
        passed += 1
        if len(around) > VALUE_DEPTH_MAX + 1 or passed > values_max:
            raise HostileUpdate("The update nests values too deeply, or holds too many.")
    return passed


def _skip_one(reader: ByteReader) -> tuple[int, bool] | None:
    """Pass over a plain value; of a list or map, only the start."""
    tag = reader.byte()
    if tag in _WIDTHS:
        reader.skip(_WIDTHS[tag])
    elif tag == _INTEGER:
        _skip_integer(reader)
    elif tag == _STRING:
        reader.var_string()
    elif tag == _BYTES:
        reader.skip(reader.varuint())
    elif tag in (_LIST, _MAP):
        return reader.count(reader.end), tag == _MAP
    else:
        raise HostileUpdate("The update holds a value of no known kind.")
    return None


def _skip_integer(reader: ByteReader) -> None:
    for _ in range(8):
        if reader.byte() < 0x80:
            return
    raise HostileUpdate("A number in the update is too big.")
