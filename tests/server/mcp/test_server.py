import json
import logging
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client, MCPError
from mcp.server.context import ServerRequestContext

from commonplace.server.mcp.actors import acting
from commonplace.server.mcp.direct.instructions import INSTRUCTIONS_MAX
from commonplace.server.mcp.server import build
from commonplace.tools.table import Actor, Answer, Call, Tool, Toolbox, definition
from tests.server.small_vault import (
    NOTES,
    Shelf,
    over_stream,
    server_on,
    service_on,
    text_of,
    toolbox,
)
from tests.wait import PATIENCE

pytestmark = pytest.mark.anyio

ERAS = ("auto", "legacy")


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture(params=[(era, way) for era in ERAS for way in ("memory", "stream")], ids="-".join)
async def client(request: pytest.FixtureRequest, shelf: Shelf) -> AsyncGenerator[Client]:
    era, way = request.param
    async with Client(
        server_on(shelf) if way == "memory" else over_stream(service_on(shelf)), mode=era
    ) as client:
        yield client


async def test_the_eras_are_what_they_should_be(client: Client, request: Any) -> None:
    era = request.node.callspec.params["client"][0]
    assert client.protocol_version == {"auto": "2026-07-28", "legacy": "2025-11-25"}[era]


async def test_tools_are_listed_word_for_word(client: Client) -> None:
    for _ in range(2):
        sent = await raw(client, "tools/list")
        published = [dict(d.published) for d in toolbox(Shelf()).definitions()]
        assert json.dumps(sent["tools"]) == json.dumps(published)


async def raw(client: Client, method: str, **params: object) -> dict[str, Any]:
    """A result as the wire has it, unparsed."""
    request = types.Request[Any, str](method=method, params=params or None)
    return (await client.session.send_request(request, Anything)).model_dump(mode="json")


class Anything(types.Result, extra="allow"):
    pass


async def test_only_the_greeting_carries_the_picture(client: Client) -> None:
    sent = await raw(client, "tools/call", name="glob", arguments={"pattern": "*"})
    assert "image/png" not in json.dumps(sent)


async def test_a_tool_answers_in_text_alone(client: Client) -> None:
    result = await client.call_tool("read", {"file_path": "Garden/Clover.md"})
    assert text_of(result) == "# Clover\n"
    assert not result.is_error


async def test_what_only_the_client_should_see_is_in_meta(client: Client) -> None:
    result = await client.call_tool("read", {"file_path": "meta"})
    assert result.meta is not None
    assert result.meta["lines"] == 2


async def test_nothing_given_for_an_optional_argument_is_fine(client: Client) -> None:
    arguments = {"file_path": "Garden/Clover.md", "offset": None, "limit": "null"}
    assert text_of(await client.call_tool("read", arguments)) == "# Clover\n"


async def test_a_wrong_argument_is_an_answer_not_a_protocol_error(client: Client) -> None:
    result = await client.call_tool("read", {"file_path": "x.md", "offset": "abc"})
    assert result.is_error
    assert text_of(result) == 'Error: `offset` must be a number, got the text "abc".'


async def test_no_arguments_at_all_is_a_wrong_argument(client: Client) -> None:
    result = await client.call_tool("read")
    assert text_of(result) == "Error: The required parameter `file_path` is missing."


async def test_a_note_that_is_not_there_is_an_answer(client: Client) -> None:
    result = await client.call_tool("read", {"file_path": "x.md"})
    assert (result.is_error, text_of(result)) == (True, "Error: Document not found: x.md")


async def test_an_unknown_tool_is_a_protocol_error(client: Client) -> None:
    with pytest.raises(MCPError, match=r"Unknown tool: rm\. This server offers: read") as caught:
        await client.call_tool("rm", {})
    assert caught.value.code == types.INVALID_PARAMS


async def test_a_bug_in_a_tool_leaks_nothing(client: Client) -> None:
    result = await client.call_tool("read", {"file_path": "bug"})
    expected = "Internal error in tool read; the server's log has the details."
    assert (result.is_error, text_of(result)) == (True, expected)


async def test_a_cursor_for_tools_is_refused(client: Client) -> None:
    with pytest.raises(MCPError, match="All tools fit on one page"):
        await client.list_tools(cursor="2")


async def test_progress_reaches_the_caller(client: Client) -> None:
    steps: list[tuple[float, str | None]] = []
    complete = anyio.Event()

    async def note(progress: float, total: float | None, message: str | None) -> None:
        steps.append((progress, message))
        if len(steps) == total:
            complete.set()

    result = await client.call_tool("read", {"file_path": "slow"}, progress_callback=note)
    assert text_of(result) == "done"
    with anyio.fail_after(PATIENCE):
        await complete.wait()
    assert sorted(steps) == [(1, "step 1"), (2, "step 2"), (3, "step 3")]


async def test_a_text_that_is_none_is_refused_by_the_name_of_its_parameter(client: Client) -> None:
    result = await client.call_tool("read", {"file_path": "a\0b"})
    assert text_of(result).startswith("Error: `file_path` holds a NUL character.")


async def test_the_server_introduces_itself(client: Client) -> None:
    assert client.server_info is not None
    assert (client.server_info.name, client.server_info.version) == ("commonplace", "9.9")
    (icon,) = client.server_info.icons or []
    assert icon.src.startswith("data:image/png;base64,iVBORw0KGgo")
    assert client.instructions is not None
    assert "`edit` leaves a suggestion" in client.instructions
    capabilities = client.server_capabilities
    assert capabilities.prompts is None
    assert capabilities.logging is None
    assert capabilities.completions is not None
    assert capabilities.resources == types.ResourcesCapability(subscribe=True, list_changed=True)


