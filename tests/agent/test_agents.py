"""What became of a turn's change set goes back to the agent as the next prompt."""

import pytest

from commonplace.core.text.edits import Edit
from commonplace.errors import Conflict, NotFound
from commonplace.vault.sets.decide import Chosen
from tests.agent.conftest import Stage
from tests.agent.test_conversation import asked

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


async def test_verdicts_and_comments_are_words_for_the_next_prompt(stage: Stage):
    for name in ("A", "B"):
        (stage.notes / f"{name}.md").write_text(f"{name} has a table.\n")
    stage.plays(
        [["save", "A.md", "A has a list.\n"], ["save", "B.md", "B has a table and more.\n"]],
        [["say", "I see."]],
    )
    async with stage.opened() as (agents, served):
        sets = served.vault.sets
        talk, other = await agents.begin("stand-in"), await agents.begin("stand-in")
        number = (await asked(talk, "Tidy up"))["set"]
        with pytest.raises(Conflict, match="decided"):
            await agents.verdicts(talk.record.id, number)
        one = next(each for each in await served.vault.pending.listed() if each.path == "A.md")
        chosen = Chosen({"A.md": [one.id]})
        await sets.decisions.decide(number, "reject", chosen, "ada", "keep the table")
        told = await agents.verdicts(talk.record.id, number)
        assert told.splitlines() == [
            f'Set {number} Tidy up: 1 rejected, 1 waiting ("keep the table").',
            '- rejected in A.md: "table" to "list" (keep the table)',
        ]
        with pytest.raises(NotFound):
            await agents.verdicts(other.record.id, number)
        other_one = next(each for each in await served.vault.pending.listed())
        await sets.decisions.decide(number, "reject", Chosen({"B.md": [other_one.id]}), "ada")
        told = await agents.verdicts(talk.record.id, number)
        assert told.splitlines()[-1] == '- rejected in B.md: " and more" inserted'
        remark = [Edit(0, 0, "{>>It is easier to read<<}")]
        await served.vault.notes.edit("A.md", lambda _: remark, "person:ada")
        told = await agents.verdicts(talk.record.id, number)
        assert 'Open comments: A.md L1 "It is easier to read"' in told
        await asked(talk, told)
        [_, prompted] = [each["prompt"] for each in stage.log if "prompt" in each]
        assert prompted[0]["text"] == told


async def test_an_agent_whose_token_ends_soon_is_started_anew(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
):
    stage.plays([["say", "one"]], [["say", "two"]], [["say", "three"]])
    async with stage.opened() as (agents, served):
        talk = await agents.begin("stand-in")
        monkeypatch.setattr("commonplace.agent.vault_workspace.TOKEN_SECONDS_MAX", 60.0)
        await asked(talk)
        monkeypatch.undo()
        for _ in range(2):
            assert (await asked(talk))["reason"] == "end_turn"
        assert [each["load"] for each in stage.log if "load" in each] == [talk.record.session]
        assert served.vault.tokens.get(talk.record.token) is not None


async def test_an_agent_is_the_same_one_after_a_restart(stage: Stage):
    (stage.notes / "A.md").write_text("in may\n")
    stage.plays([["save", "A.md", "in June\n"]], [["save", "A.md", "in July\n"]])
    async with stage.opened() as (agents, served):
        talk = await agents.begin("stand-in")
        await asked(talk)
        first = served.vault.tokens.get(talk.record.token)
        assert first is not None
    async with stage.opened() as (agents, served):
        tokens = served.vault.tokens
        assert not tokens.any  # nobody comes in while it rests
        # Another conversation takes the name meanwhile.
        assert (await tokens.create("stand-in", "suggest"))[0].name == "stand-in"
        talk = await agents.get(talk.record.id)
        await asked(talk)
        second = tokens.get(talk.record.token)
        assert second is not None
        assert (second.id, second.name) == (first.id, "stand-in 2")
        assert second.digest != first.digest
        [one] = await served.vault.pending.listed()
        assert (one.old, one.new) == ("may", "July")
        await agents.delete(talk.record.id)
        assert tokens.get(first.id) is None
