"""Fixture tools, resources and prompts that answer with each kind of content there is."""

import base64
import json
import warnings
from typing import Any, cast

import mcp_types as types
from mcp import MCPError
from mcp.server.subscriptions import PromptsListChanged, ToolsListChanged

from commonplace.server.mcp.feed import Feed
from tests.conformance.rounds import CONTEXT, Context, Outcome, Params, ask, given, say

PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
SILENCE = base64.b64encode(b"RIFF\0\0\0\0WAVE").decode()
IMAGE = types.ImageContent(data=PIXEL, mime_type="image/png")
AUDIO = types.AudioContent(data=SILENCE, mime_type="audio/wav")


def embedded(uri: str, text: str, mime_type: str = "text/plain") -> types.EmbeddedResource:
    resource = types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return types.EmbeddedResource(resource=resource)


async def image(_: Context, __: Params) -> Outcome:
    return types.CallToolResult(content=[IMAGE])


async def audio(_: Context, __: Params) -> Outcome:
    return types.CallToolResult(content=[AUDIO])


async def embedded_resource(_: Context, __: Params) -> Outcome:
    return types.CallToolResult(content=[embedded("test://embedded-resource", "Embedded.")])


async def several(_: Context, __: Params) -> Outcome:
    data = embedded("test://mixed-content-resource", '{"value": 123}', "application/json")
    text = types.TextContent(text="Multiple content types test:")
    return types.CallToolResult(content=[text, IMAGE, data])


async def logging_tool(ctx: Context, _: Params) -> Outcome:
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            await ctx.session.send_log_message(  # pyright: ignore[reportDeprecated]
                "info", text, related_request_id=ctx.request_id
            )
    return say("logged")


async def tool_change(ctx: Context, _: Params) -> Outcome:
    await cast("Feed", ctx.lifespan_context).publish(ToolsListChanged())
    return say("told")


async def prompt_change(ctx: Context, _: Params) -> Outcome:
    await cast("Feed", ctx.lifespan_context).publish(PromptsListChanged())
    return say("told")


CONTENTS = {
    "test_image_content": image,
    "test_audio_content": audio,
    "test_embedded_resource": embedded_resource,
    "test_multiple_content_types": several,
    "test_tool_with_logging": logging_tool,
    "test_logging_tool": logging_tool,
    "test_trigger_tool_change": tool_change,
    "test_trigger_prompt_change": prompt_change,
}

RESOURCES: dict[str, types.TextResourceContents | types.BlobResourceContents] = {
    "test://static-text": types.TextResourceContents(
        uri="test://static-text", mime_type="text/plain", text="A text that stays as it is."
    ),
    "test://static-binary": types.BlobResourceContents(
        uri="test://static-binary", mime_type="image/png", blob=PIXEL
    ),
    "test://watched-resource": types.TextResourceContents(
        uri="test://watched-resource", mime_type="text/plain", text="Watched."
    ),
}
TEMPLATE = types.ResourceTemplate(
    name="data", uri_template="test://template/{id}/data", mime_type="application/json"
)


def filled(uri: str) -> types.TextResourceContents | None:
    """What the template gives for an address, if it is one of its own."""
    head, tail = "test://template/", "/data"
    if not (uri.startswith(head) and uri.endswith(tail)):
        return None
    text = json.dumps({"id": uri[len(head) : -len(tail)], "templateTest": True})
    return types.TextResourceContents(uri=uri, mime_type="application/json", text=text)


def argument(name: str) -> types.PromptArgument:
    return types.PromptArgument(name=name, description="For testing", required=True)


PROMPTS = [
    types.Prompt(name=name, description="A prompt for testing", arguments=arguments)
    for name, arguments in {
        "test_simple_prompt": [],
        "test_prompt_with_arguments": [argument("arg1"), argument("arg2")],
        "test_prompt_with_embedded_resource": [argument("resourceUri")],
        "test_prompt_with_image": [],
        "test_input_required_result_prompt": [],
    }.items()
]


async def prompt(
    _: Any, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    values = params.arguments or {}
    match params.name:
        case "test_simple_prompt":
            return spoken(types.TextContent(text="This is a simple prompt for testing."))
        case "test_prompt_with_arguments":
            text = f"arg1='{values['arg1']}', arg2='{values['arg2']}'"
            return spoken(types.TextContent(text=f"Prompt with arguments: {text}"))
        case "test_prompt_with_embedded_resource":
            return spoken(embedded(values["resourceUri"], "Embedded for testing."))
        case "test_prompt_with_image":
            return spoken(IMAGE)
        case "test_input_required_result_prompt":
            if answer := (params.input_responses or {}).get("user_context"):
                return spoken(types.TextContent(text=f"In view of: {given(answer, 'context')}"))
            return ask(user_context=CONTEXT)
        case name:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {name}")


def spoken(content: types.ContentBlock) -> types.GetPromptResult:
    closing = types.TextContent(text="Please look at it.")
    messages = [types.PromptMessage(role="user", content=part) for part in (content, closing)]
    return types.GetPromptResult(messages=messages)
