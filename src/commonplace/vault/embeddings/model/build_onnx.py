"""Builds the sentence-embedding model that runs locally: BERT weights in, an ONNX file out.

One text at a time: the graph takes the token ids of one text, without padding or mask, and gives
its vector (mean of the last layer, length 1). On a CPU that is as fast as batches are, and a text's
vector depends on nothing but the text, so it may be cached by the text's hash.

Weights become whole numbers of 7 bits with a scale for each output column; activations are
quantised to 8 bits as they come. With 8-bit weights the sums overflow 16 bits on x86 processors
that lack VNNI, and the same file would give other vectors there. The cosine to the 32-bit model is
0.994 on average.
"""

import json
import struct
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from commonplace.errors import Unavailable
from commonplace.vault.embeddings.model.onnx_file import OnnxGraph
from commonplace.vault.embeddings.provider import Floats

Weights = Mapping[str, Floats]

HEAD_WIDTH = 32

_EPSILON = 1e-12
_WEIGHT_MAX = 63
_TABLE_MAX = 127


def read_safetensors(data: bytes) -> dict[str, Floats]:
    """Read the 32-bit tensors of a safetensors file."""
    try:
        (length,) = struct.unpack_from("<Q", data)
        start = 8 + length
        header = json.loads(data[8:start])
        return {
            name: _tensor(data, start, entry["shape"], entry["data_offsets"])
            for name, entry in header.items()
            if entry.get("dtype") == "F32"
        }
    except (struct.error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unavailable("The model's weights are not a readable safetensors file.") from error


def build(weights: Weights) -> bytes:
    """Write the model as an ONNX file."""
    graph = OnnxGraph()
    state = _embeddings(graph, weights)
    layer = 0
    while f"encoder.layer.{layer}.output.dense.bias" in weights:
        state = _layer(graph, state, _Layer(weights, layer))
        layer += 1
    mean = graph.op("ReduceMean", state, graph.whole(1), keepdims=0)
    width = weights["embeddings.LayerNorm.bias"].shape[0]
    return graph.model(
        {"ids": (1, "tokens")}, graph.op("LpNormalization", mean, axis=-1, p=2), width
    )


class _Layer:
    """The weights of one layer; matrices come as input by output."""

    def __init__(self, weights: Weights, number: int) -> None:
        self._weights = weights
        self._prefix = f"encoder.layer.{number}."

    def matrix(self, name: str) -> Floats:
        return self._weights[f"{self._prefix}{name}.weight"].T

    def bias(self, name: str) -> Floats:
        return self._weights[f"{self._prefix}{name}.bias"]

    def scale(self, name: str) -> Floats:
        return self._weights[f"{self._prefix}{name}.weight"]


def _embeddings(graph: OnnxGraph, weights: Weights) -> str:
    table, scales = _by_row(weights["embeddings.word_embeddings.weight"])
    rows = graph.op("Cast", graph.op("Gather", graph.constant(table), "ids"), to=1)
    words = graph.op("Mul", rows, graph.op("Gather", graph.constant(scales), "ids"))
    places = weights["embeddings.position_embeddings.weight"]
    places = places + weights["embeddings.token_type_embeddings.weight"][0]
    first, second, zero = graph.whole(1), graph.whole(2), graph.whole(0)
    length = graph.op("Slice", graph.op("Shape", "ids"), first, second)
    placed = graph.op("Slice", graph.constant(places), zero, length, zero)
    return graph.op(
        "LayerNormalization",
        graph.op("Add", words, placed),
        graph.constant(weights["embeddings.LayerNorm.weight"]),
        graph.constant(weights["embeddings.LayerNorm.bias"]),
        axis=-1,
        epsilon=_EPSILON,
    )


def _layer(graph: OnnxGraph, state: str, layer: _Layer) -> str:
    attended = _product(graph, _attention(graph, state, layer), layer, "attention.output.dense")
    state = _add_and_norm(graph, attended, state, layer, "attention.output")
    inner = _product(graph, state, layer, "intermediate.dense")
    inner = graph.op("ms:BiasGelu", inner, graph.constant(layer.bias("intermediate.dense")))
    outer = _product(graph, inner, layer, "output.dense")
    return _add_and_norm(graph, outer, state, layer, "output")


def _attention(graph: OnnxGraph, state: str, layer: _Layer) -> str:
    names = [f"attention.self.{name}" for name in ("query", "key", "value")]
    matrix, scales = _by_column(np.concatenate([layer.matrix(name) for name in names], axis=1))
    bias = np.concatenate([layer.bias(name) for name in names])
    values, scale, zero = graph.split("DynamicQuantizeLinear", 3, state)
    return graph.op(
        "ms:QAttention",
        values,
        graph.constant(matrix),
        graph.constant(bias),
        scale,
        graph.constant(scales),
        "",
        zero,
        graph.constant(np.zeros(len(scales), np.int8)),
        num_heads=len(bias) // 3 // HEAD_WIDTH,
    )


def _product(graph: OnnxGraph, state: str, layer: _Layer, name: str) -> str:
    matrix, scales = _by_column(layer.matrix(name))
    zeros = np.zeros(len(scales), np.int8)
    constants = [graph.constant(each) for each in (matrix, scales, zeros)]
    return graph.op("ms:DynamicQuantizeMatMul", state, *constants)


def _add_and_norm(graph: OnnxGraph, new: str, old: str, layer: _Layer, name: str) -> str:
    norm = f"{name}.LayerNorm"
    constants = (layer.scale(norm), layer.bias(norm), layer.bias(f"{name}.dense"))
    return graph.op(
        "ms:SkipLayerNormalization",
        new,
        old,
        *(graph.constant(each) for each in constants),
        epsilon=_EPSILON,
    )


def _by_column(matrix: Floats) -> tuple[NDArray[np.int8], Floats]:
    return _quantised(matrix, 0, _WEIGHT_MAX)


def _by_row(matrix: Floats) -> tuple[NDArray[np.int8], Floats]:
    return _quantised(matrix, 1, _TABLE_MAX)


def _quantised(matrix: Floats, axis: int, limit: int) -> tuple[NDArray[np.int8], Floats]:
    scales = np.abs(matrix).max(axis, keepdims=True) / np.float32(limit)
    scales[scales == 0] = 1
    return np.rint(matrix / scales).astype(np.int8), scales if axis else scales[0]


def _tensor(data: bytes, start: int, shape: list[int], offsets: tuple[int, int]) -> Floats:
    first, last = offsets
    return np.frombuffer(data[start + first : start + last], "<f4").reshape(shape)
