"""Our stack as it is, with what the conformance suite wants to find added to it.

Run as `python -m tests.conformance.server`; it prints its address and serves until it is ended.
Texts, errors, progress, argument schemas and notes go through the product's own toolbox and
resources; only what the product has no use for (images, prompts, questions) is added as handlers.
"""

import socket
from collections.abc import Mapping
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.context import ServerRequestContext

from commonplace.errors import NotFound
from commonplace.server.mcp.server import NoteServer, build
from commonplace.tools.table import Answer, Call, Definition, Tool, Toolbox, ToolFunction
from tests.conformance.contents import CONTENTS, PROMPTS, RESOURCES, TEMPLATE, filled, prompt
from tests.conformance.rounds import ROUNDS
from tests.server.small_vault import Shelf, app_on, toolbox

Context = ServerRequestContext[Any, Any]

SCHEMA_2020_12: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
HEADER = {"region": {"type": "string", "x-mcp-header": "Region"}}


async def simple_text(_: Call, __: Mapping[str, object]) -> Answer:
    return Answer("This is a simple text response for testing.")


async def error(_: Call, __: Mapping[str, object]) -> Answer:
    raise NotFound("This tool intentionally returns an error for testing")


async def progress(call: Call, _: Mapping[str, object]) -> Answer:
    for done in (0, 50, 100):
        await call.progress(done, 100, f"{done} of 100")
    return Answer("done")


def tool(name: str, run: ToolFunction, schema: dict[str, Any] | None = None) -> Tool:
    published = {"name": name, "description": "Fixture"}
    return Tool(
        Definition({**published, "inputSchema": schema or {"type": "object"}}),
        family="files",
        writes=False,
        run=run,
    )


def fixtures(shelf: Shelf) -> Toolbox:
    return Toolbox(
        [
            *toolbox(shelf).tools,
            tool("test_simple_text", simple_text),
            tool("test_error_handling", error),
            tool("test_tool_with_progress", progress),
            tool("json_schema_2020_12_tool", simple_text, SCHEMA_2020_12),
            tool("test_x_mcp_header", simple_text, {"type": "object", "properties": HEADER}),
        ]
    )


def extended(server: NoteServer) -> NoteServer:
    """Put the suite's fixtures before the product's own handlers."""
    handlers = CONTENTS | ROUNDS

    def own(method: str) -> Any:
        entry = server.get_request_handler(method)
        assert entry is not None
        return entry.handler

    call, read, listed, templates = map(
        own, ("tools/call", "resources/read", "resources/list", "resources/templates/list")
    )

    async def list_tools(_: Context, __: Any) -> types.ListToolsResult:
        schema: dict[str, Any] = {"type": "object"}
        more = [types.Tool(name=n, description="Fixture", input_schema=schema) for n in handlers]
        return types.ListToolsResult(tools=more)

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> Any:
        handler = handlers.get(params.name) or call
        return await handler(ctx, params)

    async def read_resource(ctx: Context, params: types.ReadResourceRequestParams) -> Any:
        found = RESOURCES.get(params.uri) or filled(params.uri)
        return types.ReadResourceResult(contents=[found]) if found else await read(ctx, params)

    async def list_resources(ctx: Context, params: Any) -> types.ListResourcesResult:
        result = await listed(ctx, params)
        more = [types.Resource(name=u, uri=u, mime_type=c.mime_type) for u, c in RESOURCES.items()]
        return result.model_copy(update={"resources": [*result.resources, *more]})

    async def list_templates(ctx: Context, params: Any) -> types.ListResourceTemplatesResult:
        result = await templates(ctx, params)
        ours = [*result.resource_templates, TEMPLATE]
        return result.model_copy(update={"resource_templates": ours})

    async def list_prompts(_: Context, __: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=PROMPTS)

    async def complete(_: Context, __: Any) -> types.CompleteResult:
        return types.CompleteResult(completion=types.Completion(values=["paris", "park"]))

    async def set_level(_: Context, __: Any) -> types.EmptyResult:
        return types.EmptyResult()

    added: list[tuple[str, Any, Any]] = [
        ("tools/list", types.PaginatedRequestParams, list_tools),
        ("tools/call", types.CallToolRequestParams, call_tool),
        ("resources/read", types.ReadResourceRequestParams, read_resource),
        ("resources/list", types.PaginatedRequestParams, list_resources),
        ("resources/templates/list", types.PaginatedRequestParams, list_templates),
        ("prompts/list", types.PaginatedRequestParams, list_prompts),
        ("prompts/get", types.GetPromptRequestParams, prompt),
        ("completion/complete", types.CompleteRequestParams, complete),
        ("logging/setLevel", types.SetLevelRequestParams, set_level),
    ]
    for method, params_type, handler in added:
        server.add_request_handler(method, params_type, handler)
    return server


def main() -> None:
    shelf = Shelf()
    app = app_on(extended(build(fixtures(shelf), shelf, version="1")))
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)  # noqa: T201
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
