"""The page with a token that shows some folders: all views work, and the rest is not there."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.wait import until
from tests.web.build import build
from tests.web.serve import Server, serving, write

pytestmark = pytest.mark.slow

OUTSIDE = ("zebra", "quagga", "okapi", "tapir")
NOTES = {
    "Projects/Plan.md": "# Plan\n\nSee [[Notes]], [[Gone]] and ![[Quags]]. grass #green\n",
    "Projects/Deep/Notes.md": "# Notes\n\nBack to [[Plan]]. grass {++more++}\n",
    "Zebra/Quagga.md": "---\naliases: [Okapi, Quags]\n---\n# Tapir\n[[Plan]] grass #zebra {++quagga++}\n",
    "Zebra/Tapir.md": "[[Plan]] and [[Quagga]]\n",
}
VIEWS = (
    *("#", "#tags", "#search!", "#search!grass", "#graph", "#review", "#review!all"),
    *("#approvals", "#trash", "#history", "#history!Projects/Plan.md"),
)


@pytest.fixture(scope="module")
def token(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("part")
    (folder / "vault").mkdir()
    write(folder / "vault", NOTES)
    environment = os.environ | {"COMMONPLACE_STATE": str(folder / "state")}
    words = ("create", "Ada", "--scope", "write", "--folder", "Projects", "--json")
    line = [sys.executable, "-m", "commonplace", "token", *words, str(folder / "vault")]
    done = subprocess.run(line, env=environment, capture_output=True, check=True)
    return {**json.loads(done.stdout), "folder": folder}


@pytest.fixture(scope="module")
def server(token: dict[str, Any]) -> Generator[Server]:
    build()
    with serving(token["folder"], NOTES, "--host", "127.0.0.2", "--require-token") as found:
        yield found


def test_all_views_work_and_what_lies_elsewhere_is_not_there(
    visit: Any, token: dict[str, Any]
) -> None:
    page = visit()
    page.set_default_timeout(30_000)
    refused: list[str] = []
    answers: list[str] = []

    def hear(answer: Any) -> None:
        if answer.status >= 400 and answer.status != 401:
            refused.append(f"{answer.status} {answer.url}")
        elif "/api/" in answer.url:
            answers.append(answer.url)

    page.on("response", hear)
    page.get_by_label("Access token").fill(token["token"])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("treeitem", name="Projects").wait_for()
    seen: dict[str, str] = {}
    for view in VIEWS:
        page.evaluate(f"location.hash = {view!r}")
        until(lambda: "Loading" not in page.locator("main").inner_text())
        page.wait_for_load_state("networkidle")
        seen[view] = page.locator("body").inner_text().lower()
    page.evaluate("location.hash = '#note!Projects/Plan.md'")
    page.wait_for_selector(".state.live")
    seen["note"] = page.locator("body").inner_text().lower().replace("quags", "")
    page.get_by_text("grass").first.click()
    page.keyboard.press("End")
    page.keyboard.type(" Typed.")
    plan: Path = token["folder"] / "vault/Projects/Plan.md"
    until(lambda: "Typed." in plan.read_text())
    page.click(".segmented button:has-text('Read')")
    page.wait_for_selector(".prose[data-ready]")
    seen["read"] = page.locator("body").inner_text().lower().replace("quags", "")
    page.keyboard.press("Control+k")
    page.keyboard.type("tap")
    page.wait_for_selector("dialog.palette")
    seen["palette"] = page.locator("dialog.palette").inner_text().lower()
    page.keyboard.press("Escape")
    page.evaluate("location.hash = '#note!Zebra/Quagga.md'")
    page.get_by_text("There is no note").first.wait_for()
    told = {where: word for where, text in seen.items() for word in OUTSIDE if word in text}
    assert told == {}
    # That there is no such note is all that was refused, and nothing was asked for in vain.
    assert [url.partition("/api/")[2] for url in refused] == ["document?path=Zebra%2FQuagga.md"]
    assert answers
    ways = page.locator(".ways li").all_inner_texts()
    assert [way.split("\n")[0] for way in ways] == ["Search", "Review", "Tags", "Graph"]
    for view in ("#approvals", "#trash", "#history"):
        assert "not open to you" in seen[view], view
    assert "more" in seen["#review"], "what waits in the folder is listed"
