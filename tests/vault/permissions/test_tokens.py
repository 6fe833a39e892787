"""Access tokens: what is kept of them, who is let in, and until when."""

import hashlib
import time
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import anyio
import pytest
from hypothesis import given, strategies as st

from commonplace.core.scopes import SCOPES, Scope, allows
from commonplace.errors import BadArgument, Conflict, NotFound, Unavailable
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.permissions import tokens as module
from commonplace.vault.permissions.tokens import USED_SECONDS, Tokens, expiry
from tests.wait import PATIENCE

pytestmark = pytest.mark.anyio

DAY = 86_400.0
NOW = 1_790_000_000.0


class Clock:
    now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def log(tmp_path: Path) -> AsyncGenerator[SqliteLog]:
    async with SqliteLog(tmp_path / "live.db") as log:
        yield log


@pytest.fixture
def tokens(log: SqliteLog, clock: Clock) -> Tokens:
    return Tokens(log, clock)


async def test_a_secret_is_known_again_and_by_the_next_process_too(
    tokens: Tokens, log: SqliteLog, clock: Clock
):
    made, secret = await tokens.create("Ada", "write", NOW + DAY)
    again = Tokens(log, clock)
    await again.load()
    for store in (tokens, again):
        found = await store.verify(secret)
        assert found is not None
        assert (found.id, found.name, found.scope) == (made.id, "Ada", "write")


async def test_no_file_of_the_state_holds_a_secret(tokens: Tokens, tmp_path: Path):
    made, secret = await tokens.create("Ada")
    await tokens.verify(secret)
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    random = secret.rpartition(made.id)[2].strip("_")
    assert random.encode() not in kept
    assert hashlib.sha256(secret.encode()).hexdigest().encode() in kept
    assert random not in repr(tokens.listed())


async def test_a_secret_has_256_random_bits_and_no_two_are_alike(tokens: Tokens):
    made = [await tokens.create(f"t{n}") for n in range(20)]
    tails = {secret.split("_", 2)[2] for _, secret in made}
    assert len(tails) == 20
    assert all(len(tail) == 43 for tail in tails)


SPOILT: list[Callable[[str], str]] = [
    lambda s: s[:-1],
    lambda s: s + "A",
    lambda s: s.upper(),
    lambda s: s.removeprefix("cp_"),
    lambda s: "cp_00000000" + s[11:],
    lambda s: s[:11],
    lambda s: " " + s,
    lambda s: s + "\ud800",
    lambda s: s + "x" * 100_000,
    lambda _: "",
    lambda _: "cp_",
]


@pytest.mark.parametrize("spoil", SPOILT)
async def test_anything_but_the_secret_lets_nobody_in(tokens: Tokens, spoil: Callable[[str], str]):
    _, secret = await tokens.create("Ada")
    assert await tokens.verify(spoil(secret)) is None
    assert await tokens.verify(secret) is not None


async def test_a_token_ends_when_it_expires(tokens: Tokens, clock: Clock):
    made, secret = await tokens.create("Ada", expires=NOW + DAY)
    clock.now = NOW + DAY - 1
    assert await tokens.verify(secret) is not None
    assert tokens.any
    clock.now = NOW + DAY
    assert await tokens.verify(secret) is None
    assert tokens.get(made.id) is None
    assert not tokens.any
    assert [one.state(clock.now) for one in tokens.listed()] == ["expired"]


async def test_a_revoked_token_lets_nobody_in_and_stays_listed(tokens: Tokens, log: SqliteLog):
    made, secret = await tokens.create("Ada")
    ended: list[str] = []
    with tokens.watch(made, lambda: ended.append("first")):
        await tokens.revoke(made.id)
    assert ended == ["first"]
    await tokens.revoke(f"cp_{made.id}")
    assert ended == ["first"]
    again = Tokens(log)
    await again.load()
    assert await tokens.verify(secret) is await again.verify(secret) is None
    assert [one.state(NOW) for one in again.listed()] == ["revoked"]
    with pytest.raises(NotFound, match="token list"):
        await tokens.revoke("nothing")


async def test_whoever_is_in_is_told_when_the_token_expires(log: SqliteLog):
    tokens = Tokens(log)
    made, _ = await tokens.create("Ada", expires=time.time() + 0.05)
    over = anyio.Event()
    with tokens.watch(made, over.set), anyio.fail_after(PATIENCE):
        await over.wait()


async def test_the_time_of_use_is_coarse_and_seldom_written(tokens: Tokens, clock: Clock):
    _, secret = await tokens.create("Ada")
    await tokens.verify(secret)
    clock.now += USED_SECONDS / 2
    await tokens.verify(secret)
    assert tokens.listed()[0].used == NOW
    clock.now += USED_SECONDS
    await tokens.verify(secret)
    assert tokens.listed()[0].used == clock.now


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 65, "\u202eevil"])
async def test_a_name_is_one_that_people_can_read(tokens: Tokens, name: str):
    with pytest.raises(BadArgument, match="name"):
        await tokens.create(name)


async def test_a_name_is_given_once_until_its_token_has_ended(tokens: Tokens):
    made, _ = await tokens.create("Ada")
    with pytest.raises(Conflict, match=f"token revoke {made.id}"):
        await tokens.create("ada")
    await tokens.revoke(made.id)
    await tokens.create("ada")


async def test_there_is_an_end_to_how_many_there_are(
    tokens: Tokens, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "TOKENS_MAX", 2)
    first, _ = await tokens.create("a")
    await tokens.create("b")
    with pytest.raises(Unavailable, match="Revoke"):
        await tokens.create("c")
    await tokens.revoke(first.id)
    await tokens.create("c")
    assert [one.name for one in tokens.listed()] == ["b", "c"]


async def test_an_unknown_scope_is_refused(tokens: Tokens):
    with pytest.raises(BadArgument, match="read, suggest, write, approve"):
        await tokens.create("Ada", "admin")  # pyright: ignore[reportArgumentType]


@given(st.sampled_from(SCOPES), st.sampled_from(SCOPES))
def test_a_scope_allows_itself_and_what_is_below(one: Scope, other: Scope):
    assert allows(one, other) == (SCOPES.index(one) >= SCOPES.index(other))
    assert allows("approve", other)
    assert allows(one, "read")


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("12h", NOW + DAY / 2),
        ("30d", NOW + 30 * DAY),
        ("2w", NOW + 14 * DAY),
        ("1y", NOW + 365 * DAY),
        ("2027-01-31", 1_801_440_000.0),
        ("never", None),
    ],
)
def test_an_expiry_is_a_span_a_date_or_never(text: str, when: float | None):
    assert expiry(text, NOW) == when


@pytest.mark.parametrize(
    "text", ["", "d", "0d", "-1d", "30", "1.5d", "soon", "2020-01-01", "9999-12-31", "٣d", "1" * 99]
)
def test_an_expiry_that_cannot_be_is_refused(text: str):
    with pytest.raises(BadArgument):
        expiry(text, NOW)


@given(st.text(max_size=12))
def test_no_text_breaks_the_expiry(text: str):
    try:
        when = expiry(text, NOW)
    except BadArgument:
        return
    assert when is None or when > NOW
