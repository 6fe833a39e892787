"""The example agents of the protocol's own package, in processes of their own, with our client."""

import json
import sys
from pathlib import Path

import pytest

from commonplace.agent.events import Prompt
from tests.agent.conftest import Stage
from tests.agent.examples import examples
from tests.agent.test_conversation import asked, entries

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


def name_examples(stage: Stage) -> None:
    found = json.dumps(":".join(path for path in sys.path if path))
    stage.personal.write_text(
        "".join(
            f"[agents.{name}]\ncommand = {json.dumps([sys.executable, str(examples() / file)])}\n"
            f"env = {{ PYTHONPATH = {found} }}\n"
            for name, file in (("example", "agent.py"), ("echo", "echo_agent.py"))
        )
    )


async def test_the_example_agents_are_asked_and_asked_again(stage: Stage):
    """They repeat what they are sent: the prompt with its note and its selection."""
    name_examples(stage)
    (stage.notes / "A.md").write_text("one\n")
    async with stage.opened() as (agents, served):
        for name, before in (("example", "Client sent:"), ("echo", "")):
            talk = await agents.begin(name)
            for words in ("Tidy up", "And again"):
                done = await asked(talk, words, notes=("A.md",), selection="one")
                assert (done["reason"], done["set"]) == ("end_turn", None), talk.record.entries
            [first, second] = [one["text"] for one in entries(talk, "said")]
            assert first.startswith(f"{before}Tidy up")
            assert second.startswith(f"{before}And again")
            assert first.endswith("The person has selected this:\n\none")
            copy = Path(stage.folder / "state/agents" / talk.record.id / "notes/A.md")
            assert (copy.as_uri() in first) == (name == "example")
            assert talk.about["modes"] == {}
        # The echo never says that it takes a session up again: it is given a new one.
        talk = await agents.get(talk.record.id)
        session = talk.record.session
        await talk.close()
        talk.ask(Prompt("Once more"))
        await talk.finished()
        assert talk.record.session != session
        assert entries(talk, "said")[-1]["text"] == "Once more"
        assert await served.vault.pending.listed() == []
