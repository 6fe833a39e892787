"""The guide tells the truth: every command in it runs, and every setting in it is one."""

import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import click
import pytest

from commonplace.agent.settings import parse_settings
from commonplace.cli import group
from commonplace.cli.group import COMMANDS, root
from commonplace.cli.options import Flags, settle
from tests.distribution.guide import blocks, fits_json, prose_commands, shell_lines
from tests.distribution.test_guide import assistant, copied
from tests.server.processes import Process
from tests.wait import until

# Those that back up and restore are run where there is something to: `test_guide_backup`.
BACKING_UP = {"cp", "mkdir", "pg_dump", "pg_restore", "sqlite3", "tar"}
OTHER_PROGRAMS = {"claude", "pip", "make", "export", "openssl", "systemctl"} | BACKING_UP
NOT_RUN = {
    "checkout https://": "takes a server elsewhere",
    "import": "takes a database",
    "model install": "fetches 84 MB",
    "model status": "tells by its exit code that it is not installed here",
    "serve": "goes on until it is stopped",
}
PERSONAL = "[agents."  # begins a table of the person's own settings, which are not a vault's
COMMONPLACE = (sys.executable, "-m", "commonplace")


@dataclass(frozen=True, slots=True)
class Done:
    """What a command came to."""

    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the home of somebody whose notes are the guide."""
    copied(tmp_path / "Notes")
    for name, folder in (("HOME", ""), ("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config")):
        monkeypatch.setenv(name, str(tmp_path / folder))
    monkeypatch.setenv("COMMONPLACE_VAULT", str(tmp_path / "Notes"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(os.path.abspath, sys.path)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*words: str) -> Done:
        if words[0] == "mcp":
            ended = subprocess.run(
                [*COMMONPLACE, *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            return Done(ended.returncode, ended.stdout, ended.stderr)
        monkeypatch.setattr(sys, "stdin", io.StringIO("y\n" * 20))
        capsys.readouterr()
        code = group.run(words)
        shown = capsys.readouterr()
        return Done(code, shown.out, shown.err)

    return command


NOTE = "Sandbox/Garden plan.md"
EDITS = {"peas": "sugar peas", "cut down": "pruned", "a new blade": "a sharp blade"}


def visit(state: Path) -> None:
    """Let an assistant suggest changes, and ask to create a note."""

    async def suggest() -> None:
        async with assistant(Path("Notes"), state, allowed=False) as client:
            await client.call_tool("read", {"file_path": NOTE})
            for old, new in EDITS.items():
                edit = {"file_path": NOTE, "old_string": old, "new_string": new}
                assert not (await client.call_tool("edit", edit)).is_error
            seeds = {"path": "Sandbox/Seeds.md", "content": "# Seeds\n"}
            assert (await client.call_tool("create_note", seeds)).is_error

    anyio.run(suggest)


def options_of(command: click.Command) -> list[str]:
    return [flag for one in command.params for flag in (*one.opts, *one.secondary_opts)]


def check_words(words: list[str]) -> None:
    """Check that a command, and each option that is named for it, exists."""
    command: click.Command | None = root
    while isinstance(command, click.Group) and words:
        command = command.get_command(click.Context(command), words[0])
        assert command is not None, words
        words = words[1:]
    known = options_of(command or root)
    assert [word for word in words if re.match(r"--[a-z]", word) and word not in known] == []


def command_of(words: list[str]) -> list[str] | None:
    """Return the words behind `commonplace`, up to a pipe, if the line runs it."""
    if "commonplace" not in words or words[0] == "pip" or words[1:2] == ["plugin"]:
        return None
    words = words[words.index("commonplace") + 1 :]
    return words[: words.index("|")] if "|" in words else words


def test_the_list_of_commands_is_whole_and_each_is_there_once() -> None:
    listed = [
        shlex.split(re.split(r"\s{2,}", line.strip().removeprefix("commonplace "))[0])[0]
        for block in blocks()
        if block.note == "Reference/Command line.md" and block.language == "text"
        for line in block.text.splitlines()
    ]
    assert sorted(listed) == sorted(COMMANDS)


def test_the_options_in_that_list_exist() -> None:
    for block in blocks():
        if block.note == "Reference/Command line.md" and block.language == "text":
            for line in block.text.splitlines():
                name = line.split()[1]
                command = root.get_command(click.Context(root), name)
                assert command is not None
                if not isinstance(command, click.Group):
                    named = re.findall(r"--[a-z-]+", line)
                    assert [flag for flag in named if flag not in options_of(command)] == [], line


def test_commands_in_the_prose_exist() -> None:
    found = list(prose_commands())
    assert len(found) > 20
    for _, line in found:
        words = line.split()[1:]
        if words[0] in COMMANDS:
            check_words([re.sub(r"\W+$", "", word) for word in words])


@pytest.mark.slow
def test_every_command_runs(run: Run, home: Path) -> None:
    (home / "Notes/.trash/Recipes").mkdir(parents=True)
    (home / "Notes/.trash/Recipes/Bread.md").write_text("# Bread\n")
    (home / "Work").mkdir()
    settings = settle(Flags(vault=("Notes",)), os.environ, print)
    visit(settings.state)
    tried: set[str] = set()
    # Those that take things back come last, when the others have had something to work on.
    back = ("Guide/History", "Guide/Undo")
    for place, words in sorted(shell_lines(), key=lambda line: str(line[0]).startswith(back)):
        command = command_of(words)
        line = shlex.join(command) if command else words[0]
        if command is None:
            assert words[0] in {*OTHER_PROGRAMS, "curl"}, place
        elif "VAULT" in command or any(line.startswith(name) for name in NOT_RUN):
            check_words(command)
        elif line not in tried:
            tried.add(line)
            asks = ["--yes"] if {"--write", "--remove"} & set(command) else []
            done = run(*_named_here(command, run), *asks)
            assert done.code == 0, (place, line, done)
    assert len(tried) > 20


def _named_here(words: list[str], run: Run) -> list[str]:
    """Give the guide's commands the names that things have here, where it shows others."""
    if not any(re.fullmatch(r"[0-9a-f]{8,}", word) for word in words):
        return [os.path.expanduser(word) if word != "~/Notes" else "Notes" for word in words]
    if words[0] == "review":
        listed = json.loads(run("review", "--list", "--json").out)
        names = iter(one["name"] for one in listed["suggestions"])
    else:
        names = iter(one["id"] for one in json.loads(run("token", "list", "--json").out)["tokens"])
    return [
        next(names) if re.fullmatch(r"[0-9a-f]{8,}", word) else word.replace("~/", "")
        for word in words
    ]


