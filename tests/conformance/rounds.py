"""Fixture tools whose answer takes several rounds: 2026-era input requests, 2025-era questions."""

import json
import warnings
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext

Context = ServerRequestContext[Any, Any]
Params = types.CallToolRequestParams
Outcome = types.CallToolResult | types.InputRequiredResult


def say(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)])


def fields(**properties: str) -> dict[str, Any]:
    """An object schema with these properties, all required, each of the type named."""
    schema = {name: {"type": kind} for name, kind in properties.items()}
    return {"type": "object", "properties": schema, "required": list(properties)}


def question(message: str, schema: dict[str, Any]) -> types.ElicitRequest:
    form = types.ElicitRequestFormParams(message=message, requested_schema=schema)
    return types.ElicitRequest(params=form)


def prompt_model(text: str, tokens: int) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=types.TextContent(text=text))
    params = types.CreateMessageRequestParams(messages=[message], max_tokens=tokens)
    return types.CreateMessageRequest(params=params)


def ask(state: str | None = None, **requests: types.InputRequest) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=requests, request_state=state)


def given(answer: types.InputResponse | None, field: str) -> str:
    content = answer.content if isinstance(answer, types.ElicitResult) else None
    return str((content or {}).get(field))


NAME = question("What is your name?", fields(name="string"))
CONFIRM = question("Please confirm", fields(ok="boolean"))
CONTEXT = question("What context should the prompt use?", fields(context="string"))


async def elicitation(_: Context, params: Params) -> Outcome:
    if answer := (params.input_responses or {}).get("user_name"):
        return say(f"Hello, {given(answer, 'name')}!")
    return ask(user_name=NAME)


async def sampling(_: Context, params: Params) -> Outcome:
    answer = (params.input_responses or {}).get("capital_question")
    if isinstance(answer, types.CreateMessageResult):
        return say(f"The model says: {answer.content.model_dump_json()}")
    return ask(capital_question=prompt_model("What is the capital of France?", 100))


async def list_roots(_: Context, params: Params) -> Outcome:
    answer = (params.input_responses or {}).get("client_roots")
    if isinstance(answer, types.ListRootsResult):
        return say(f"{len(answer.roots)} roots")
    return ask(client_roots=types.ListRootsRequest())


async def request_state(_: Context, params: Params) -> Outcome:
    if params.request_state == "once" and "confirm" in (params.input_responses or {}):
        return say("state-ok")
    return ask("once", confirm=CONFIRM)


async def multiple_inputs(_: Context, params: Params) -> Outcome:
    if {"user_name", "greeting", "client_roots"} <= (params.input_responses or {}).keys():
        return say("All three are here.")
    greeting = prompt_model("Generate a greeting", 50)
    return ask("three", user_name=NAME, greeting=greeting, client_roots=types.ListRootsRequest())


async def multi_round(_: Context, params: Params) -> Outcome:
    answers = params.input_responses or {}
    state = json.loads(params.request_state or "{}")
    if "step2" in answers and "name" in state:
        return say(f"{state['name']} likes {given(answers['step2'], 'color')}.")
    if "step1" in answers and state:
        colour = question("Step 2: What is your favorite color?", fields(color="string"))
        return ask(json.dumps({"name": given(answers["step1"], "name")}), step2=colour)
    first = question("Step 1: What is your name?", fields(name="string"))
    return ask(json.dumps({"round": 1}), step1=first)


async def tampered_state(_: Context, params: Params) -> Outcome:
    return say("state-ok") if params.request_state == "sealed" else ask("sealed", confirm=CONFIRM)


async def capabilities(ctx: Context, _: Params) -> Outcome:
    able = ctx.session.client_capabilities or types.ClientCapabilities()
    requests: dict[str, types.InputRequest] = {}
    if able.sampling is not None:
        requests["sample"] = prompt_model("Say hello", 50)
    if able.elicitation is not None:
        requests["ask"] = NAME
    return ask("able", **requests)


async def missing_capability(ctx: Context, _: Params) -> Outcome:
    able = ctx.session.client_capabilities
    if able is None or able.sampling is None:
        need: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
        code = types.MISSING_REQUIRED_CLIENT_CAPABILITY
        raise MCPError(code, "This tool needs a client that can sample.", need)
    return say("sampling is there")


async def elicit_2025(ctx: Context, params: Params) -> Outcome:
    message = str((params.arguments or {}).get("message"))
    return await put_question(ctx, message, fields(response="string"))


async def elicit_defaults(ctx: Context, _: Params) -> Outcome:
    schema = fields(
        name="string", age="integer", score="number", status="string", verified="boolean"
    )
    defaults = {"name": "John Doe", "age": 30, "score": 95.5, "status": "active", "verified": True}
    for name, default in defaults.items():
        schema["properties"][name]["default"] = default
    schema["properties"]["status"]["enum"] = ["active", "inactive", "pending"]
    return await put_question(ctx, "Who are you?", {**schema, "required": []})


async def elicit_enums(ctx: Context, _: Params) -> Outcome:
    plain, worded = ["a", "b"], [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]
    properties: dict[str, Any] = {
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": worded},
        "legacyEnum": {"type": "string", "enum": plain, "enumNames": ["A", "B"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": worded}},
    }
    return await put_question(ctx, "Choose", {"type": "object", "properties": properties})


async def put_question(ctx: Context, message: str, schema: dict[str, Any]) -> Outcome:
    answer = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
    return say(f"{answer.action}: {json.dumps(answer.content)}")


async def sample_2025(ctx: Context, params: Params) -> Outcome:
    text = str((params.arguments or {}).get("prompt"))
    request = prompt_model(text, 100).params
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer = await ctx.session.create_message(  # pyright: ignore[reportDeprecated]
            request.messages, max_tokens=request.max_tokens, related_request_id=ctx.request_id
        )
    return say(f"LLM response: {answer.content.model_dump_json()}")


ROUNDS = {
    "test_input_required_result_elicitation": elicitation,
    "test_input_required_result_sampling": sampling,
    "test_input_required_result_list_roots": list_roots,
    "test_input_required_result_request_state": request_state,
    "test_input_required_result_multiple_inputs": multiple_inputs,
    "test_input_required_result_multi_round": multi_round,
    "test_input_required_result_tampered_state": tampered_state,
    "test_input_required_result_capabilities": capabilities,
    "test_streaming_elicitation": elicitation,
    "test_missing_capability": missing_capability,
    "test_elicitation": elicit_2025,
    "test_elicitation_sep1034_defaults": elicit_defaults,
    "test_elicitation_sep1330_enums": elicit_enums,
    "test_sampling": sample_2025,
}
