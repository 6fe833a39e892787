"""A vault, and an agent that plays a script."""

import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from commonplace.agent.agents import Agents
from commonplace.server.composition import Served, compose
from commonplace.vault.settings import Root, Settings

AGENT = Path(__file__).with_name("scripted_agent.py")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Stage:
    """A vault in a folder, a script, and the settings that name the agent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes = folder / "vault"
        self.notes.mkdir()
        self.script = folder / "script.json"
        self.personal = folder / "settings.toml"
        command = json.dumps([sys.executable, str(AGENT), str(self.script)])
        found = json.dumps(":".join(path for path in sys.path if path))
        self.personal.write_text(
            f"[agents.stand-in]\ncommand = {command}\nenv = {{ PYTHONPATH = {found} }}\n"
        )

    def plays(self, *turns: Any) -> None:
        self.script.write_text(json.dumps(turns))

    @property
    def log(self) -> list[dict[str, Any]]:
        file = Path(f"{self.script}.log")
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def results(self, action: str) -> list[Any]:
        return [each["result"] for each in self.log if each.get("did") == action]

    @property
    def settings(self) -> Settings:
        root = Root("vault", self.notes)
        return Settings((root,), self.folder / "state", personal=self.personal)

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[tuple[Agents, Served]]:
        async with compose(self.settings) as served:
            yield served.agents, served


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)
