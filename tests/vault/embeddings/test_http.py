import hashlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commonplace.errors import BadArgument, CommonplaceError, Unavailable
from commonplace.vault.embeddings import http
from commonplace.vault.embeddings.choice import open_embedder
from commonplace.vault.embeddings.http import OpenAICompatible, Patience
from commonplace.vault.embeddings.local import LocalEmbedder
from commonplace.vault.embeddings.process import ProcessEmbedder
from commonplace.vault.embeddings.provider import Embedder
from commonplace.vault.settings import Embeddings, Settings
from tests.vault.embeddings.model import tiny_model

PATIENCE = Patience(seconds=5, tries=3, pause=0.01)
TEXTS = ["a note", "", "Ünïcödé 漢字 😀", "the same", "the same", "word " * 5_000, "\x00\u200b"]

WRONG_ANSWERS: list[object] = [
    b"",
    b"<html>",
    b"[]",
    b"{}",
    {"data": None},
    {"data": []},
    {"data": [{"index": 0}]},
    {"data": [{"index": 0, "embedding": []}]},
    {"data": [{"index": 0, "embedding": "AAAA"}]},
    {"data": [{"index": 0, "embedding": [0, 0]}]},
    {"data": [{"index": 0, "embedding": [1e300, 1]}]},
    {"data": [{"index": 0, "embedding": [[1], [2]]}]},
    {"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1]}]},
    {"data": [{"index": 0, "embedding": [1]}, {"index": "b", "embedding": [1]}]},
    b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}',
    b'{"data": ' + b"[" * 100_000,
]

Answer = Callable[["_Handler", list[str]], None]


def vector(text: str, dimensions: int = 8) -> list[float]:
    digest = hashlib.sha256(text.encode()).digest()
    return [octet / 255 - 0.3 for octet in digest[:dimensions]]


