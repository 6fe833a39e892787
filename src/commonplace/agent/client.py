"""The client side of the Agent Client Protocol.

It starts an agent and its session, and prompts it; what the agent says and asks is for `requests`.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from acp import PROTOCOL_VERSION, RequestError, connect_to_agent, schema
from acp.client.connection import ClientSideConnection
from pydantic import ValidationError

from commonplace import __version__
from commonplace.agent.events import Prompt
from commonplace.agent.messages import MessageLines
from commonplace.agent.process import AgentProcess
from commonplace.agent.requests import AgentRequests, Host
from commonplace.agent.settings import AgentCommand
from commonplace.agent.updates import mode_option, modes_of, text_of
from commonplace.errors import Unavailable

START_SECONDS_MAX = 60.0
_NO_SIGN_IN = -32000
_WRONG = -32602

_Block = (
    schema.TextContentBlock
    | schema.ImageContentBlock
    | schema.AudioContentBlock
    | schema.ResourceContentBlock
    | schema.EmbeddedResourceContentBlock
)
_Session = schema.NewSessionResponse | schema.LoadSessionResponse | schema.ResumeSessionResponse
_Server = schema.HttpMcpServer | schema.SseMcpServer | schema.AcpMcpServer | schema.McpServerStdio


@dataclass(frozen=True, slots=True)
class ToolServer:
    """Our own MCP server, and the token that lets the agent in."""

    name: str
    url: str
    secret: str


class AgentClient:
    """One agent, connected, with one session."""

    def __init__(self, agent: AgentCommand, host: Host, folder: Path) -> None:
        self._agent, self._host, self._folder = agent, host, folder
        self._requests = AgentRequests(host)
        self._process: AgentProcess | None = None
        self._connection: ClientSideConnection | None = None
        self._able = schema.AgentCapabilities()
        self._sign_in: list[str] = []
        self._mode_option = ""

    @property
    def session(self) -> str:
        """The id of the session; empty before there is one."""
        return self._requests.session

    async def start(self, tools: ToolServer | None, session: str = "") -> None:
        """Start the agent and its session: the one before if it can be had back, else a new one."""
        self._process = await AgentProcess.start(self._agent, self._folder)
        lines = MessageLines(self._process.stdout, self._process.stdin, self._requests.take)
        self._requests.lines = lines
        self._connection = connect_to_agent(cast("Any", _Nobody()), lines)
        try:
            async with asyncio.timeout(START_SECONDS_MAX):
                await self._initialize()
                await self._open(tools, session)
        except (TimeoutError, OSError, RequestError, ValidationError, ValueError) as error:
            told = self.told(error)
            await self.close()
            raise Unavailable(f"The agent {self._agent.name} did not start: {told}") from None
        except BaseException:
            await self.close()
            raise

    async def prompt(self, prompt: Prompt) -> str:
        """Ask, and return why the agent stopped."""
        assert self._connection is not None
        try:
            done = await self._connection.prompt(
                session_id=self.session, prompt=self._blocks(prompt)
            )
        except (OSError, RequestError, ValidationError, ValueError) as error:
            raise Unavailable(f"The agent {self._agent.name} failed: {self.told(error)}") from None
        return done.stop_reason

    async def cancel(self) -> None:
        """Ask the agent to stop what it is doing."""
        if self._connection is not None and self.session:
            with suppress(OSError, RuntimeError):
                await self._connection.cancel(session_id=self.session)

    async def set_mode(self, mode: str) -> None:
        """Choose one of the modes that the agent offers."""
        assert self._connection is not None
        try:
            async with asyncio.timeout(START_SECONDS_MAX):
                if self._mode_option:
                    await self._connection.set_config_option(self._mode_option, self.session, mode)
                else:
                    await self._connection.set_session_mode(session_id=self.session, mode_id=mode)
        except (TimeoutError, OSError, RequestError, ValidationError) as error:
            raise Unavailable(f"The mode was not changed: {self.told(error)}") from None

    async def close(self) -> None:
        """End the connection and the process."""
        self._requests.cancel()
        if self._connection is not None:
            with suppress(OSError, RuntimeError):
                await self._connection.close()
        if self._process is not None:
            await self._process.end()

    def told(self, error: BaseException) -> str:
        """Say what happened, with what the agent itself complained of."""
        complaint = text_of(self._process.complaint if self._process else "", 1_000)
        if isinstance(error, RequestError):
            data: object = error.data
            more = f" ({text_of(str(data), 500)})" if data else ""
            return f"{text_of(str(error), 500)}{more}{self._sign_in_hint(error)}"
        if isinstance(error, TimeoutError):
            said = f"no answer within {START_SECONDS_MAX:.0f} seconds."
        elif isinstance(error, ValidationError | ValueError):
            said = "it answered with something that the protocol does not know."
        else:
            said = "it ended."
        return f"{said} Its last words: {complaint}" if complaint else said

    def _sign_in_hint(self, error: RequestError) -> str:
        if error.code != _NO_SIGN_IN or not self._sign_in:
            return ""
        ways = ", ".join(self._sign_in)
        return f" Sign in first ({ways}): run {self._agent.words[0]} in a terminal, then ask again."

    # -- the start

    async def _initialize(self) -> None:
        assert self._connection is not None
        answer = await self._connection.initialize(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=schema.ClientCapabilities(
                fs=schema.FileSystemCapabilities(read_text_file=True, write_text_file=True),
                terminal=False,
            ),
            client_info=schema.Implementation(
                name="commonplace", title="Commonplace", version=__version__
            ),
        )
        if answer.protocol_version != PROTOCOL_VERSION:
            raise RequestError(
                _WRONG,
                f"it speaks version {answer.protocol_version} of the protocol, and this program"
                f" version {PROTOCOL_VERSION}. Update the older of the two.",
            )
        self._able = answer.agent_capabilities or self._able
        self._sign_in = [text_of(each.name, 200) for each in answer.auth_methods or []][:10]
        prompts = self._able.prompt_capabilities
        pictures = bool(prompts and prompts.image)
        await self._host.hear({"kind": "able", "sign_in": self._sign_in, "pictures": pictures})

    async def _open(self, tools: ToolServer | None, session: str) -> None:
        servers = self._servers(tools)
        if session and await self._reopened(session, servers):
            self._requests.session = session
            return
        assert self._connection is not None
        new = await self._connection.new_session(cwd=str(self._folder), mcp_servers=servers)
        self._requests.session = new.session_id
        await self._tell_modes(new)

    async def _reopened(self, session: str, servers: list[_Server]) -> bool:
        """Take up an earlier session; what an agent repeats of it is not heard again."""
        assert self._connection is not None
        where, able = str(self._folder), self._able.session_capabilities
        try:
            if able is not None and able.resume is not None:
                found = await self._connection.resume_session(
                    session_id=session, cwd=where, mcp_servers=servers
                )
            elif self._able.load_session:
                found = await self._connection.load_session(
                    session_id=session, cwd=where, mcp_servers=servers
                )
            else:
                return False
        except RequestError:
            return False  # it does not know it any more: a new one begins
        await self._tell_modes(found)
        return True

    async def _tell_modes(self, found: _Session) -> None:
        """Tell which modes there are; how one is chosen depends on how they are offered."""
        option = mode_option(found.config_options) if found.modes is None else None
        self._mode_option = option.id if option else ""
        if (event := modes_of(found.modes, found.config_options)) is not None:
            await self._host.hear(event)

    def _servers(self, tools: ToolServer | None) -> list[_Server]:
        able = self._able.mcp_capabilities
        if tools is None or able is None or not able.http:
            return []
        bearer = schema.HttpHeader(name="Authorization", value=f"Bearer {tools.secret}")
        return [schema.HttpMcpServer(type="http", name=tools.name, url=tools.url, headers=[bearer])]

    def _blocks(self, prompt: Prompt) -> list[_Block]:
        able = self._able.prompt_capabilities or schema.PromptCapabilities()
        blocks: list[_Block] = [schema.TextContentBlock(type="text", text=prompt.text)]
        for note in prompt.notes:
            uri = (self._folder / note).as_uri()
            blocks.append(schema.ResourceContentBlock(type="resource_link", name=note, uri=uri))
        if prompt.selection:
            where = f" in {prompt.selected_in}" if prompt.selected_in else ""
            said = f"The person has selected this{where}:\n\n{prompt.selection}"
            blocks.append(schema.TextContentBlock(type="text", text=said))
        if prompt.image and not able.image:
            self._host.trouble("The picture", f"{self._agent.name} takes no pictures.")
        elif prompt.image:
            blocks.append(
                schema.ImageContentBlock(
                    type="image", data=prompt.image, mime_type=prompt.image_type
                )
            )
        return blocks


class _Nobody:
    """What the package's router finds: it is asked nothing, since `requests` answers."""

    def __getattr__(self, name: str) -> object:
        if name == "on_connect":
            return None

        async def refuse(*_: object, **__: object) -> None:
            raise RequestError.method_not_found(name)

        return refuse
