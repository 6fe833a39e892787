# pyright: basic
"""An agent of our own for tests: a process that plays a script, on the protocol's own package.

`python scripted_agent.py SCRIPT.json`: a list of turns, each a list of actions `[NAME, ARGUMENT…]`;
`{"initialize": …}` in place of the first changes how it introduces itself. What it saw is written
to SCRIPT.json.log, a JSON line each.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx2 as httpx
from acp import PROTOCOL_VERSION, RequestError, run_agent, schema, update_agent_message_text
from acp.helpers import update_agent_thought_text

SCRIPT = Path(sys.argv[1])
TURNS: list[Any] = json.loads(SCRIPT.read_text())
LOG = Path(f"{SCRIPT}.log")


OPTIONS = [
    schema.SessionConfigOptionBoolean(
        type="boolean", id="fast", name="Fast", current_value=False, category="mode"
    ),
    schema.SessionConfigOptionSelect(
        type="select",
        id="way",
        name="Mode",
        category="mode",
        current_value="build",
        options=[
            schema.SessionConfigSelectOption(value=value, name=value.title())
            for value in ("build", "plan")
        ],
    ),
]


def log(**seen: Any) -> None:
    with LOG.open("a") as file:
        file.write(json.dumps(seen, default=str) + "\n")


class Scripted:
    def __init__(self) -> None:
        self.client: Any = None
        self.server: Any = None
        self.session = ""
        self.cwd = ""
        self.cancelled = asyncio.Event()

    def on_connect(self, conn: Any) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, **more: Any) -> schema.InitializeResponse:
        told = TURNS[0] if TURNS and isinstance(TURNS[0], dict) else {}
        log(initialize=str(more.get("client_capabilities")), env=sorted(os.environ))
        return schema.InitializeResponse(
            protocol_version=told.get("version", PROTOCOL_VERSION),
            agent_capabilities=schema.AgentCapabilities(
                load_session=told.get("load", True),
                mcp_capabilities=schema.McpCapabilities(http=told.get("http", True)),
                prompt_capabilities=schema.PromptCapabilities(image=told.get("image", False)),
            ),
            auth_methods=[
                schema.AuthMethodAgent(id=name, name=name) for name in told.get("auth", [])
            ],
        )

    async def new_session(self, cwd: str, mcp_servers: Any = None, **_: Any) -> Any:
        if TURNS and isinstance(TURNS[0], dict) and TURNS[0].get("auth"):
            raise RequestError.auth_required()
        log(new=cwd, servers=[one.name for one in mcp_servers or []])
        self._open(f"s{os.getpid()}", cwd, mcp_servers)
        if TURNS and isinstance(TURNS[0], dict) and TURNS[0].get("options"):
            return schema.NewSessionResponse(session_id=self.session, config_options=OPTIONS)
        return schema.NewSessionResponse(
            session_id=self.session,
            modes=schema.SessionModeState(
                current_mode_id="ask",
                available_modes=[
                    schema.SessionMode(id="ask", name="Ask"),
                    schema.SessionMode(id="code", name="Code"),
                ],
            ),
        )

    async def load_session(self, cwd: str, session_id: str, mcp_servers: Any = None, **_: Any):
        log(load=session_id)
        self._open(session_id, cwd, mcp_servers)
        await self.say("said before")
        return schema.LoadSessionResponse()

    def _open(self, session: str, cwd: str, servers: Any) -> None:
        self.session, self.cwd = session, cwd
        self.server = servers[0] if servers else None

    async def authenticate(self, method_id: str, **_: Any) -> None:
        return None

    async def set_session_mode(self, mode_id: str, session_id: str, **_: Any) -> Any:
        log(mode=mode_id)
        return schema.SetSessionModeResponse()

    async def set_config_option(self, config_id: str, session_id: str, value: Any, **_: Any) -> Any:
        log(option=config_id, value=value)
        return schema.SetSessionConfigOptionResponse(config_options=OPTIONS)

    async def cancel(self, session_id: str, **_: Any) -> None:
        self.cancelled.set()

    async def prompt(self, prompt: Any, session_id: str, **_: Any) -> schema.PromptResponse:
        log(prompt=[one.model_dump(exclude_none=True) for one in prompt])
        self.cancelled.clear()
        turns = [turn for turn in TURNS if isinstance(turn, list)]
        turn = int(self.turn_file().read_text() if self.turn_file().exists() else 0)
        self.turn_file().write_text(str(turn + 1))
        for name, *given in turns[turn] if turn < len(turns) else []:
            log(did=name, result=await getattr(self, name)(*given))
            if self.cancelled.is_set():
                return schema.PromptResponse(stop_reason="cancelled")
        return schema.PromptResponse(stop_reason="end_turn")

    def turn_file(self) -> Path:
        return Path(f"{SCRIPT}.turn")

    # -- actions

    async def say(self, text: str, times: int = 1) -> None:
        for _ in range(times):
            await self.client.session_update(self.session, update_agent_message_text(text))

    async def say_times(self, count: int) -> None:
        """Say when each word is sent, in milliseconds, with a pause between them."""
        for _ in range(count):
            await self.say(f" {time.time_ns() // 1_000_000} ")
            await asyncio.sleep(0.3)

    async def think(self, text: str) -> None:
        await self.client.session_update(self.session, update_agent_thought_text(text))

    async def update(self, update: dict[str, Any]) -> None:
        """Send news as they are, of whatever shape."""
        await self.send(
            {"method": "session/update", "params": {"sessionId": self.session, "update": update}}
        )

    async def send(self, message: Any) -> None:
        """Send something as it is."""
        if isinstance(message, dict):
            message = {"jsonrpc": "2.0", **message}
        await self.send_text(json.dumps(message), 1)

    async def send_text(self, text: str, times: int) -> None:
        """Write something to our output, be it a message or not."""
        rest = memoryview((text * times + "\n").encode())
        while rest:
            try:
                rest = rest[os.write(1, rest) :]
            except BlockingIOError:
                await asyncio.sleep(0.01)

    async def save(self, path: str, text: str) -> None:
        """Write a file by a tool of its own."""
        (Path(self.cwd) / path).write_text(text)

    async def shell(self, command: str) -> int:
        """Ask, as an agent with a shell does, and run the command if it may."""
        allowed = await self.ask(
            {"title": command, "kind": "execute", "raw_input": {"command": command}}
        )
        if allowed == "allow":
            return subprocess.run(command, shell=True, cwd=self.cwd, check=False).returncode
        return -1

    async def ask(self, call: dict[str, Any], options: Any = None) -> str:
        kinds: Any = options or [
            ["allow_always", "always"],
            ["allow_once", "allow"],
            ["reject_once", "reject"],
        ]
        answer = await self.client.request_permission(
            session_id=self.session,
            tool_call=schema.ToolCallUpdate(tool_call_id="call-1", **call),
            options=[
                schema.PermissionOption(option_id=id, name=id, kind=kind) for kind, id in kinds
            ],
        )
        return getattr(answer.outcome, "option_id", "cancelled")

    async def read(self, path: str) -> str:
        return await self.tried(
            self.client.read_text_file(session_id=self.session, path=self.at(path))
        )

    async def write(self, path: str, text: str) -> str:
        return await self.tried(
            self.client.write_text_file(session_id=self.session, path=self.at(path), content=text)
        )

    async def terminal(self, command: str) -> str:
        return await self.tried(
            self.client.create_terminal(session_id=self.session, command=command)
        )

    def at(self, path: str) -> str:
        return path if path.startswith("/") else f"{self.cwd}/{path}"

    async def tried(self, asked: Any) -> str:
        try:
            return str(await asked)
        except Exception as error:  # noqa: BLE001
            return f"refused: {error}"

    async def tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool of the server that the session came with."""
        headers = {one.name: one.value for one in self.server.headers}
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client

        async with (
            httpx.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(self.server.url, http_client=http)) as client,
        ):
            answer = await client.call_tool(name, arguments)
            return [getattr(each, "text", "") for each in answer.content]

    async def hang(self) -> None:
        await asyncio.sleep(3_600)

    async def wait_for_cancel(self) -> None:
        await self.cancelled.wait()

    async def crash(self) -> None:
        sys.stderr.write("out of cheese\n")
        sys.stderr.flush()
        os._exit(3)


asyncio.run(run_agent(Scripted()))  # pyright: ignore[reportArgumentType]
