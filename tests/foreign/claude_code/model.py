"""A stand-in for the model behind Claude Code: it makes the tool calls it was told to, then stops.

It serves on loopback and keeps every request, so that one sees which tools the program offers to
its model, and what it makes of our answers.
"""

import json
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Calls = Iterable[tuple[str, dict[str, object]]]


@dataclass
class Model:
    """The calls to come, and the requests that came."""

    calls: Iterator[tuple[str, dict[str, object]]]
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    url: str = ""
    made: int = 0
    works_with: str = "Read"
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, request: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """Write the events of an answer: the next call, or that all is done."""
        with self.lock:
            self.requests.append(request)
            # Side questions (a title for the conversation, say) come without the file tools.
            working = any(tool.get("name") == self.works_with for tool in request.get("tools", []))
            call = next(self.calls, None) if working else None
            self.made += call is not None
            block, delta = _blocks(call, self.made)
        reason = "tool_use" if call else "end_turn"
        message: dict[str, Any] = {
            "id": f"msg_{len(self.requests)}",
            "type": "message",
            "role": "assistant",
            "model": request["model"],
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        ended = {"stop_reason": reason, "stop_sequence": None}
        return [
            ("message_start", {"message": message}),
            ("content_block_start", {"index": 0, "content_block": block}),
            ("content_block_delta", {"index": 0, "delta": delta}),
            ("content_block_stop", {"index": 0}),
            ("message_delta", {"delta": ended, "usage": {"output_tokens": 1}}),
            ("message_stop", {}),
        ]

    @property
    def offered(self) -> list[set[str]]:
        """The names of our tools in each request of the conversation."""
        return [
            {name.rpartition("notes__")[2] for name in names if "notes__" in name}
            for names in ([tool["name"] for tool in r.get("tools", [])] for r in self.requests)
            if "Read" in names
        ]

    @property
    def results(self) -> list[str]:
        """What the model got to see of our answers, in order."""
        last = max(self.requests, key=lambda request: len(request["messages"]))
        parts = [part for message in last["messages"] for part in _parts(message)]
        return [_text(part) for part in parts if part["type"] == "tool_result"]

    @property
    def told(self) -> str:
        """Everything that the model was told in words."""
        return json.dumps([[r.get("system"), r["messages"]] for r in self.requests])


@contextmanager
def scripted(calls: Calls, works_with: str = "Read") -> Generator[Model]:
    """Serve a model that makes these calls, of one who offers it the tool that it works with."""
    model = Model(iter(calls), works_with=works_with)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if "count_tokens" in self.path:
                return self._send("application/json", b'{"input_tokens": 10}')
            events = model.answer(body)
            lines = (f"event: {e}\ndata: {json.dumps({'type': e, **d})}\n\n" for e, d in events)
            return self._send("text/event-stream", "".join(lines).encode())

        def do_GET(self) -> None:
            self.send_error(404)

        def do_HEAD(self) -> None:
            self.send_error(404)

        def _send(self, kind: str, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its name there)
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        model.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield model
        finally:
            server.shutdown()
            thread.join()


def _blocks(
    call: tuple[str, dict[str, object]] | None, number: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    if call is None:
        return {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}
    name, arguments = call
    block: dict[str, Any] = {
        "type": "tool_use",
        "id": f"toolu_{number:04}",
        "name": name,
        "input": {},
    }
    return block, {"type": "input_json_delta", "partial_json": json.dumps(arguments)}


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _text(part: dict[str, Any]) -> str:
    content = part["content"]
    return content if isinstance(content, str) else "".join(each["text"] for each in content)
