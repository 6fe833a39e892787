"""Yjs updates written by hand, struct by struct."""

from commonplace.core.yjs.encoding import var_string, varuint

ROOT = b"\x01" + var_string("contents")


def update(*sections: bytes, deletes: bytes = b"\0") -> bytes:
    return varuint(len(sections)) + b"".join(sections) + deletes


def section(client: int, clock: int, *structs: bytes) -> bytes:
    return varuint(len(structs)) + varuint(client) + varuint(clock) + b"".join(structs)


def first(text: str) -> bytes:
    """Text at the start of an empty root."""
    return b"\x04" + ROOT + var_string(text)


def after(client: int, clock: int, text: str) -> bytes:
    return b"\x84" + varuint(client) + varuint(clock) + var_string(text)


def before(client: int, clock: int, text: str) -> bytes:
    return b"\x44" + varuint(client) + varuint(clock) + var_string(text)


def between(left: tuple[int, int], right: tuple[int, int], text: str) -> bytes:
    ids = b"".join(varuint(number) for number in (*left, *right))
    return b"\xc4" + ids + var_string(text)


def skip(length: int) -> bytes:
    return b"\x0a" + varuint(length)


def deleting(*runs: tuple[int, int, int]) -> bytes:
    sections = [varuint(c) + b"\x01" + varuint(clock) + varuint(n) for c, clock, n in runs]
    return varuint(len(sections)) + b"".join(sections)
