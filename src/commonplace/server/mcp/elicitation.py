"""Puts a question to the person at the client, in either protocol era.

In the 2025 era the server sends a request of its own and waits. In the 2026 era a call ends with
the question, and the client makes the same call again with the answer; what ties the two together
is the id of the question, as request state that `RequestStateBoundary` seals and binds to the tool,
its arguments and the caller. Whatever is no clear yes is a no; a question that was dismissed, or
that nobody answered in time, is neither.
"""

import json
from typing import Any, cast

import anyio
import mcp_types as types
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from commonplace.core.text.invisible import visible
from commonplace.vault.permissions.requests import (
    Ask,
    PermissionChoice,
    PermissionQuestion,
    Reply,
    Unanswered,
)

ANSWER_SECONDS_MAX = 600.0
MESSAGE_CHARS_MAX = 8_000
TITLE_CHARS_MAX = 200
_DESCRIPTION_CHARS_MAX = 2_000

Context = ServerRequestContext[Any, Any]

DISPLAY_KEY = "anthropic/permissionDisplay"
"""What a question is called in Claude's programs, where a bare form would show a schema."""

_KEY = "permission"
_CHOICES: dict[str, PermissionChoice] = {
    "once": "once",
    "for this session": "session",
    "always": "always",
    "no": "no",
}
_SESSION = (
    "For this session: this assistant may make this kind of change to any note until it ends."
)
_EACH_TIME = "This is asked each time."


def ask_of(ctx: Context) -> Ask | None:
    """Return how to ask the person at this client, or None if it cannot."""
    if not _can_elicit(ctx):
        return None
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return _ask_later
    return _FormQuestion(ctx).ask


def reply_of(params: types.CallToolRequestParams) -> Reply | None:
    """Return the answer that a call carries to the question it ended with before."""
    if params.request_state is None:
        return None
    try:
        state = cast("object", json.loads(params.request_state))
    except ValueError:
        return None
    question = cast("dict[str, object]", state).get("question") if isinstance(state, dict) else None
    answer = (params.input_responses or {}).get(_KEY)
    return Reply(question, _choice(answer)) if isinstance(question, str) else None


def question_result(unanswered: Unanswered) -> types.InputRequiredResult:
    """End a call with its question."""
    question = unanswered.question
    return types.InputRequiredResult(
        input_requests={_KEY: _request(question)},
        request_state=json.dumps({"question": question.id}),
        _meta={DISPLAY_KEY: _display(question)},
    )


async def titled(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Put a question's title beside the form it belongs to.

    The protocol's own model of such a form has no room for it, so it travels with the result until
    everything else is written.
    """
    result = await call_next(ctx)
    if not isinstance(result, dict) or DISPLAY_KEY not in (result.get("_meta") or {}):
        return result
    meta = dict(result["_meta"])
    display = {DISPLAY_KEY: meta.pop(DISPLAY_KEY)}
    requests = {
        key: {**request, "params": {**request["params"], "_meta": display}}
        for key, request in result["inputRequests"].items()
    }
    return {**result, "_meta": meta, "inputRequests": requests}


async def _ask_later(question: PermissionQuestion) -> PermissionChoice:
    raise Unanswered(question)


class _FormQuestion:
    """Asks by a request to the client, and waits for its answer."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def ask(self, question: PermissionQuestion) -> PermissionChoice:
        with anyio.move_on_after(ANSWER_SECONDS_MAX):
            try:
                answer = await self._ctx.session.send_request(
                    _request(question),
                    types.ElicitResult,
                    metadata=ServerMessageMetadata(related_request_id=self._ctx.request_id),
                )
            except (MCPError, ValidationError):
                return "dismissed"
            return _choice(answer)
        return "dismissed"


def _schema(question: PermissionQuestion) -> types.ElicitRequestedSchema:
    return {
        "type": "object",
        "properties": {
            "allow": {
                "type": "string",
                "title": "Allow it?",
                "description": _meaning(question),
                "enum": [
                    said
                    for said, choice in _CHOICES.items()
                    if choice == "no" or choice in question.choices
                ],
            }
        },
        "required": ["allow"],
    }


def _meaning(question: PermissionQuestion) -> str:
    if "always" not in question.choices:
        return _EACH_TIME
    return f"{_SESSION} Always: {question.reach}."


def _request(question: PermissionQuestion) -> types.ElicitRequest:
    meta = cast("types.RequestParamsMeta", {DISPLAY_KEY: _display(question)})
    return types.ElicitRequest(
        params=types.ElicitRequestFormParams(
            message=_fitting(question.message), requested_schema=_schema(question), _meta=meta
        )
    )


def _display(question: PermissionQuestion) -> dict[str, str]:
    """Word the question for a client that shows permissions in a form of its own.

    It ignores a heading that is too long or holds an invisible character, so neither happens.
    """
    return {
        "title": _line(question.title, TITLE_CHARS_MAX),
        "displayName": "Commonplace",
        "description": _line(question.summary, _DESCRIPTION_CHARS_MAX),
    }


def _line(text: str, chars_max: int) -> str:
    """Write a text on one line, nothing in it hidden, in so many UTF-16 units."""
    line = visible(" ".join(text.split()))
    if len(line.encode("utf-16-le")) <= 2 * chars_max:
        return line
    return line.encode("utf-16-le")[: 2 * (chars_max - 2)].decode("utf-16-le", "ignore") + " …"


def _choice(answer: object) -> PermissionChoice:
    if not isinstance(answer, types.ElicitResult) or answer.action == "cancel":
        return "dismissed"
    if answer.action != "accept":
        return "no"
    return _CHOICES.get(str((answer.content or {}).get("allow")), "no")


def _can_elicit(ctx: Context) -> bool:
    """Say whether the client shows forms; before there were modes, forms were all there was."""
    capabilities = ctx.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def _fitting(message: str) -> str:
    if len(message) <= MESSAGE_CHARS_MAX:
        return message
    return f"{message[:MESSAGE_CHARS_MAX]}\n… (the rest is not shown)"