async def test_several_clients_of_both_eras_share_one_server(shelf: Shelf) -> None:
    service = service_on(shelf)
    answers: list[str] = []

    async def talk(era: str, number: int) -> None:
        actor = Actor(f"socket:{number}", "commonplace")
        async with Client(over_stream(service, actor), mode=era) as client:
            answers.append(text_of(await client.call_tool("read", {"file_path": "who"})))

    async with anyio.create_task_group() as tasks:
        for number in range(10):
            tasks.start_soon(talk, ERAS[number % 2], number)
    assert sorted(answers) == [f"socket:{n}|mcp" for n in range(10)]


@pytest.mark.parametrize("era", ERAS)
async def test_the_name_of_an_actor_is_the_clients_own_made_printable(
    shelf: Shelf, era: str
) -> None:
    info = types.Implementation(name="  evil\nname\u202e " + "x" * 100, version="1")
    server = server_on(shelf)
    with acting(Actor("socket:7", "commonplace")):
        async with Client(server, mode=era, client_info=info) as client:
            answer = text_of(await client.call_tool("read", {"file_path": "who"}))
    identity, name = answer.split("|")
    assert identity == "socket:7"
    assert name.startswith("evilname")
    assert name.isprintable()
    assert len(name) <= 64


async def test_without_a_connection_the_process_is_the_actor(shelf: Shelf) -> None:
    async with Client(server_on(shelf)) as client:
        answer = text_of(await client.call_tool("read", {"file_path": "who"}))
    assert answer == "process|mcp"


@pytest.mark.parametrize("era", ERAS)
async def test_a_bug_anywhere_leaks_nothing(
    shelf: Shelf, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(Shelf):
        async def text(self, path: str) -> str:
            raise RuntimeError("/srv/secret")

    with caplog.at_level(logging.ERROR):
        async with Client(build(toolbox(shelf), Broken(), version="1"), mode=era) as client:
            with pytest.raises(MCPError) as caught:
                await client.read_resource("note:///a.md")
    assert caught.value.code == types.INTERNAL_ERROR
    assert caught.value.message == "Internal error; the server's log has the details."
    assert "/srv/secret" in caplog.text


@pytest.mark.parametrize("era", ERAS)
async def test_a_read_only_server_lists_and_runs_no_tool_that_writes(
    shelf: Shelf, era: str
) -> None:
    server = build(toolbox(shelf, read_only=True), shelf, version="1")
    async with Client(server, mode=era) as client:
        assert [t.name for t in (await client.list_tools()).tools] == ["read", "glob"]
        with pytest.raises(MCPError, match="Unknown tool: edit"):
            await client.call_tool("edit", {})
        assert client.instructions is not None
        assert "edit" not in client.instructions


async def no_run(_: Call, __: Mapping[str, object]) -> Answer:
    raise NotImplementedError


def test_instructions_speak_only_of_tools_on_offer_and_stay_short() -> None:
    names = ("read", "glob", "grep", "get_links", "edit")
    every = [Tool(definition(name), "files", writes=False, run=no_run) for name in names]
    server = build(Toolbox(every), Shelf(), version="1")
    assert server.instructions is not None
    assert len(server.instructions) < INSTRUCTIONS_MAX
    none = build(Toolbox([]), Shelf(), version="1").instructions
    assert none is not None
    assert "`" not in none


@pytest.mark.parametrize("era", ERAS)
async def test_a_tool_that_a_handler_adds_is_listed_after_ours(shelf: Shelf, era: str) -> None:
    async def more(
        ctx: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams
    ) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[types.Tool(name="more", input_schema={"type": "object"})]
        )

    server = server_on(shelf)
    server.add_request_handler("tools/list", types.PaginatedRequestParams, more)
    async with Client(server, mode=era) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
    assert names == ["read", "glob", "edit", "more"]


async def test_state_that_a_client_carries_is_sealed(shelf: Shelf) -> None:
    async def asking(
        ctx: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        if params.request_state is None:
            return types.InputRequiredResult(request_state="secret plan")
        return types.CallToolResult(content=[types.TextContent(text=params.request_state)])

    server = server_on(shelf)
    server.add_request_handler("tools/call", types.CallToolRequestParams, asking)
    async with Client(server) as client:
        first = await client.session.call_tool("ask", {}, allow_input_required=True)
        assert isinstance(first, types.InputRequiredResult)
        sealed = first.request_state
        assert sealed is not None
        assert "secret" not in sealed
        again = await client.session.call_tool("ask", {}, request_state=sealed)
        assert text_of(again) == "secret plan"
        with pytest.raises(MCPError, match="Invalid or expired requestState"):
            await client.session.call_tool("ask", {}, request_state=sealed[:-2] + "xx")


async def test_answers_say_how_long_they_hold(shelf: Shelf) -> None:
    async with Client(server_on(shelf)) as client:
        listed = await raw(client, "tools/list")
        read = await raw(client, "resources/read", uri="note:///Garden/Bees.md")
    assert (listed["ttlMs"], listed["cacheScope"]) == (60_000, "private")
    assert (read["ttlMs"], read["contents"][0]["text"]) == (0, NOTES["Garden/Bees.md"])
