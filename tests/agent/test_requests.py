"""What an agent says and asks, as messages of the protocol: each that waits gets one answer."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from commonplace.agent.events import Choice, Event, Question
from commonplace.agent.messages import Json
from commonplace.agent.requests import REQUESTS_MAX, AgentRequests
from commonplace.errors import Forbidden
from tests.agent.test_messages import Ends

pytestmark = pytest.mark.anyio

OPTIONS = [
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Notes:
    """A conversation that has one file, and answers every question alike."""

    def __init__(self) -> None:
        self.heard: list[Event] = []
        self.asked: list[Question] = []
        self.choice: Choice = "once"
        self.gate = asyncio.Event()
        self.gate.set()

    async def hear(self, event: Event) -> None:
        self.heard.append(event)

    def trouble(self, path: str, text: str) -> None:
        raise AssertionError

    async def permit(self, question: Question) -> Choice:
        self.asked.append(question)
        await self.gate.wait()
        return self.choice

    async def read_file(self, path: str, line: int | None, limit: int | None) -> str:
        if path != "/a.md":
            raise Forbidden("That is not in the copy.")
        return f"{line} {limit}"

    async def write_file(self, path: str, text: str) -> None:
        if path != "/a.md":
            raise Forbidden("That is not in the copy.")
        text.encode()


class Desk:
    """One agent's requests, and what it is answered."""

    def __init__(self, ends: Ends) -> None:
        self.ends, self.host = ends, Notes()
        self.requests = AgentRequests(self.host)
        self.requests.lines, self.requests.session = ends.lines, "s"

    async def ask(self, method: str, params: Any, id: int | str = 1) -> Json:
        await self.requests.take({"method": method, "params": params, "id": id})
        return await self.answer()

    async def answer(self) -> Json:
        return json.loads(await self.ends.agent_reads.readline())

    async def permission(self, options: Any = OPTIONS, **call: Any) -> Json:
        params = {"sessionId": "s", "toolCall": {"toolCallId": "t", **call}, "options": options}
        return await self.ask("session/request_permission", params)


@pytest.fixture
async def desk() -> AsyncGenerator[Desk]:
    ends = Ends()
    await ends.open()
    desk = Desk(ends)
    yield desk
    desk.requests.cancel()
    await ends.close()


@pytest.mark.parametrize(
    ("choice", "option"), [("once", "yes"), ("conversation", "yes"), ("no", "no")]
)
async def test_a_permission_is_for_once_whatever_it_is_called(
    desk: Desk, choice: Choice, option: str
) -> None:
    desk.host.choice = choice
    answer = await desk.permission(title="ls", kind="execute", rawInput={"command": "ls"})
    assert answer["result"] == {"outcome": {"outcome": "selected", "optionId": option}}
    (asked,) = desk.host.asked
    assert (asked.title, asked.given, asked.runs, asked.whole) == ("ls", "ls", True, True)


async def test_an_agent_that_offers_no_such_answer_gets_none(desk: Desk) -> None:
    answer = await desk.permission(OPTIONS[:1])
    assert answer["result"] == {"outcome": {"outcome": "cancelled"}}


@pytest.mark.parametrize("path", ["\ud800", "a\0b", "x" * 100_000])
async def test_a_path_that_names_nothing_is_asked_about_too(desk: Desk, path: str) -> None:
    answer = await desk.permission(kind="edit", rawInput={"file_path": path})
    assert "result" in answer
    assert desk.host.asked[0].paths == (path,)


async def test_files_are_read_and_written_by_the_host(desk: Desk) -> None:
    read = {"sessionId": "s", "path": "/a.md", "line": 2, "limit": 3}
    assert (await desk.ask("fs/read_text_file", read))["result"] == {"content": "2 3"}
    write = {"sessionId": "s", "path": "/etc/passwd", "content": ""}
    refused = (await desk.ask("fs/write_text_file", write))["error"]
    assert refused == {"code": -32603, "message": "That is not in the copy."}


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("terminal/create", {}, -32601),
        ("", None, -32601),
        ("fs/read_text_file", None, -32602),
        ("fs/read_text_file", [], -32602),
        ("fs/read_text_file", {"sessionId": "s", "path": 5}, -32602),
        ("fs/write_text_file", {"sessionId": "s", "path": "/a.md"}, -32602),
        ("fs/write_text_file", {"sessionId": "s", "path": "/a.md", "content": "\ud800"}, -32602),
        ("session/request_permission", {"sessionId": "s", "options": []}, -32602),
    ],
)
async def test_what_cannot_be_served_is_refused(
    desk: Desk, method: str, params: object, code: int
) -> None:
    answer = await desk.ask(method, params, "id")
    assert (answer["id"], answer["error"]["code"]) == ("id", code)


async def test_of_too_many_at_once_the_last_are_refused(desk: Desk) -> None:
    desk.host.gate.clear()
    params = {"sessionId": "s", "toolCall": {"toolCallId": "t"}, "options": OPTIONS}
    message = {"method": "session/request_permission", "params": params}
    for number in range(REQUESTS_MAX):
        await desk.requests.take({**message, "id": number})
    refused = await desk.ask("fs/read_text_file", {"sessionId": "s", "path": "/a.md"}, "late")
    assert (refused["id"], refused["error"]["code"]) == ("late", -32000)
    desk.host.gate.set()
    answered = {(await desk.answer())["id"] for _ in range(REQUESTS_MAX)}
    assert answered == set(range(REQUESTS_MAX))


def saying(text: str, session: str = "s") -> Json:
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    return {"method": "session/update", "params": {"sessionId": session, "update": update}}


async def test_only_its_own_session_is_heard_and_nonsense_is_not(desk: Desk) -> None:
    later = {"sessionId": "s", "update": {"sessionUpdate": "of_a_later_version"}}
    messages: list[Json] = [
        saying("of another", "other"),
        {"method": "session/update"},
        {"method": "session/update", "params": []},
        {"method": "session/update", "params": later},
        {"method": "no/such/notice"},
        saying("heard"),
    ]
    for message in messages:
        await desk.requests.take(message)
    assert desk.host.heard == [{"kind": "said", "text": "heard"}]
