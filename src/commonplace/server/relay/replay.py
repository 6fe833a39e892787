"""One client's MCP conversation, able to go on with another owner. Lines in, lines out; no I/O.

Every request is kept until its answer has arrived whole. When the owner is lost and another found,
the handshake and the subscriptions of a 2025-era client are said again (their answers are
swallowed), then every unanswered request, `subscriptions/listen` among them, is sent again: all
tools are idempotent by contract. So the client gets exactly one answer to each request, and notices
a delay. A request that was there each time an owner died is answered with an error instead: it
may be what kills them.
"""

import json
from dataclasses import dataclass
from typing import cast

from commonplace.server.owner.line_buffer import TooLong
from commonplace.server.relay.first_answers import FirstAnswers
from commonplace.server.relay.jsonrpc import (
    JsonRpcMessage,
    answered_key,
    id_key,
    members,
    params_of,
    parsed,
    written,
)

SENDS_MAX = 4
KEPT_MAX = 16 * 1024 * 1024

_LISTEN = "subscriptions/listen"
_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_CANCELLED = "notifications/cancelled"
_UPDATED = "notifications/resources/updated"
_LIST_CHANGED = "notifications/resources/list_changed"
_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
_OURS = "commonplace:"
_INVALID, _INTERNAL = -32600, -32603


@dataclass(slots=True)
class _OpenRequest:
    line: bytes
    method: str
    sends: int = 0