@pytest.mark.slow
def test_settings_in_the_guide_are_settings(run: Run, home: Path) -> None:
    found = [block for block in blocks() if block.language == "toml"]
    assert found
    (home / "Notes/work").mkdir()
    (home / "Home").mkdir()
    for block in found:
        if PERSONAL in block.text:
            assert parse_settings(block.text.encode(), block.note).agents
            continue
        (home / "Notes/commonplace.toml").write_text(block.text)
        trusted = run("trust", "Notes", "--yes")
        assert trusted.code == 0, (block, trusted)
        done = run("status", "Notes", "--json")
        assert done.code == 0, (block, done)
        assert "not in force" not in done.err, block
    (home / "Notes/commonplace.toml").unlink()


@pytest.mark.slow
def test_what_programs_are_told_to_do_works(home: Path) -> None:
    (home / "shot.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(32))
    serve = (*COMMONPLACE, "serve", str(home / "Notes"), "--port", "0", "--no-open")
    with Process(*serve) as server:
        address = until(lambda: re.search(r"http://(127\.0\.0\.1:\d+)", server.complaint()))[1]

        def ask(*words: str) -> str:
            mine = [word.replace("127.0.0.1:8420", address) for word in words]
            done = subprocess.run(
                mine, cwd=home, capture_output=True, text=True, timeout=60, check=False
            )
            assert done.returncode == 0, (words, done.stderr)
            return done.stdout

        curls = [words for _, words in shell_lines() if words[0] == "curl"]
        assert len(curls) >= 2
        answers: list[Any] = [json.loads(ask(*words)) for words in curls]
        shown = [json.loads(b.text) for b in blocks() if '"epoch"' in b.text]
        assert any(fits_json(shown[0], answer) for answer in answers), answers
        (program,) = [block.text for block in blocks() if block.language == "python"]
        assert ask(sys.executable, "-c", program).strip()
        for route in ("healthz", "readyz"):
            assert ask("curl", "-sf", f"http://{address}/{route}")
