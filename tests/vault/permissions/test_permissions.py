import pytest

from commonplace.errors import BadArgument, CommonplaceError, Forbidden
from commonplace.vault.afterwards import Afterwards
from commonplace.vault.permissions import Memory, Permissions
from commonplace.vault.policies import Policies
from commonplace.vault.settings import parse_config, policies_of, rule_parts
from commonplace.vault.sqlite_log import SqliteLog
from commonplace.vault.wishes import Asker, Choice, Json, Question, Wish
from tests.vault.test_approvals import Clock, log

pytestmark = pytest.mark.anyio

__all__ = ["log"]


@pytest.mark.parametrize(
    ("policies", "operation", "path", "actor", "policy"),
    [
        ({}, "create", "a.md", "claude", "ask"),
        ({"create": "allow"}, "create", "a.md", "claude", "allow"),
        ({"create": "allow"}, "delete", "a.md", "claude", "ask"),
        ({"*": "allow", "delete": "deny"}, "delete", "a.md", "claude", "deny"),
        ({"*": "allow", "update": "ask"}, "update", "a.md", "claude", "ask"),
        ({"*": "allow", "update": "suggest"}, "update", "a.md", "claude", "suggest"),
        ({"*": "suggest", "update": "ask"}, "update", "a.md", "claude", "ask"),
        ({"update:Journal/**": "deny"}, "update", "Journal/2026/a.md", "claude", "deny"),
        ({"update:Journal/**": "deny"}, "update", "Notes/Journal.md", "claude", "ask"),
        ({"update:Drafts/**": "allow"}, "update", "Drafts/a.md", "claude", "allow"),
        ({"*@cursor": "deny", "*": "allow"}, "update", "a.md", "Cursor", "deny"),
        ({"*@cursor": "deny", "*": "allow"}, "update", "a.md", "claude", "allow"),
        ({"update:a@b/**@*": "deny"}, "update", "a@b/c.md", "claude", "deny"),
        ({"*:Me/**@claude": "allow"}, "rename", "Me/a.md", "claude", "allow"),
        ({"*:Me/**@claude": "allow"}, "rename", "Me/a.md", "cursor", "ask"),
    ],
)
def test_the_strictest_policy_that_matches_counts(
    policies: dict[str, str], operation: str, path: str, actor: str, policy: str
):
    assert Policies(policies).of(operation, path, actor) == policy  # pyright: ignore[reportArgumentType]


def test_rules_are_read_from_flags_and_from_the_file_alike():
    assert rule_parts("update:Drafts/**@claude") == ("update", "Drafts/**", "claude")
    assert rule_parts("*@cursor") == ("*", "", "cursor")
    assert rule_parts("delete") == ("delete", "", "")
    given = [("update:Drafts/**", "allow"), ("*@cursor", "deny")]
    assert policies_of(given, "--policy") == dict(given)
    text = '[policy]\n"update:Drafts/**" = "allow"\n"*@cursor" = "deny"\n'
    assert parse_config(text).policies == dict(given)
    for wrong in ("move", "move:a/**", ":a/**", ""):
        with pytest.raises(BadArgument, match="is not one of create"):
            policies_of([(wrong, "deny")], "--policy")
    with pytest.raises(BadArgument, match="update:a"):
        policies_of([("update:" + "a" * 2000, "deny")], "--policy")


class Doing:
    """Makes changes by writing them down."""

    def __init__(self) -> None:
        self.done: list[tuple[Json, bool]] = []
        self.fault: CommonplaceError | None = None

    async def perform(self, change: Json, by: Asker, *, suggest: bool) -> Json:
        if self.fault:
            raise self.fault
        self.done.append((change, suggest))
        return {"done": len(self.done)}


async def wish() -> Wish:
    return Wish("update", "a.md", "kind", {"text": "x"}, "update a.md")


class World:
    def __init__(self, log: SqliteLog, **policies: str) -> None:
        self.clock, self.doing = Clock(), Doing()
        self.permissions = Permissions(Memory(log, Afterwards(log), self.clock), policies)
        self.permissions.teach("kind", self.doing.perform)
        self.permissions.teach("whole", self.doing.perform, suggests=False)

    async def ask(self, asker: Asker, **given: object) -> Json:
        return await self.permissions.ask("tool", given, asker, wish)


def saying(*choices: Choice) -> Asker:
    left = list(choices)

    async def ask(_: Question) -> Choice:
        return left.pop(0)

    return Asker("session:1", "claude", ask)


async def test_allow_and_suggest_ask_nobody(log: SqliteLog):
    world = World(log, update="allow")
    assert await world.ask(saying()) == {"done": 1}
    world = World(log, update="suggest")
    await world.ask(saying())
    assert world.doing.done == [({"text": "x"}, True)]


async def test_what_cannot_be_suggested_is_asked(log: SqliteLog):
    world = World(log, update="suggest")

    async def whole() -> Wish:
        return Wish("update", "a.md", "whole", {}, "do it")

    with pytest.raises(Forbidden, match=r"^User denied permission$"):
        await world.permissions.ask("tool", {}, saying("no"), whole)
    assert world.doing.done == []


async def test_an_answer_for_a_session_ends_with_it_and_after_hours(log: SqliteLog):
    world = World(log)
    await world.ask(saying("session"), n=1)
    await world.ask(saying(), n=2)
    other = saying("no")
    with pytest.raises(Forbidden):
        await world.ask(Asker("session:2", "claude", other.ask), n=3)
    world.clock.now += 13 * 3600
    with pytest.raises(Forbidden):
        await world.ask(saying("no"), n=4)
    assert len(world.doing.done) == 2


async def test_an_answer_whose_change_failed_is_not_remembered(log: SqliteLog):
    world = World(log)
    world.doing.fault = BadArgument("broken")
    with pytest.raises(BadArgument):
        await world.ask(saying("always"))
    assert await world.permissions.remembered() == []
    assert [write.outcome for write in world.permissions.audit.latest(2)] == ["failed: broken"]


async def test_front_ends_share_answers_but_not_policies(log: SqliteLog):
    world = World(log)
    strict = world.permissions.under({"update": "deny"})
    await world.ask(saying("always"))
    with pytest.raises(Forbidden, match="settings allow no update"):
        await strict.ask("tool", {}, saying("once"), wish)
    assert await strict.remembered() == [("update", "claude")]
