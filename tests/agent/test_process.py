"""An agent's process: started with a clean environment, and ended with all that it started."""

import os
import sys
from pathlib import Path

import pytest

from commonplace.agent.process import STDERR_CHARS_MAX, AgentProcess, clean_environment
from commonplace.agent.settings import AgentCommand
from commonplace.errors import Unavailable
from tests.wait import eventually

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def running(code: str, **env: str) -> AgentCommand:
    return AgentCommand("mine", (sys.executable, "-c", code), env)


def test_an_agent_gets_the_usual_few_and_what_its_entry_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("COMMONPLACE_TOKEN", "AWS_SECRET", "PYTHONPATH"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("LC_TIME", "de")
    found = clean_environment({"KEY": "x", "HOME": "/mine"})
    assert "secret" not in found.values()
    assert (found["LC_TIME"], found["KEY"], found["HOME"]) == ("de", "x", "/mine")
    assert found["PATH"] == os.environ["PATH"]


async def test_it_works_in_its_folder_and_its_last_complaint_is_kept(tmp_path: Path) -> None:
    code = "import os, sys; print(os.getcwd()); sys.stderr.write('x' * 9_000 + ' \\xff end\\n')"
    process = await AgentProcess.start(running(code), tmp_path)
    assert (await process.stdout.read()).decode().strip() == str(tmp_path.resolve())
    assert await process.wait() == 0
    await eventually(lambda: process.complaint.endswith("end"))
    assert len(process.complaint) <= STDERR_CHARS_MAX
    await process.end()


@pytest.mark.parametrize("words", [("no such program",), ("/",)])
async def test_one_that_cannot_be_started_is_told(tmp_path: Path, words: tuple[str, ...]) -> None:
    with pytest.raises(Unavailable, match="The agent mine cannot be started"):
        await AgentProcess.start(AgentCommand("mine", words), tmp_path)


_FAMILY = """
import os, sys, time
if (child := os.fork()):
    print(child, flush=True)
time.sleep(600)
"""


def _is_gone(pid: int) -> bool:
    """Tell whether a process has ended, whoever has to take note of it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
async def test_it_ends_with_everything_that_it_started(tmp_path: Path) -> None:
    process = await AgentProcess.start(running(_FAMILY), tmp_path)
    child = int(await process.stdout.readline())
    assert not _is_gone(child)
    await process.end()
    assert process.returncode is not None
    await eventually(lambda: _is_gone(child))
    await process.end()  # a second time is no fault
