"""Notes of a megabyte, written with 2,000 suggestions and read; a tree of 100,000 notes."""

import json
from statistics import median
from typing import Any, Literal

import pytest

from tests.web.browser import answer, at_rest, shot
from tests.web.serve import serving
from tests.web.test_page_editing import opened

pytestmark = [pytest.mark.slow, pytest.mark.timed]

# Frames go by the clock, which a busy machine holds up; work goes by the processor time of the
# page's main thread, which it does not. Seen with nine others at work on two processors: a frame
# every 16.7 ms (33 at the most), 7.6 ms a key, 12.8 ms for the longest task.
_FRAME_MS_MAX = 17.5  # one frame at 60 a second, as a clock of 0.1 ms shows it
_KEY_MS_MAX = 16.7
_TASK_MS_MAX = 100.0
# As one piece the note below kept the thread for 1.5 s at a time before its first word was there; in
# pieces the longest task was one of 110 ms, and of 260 ms the one that makes 1,000 footnotes. A list
# of a megabyte kept it for 970 ms, and in pieces for 150.
_READ_TASK_MS_MAX = 600.0
_TREE_NOTES = 100_000
_CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline"]
_META = '{"author":"Claude","time":1794740000}@@'
_PARAGRAPH = "The quick brown fox jumps over the lazy dog while the rain falls on the plain. " * 5


def _big() -> str:
    return "".join(
        f"## Part {n}\n\n{_PARAGRAPH}{{--{_META}old {n}--}}{{++{_META}new {n}++}} and so on.\n\n"
        for n in range(2_000)
    )


def _long() -> str:
    words = "The **quick** fox [[Big|jumps]] over the `lazy` dog while #rain falls. " * 6
    return "".join(
        f"## Part {n}\n\n{words}[^{n}]\n\n- [ ] one\n- two\n\n> [!tip] Tip {n}\n> text\n\n"
        f"| a | b |\n|---|---|\n| {n} | x |\n\n[^{n}]: Foot {n}\n\n"
        for n in range(1_900)
    )


def _list() -> str:
    words = "The **quick** fox [[Big|jumps]] over the `lazy` dog while #rain falls. " * 3
    return "".join(f"- [ ] item {n} {words}\n" for n in range(4_700))


def _table() -> str:
    return "| a | b |\n|---|---|\n" + "".join(f"| {n} | *x* {n} |\n" for n in range(8_000))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    notes = {"Big.md": _big(), "Long.md": _long(), "List.md": _list(), "Table.md": _table()}
    with serving(tmp_path_factory.mktemp("large"), notes) as found:
        yield found


_FRAMES = """() => { window.gaps = []; let last = performance.now(); const tick = (now) => {
    window.gaps.push(now - last); last = now; requestAnimationFrame(tick) }; requestAnimationFrame(tick) }"""


class Trace:
    """What the page's main thread did, in milliseconds of processor time."""

    def __init__(self, recorded: bytes) -> None:
        events: list[dict[str, Any]] = json.loads(recorded)["traceEvents"]
        main = {
            (each["pid"], each["tid"])
            for each in events
            if each["name"] == "thread_name" and each["args"]["name"] == "CrRendererMain"
        }
        mine = [each for each in events if (each["pid"], each["tid"]) in main and "tdur" in each]
        self._events = sorted(mine, key=lambda each: each["ts"])
        self.tasks = [each["tdur"] / 1000 for each in self._named("RunTask")]

    def _named(self, name: str) -> list[dict[str, Any]]:
        return [each for each in self._events if each["name"] == name]

    def keys(self, clock: Literal["tdur", "dur"] = "tdur") -> list[float]:
        """What each key cost until it was on the screen, in processor time or by the clock."""
        presses = [
            each
            for each in self._named("EventDispatch")
            if each["args"]["data"]["type"] == "keydown"
        ]
        frames = [each["ts"] for each in self._named("Commit")]
        costs: list[float] = []
        for press in presses:
            shown = next((at for at in frames if at > press["ts"]), None)
            if shown is not None:
                within = [
                    e
                    for e in self._named("RunTask")
                    if press["ts"] < e["ts"] + e["dur"] and e["ts"] < shown
                ]
                costs.append(sum(each[clock] for each in within) / 1000)
        return costs