def well(handler: "_Handler", texts: list[str]) -> None:
    rows = [{"index": n, "embedding": vector(text)} for n, text in enumerate(texts)]
    handler.answer(200, {"object": "list", "data": rows[::-1]})


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._note(body)(self, body["input"])

    def do_GET(self) -> None:
        self._note({})
        self.answer(200, {})

    def _note(self, body: dict[str, Any]) -> Answer:
        assert isinstance(self.server, Server)
        self.server.asked.append((self.path, dict(self.headers), body))
        return self.server.answers.pop(0) if self.server.answers else well

    def answer(self, code: int, body: object, **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(code)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base names it
        pass


class Server(ThreadingHTTPServer):
    """Answers as told, one answer after another, then well."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        self.answers: list[Answer] = []
        self.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up in mid-answer is part of the tests."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def remote(server: Server) -> OpenAICompatible:
    return OpenAICompatible(server.url, "some-model", indexing=PATIENCE)


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalEmbedder:
    source = tiny_model.publish(tmp_path / "wheels", monkeypatch)
    tiny_model.place(tmp_path / "data", tmp_path / "wheels", source)
    return LocalEmbedder(tmp_path / "data", source=source)


@pytest.fixture
def process(local: LocalEmbedder, tmp_path: Path) -> Iterator[ProcessEmbedder]:
    made = ProcessEmbedder(tmp_path / "data", local._source)
    # A loaded machine may take longer to start it than a person would wait.
    made.embed_documents(["start"])
    yield made
    made.close()


@pytest.fixture(params=["local", "process", "remote"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return request.getfixturevalue(request.param)


class TestEveryProvider:
    def test_gives_a_row_of_length_one_for_each_text(self, embedder: Embedder) -> None:
        vectors = embedder.embed_documents(TEXTS)
        assert vectors.shape == (len(TEXTS), embedder.dimensions)
        assert vectors.dtype == np.float32
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)

    def test_gives_a_query_the_same_shape(self, embedder: Embedder) -> None:
        found = embedder.embed_query("what is a note?")
        assert found.shape == (embedder.dimensions,)
        assert float(np.linalg.norm(found)) == pytest.approx(1, abs=1e-5)

    def test_gives_a_text_the_same_vector_whatever_is_beside_it(self, embedder: Embedder) -> None:
        together = embedder.embed_documents(TEXTS)
        alone = [embedder.embed_documents([text])[0] for text in TEXTS]
        assert np.array_equal(together, np.stack(alone))

    def test_tells_texts_apart(self, embedder: Embedder) -> None:
        one, two = embedder.embed_documents(["a note", "something else"])
        assert float(one @ two) < 0.999

    def test_gives_nothing_for_nothing(self, embedder: Embedder) -> None:
        assert embedder.embed_documents([]).shape == (0, embedder.dimensions)

    def test_takes_more_texts_than_fit_one_request(self, embedder: Embedder) -> None:
        texts = [f"note {number}" for number in range(http.REQUEST_TEXTS_MAX * 2 + 1)]
        vectors = embedder.embed_documents(texts)
        assert np.array_equal(vectors[-1], embedder.embed_documents(texts[-1:])[0])

    def test_has_an_id_and_a_limit(self, embedder: Embedder) -> None:
        assert embedder.id


class TestLocal:
    def test_says_how_to_install_a_missing_model(self, tmp_path: Path) -> None:
        with pytest.raises(Unavailable, match="commonplace model install"):
            LocalEmbedder(tmp_path)

    def test_says_so_when_the_model_is_damaged_after_opening(
        self, local: LocalEmbedder, tmp_path: Path
    ) -> None:
        file = tmp_path / "data" / "models" / "tiny" / "vocab.txt"
        file.write_bytes(file.read_bytes().replace(b"a", b"b"))
        with pytest.raises(Unavailable, match="damaged"):
            local.embed_query("a")

    def test_gives_the_same_vectors_from_many_threads(
        self, local: LocalEmbedder, tmp_path: Path
    ) -> None:
        threaded = LocalEmbedder(tmp_path / "data", threads=4, source=local._source)
        texts = [f"note {number}" for number in range(50)]
        assert np.array_equal(threaded.embed_documents(texts), local.embed_documents(texts))


class TestHttp:
    def test_asks_as_openai_is_asked(self, server: Server) -> None:
        provider = OpenAICompatible(f"{server.url}/v1", "some-model", "secret")
        provider.embed_documents(["x"])
        path, headers, body = server.asked[0]
        assert path == "/v1/embeddings"
        assert headers["Authorization"] == "Bearer secret"
        assert body == {"model": "some-model", "input": ["x"], "encoding_format": "float"}

    def test_asks_for_a_few_texts_at_a_time(self, server: Server, remote: OpenAICompatible) -> None:
        remote.embed_documents(["x"] * (http.REQUEST_TEXTS_MAX + 1))
        sizes = [len(body["input"]) for *_, body in server.asked]
        assert sizes == [http.REQUEST_TEXTS_MAX, 1]

    @pytest.mark.parametrize("code", [429, 500, 503])
    def test_tries_again_when_the_server_is_busy(
        self, server: Server, remote: OpenAICompatible, code: int
    ) -> None:
        server.answers = [lambda handler, _: handler.answer(code, "busy")] * 2
        assert len(remote.embed_documents(["x"])) == 1
        assert len(server.asked) == 3

    def test_gives_up_after_a_few_tries(self, server: Server, remote: OpenAICompatible) -> None:
        server.answers = [lambda handler, _: handler.answer(503, "model is loading")] * 9
        with pytest.raises(Unavailable, match=r"503.*model is loading"):
            remote.embed_documents(["x"])
        assert len(server.asked) == PATIENCE.tries

    def test_asks_a_question_only_once(self, server: Server, remote: OpenAICompatible) -> None:
        server.answers = [lambda handler, _: handler.answer(503, "busy")]
        with pytest.raises(Unavailable):
            remote.embed_query("x")
        assert len(server.asked) == 1

    @pytest.mark.parametrize("code", [400, 401, 404])
    def test_does_not_repeat_what_is_refused(
        self, server: Server, remote: OpenAICompatible, code: int
    ) -> None:
        server.answers = [lambda handler, _: handler.answer(code, "model 'x' not found")]
        with pytest.raises(Unavailable, match=r"not found.*Check its URL, model and key"):
            remote.embed_documents(["x"])
        assert len(server.asked) == 1

    def test_follows_no_redirect_with_the_key(self, server: Server) -> None:
        elsewhere = f"{server.url}/elsewhere"
        server.answers = [lambda handler, _: handler.answer(302, b"", Location=elsewhere)]
        provider = OpenAICompatible(server.url, "m", "secret", indexing=PATIENCE)
        with pytest.raises(Unavailable, match="302") as failure:
            provider.embed_documents(["x"])
        assert "secret" not in str(failure.value)
        assert [path for path, *_ in server.asked] == ["/v1/embeddings"]

    @pytest.mark.parametrize("answer", WRONG_ANSWERS)
    def test_refuses_an_answer_that_is_no_vector(
        self, server: Server, remote: OpenAICompatible, answer: object
    ) -> None:
        server.answers = [lambda handler, _: handler.answer(200, answer)]
        with pytest.raises(Unavailable, match="The embeddings server"):
            remote.embed_documents(["x"])

    def test_holds_the_server_to_its_dimensions(
        self, server: Server, remote: OpenAICompatible
    ) -> None:
        assert remote.dimensions == 8
        other = {"data": [{"index": 0, "embedding": [1.0, 2.0]}]}
        server.answers = [lambda handler, _: handler.answer(200, other)]
        with pytest.raises(Unavailable, match="from 8 to 2 dimensions"):
            remote.embed_documents(["x"])

    def test_a_server_that_is_down_is_said_to_be(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{free.getsockname()[1]}"
            with pytest.raises(Unavailable, match="cannot be reached"):
                OpenAICompatible(url, "m", indexing=PATIENCE).embed_documents(["x"])

    def test_a_silent_server_is_not_waited_for(self, server: Server) -> None:
        done = threading.Event()

        def say_nothing(_handler: _Handler, _texts: list[str]) -> None:
            done.wait(10)

        server.answers = [say_nothing]
        provider = OpenAICompatible(server.url, "m", asking=Patience(seconds=0.2, tries=1))
        with pytest.raises(Unavailable, match=r"within 0\.2 s"):
            provider.embed_query("x")
        done.set()

    def test_a_dripping_server_is_cut_off(self, server: Server) -> None:
        def drip(handler: _Handler, _: list[str]) -> None:
            handler.send_response(200)
            handler.end_headers()
            while True:
                handler.wfile.write(b" ")
                time.sleep(0.02)

        server.answers = [drip]
        provider = OpenAICompatible(server.url, "m", asking=Patience(seconds=0.3, tries=1))
        with pytest.raises(Unavailable, match=r"within 0\.3 s"):
            provider.embed_query("x")

    def test_an_endless_answer_is_cut_off(
        self, server: Server, remote: OpenAICompatible, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(http, "VECTORS_BYTES_MAX", 1_000)
        server.answers = [lambda handler, _: handler.answer(200, b" " * 100_000)]
        with pytest.raises(Unavailable, match="far more"):
            remote.embed_documents(["x"])

    def test_a_cut_answer_is_tried_again(self, server: Server, remote: OpenAICompatible) -> None:
        def cut(handler: _Handler, _: list[str]) -> None:
            handler.send_response(200)
            handler.send_header("Content-Length", "1000")
            handler.end_headers()
            handler.wfile.write(b'{"data"')

        server.answers = [cut]
        assert len(remote.embed_documents(["x"])) == 1

    @pytest.mark.parametrize(
        ("given", "asked"),
        [
            ("http://localhost:11434", "http://localhost:11434/v1/embeddings"),
            ("http://localhost:11434/", "http://localhost:11434/v1/embeddings"),
            ("http://localhost:11434/v1", "http://localhost:11434/v1/embeddings"),
            ("https://host/api/v1/", "https://host/api/v1/embeddings"),
            ("https://host/v1/embeddings", "https://host/v1/embeddings"),
            ("https://host/x?version=2", "https://host/x/embeddings?version=2"),
        ],
    )
    def test_completes_a_short_url(self, given: str, asked: str) -> None:
        assert http.endpoint(given) == asked

    @pytest.mark.parametrize("url", ["file:///etc/passwd", "localhost:11434", "", "http://"])
    def test_refuses_what_is_no_web_address(self, url: str) -> None:
        with pytest.raises(BadArgument, match="http://"):
            OpenAICompatible(url, "m")


class TestChoice:
    def test_a_server_is_opened_without_being_asked(self, tmp_path: Path) -> None:
        settings = Settings((), tmp_path, embeddings=Embeddings("http://127.0.0.1:9", "m"))
        assert open_embedder(settings).id == "http/m/"

    def test_the_local_model_must_be_there(self, tmp_path: Path) -> None:
        with pytest.raises(CommonplaceError, match="not installed"):
            open_embedder(Settings((), tmp_path, models=tmp_path))

    def test_a_provider_that_nobody_offers_is_named_beside_those_there_are(
        self, tmp_path: Path
    ) -> None:
        settings = Settings((), tmp_path, embeddings=Embeddings("", "", provider="nobody"))
        with pytest.raises(BadArgument, match=r"'nobody'\. There are: local, http"):
            open_embedder(settings)
