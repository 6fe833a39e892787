"""Writes an ONNX model file: the few protobuf fields that a small graph needs.

The field numbers are those of `onnx.proto`. An `OnnxGraph` is written once, from inputs towards its
output; each operation answers the name of its result, to be handed to the next. Nothing is checked
here: the runtime refuses a wrong graph when it loads it.
"""

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Attribute = int | float

_IR_VERSION = 9
_OWN = "com.microsoft"
_OPSETS = {"": 18, _OWN: 1}
_ELEMENT_TYPES = {"float32": 1, "int8": 3, "int64": 7}
_FLOAT, _INT = 1, 2


class OnnxGraph:
    """Operations and constants, in the order in which they were added."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def constant(self, values: NDArray[Any]) -> str:
        """Add a tensor that the file carries."""
        name = f"c{len(self._constants)}"
        shape = b"".join(_field(1, size) for size in values.shape)
        kind = _field(2, _ELEMENT_TYPES[values.dtype.name])
        raw = np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()
        self._constants.append(shape + kind + _field(8, name) + _field(9, raw))
        return name

    def whole(self, *numbers: int) -> str:
        """Add a short list of whole numbers."""
        return self.constant(np.array(numbers, np.int64))

    def op(self, kind: str, *inputs: str, **attributes: Attribute) -> str:
        """Add an operation with one result; an empty name leaves an optional input out.

        `ms:Kind` is an operation of onnxruntime's own, beside the standard ones.
        """
        return self.split(kind, 1, *inputs, **attributes)[0]

    def split(self, kind: str, results: int, *inputs: str, **attributes: Attribute) -> list[str]:
        """Add an operation with several results."""
        names = [f"n{len(self._nodes)}.{number}" for number in range(results)]
        self._nodes.append(_node(kind, inputs, names, attributes))
        return names

    def model(self, inputs: dict[str, tuple[str | int, ...]], output: str, width: int) -> bytes:
        """Give the file: whole-number `inputs` with their shapes, one output `embedding`."""
        last = _node("Identity", (output,), ["embedding"], {})
        graph = [
            *(_field(1, node) for node in [*self._nodes, last]),
            _field(2, "commonplace"),
            *(_field(5, constant) for constant in self._constants),
            *(_field(11, _value(name, "int64", shape)) for name, shape in inputs.items()),
            _field(12, _value("embedding", "float32", ("texts", width))),
        ]
        opsets = (_field(1, name) + _field(2, version) for name, version in _OPSETS.items())
        head = [_field(1, _IR_VERSION), *(_field(8, opset) for opset in opsets)]
        return b"".join([*head, _field(7, b"".join(graph))])


def _node(
    kind: str, inputs: Sequence[str], outputs: Sequence[str], attributes: Mapping[str, Attribute]
) -> bytes:
    vendor, _, name = kind.rpartition(":")
    parts = [_field(1, each) for each in inputs] + [_field(2, each) for each in outputs]
    parts.append(_field(4, name))
    parts.extend(_field(5, _attribute(key, value)) for key, value in attributes.items())
    if vendor:
        parts.append(_field(7, _OWN))
    return b"".join(parts)


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        return _field(1, name) + _field(2, value) + _field(20, _FLOAT)
    return _field(1, name) + _field(3, value) + _field(20, _INT)


def _value(name: str, kind: str, shape: tuple[str | int, ...]) -> bytes:
    sizes = (_field(1, size) if isinstance(size, int) else _field(2, size) for size in shape)
    tensor = _field(1, _ELEMENT_TYPES[kind]) + _field(2, b"".join(_field(1, s) for s in sizes))
    return _field(1, name) + _field(2, _field(1, tensor))


def _field(number: int, value: int | float | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    octets = bytearray()
    while value > 0x7F:
        octets.append(value & 0x7F | 0x80)
        value >>= 7
    octets.append(value)
    return bytes(octets)
