import pytest

from commonplace.errors import BadArgument, CommonplaceError, Forbidden, NotFound
from commonplace.vault.log.late_records import Afterwards
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.permissions.grants import EVERY_PROGRAM
from commonplace.vault.permissions.permissions import Memory, Permissions
from commonplace.vault.permissions.policies import Policies
from commonplace.vault.permissions.requests import (
    Asker,
    Json,
    PermissionChoice,
    PermissionQuestion,
    Wish,
)
from commonplace.vault.settings import policies_of, rule_parts
from commonplace.vault.settings.config_file import parse_config
from tests.vault.permissions.test_approvals import Clock, log

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


def saying(*choices: PermissionChoice) -> Asker:
    left = list(choices)

    async def ask(_: PermissionQuestion) -> PermissionChoice:
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
    assert await allowed(strict) == [("update", EVERY_PROGRAM)]


async def allowed(permissions: Permissions) -> list[tuple[str, str]]:
    return [(grant.operation, grant.who) for grant in await permissions.remembered()]


def calling(id: str, name: str, choice: PermissionChoice, reaches: list[str]) -> Asker:
    async def ask(question: PermissionQuestion) -> PermissionChoice:
        reaches.append(question.reach)
        return choice

    return Asker(id, name, ask)


async def test_always_is_tied_to_the_token_that_it_was_said_to(log: SqliteLog):
    world, reaches = World(log), list[str]()
    await world.ask(calling("token:1", "claude", "always", reaches), n=1)
    assert "the access token 'claude'" in reaches[0]
    assert await allowed(world.permissions) == [("update", "claude")]
    await world.ask(calling("token:1", "renamed", "no", reaches), n=2)
    for id in ("token:2", "session:1", "process:1"):
        with pytest.raises(Forbidden):
            await world.ask(calling(id, "claude", "no", reaches), n=3)
    assert len(reaches) == 4


async def test_always_without_a_token_is_for_every_program_and_says_so(log: SqliteLog):
    world, reaches = World(log), list[str]()
    await world.ask(calling("session:1", "claude", "always", reaches), n=1)
    assert "every program on this machine" in reaches[0]
    await world.ask(calling("process:9", "evil", "no", reaches), n=2)
    with pytest.raises(Forbidden):
        await world.ask(calling("token:1", "claude", "no", reaches), n=3)
    assert len(reaches) == 2


async def test_always_of_an_earlier_version_by_name_alone_no_longer_counts(log: SqliteLog):
    world, reaches = World(log), list[str]()
    await log.put_record("always", "update claude", "{}")
    with pytest.raises(Forbidden):
        await world.ask(calling("session:1", "claude", "no", reaches))
    assert await world.permissions.remembered() == []
    await world.permissions.forget_remembered()
    assert await log.records("always") == {}


async def test_what_is_always_allowed_says_all_of_it_and_is_revoked_by_itself(log: SqliteLog):
    world, reaches = World(log), list[str]()
    await world.ask(calling("token:1", "claude", "always", reaches), n=1)
    await world.ask(calling("session:1", "cursor", "always", reaches), n=2)
    assert reaches == [
        "the access token 'claude' may change any note without asking",
        f"{EVERY_PROGRAM} may change any note without asking",
    ]
    first, second = await world.permissions.remembered()
    assert {first.meaning, second.meaning} == {
        "claude may change any note without asking",
        f"{EVERY_PROGRAM} may change any note without asking",
    }
    mine = next(grant for grant in (first, second) if grant.who == "claude")
    await world.permissions.revoke(mine.key)
    assert await allowed(world.permissions) == [("update", EVERY_PROGRAM)]
    with pytest.raises(Forbidden):
        await world.ask(calling("token:1", "claude", "no", reaches), n=3)
    with pytest.raises(NotFound):
        await world.permissions.revoke(mine.key)


@pytest.mark.parametrize("choice", ["session", "always"])
async def test_no_answer_about_one_deletion_lets_another_note_go(
    log: SqliteLog, choice: PermissionChoice
):
    permissions, questions = World(log).permissions, list[PermissionQuestion]()

    async def ask(question: PermissionQuestion) -> PermissionChoice:
        questions.append(question)
        return choice

    async def deletion() -> Wish:
        return Wish("delete", f"{len(questions)}.md", "kind", {}, "delete it")

    for number in range(2):
        await permissions.ask("tool", {"n": number}, Asker("token:1", "claude", ask), deletion)
    assert [question.choices for question in questions] == [("once",), ("once",)]
    assert [question.reach for question in questions] == ["", ""]
    assert await permissions.remembered() == []
