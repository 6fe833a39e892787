"""The local model in a process of its own: started, ended, killed and started again."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest

from commonplace.errors import Starting, Unavailable
from commonplace.vault.embeddings import process
from commonplace.vault.embeddings.local import LocalEmbedder
from commonplace.vault.embeddings.model.files import ModelSource
from commonplace.vault.embeddings.process import ProcessEmbedder
from commonplace.vault.embeddings.worker import NICE, ModelJob
from tests.orphans import is_running
from tests.vault.embeddings.model import tiny_model
from tests.wait import until

LONG = ["a b c d e f g h " * 6] * process.TEXTS_MAX


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelSource:
    monkeypatch.setattr(process, "ASKING_SECONDS", 60.0)
    source = tiny_model.publish(tmp_path / "wheels", monkeypatch)
    tiny_model.place(tmp_path / "data", tmp_path / "wheels", source)
    return source


@pytest.fixture
def embedder(tmp_path: Path, source: ModelSource) -> Generator[ProcessEmbedder]:
    made = ProcessEmbedder(tmp_path / "data", source)
    yield made
    made.close()


def kill(embedder: ProcessEmbedder, how: int = signal.SIGKILL) -> int:
    id = embedder.process
    assert id is not None
    os.kill(id, how)
    return id


def test_gives_the_vectors_that_the_model_gives_here(
    embedder: ProcessEmbedder, tmp_path: Path, source: ModelSource
) -> None:
    texts = ["a note", "", "Ünïcödé 漢字 😀\n", "\ud800", *LONG]
    here = LocalEmbedder(tmp_path / "data", source=source)
    assert np.array_equal(embedder.embed_documents(texts), here.embed_documents(texts))
    assert np.array_equal(embedder.embed_query("a"), here.embed_query("a"))


def test_this_process_holds_no_model() -> None:
    program = (
        "import sys; from commonplace.vault import vault;"
        "from commonplace.vault.embeddings import choice, process, provider, semantic;"
        "print([name for name in sys.modules if name.split('.')[0] in"
        " ('onnxruntime', 'tokenizers') or name.endswith('embeddings.local')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.strip() == b"[]"


def test_is_started_by_the_first_text_and_not_before(embedder: ProcessEmbedder) -> None:
    assert embedder.process is None
    embedder.embed_query("a")
    assert embedder.process is not None


def test_ends_when_nothing_was_asked_for_a_while_and_comes_back(
    tmp_path: Path, source: ModelSource
) -> None:
    embedder = ProcessEmbedder(tmp_path / "data", source, idle=0.05)
    first = embedder.embed_query("a")
    until(lambda: embedder.process is None)
    assert np.array_equal(embedder.embed_query("a"), first)
    embedder.close()


def test_ends_with_the_one_who_started_it(tmp_path: Path, source: ModelSource) -> None:
    program = (
        "import sys, time; from pathlib import Path;"
        "from commonplace.vault.embeddings.process import ProcessEmbedder;"
        "from commonplace.vault.embeddings.worker import ModelJob;"
        "job = ModelJob.unpacked(sys.stdin.buffer.readline());"
        "embedder = ProcessEmbedder(Path(job.data), job.source);"
        "embedder.embed_documents(['a']); print(embedder.process, flush=True); time.sleep(60)"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert owner.stdin
    assert owner.stdout
    owner.stdin.write(ModelJob(str(tmp_path / "data"), source, 0, 60).packed())
    owner.stdin.flush()
    worker = int(owner.stdout.readline())
    assert is_running(worker)
    owner.kill()
    owner.communicate()
    until(lambda: not is_running(worker))


def test_a_worker_whose_owner_is_another_process_ends_by_itself(
    tmp_path: Path, source: ModelSource
) -> None:
    worker = subprocess.Popen(
        [sys.executable, "-m", "commonplace.vault.embeddings.worker"], stdin=subprocess.PIPE
    )
    assert worker.stdin
    worker.stdin.write(ModelJob(str(tmp_path / "data"), source, os.getpid() + 1, 60).packed())
    worker.stdin.flush()
    assert worker.wait(30) == 0
    worker.stdin.close()


def test_killed_between_texts_it_is_started_again(embedder: ProcessEmbedder) -> None:
    first = embedder.embed_query("a")
    gone = kill(embedder)
    assert np.array_equal(embedder.embed_query("a"), first)
    assert embedder.process not in (None, gone)


def test_killed_in_the_middle_of_a_batch_every_text_has_its_vector(
    embedder: ProcessEmbedder, tmp_path: Path, source: ModelSource
) -> None:
    texts = [f"{n} {text}" for n, text in enumerate(LONG * 8)]
    wanted = LocalEmbedder(tmp_path / "data", source=source).embed_documents(texts)
    embedder.embed_query("a")
    killed: set[int] = set()
    done = threading.Event()

    def harm() -> None:
        while len(killed) < 3 and not done.is_set():
            time.sleep(0.02)
            if (id := embedder.process) is not None and id not in killed:
                os.kill(id, signal.SIGKILL)
                killed.add(id)
                until(lambda: done.is_set() or embedder.process not in (None, *killed))
                until(lambda: done.is_set() or embedder._crashes == 0)

    thread = threading.Thread(target=harm)
    thread.start()
    found = embedder.embed_documents(texts)
    done.set()
    thread.join()
    assert killed
    assert np.array_equal(found, wanted)


def test_one_that_always_ends_is_said_so_and_tried_again_later(
    tmp_path: Path, source: ModelSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "python"
    broken.write_text(f"#!/bin/sh\necho started >> {tmp_path}/log\nkill -9 $$\n")
    broken.chmod(0o755)
    embedder = ProcessEmbedder(tmp_path / "data", source)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", str(broken))
        with pytest.raises(Unavailable, match=r"3 times in a row \(signal 9\)"):
            embedder.embed_documents(["a"])
        with pytest.raises(Unavailable, match="4 times"):
            embedder.embed_query("a")
        assert (tmp_path / "log").read_text().count("started") == 4
    assert embedder.embed_query("a").shape == (source.dimensions,)
    embedder.close()


def test_a_damaged_model_is_said_so_and_may_be_put_right(
    embedder: ProcessEmbedder, tmp_path: Path, source: ModelSource
) -> None:
    file = tmp_path / "data" / "models" / source.name / "vocab.txt"
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"a", b"b"))
    with pytest.raises(Unavailable, match="damaged"):
        embedder.embed_query("a")
    with pytest.raises(Unavailable, match="damaged"):
        embedder.embed_documents(["a"])
    file.write_bytes(whole)
    assert embedder.embed_query("a").shape == (source.dimensions,)


def is_asked(embedder: ProcessEmbedder) -> bool:
    """Tell whether the process owes somebody an answer."""
    assert embedder._process is not None
    return bool(embedder._process._answers)


def test_a_question_does_not_wait_behind_a_batch(
    embedder: ProcessEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "TEXTS_MAX", 3_000)
    embedder.embed_query("a")
    order: list[str] = []

    def batch() -> None:
        embedder.embed_documents(LONG * 150)
        order.append("batch")

    thread = threading.Thread(target=batch)
    thread.start()
    until(lambda: is_asked(embedder))
    embedder.embed_query("b")
    order.append("question")
    thread.join()
    assert order == ["question", "batch"]


@pytest.mark.skipif(sys.platform != "linux", reason="only here has a thread a priority")
def test_batches_leave_the_processor_to_others_and_questions_do_not(
    embedder: ProcessEmbedder,
) -> None:
    embedder.embed_documents(["a"])
    threads = Path(f"/proc/{embedder.process}/task").glob("*/stat")
    nice = [int(each.read_text().rpartition(")")[2].split()[16]) for each in threads]
    own = os.getpriority(os.PRIO_PROCESS, 0)
    if own < NICE:
        assert nice.count(NICE) == 1
    assert nice.count(own) >= 3  # the control: under `nice` all of them are alike


def test_while_it_starts_a_question_waits_a_moment_and_no_longer(
    tmp_path: Path, source: ModelSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "ASKING_SECONDS", 0.2)
    silent = tmp_path / "python"
    silent.write_text("#!/bin/sh\nexec sleep 60\n")
    silent.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(silent))
    embedder = ProcessEmbedder(tmp_path / "data", source)
    with pytest.raises(Starting):
        embedder.embed_query("a")
    start = time.monotonic()
    for _ in range(100):
        with pytest.raises(Starting):
            embedder.embed_query("a")
    assert time.monotonic() - start < 10
    embedder.close()


def test_one_that_hangs_is_ended_and_said_so(
    embedder: ProcessEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder.embed_query("a")
    hung = kill(embedder, signal.SIGSTOP)
    monkeypatch.setattr(process, "ASKING_SECONDS", 0.1)
    monkeypatch.setattr(process, "BATCH_SECONDS", 0.1)
    with pytest.raises(Unavailable, match="does not answer"):
        embedder.embed_query("a")
    assert is_running(hung)
    with pytest.raises(Unavailable, match="does not answer"):
        embedder.embed_documents(["a"])
    until(lambda: not is_running(hung))
    monkeypatch.undo()
    assert len(embedder.embed_documents(["a"])) == 1


def test_closing_ends_the_process_and_lets_nobody_wait(embedder: ProcessEmbedder) -> None:
    embedder.embed_query("a")
    worker = kill(embedder, signal.SIGSTOP)
    waited: list[str] = []

    def wait() -> None:
        try:
            embedder.embed_documents(["a"])
        except Unavailable as error:
            waited.append(str(error))

    thread = threading.Thread(target=wait)
    thread.start()
    until(lambda: is_asked(embedder))
    embedder.close()
    thread.join(30)
    assert waited == ["The vault is being closed."]
    until(lambda: not is_running(worker))


def test_a_job_crosses_the_process_boundary(source: ModelSource) -> None:
    job = ModelJob("data", source, 1, 2.5)
    assert ModelJob.unpacked(job.packed()) == job
    assert json.loads(job.packed())["idle"] == 2.5
