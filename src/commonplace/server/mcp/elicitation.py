"""Puts a question to the person at the client, in either protocol era.

In the 2025 era the server sends a request of its own and waits. In the 2026 era a call ends with
the question, and the client makes the same call again with the answer; what ties the two together
is the id of the question, as request state that `RequestStateBoundary` seals and binds to the tool,
its arguments and the caller. Whatever is no clear yes, an answer too late included, is a no.
"""

import json
from typing import Any, cast

import anyio
import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from commonplace.vault.wishes import Ask, Choice, Question, Reply, Unanswered

ANSWER_SECONDS_MAX = 600.0
MESSAGE_CHARS_MAX = 8_000

Context = ServerRequestContext[Any, Any]

_KEY = "permission"
_CHOICES: dict[str, Choice] = {
    "once": "once",
    "for this session": "session",
    "always": "always",
    "no": "no",
}
_SCHEMA: types.ElicitRequestedSchema = {
    "type": "object",
    "properties": {
        "allow": {
            "type": "string",
            "title": "Allow it?",
            "description": "For this session, and always, mean this kind of change to any note.",
            "enum": list(_CHOICES),
        }
    },
    "required": ["allow"],
}


def ask_of(ctx: Context) -> Ask | None:
    """Return how to ask the person at this client, or None if it cannot."""
    if not _can_elicit(ctx):
        return None
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return _ask_later
    return _Waiting(ctx).ask


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
    params = types.ElicitRequestFormParams(
        message=_fitting(question.message), requested_schema=_SCHEMA
    )
    return types.InputRequiredResult(
        input_requests={_KEY: types.ElicitRequest(params=params)},
        request_state=json.dumps({"question": question.id}),
    )


async def _ask_later(question: Question) -> Choice:
    raise Unanswered(question)


class _Waiting:
    """Asks by a request to the client, and waits for its answer."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def ask(self, question: Question) -> Choice:
        with anyio.move_on_after(ANSWER_SECONDS_MAX):
            try:
                answer = await self._ctx.session.elicit_form(
                    _fitting(question.message), _SCHEMA, self._ctx.request_id
                )
            except (MCPError, ValidationError):
                return "no"
            return _choice(answer)
        return "no"


def _choice(answer: object) -> Choice:
    if not isinstance(answer, types.ElicitResult) or answer.action != "accept":
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
