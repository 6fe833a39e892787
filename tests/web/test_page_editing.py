"""Writing together: two people, an assistant, links, previews, properties, and no lost work."""

import shutil
import sqlite3
from pathlib import Path
from statistics import median
from time import time
from typing import Any

import pytest

from commonplace.vault.log import tables
from tests.wait import has_words
from tests.web.assistant import connected
from tests.web.browser import choose, has_all_keys
from tests.web.serve import Server, write

pytestmark = pytest.mark.slow

_EDIT_SECONDS_MAX = 0.2  # the median seen with ten others at work on two processors: 0.05


def opened(visit: Any, path: str, name: str = "Ann", **more: Any) -> Any:
    page = visit(f"#note!{path}", name, **more)
    page.wait_for_selector(".cm-content .cm-line")
    page.wait_for_selector(".state.live")
    return page


def loaded(visit: Any, path: str, name: str = "Ann") -> Any:
    """Open a note with all of its editor: a server that has stopped gives no more of it."""
    page = opened(visit, path, name)
    has_all_keys(page)
    return page


def write_at_end_of(page: Any, line: str, words: str) -> None:
    page.click(f".cm-line >> text={line}")
    page.keyboard.press("End")
    page.keyboard.type(words)


def test_two_people_see_each_other_write(visit: Any, vault: Path) -> None:
    ann, boris = opened(visit, "Garden/Clover.md"), opened(visit, "Garden/Clover.md", "Boris")
    write_at_end_of(boris, "White clover", " It grows low.")
    ann.wait_for_selector(".cm-line >> text=It grows low.")
    ann.wait_for_selector(".cm-other-name >> text=Boris")
    ann.wait_for_selector("[aria-label='Who is here'] [title=Boris]")
    boris.wait_for_selector(".state.saved >> text=Saved")
    has_words(vault / "Garden/Clover.md", "It grows low.")
    boris.context.close()
    ann.wait_for_selector(".cm-other-name", state="detached")


_SEEN = """() => { window.seen = []; let count = document.querySelectorAll('.cm-ins').length;
    new MutationObserver(() => { const now = document.querySelectorAll('.cm-ins').length;
        if (now > count) window.seen.push((performance.timeOrigin + performance.now()) / 1000);
        count = now;
    }).observe(document.querySelector('.cm-content'), {childList: true, subtree: true}) }"""


@pytest.mark.timed
def test_an_assistant_is_seen_where_it_works_and_at_once(visit: Any, server: Server) -> None:
    path = "Reading/Walden.md"
    words = ("book", "about", "pond", "wood", "bean", "winter", "spring")
    write(server.vault, {path: f"# Walden\n\nA {' and a '.join(words)}. #reading/classics\n"})
    page, boris = opened(visit, path), opened(visit, path, "Boris")
    page.wait_for_selector(".cm-line >> text=spring")
    delays: list[float] = []
    with connected(server.url, "Claude") as claude:
        claude.call("read", file_path=path)
        square = page.wait_for_selector("[aria-label='Who is here'] .avatar.assistant")
        assert square.get_attribute("title") == "Claude (assistant)"
        round_one = page.wait_for_selector("[aria-label='Who is here'] [title=Boris]")
        assert "assistant" not in round_one.get_attribute("class")
        page.evaluate(_SEEN)
        for count, word in enumerate(words, 1):
            start = time()
            claude.call("edit", file_path=path, old_string=word, new_string=f"quiet {word}")
            page.wait_for_function("count => window.seen.length >= count", arg=count)
            delays.append(page.evaluate("window.seen.at(-1)") - start)
        label = page.wait_for_selector(".cm-other.assistant .cm-other-name")
        assert label.inner_text() == "✦ Claude"
        line = page.locator(".cm-line", has=page.locator(".cm-other.assistant"))
        assert line.inner_text().partition("✦")[0].endswith("winter and a quiet \u2060\n")
    page.wait_for_selector(".suggestion:first-child .who >> text=Claude")
    page.click(".cm-ins >> nth=0")
    page.wait_for_selector(".suggestion-card .who >> text=Claude")
    page.keyboard.press("Escape")
    assert median(delays) < _EDIT_SECONDS_MAX, delays
    page.wait_for_selector(".tree-row.here .count >> text=7")
    boris.wait_for_selector(".cm-other.assistant .cm-other-name >> text=Claude")


def test_links_are_completed_followed_and_previewed(visit: Any, vault: Path) -> None:
    page = opened(visit, "Start here.md")
    write_at_end_of(page, "Begin with", " Then [[clov")
    choose(page, "Clover")
    has_words(vault / "Start here.md", "Then [[Clover]]")
    page.hover(".cm-wikilink >> text=Plan")
    page.wait_for_selector(".peek >> text=The garden plan")
    page.mouse.move(5, 5)
    page.click(".cm-wikilink >> text=Clover")
    page.wait_for_selector("h1 >> text=Clover")