def test_a_megabyte_is_read_without_waiting_for_its_end(visit: Any, browser: Any) -> None:
    assert len(_long()) > 1_000_000
    page = opened(visit, "Long.md")
    page.set_default_timeout(60_000)
    browser.start_tracing(page=page, categories=_CATEGORIES)
    page.click(".segmented button:has-text('Read')")
    page.wait_for_selector(".prose[data-ready]")
    trace = Trace(browser.stop_tracing())
    assert max(trace.tasks) <= _READ_TASK_MS_MAX, sorted(trace.tasks)[-10:]
    shown = page.locator(".prose")
    assert shown.locator("h2").count() == shown.locator(".footnotes li").count() == 1_900
    assert shown.locator("h2").last.inner_text().startswith("Part 1899")

    page.click(".footnote-ref a >> nth=0")
    page.wait_for_selector(".footnotes li.here >> nth=0")
    place = page.evaluate("document.querySelector('.prose').scrollTop")
    page.locator("li.task input").last.check()
    page.wait_for_selector("li.task.done")
    assert shown.locator("h2").count() == 1_900
    assert page.evaluate("document.querySelector('.prose').scrollTop") >= place * 0.9 > 0


def test_a_list_and_a_table_are_read_in_pieces_and_shown_whole(visit: Any, browser: Any) -> None:
    assert len(_list()) > 1_000_000
    page = opened(visit, "List.md")
    page.set_default_timeout(60_000)
    browser.start_tracing(page=page, categories=_CATEGORIES)
    page.click(".segmented button:has-text('Read')")
    page.wait_for_selector(".prose[data-ready]")
    trace = Trace(browser.stop_tracing())
    assert max(trace.tasks) <= _READ_TASK_MS_MAX, sorted(trace.tasks)[-10:]
    items = page.locator(".prose > ul:only-child > li")
    assert items.count() == 4_700
    assert items.last.inner_text().strip().startswith("item 4699")

    page.evaluate("location.hash = '#note!Table.md'")
    page.wait_for_selector(".prose[data-ready] > .table-box tr:nth-child(8000)", state="attached")
    rows = page.locator(".prose > .table-box:only-child > table > tbody > tr")
    assert rows.count() == 8_000
    assert rows.last.inner_text().split() == ["7999", "x", "7999"]
    assert page.locator(".prose thead").count() == 1


def test_a_hundred_thousand_notes_stay_quick(visit: Any) -> None:
    rows = [
        [f"Folder {n % 500:03}/Note {n:06}.md", 1_794_740_000_000, n % 3]
        for n in range(_TREE_NOTES)
    ]
    body = json.dumps({"version": "1", "notes": sorted(rows)})
    page = visit("#tags")
    answer(page, "**/api/tree", body)
    page.goto(page.url.partition("#")[0])
    page.reload()
    page.wait_for_selector(".tree-row >> text=Folder 000")
    assert page.locator(".tree-row").count() < 100
    page.click(".tree-row >> text=Folder 000")
    page.wait_for_selector(".tree-row >> text=Note 000000")
    page.keyboard.press("Control+k")
    page.wait_for_selector("dialog.palette")
    page.keyboard.type("note 099999")
    page.wait_for_selector("[role=option][aria-selected=true] >> text=Note 099999")
    spent = page.evaluate(
        """async () => { const box = document.querySelector('.palette-input');
            const start = performance.now(); box.value = 'folder 42 note';
            box.dispatchEvent(new Event('input', {bubbles: true}));
            await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame);
            return performance.now() - start }"""
    )
    assert spent < 1000, spent


def test_typing_in_a_megabyte_keeps_the_frame_rate(visit: Any, browser: Any) -> None:
    assert len(_big()) > 1_000_000
    page = opened(visit, "Big.md")
    page.wait_for_selector(".suggestion")
    at_rest(page)
    shot(page, "big-note")
    page.click(".cm-line >> nth=3")
    at_rest(page)
    page.evaluate(_FRAMES)
    words = "some words that are typed at an even pace "
    page.keyboard.type(words, delay=50)
    gaps = page.evaluate("window.gaps")
    assert median(gaps) <= _FRAME_MS_MAX, sorted(gaps)[-10:]
    browser.start_tracing(page=page, categories=_CATEGORIES)
    page.keyboard.type(words, delay=50)
    trace = Trace(browser.stop_tracing())
    keys = trace.keys()
    assert len(keys) >= len(words) // 2
    assert median(keys) <= _KEY_MS_MAX, keys
    assert max(trace.tasks) <= _TASK_MS_MAX, sorted(trace.tasks)[-10:]
