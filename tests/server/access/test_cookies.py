"""The cookie that stands for a token: signed, of one server, and over when it is over."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.types import Scope

from commonplace.server.access.cookies import COOKIE_CHARS_MAX, Sessions
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.permissions.tokens import Token, Tokens
from tests.clock import Clock

pytestmark = pytest.mark.anyio

DAY = 24 * 3600


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def tokens(tmp_path: Path, clock: Clock) -> AsyncGenerator[Tokens]:
    async with SqliteLog(tmp_path / "live.db") as log:
        yield Tokens(log, clock)


@pytest.fixture
async def token(tokens: Tokens, clock: Clock) -> Token:
    return (await tokens.create("Ada", "write", clock.now + 90 * DAY))[0]


@pytest.fixture
def sessions(tokens: Tokens, clock: Clock) -> Sessions:
    return Sessions(tokens, b"k" * 32, clock)


def signed_in(sessions: Sessions, token: Token, origin: str = "") -> str:
    """Sign in, and give what the browser is told to keep."""
    headers = [(b"origin", origin.encode())] if origin else []
    answer = sessions.begin(Request({"type": "http", "headers": headers}), token)
    return answer.headers["set-cookie"]


def asking(*cookies: str) -> Scope:
    return {"type": "http", "headers": [(b"cookie", each.encode("latin-1")) for each in cookies]}


async def test_a_cookie_stands_for_its_token_for_thirty_days(
    sessions: Sessions, token: Token, clock: Clock
) -> None:
    kept = signed_in(sessions, token).partition(";")[0]
    assert sessions.token(asking("other=1", f"x=y; {kept}")) == token
    clock.now += 30 * DAY - 1
    assert sessions.token(asking(kept)) == token
    clock.now += 1
    assert sessions.token(asking(kept)) is None


async def test_no_script_reads_it_and_no_other_site_sends_it(
    sessions: Sessions, token: Token
) -> None:
    plain, https = signed_in(sessions, token), signed_in(sessions, token, "https://notes.example")
    for kept in (plain, https):
        assert {"HttpOnly", "SameSite=strict", f"Max-Age={30 * DAY}"} <= {*kept.split("; ")}
    assert ("Secure" in plain, "Secure" in https) == (False, True)


async def test_it_ends_with_its_token(
    sessions: Sessions, tokens: Tokens, token: Token, clock: Clock
) -> None:
    short, _ = await tokens.create("Ben", "read", clock.now + 60)
    assert "Max-Age=60;" in signed_in(sessions, short)
    kept = signed_in(sessions, token).partition(";")[0]
    await tokens.revoke(token.id)
    assert sessions.token(asking(kept)) is None


async def test_what_was_changed_stands_for_nobody(
    sessions: Sessions, tokens: Tokens, token: Token, clock: Clock
) -> None:
    name, _, value = signed_in(sessions, token).partition(";")[0].partition("=")
    body, _, seal = value.rpartition(".")
    id, _, until = body.partition(".")
    other = signed_in(Sessions(tokens, b"o" * 32, clock), token).partition(";")[0]
    for forged in (
        f"{id}.{int(until) + 1}.{seal}",
        f"9{id}.{until}.{seal}",
        body,
        f"{body}.",
        f".{seal}",
        "",
        "...",
        f"{value}\xe4",
        f"{value};{'x' * COOKIE_CHARS_MAX}",
    ):
        assert sessions.token(asking(f"{name}={forged}")) is None, forged
    assert sessions.token(asking(other)) is None
    assert sessions.token(asking(f"{name}={other.partition('=')[2]}")) is None
    assert sessions.token(asking(f"{name}={value}")) == token  # the control


async def test_signing_out_takes_it_away(sessions: Sessions) -> None:
    gone = sessions.end().headers["set-cookie"]
    assert gone.startswith(f'{sessions.cookie}="";')
    assert "Max-Age=0" in gone
