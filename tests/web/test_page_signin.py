"""A server that asks for tokens, seen from the page: sign in, go on, be sent away."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator
from typing import Any

import pytest

from tests.wait import until
from tests.web.build import build
from tests.web.serve import Server, serving, write
from tests.web.test_page_shell import faults

pytestmark = pytest.mark.slow

NOTES = {"Bees.md": "# Bees\n\nBees dance.\n"}

Command = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Command:
    folder = tmp_path_factory.mktemp("asking")

    def run(*words: str) -> dict[str, Any]:
        environment = os.environ | {"COMMONPLACE_STATE": str(folder / "state")}
        line = [sys.executable, "-m", "commonplace", "token", *words, str(folder / "vault")]
        done = subprocess.run([*line, "--json"], env=environment, capture_output=True, check=True)
        return {**json.loads(done.stdout), "folder": folder}

    (folder / "vault").mkdir()
    write(folder / "vault", NOTES)
    return run


@pytest.fixture(scope="module")
def made(command: Command) -> dict[str, Any]:
    return command("create", "Ada", "--scope", "approve")


@pytest.fixture(scope="module")
def server(made: dict[str, Any]) -> Generator[Server]:
    build()
    with serving(made["folder"], NOTES, "--host", "127.0.0.2", "--require-token") as found:
        yield found


def test_somebody_signs_in_once_works_and_is_sent_away_with_the_token(
    visit: Any, command: Command, made: dict[str, Any]
) -> None:
    page = visit()
    field = page.get_by_label("Access token")
    field.wait_for()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert faults(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    field.fill("cp_00000000_nonsense")
    page.keyboard.press("Enter")
    page.get_by_role("alert").get_by_text("does not hold").wait_for()
    field.fill(made["token"])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("treeitem", name="Bees").click()
    page.get_by_text("Bees dance.").click()
    page.keyboard.type("Typed. ")
    note = made["folder"] / "vault" / "Bees.md"
    until(lambda: "Typed. " in note.read_text())
    stored = page.evaluate("JSON.stringify([{...localStorage}, document.cookie])")
    assert made["token"] not in stored
    assert "commonplace_" not in stored, "a script can read the cookie"
    page.reload()
    page.get_by_text("Bees dance.").wait_for()
    command("revoke", made["id"])
    page.get_by_role("link", name="Tags").first.click()
    page.get_by_label("Access token").wait_for()