class RelayedSession:
    """What was said between a client and the owners it had, as far as it matters later."""

    def __init__(self) -> None:
        self.to_client = bytearray()
        self.to_owner = bytearray()
        self._open = False
        self._owners = 0
        self._asked: dict[str, _OpenRequest] = {}
        self._kept: list[bytes] = []
        self._handshake: JsonRpcMessage | None = None
        self._initialized: bytes | None = None
        self._subscribed: dict[str, JsonRpcMessage] = {}
        self._heard: dict[str, JsonRpcMessage] = {}
        self._replayed: dict[str, str] = {}
        self._questions: set[str] = set()
        self.first_answers: FirstAnswers | None = None
        """Set while the owner is this process, and not there yet."""

    @property
    def unanswered(self) -> bool:
        """Whether the client still waits for an answer (a `listen` never gets one)."""
        return any(asked.method != _LISTEN for asked in self._asked.values())

    @property
    def full(self) -> bool:
        """Whether no more should be read from the client for now."""
        kept = sum(len(asked.line) for asked in self._asked.values())
        return kept + sum(map(len, self._kept)) + len(self.to_owner) > KEPT_MAX

    def from_client(self, line: bytes | TooLong) -> None:
        """Take one line of the client."""
        if isinstance(line, TooLong):
            self._refuse(line)
            return
        message = parsed(line)
        method = message.get("method")
        if not isinstance(method, str):
            self._from_client_answer(line, message)
        elif "id" in message:
            self._ask(line, method, message)
        else:
            self._notify(line, method, message)

    def from_owner(self, line: bytes) -> None:
        """Take one line of the owner."""
        key = answered_key(line)
        if key is not None and key not in self._replayed:
            self._forget(key)
            self.to_client += line + b"\n"
            return
        message = parsed(line)
        if "method" in message:
            self._from_owner_call(line, message)
        elif message:
            self._from_owner_answer(line, message)

    def lost(self) -> None:
        """Withdraw the questions of an owner that is gone; the client's are kept."""
        self._open = False
        self.to_owner.clear()
        self._replayed.clear()
        for question in sorted(self._questions):
            self._show({"method": _CANCELLED, "params": {"requestId": question}})
        self._questions.clear()

    def resume(self) -> None:
        """Bring an owner that was found up to date."""
        self._owners += 1
        self._give_up_on_repeats()
        if self._handshake is None or id_key(self._handshake["id"]) in self._asked:
            self._reopen()
        else:
            self._replay(self._handshake, "initialize")

    def abandon(self, why: str) -> None:
        """Answer everything with an error, as no owner will come."""
        for key in list(self._asked):
            self._fail(key, why)

    def _ask(self, line: bytes, method: str, message: JsonRpcMessage) -> None:
        if self._answered_first(message):
            return
        key = id_key(message["id"])
        uri = params_of(message).get("uri")
        if method == "initialize":
            self._handshake = message
        elif method == "resources/subscribe" and isinstance(uri, str):
            self._subscribed[uri] = message
        elif method == "resources/unsubscribe" and isinstance(uri, str):
            self._subscribed.pop(uri, None)
        self._asked[key] = _OpenRequest(line, method)
        if self._open:
            self._send(self._asked[key])

    def _answered_first(self, message: JsonRpcMessage) -> bool:
        """Answer what needs no owner, in the order of the client's requests."""
        if self.first_answers is None or self._owners or self._asked:
            return False
        answer = self.first_answers.answer(message)
        if answer is None:
            return False
        self.to_client += answer + b"\n"
        self._handshake = self.first_answers.opening_message
        return True

    def _notify(self, line: bytes, method: str, message: JsonRpcMessage) -> None:
        if method == "notifications/initialized":
            self._initialized = line
        elif method == _CANCELLED:
            self._forget(id_key(params_of(message).get("requestId")))
        elif not self._open:
            self._kept.append(line)
        if self._open:
            self._tell(line)

    def _from_client_answer(self, line: bytes, message: JsonRpcMessage) -> None:
        question = message.get("id")
        if isinstance(question, str) and question.startswith(_OURS):
            if question not in self._questions:
                return
            self._questions.discard(question)
            message["id"] = json.loads(question.split(":", 2)[2])
            self._tell(written(message))
        elif self._open:
            self._tell(line)
        else:
            self._kept.append(line)

    def _from_owner_call(self, line: bytes, message: JsonRpcMessage) -> None:
        params = params_of(message)
        if "id" in message:
            message["id"] = self._question(message["id"])
            self._questions.add(message["id"])
            self._show(message)
        elif message["method"] == _CANCELLED:
            message["params"] = {**params, "requestId": self._question(params.get("requestId"))}
            self._show(message)
        elif message["method"] == _ACKNOWLEDGED:
            self._acknowledge(line, params)
        else:
            self.to_client += line + b"\n"

    def _from_owner_answer(self, line: bytes, message: JsonRpcMessage) -> None:
        key = id_key(message.get("id"))
        replayed = self._replayed.pop(key, None)
        if replayed is None:
            self._forget(key)
            self.to_client += line + b"\n"
        elif replayed == "initialize":
            self._reopen()
        else:
            self._show({"method": _UPDATED, "params": {"uri": replayed}})

    def _acknowledge(self, line: bytes, params: JsonRpcMessage) -> None:
        """Pass the first acknowledgement on; a later one means that news may have been missed."""
        meta = members(params.get("_meta"))
        key = id_key(meta.get(_SUBSCRIPTION))
        heard = self._heard.get(key)
        if heard is None:
            self._heard[key] = members(params.get("notifications"))
            self.to_client += line + b"\n"
            return
        if heard.get("resourcesListChanged"):
            self._show({"method": _LIST_CHANGED, "params": {"_meta": meta}})
        for uri in cast("list[object]", heard.get("resourceSubscriptions") or []):
            self._show({"method": _UPDATED, "params": {"_meta": meta, "uri": uri}})

    def _reopen(self) -> None:
        self._open = True
        first = None if self._handshake is None else self._asked.get(id_key(self._handshake["id"]))
        if first:
            self._send(first)
        if self._initialized:
            self._tell(self._initialized)
        for uri, message in self._subscribed.items():
            if id_key(message["id"]) not in self._asked:
                self._replay(message, uri)
        for asked in self._asked.values():
            if asked is not first:
                self._send(asked)
        for line in self._kept:
            self._tell(line)
        self._kept.clear()

    def _replay(self, message: JsonRpcMessage, what: str) -> None:
        ident = f"{_OURS}{self._owners}:{len(self._replayed)}"
        self._replayed[id_key(ident)] = what
        self._tell(written({**message, "id": ident}))

    def _send(self, asked: _OpenRequest) -> None:
        asked.sends += 1
        self._tell(asked.line)

    def _tell(self, line: bytes) -> None:
        self.to_owner += line + b"\n"

    def _show(self, message: JsonRpcMessage) -> None:
        self.to_client += written({"jsonrpc": "2.0", **message}) + b"\n"

    def _fail(self, key: str, why: str, code: int = _INTERNAL) -> None:
        self._forget(key)
        self._show({"id": json.loads(key), "error": {"code": code, "message": why}})

    def _forget(self, key: str) -> None:
        self._asked.pop(key, None)
        self._heard.pop(key, None)

    def _refuse(self, line: TooLong) -> None:
        key = (line.request or b"null").decode("utf-8", "replace")
        self._fail(key, "The message is over 4 MiB. Send less at a time.", _INVALID)

    def _give_up_on_repeats(self) -> None:
        for key, asked in list(self._asked.items()):
            if asked.sends >= SENDS_MAX and asked.method != _LISTEN:
                self._fail(key, "The server stopped each time it got this request. Change it.")

    def _question(self, ident: object) -> str:
        # Owners number their questions alike: an answer must not reach a later owner's question.
        return f"{_OURS}{self._owners}:{json.dumps(ident)}"
