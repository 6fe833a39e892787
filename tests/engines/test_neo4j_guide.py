"""The guide as a mirror: twenty counts agree, and the questions in its own note are answered."""

import re
import shutil
from pathlib import Path

import anyio
import pytest

from tests.engines.conftest import Ask
from tests.engines.mirror_counts import counts, up_to_date
from tests.engines.neo4j_server import Neo4jServer
from tests.engines.test_neo4j_mirror import mirrored

pytestmark = pytest.mark.anyio

DEMO = Path(__file__).parents[2] / "demo"


async def test_the_guide_is_mirrored_and_its_questions_are_answered(
    tmp_path: Path, server: Neo4jServer, ask: Ask
) -> None:
    shutil.copytree(DEMO, tmp_path / "vault")
    block = re.search(r"```cypher\n(.*?)```", (DEMO / "Guide" / "Neo4j.md").read_text(), re.DOTALL)
    assert block is not None
    questions = [each.strip() for each in block[1].split(";") if each.strip()]
    assert len(questions) == 5
    async with mirrored(tmp_path, server) as vault:
        with anyio.fail_after(120):
            await up_to_date(vault, ask)
        rows = await counts(vault, ask)
        assert len(rows) == 20
        assert [row for row in rows if row[1] != row[2]] == []
        answers = [await ask(question) for question in questions]
        assert [bool(answer) for answer in answers] == [True] * 5
