"""`commonplace chat`, `agents` and `checkout` as real processes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.agent.conftest import Stage
from tests.terminal import terminal
from tests.wait import has_words, until

pytestmark = pytest.mark.slow
SECONDS = 240.0


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def words_of(stage: Stage, *words: str) -> list[str]:
    return [sys.executable, "-m", "commonplace", *words, "--state", str(stage.folder / "state")]


def environment(stage: Stage) -> dict[str, str]:
    return {**os.environ, "COMMONPLACE_SETTINGS": str(stage.personal)}


def run(stage: Stage, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words_of(stage, *words),
        env=environment(stage),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def test_a_prompt_on_the_command_line_ends_with_the_number_of_its_set(stage: Stage):
    (stage.notes / "A.md").write_text("It was in may.\n")
    stage.plays([["say", "Done."], ["save", "A.md", "It was in June.\n"], ["shell", "touch ran"]])
    done = run(stage, "chat", str(stage.notes), "Move it to June", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["text"], told["set"], told["refused"]) == ("Done.", 1, ["touch ran"])
    assert "runs as you" in done.stderr
    assert (stage.notes / "A.md").read_text() == "It was in {--may--}{++June++}.\n"
    shown = run(stage, "sets", "show", "1", str(stage.notes))
    assert "Move it to June" in shown.stdout
    assert told["link"] is None


def test_verdicts_go_back_on_the_command_line_and_a_served_set_has_a_link(stage: Stage):
    (stage.notes / "A.md").write_text("It was in may.\n")
    (stage.notes / "out").mkdir()
    turn = [["save", "A.md", "It was in June.\n"]]
    stage.plays(turn, [["save", "A.md", "It was in July.\n"]])
    told = json.loads(run(stage, "chat", str(stage.notes), "June", "--json").stdout)
    again = ("chat", str(stage.notes), "--resume", told["conversation"], "--verdicts", "--json")
    early = run(stage, *again)
    assert (early.returncode, "decided" in early.stderr) == (1, True), early.stderr
    rejected = run(stage, "sets", "reject", "1", str(stage.notes), "--reason", "keep may")
    assert rejected.returncode == 0, rejected.stderr
    words = words_of(stage, "serve", str(stage.notes), "--port", "0")
    with subprocess.Popen(words, env=environment(stage), stderr=subprocess.PIPE) as server:
        try:
            assert server.stderr is not None
            line = next(each for each in server.stderr if b"http://" in each).decode()
            done = json.loads(run(stage, *again).stdout)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(SECONDS)
    assert (done["reason"], done["set"]) == ("end_turn", 2)
    assert done["link"].endswith("/#set!2"), line
    assert done["link"].removesuffix("#set!2") in line
    [_, prompted] = [each["prompt"] for each in stage.log if "prompt" in each]
    assert "rejected in A.md" in prompted[0]["text"]
    assert "keep may" in prompted[0]["text"]


def test_a_question_is_put_whole_at_the_terminal_and_stopping_has_a_code_of_its_own(stage: Stage):
    diff = {"type": "diff", "path": "/etc/hosts", "old_text": "ours", "new_text": "its own"}
    call = {"title": "Tidy", "kind": "edit", "content": [diff]}
    long = {"title": "Long", "kind": "execute", "raw_input": {"command": "a" * 30_000}}
    stage.plays([["ask", call], ["ask", long], ["shell", "touch ran"]], [["wait_for_cancel"]])
    words = words_of(stage, "chat", str(stage.notes))
    with terminal(words, environment(stage), stage.folder) as person:
        person.wait_for("> ")
        person.answer("go")
        shown = person.wait_for("allow it")
        for line in ("file /etc/hosts", "in /etc/hosts:", "- ours", "+ its own"):
            assert f"    {line}\r\n" in shown, shown
        person.answer("no")
        person.wait_for("refused, since it could not be shown whole: Long")
        person.wait_for("? touch ran")
        person.answer("once")
        person.wait_for("to go on")
        person.answer("again")
        until(lambda: sum("prompt" in each for each in stage.log) == 2, SECONDS)
        person.process.send_signal(signal.SIGINT)
        assert person.process.wait(SECONDS) == 3
    assert stage.results("ask") == ["reject", "reject"]
    assert stage.results("shell") == [0]


def test_a_crash_of_the_agent_is_told_and_is_no_success(stage: Stage):
    stage.plays([["crash"]])
    done = run(stage, "chat", str(stage.notes), "go")
    assert done.returncode == 1
    assert "out of cheese" in done.stderr


def test_a_checkout_takes_saves_until_it_is_stopped(stage: Stage):
    (stage.notes / "A.md").write_text("one\n")
    copy = stage.folder / "copy"
    words = words_of(stage, "checkout", str(stage.notes), str(copy), "--as", "tidy")
    with subprocess.Popen(words, env=environment(stage), stderr=subprocess.PIPE) as process:
        try:
            until(lambda: (copy / "A.md").exists(), SECONDS)
            has_words(copy / "A.md", "one", SECONDS)
            (copy / "A.md").write_text("two\n")
            has_words(stage.notes / "A.md", "{--one--}{++two++}", SECONDS)
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(SECONDS)
            finally:
                process.kill()
    refused = run(stage, "checkout", str(stage.notes), str(stage.notes / "in"), "--as", "x")
    assert refused.returncode == 2
    assert refused.stderr.startswith("commonplace: The folder lies in the vault")