def test_the_preview_stands_beside_or_instead(visit: Any) -> None:
    page = opened(visit, "Garden/Plan.md")
    page.click(".segmented button:has-text('Read')")
    page.wait_for_selector(".prose h1 >> text=The garden plan")
    assert "{++" not in page.inner_text(".prose p >> nth=0")
    page.click(".segmented button:has-text('Write')")
    page.click("summary[aria-label=More]")
    page.click("text=Preview beside")
    page.wait_for_selector(".sheets.beside .prose h2 >> text=Beds")
    write_at_end_of(page, "Tomatoes along", " and ladders")
    page.wait_for_selector(".prose >> text=and ladders")


def test_properties_are_a_form_that_changes_one_line_alone(visit: Any, vault: Path) -> None:
    page = opened(visit, "Garden/Plan.md")
    before = (vault / "Garden/Plan.md").read_text("utf-8")
    page.fill("input[aria-label=status]", "final: really")
    page.keyboard.press("Tab")
    page.check("input[aria-label=done]")
    has_words(vault / "Garden/Plan.md", "done: true")
    after = (vault / "Garden/Plan.md").read_text("utf-8")
    assert after == before.replace("draft", '"final: really"').replace("done: false", "done: true")
    page.click(".properties >> text=As text")
    page.wait_for_selector(".cm-line >> text=final: really")


def test_work_survives_a_restart_of_the_server(visit: Any, server: Server, vault: Path) -> None:
    page = loaded(visit, "Garden/Bees.md")
    server.stop()
    page.wait_for_selector(".state.offline")
    write_at_end_of(page, "They visit", " Offline words.")
    server.start()
    page.wait_for_selector(".state.live.saved", timeout=15_000)
    has_words(vault / "Garden/Bees.md", "Offline words.")
    assert page.inner_text(".cm-content").count("They visit") == 1


def _begin_anew(server: Server) -> None:
    """Make every document's history begin anew, as if the log had been lost."""
    (file,) = server.state.glob("**/live.db")
    with sqlite3.connect(file) as db:
        for (document,) in db.execute("SELECT id FROM documents").fetchall():
            tables.restart(db, document)
    db.close()


def test_a_note_that_begins_anew_has_every_word_once(visit: Any, server: Server) -> None:
    file = server.vault / "Anew.md"
    write(server.vault, {"Anew.md": "# Anew\n\nOne line.\n\nAnother line.\n"})
    page, other = loaded(visit, "Anew.md"), loaded(visit, "Anew.md", "Boris")
    server.stop()
    page.wait_for_selector(".state.offline")
    write_at_end_of(page, "One line", " Mine.")
    _begin_anew(server)
    file.write_text(file.read_text("utf-8").replace("Another", "Yet another") + "\nTheirs.\n")
    server.start()
    page.wait_for_selector(".message >> text=put back in", timeout=15_000)
    page.wait_for_selector(".state.live.saved")
    wanted = "# Anew\n\nOne line. Mine.\n\nYet another line.\n\nTheirs.\n"
    has_words(file, wanted)
    other.wait_for_selector(".cm-line >> text=One line. Mine.", timeout=15_000)
    for each in (page, other):
        lines = each.locator(".cm-line").all_inner_texts()
        # marks are hidden where nobody writes
        assert [line.rstrip("\n").removeprefix("# ") for line in lines] == wanted.removeprefix(
            "# "
        ).split("\n")

    server.stop()
    page.wait_for_selector(".state.offline")
    write_at_end_of(page, "Theirs", " Then a closed tab.")
    is_kept(page, "Then a closed tab.")
    page.goto("about:blank")
    other.context.close()
    shutil.rmtree(server.state)
    server.start()
    page.goto(f"{server.url}/#note!Anew.md")
    page.wait_for_selector(".cm-line >> text=Then a closed tab.")
    has_words(file, wanted.replace("Theirs.", "Theirs. Then a closed tab."))
    page.wait_for_selector(".state.live.saved")
    page.reload()
    page.wait_for_selector(".cm-line >> text=Then a closed tab.")
    assert page.inner_text(".cm-content").count("closed tab") == 1


def is_kept(page: Any, words: str) -> None:
    """Wait until the browser keeps what was typed, for when the page is opened again."""
    page.wait_for_function(
        "words => Object.values(localStorage).some((each) => each.includes(words))", arg=words
    )


def test_work_survives_a_closed_tab(visit: Any, server: Server, vault: Path) -> None:
    page = loaded(visit, "日記/あ.md")
    server.stop()
    page.wait_for_selector(".state.offline")
    write_at_end_of(page, "今日は", "風。😀")
    is_kept(page, "風。😀")
    page.goto("about:blank")
    server.start()
    page.goto(f"{server.url}/#note!日記/あ.md")
    page.wait_for_selector(".cm-line >> text=風。😀")
    has_words(vault / "日記/あ.md", "今日は晴れ。風。😀")
