"""The shell: tree, palette, search, links, tags, looks, keys, and WCAG AA by axe."""

import re
from time import perf_counter
from typing import Any

import pytest

from tests.web.assistant import connected
from tests.web.browser import answer, at_rest, come_to, shot
from tests.web.build import packages
from tests.web.serve import Server

pytestmark = pytest.mark.slow

_PLAN = "#note!Garden/Plan.md"
_READY_MS_MAX = 600


def opened(visit: Any, place: str = _PLAN, **more: Any) -> Any:
    page = visit(place, **more)
    page.wait_for_selector(".cm-content .cm-line")
    return page


_RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]
_RULES_OF_COLOUR = ["color-contrast", "link-in-text-block"]


def faults(page: Any, *, colours: bool = False) -> list[str]:
    """What axe finds, as short lines; `colours` asks only for what depends on them."""
    if not page.evaluate("'axe' in window"):
        page.evaluate((packages() / "axe-core" / "axe.min.js").read_text("utf-8"))
    rules = ["rule", _RULES_OF_COLOUR] if colours else ["tag", _RULES]
    found = page.evaluate(
        "([type, values]) => axe.run({runOnly: {type, values}, resultTypes: ['violations']})", rules
    )
    return [
        f"{fault['id']}: {node['html'][:160]} {node['failureSummary'][:300]}"
        for fault in found["violations"]
        for node in fault["nodes"]
    ]


@pytest.mark.timed
def test_the_page_is_ready_in_half_a_second(visit: Any) -> None:
    times: list[float] = []
    for _ in range(4):
        page = visit()
        page.wait_for_selector(".tree-row")
        times.append(page.evaluate("performance.getEntriesByName('ready')[0].startTime"))
    assert min(times) < _READY_MS_MAX, times


def test_the_tree_opens_by_keys_and_shows_what_waits(visit: Any) -> None:
    page = visit("#tags")
    page.wait_for_selector(".tree-row")
    page.locator(".tree").focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    page.wait_for_selector("[role=treeitem] >> text=Plan")
    assert page.locator(".tree-row.current .name").inner_text() == "Plan"
    assert page.locator(".tree-row.current .count").inner_text().startswith("3")
    page.keyboard.press("Enter")
    page.wait_for_selector("h1 >> text=Plan")


def test_the_palette_finds_notes_and_runs_commands(visit: Any) -> None:
    page = visit()
    page.wait_for_selector(".tree-row")
    page.keyboard.press("Control+k")
    page.keyboard.type("wald")
    page.wait_for_selector("[role=option][aria-selected=true] >> text=Walden")
    page.keyboard.press("Enter")
    page.wait_for_selector("h1 >> text=Walden")
    page.keyboard.press("Control+k")
    page.keyboard.type(">dark")
    page.keyboard.press("Enter")
    page.wait_for_selector("html[data-theme=dark]")


# What Preact does after the next frame waits while `held` is a list.
_HOLD_EFFECTS = """
    const [frame, later] = [window.requestAnimationFrame, window.setTimeout];
    window.held = null;
    window.requestAnimationFrame = (run) => (window.held ? window.held.push(run) : frame(run));
    window.setTimeout = (run, ms, ...more) =>
        window.held && ms === 35 ? window.held.push(run) : later(run, ms, ...more);
"""


def test_a_part_appears_whose_code_arrives_while_it_is_first_drawn(visit: Any) -> None:
    page = visit()
    page.wait_for_function(
        "() => performance.getEntriesByType('resource').some(({ name }) => name.includes('/palette-'))"
    )
    page.add_init_script(_HOLD_EFFECTS)
    asked: list[Any] = []

    def keep(route: Any) -> None:
        asked.append(route)

    page.route("**/assets/palette-*.js", keep)
    with page.expect_request("**/assets/palette-*.js"):
        page.reload()
    page.wait_for_selector(".tree-row")
    page.evaluate("window.held = []")
    page.keyboard.press("Control+k")
    page.wait_for_function("() => window.held.length")
    assert len(asked) == 1
    asked[0].continue_()
    page.evaluate("url => import(url).then(() => undefined)", asked[0].request.url)
    page.evaluate(
        "() => { const run = window.held; window.held = null; run.forEach((one) => one()); }"
    )
    page.wait_for_selector("dialog.palette")


def test_search_finds_words_and_marks_them(visit: Any) -> None:
    page = visit("#search!clover")
    page.wait_for_selector(".hits mark >> text=/clover/i")
    assert "Bees" in page.inner_text(".hits")


def test_backlinks_show_their_context_and_the_outline_jumps(visit: Any) -> None:
    page = opened(visit, "#note!Garden/Bees.md")
    page.click("#tab-links")
    page.wait_for_selector(".links >> text=White clover feeds")
    page = opened(visit)
    page.click("#tab-outline")
    page.click(".outline >> text=Tools")
    assert "## Tools" in page.locator(".cm-line").all_inner_texts()


def test_tags_list_their_notes(visit: Any) -> None:
    page = visit("#tags")
    page.click("button:has-text('#garden')")
    page.wait_for_selector("section >> text=Bees")


def test_every_command_is_in_the_palette_and_works_by_keys_alone(visit: Any) -> None:
    page = opened(visit)
    page.wait_for_selector(".suggestion")
    page.keyboard.press("Control+k")
    page.keyboard.type(">")
    page.wait_for_selector("[role=option] >> text=Keyboard help")
    options = page.locator("[role=option]")
    commands = options.locator(".title").all_inner_texts()
    keys = dict(zip(commands, options.locator(".detail").all_inner_texts(), strict=True))
    assert len(commands) > 25
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    page.locator(".tree").focus()
    page.keyboard.press("?")
    page.wait_for_selector("dialog.help")
    told = page.locator(".keys dd").all_inner_texts()
    assert [command for command in commands if keys[command] and command not in told] == []
    assert {"Down and up in the review queue", "Follow the link at the cursor"} <= set(told)
    page.keyboard.press("Escape")
    for command in commands:
        if command.startswith(("Accept", "Reject")):  # test_page_review.py presses those
            continue
        page.evaluate("place => { location.hash = place }", _PLAN)
        page.wait_for_selector(".note-head h1 >> text=Plan")
        page.wait_for_selector(".state.live")
        page.keyboard.press("Control+k")
        page.wait_for_selector("dialog.palette")
        page.keyboard.type(f">{command}")
        page.wait_for_selector(f"[role=option][aria-selected=true] .title >> text='{command}'")
        page.keyboard.press("Enter")
        page.wait_for_function(
            "() => !document.querySelector('dialog.palette') || document.querySelector('.palette-input').value === ''"
        )
        at_rest(page)
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")


_REACHED = """() => { const seen = new Set(window.reached), inside = '[role=tree], [role=grid], [role=tablist], .cm-editor';
    return [...document.querySelectorAll('button, a[href], input, select, summary, [tabindex="0"]')]
        .filter((each) => each.checkVisibility({visibilityProperty: true}) && !each.disabled && !seen.has(each) && !each.closest(inside))
        .map((each) => each.outerHTML.slice(0, 200)) }"""


def test_tab_reaches_everything_that_can_be_clicked(visit: Any) -> None:
    page = opened(visit)
    page.wait_for_selector(".suggestion")
    for place in (_PLAN, "#review", "#tags", "#approvals", "#search!bees", "#trash", "#graph", ""):
        come_to(page, place)
        page.evaluate(
            "() => { document.querySelector('.skip').focus(); window.reached = [document.activeElement] }"
        )
        for _ in range(90):
            page.keyboard.press("Tab")
            if page.evaluate(
                "window.reached.push(document.activeElement) > 5 && document.activeElement === document.body"
            ):
                break
        assert page.evaluate(_REACHED) == [], place


def test_every_view_passes_axe_in_light_and_dark(visit: Any) -> None:
    found: dict[str, list[str]] = {}
    for scheme in ("light", "dark"):
        page = opened(visit, color_scheme=scheme)
        page.wait_for_selector(".suggestion")
        _note_views(page, scheme, found)
        for place in (
            "",
            "#review",
            "#review!all",
            "#search!bees",
            "#tags",
            "#approvals",
            "#graph",
            "#trash",
        ):
            come_to(page, place)
            _look(page, f"{scheme} {place or 'home'}", found)
    _phone_views(visit, found)
    assert {name: rows for name, rows in found.items() if rows} == {}


def _phone_views(visit: Any, found: dict[str, list[str]]) -> None:
    phone = opened(
        visit, viewport={"width": 390, "height": 800}, has_touch=True, color_scheme="dark"
    )
    _look(phone, "phone note", found)
    phone.click("[aria-label='Side panel']")
    phone.wait_for_selector(".panel .suggestion")
    _look(phone, "phone panel", found)
    phone.click("[aria-label='Show all notes']")
    phone.wait_for_selector(".sidebar.open")
    at_rest(phone)
    _look(phone, "phone tree", found)
    phone.click(".ways >> text=Review")
    phone.wait_for_selector(".set-row")
    _look(phone, "phone review", found)
    phone.keyboard.press("Control+k")
    phone.wait_for_selector("dialog.palette")
    _look(phone, "phone palette", found)
    phone.keyboard.press("Escape")
    for place in ("", "#search!bees", "#tags", "#approvals", "#graph"):
        come_to(phone, place)
        _look(phone, f"phone {place or 'home'}", found)
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390, place


def _note_views(page: Any, scheme: str, found: dict[str, list[str]]) -> None:
    _look(page, f"{scheme} note", found)
    tabs = {"links": ".links", "outline": ".outline", "graph": ".graph canvas[data-settled]"}
    for tab, shown in tabs.items():
        page.click(f"#tab-{tab}")
        page.wait_for_selector(shown)
        at_rest(page)
        _look(page, f"{scheme} note {tab}", found)
    page.click("text=cut down only")
    page.wait_for_selector(".suggestion-card")
    _look(page, f"{scheme} card", found)
    page.click(".segmented button:has-text('Read')")
    page.wait_for_selector(".prose h1")
    _look(page, f"{scheme} preview", found)
    page.click(".segmented button:has-text('Write')")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.wait_for_selector("dialog.palette")
    _look(page, f"{scheme} palette", found)
    page.keyboard.press("Escape")
    for command in (
        "connect your",
        "keyboard help",
        "new note",
        "rename",
        "delete this",
        "your name",
    ):
        page.keyboard.press("Control+k")
        page.keyboard.type(f">{command}")
        page.keyboard.press("Enter")
        page.wait_for_selector("dialog:not(.palette)")
        _look(page, f"{scheme} {command}", found)
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")


def _look(page: Any, name: str, found: dict[str, list[str]]) -> None:
    # the second look at a view is for its colours alone
    found[name] = faults(page, colours=name.startswith("dark"))


def _picture_of_the_readme(visit: Any, server: Server) -> None:
    """What docs/page.png shows: an assistant at work in a note that a person reads."""
    page = opened(visit, viewport={"width": 1200, "height": 720})
    page.wait_for_selector(".suggestion")
    with connected(server.url) as claude:
        claude.call("read", file_path="Garden/Plan.md")
        edit = {"old_string": "the south wall", "new_string": "the warm south wall"}
        claude.call("edit", file_path="Garden/Plan.md", **edit)
        page.wait_for_selector(".cm-other.assistant")
        page.wait_for_selector(".suggestion >> text=warm")
        page.click(".cm-line >> text=cut down only")
        page.wait_for_selector(".suggestion-card")
        at_rest(page)
        shot(page, "readme")


def test_pictures_of_every_look(visit: Any, server: Server) -> None:
    for scheme in ("light", "dark"):
        page = opened(visit, color_scheme=scheme)
        page.wait_for_selector(".suggestion")
        at_rest(page)
        shot(page, f"note-{scheme}")
        page.evaluate("location.hash = '#review'")
        page.wait_for_selector(".set-row")
        shot(page, f"review-{scheme}")
    _picture_of_the_readme(visit, server)
    phone = opened(visit, viewport={"width": 390, "height": 800}, has_touch=True)
    at_rest(phone)
    shot(phone, "note-phone")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    phone.click("[aria-label='Show all notes']")
    at_rest(phone)
    shot(phone, "tree-phone")
    phone.click(".ways >> text=Review")
    phone.wait_for_selector(".set-row")
    at_rest(phone)
    shot(phone, "review-phone")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_an_empty_vault_says_how_to_begin(visit: Any) -> None:
    page = visit("#tags")
    nothing = '{"version": "0", "notes": []}'
    answer(page, "**/api/tree", nothing)
    page.goto(page.url.partition("#")[0])
    page.reload()
    page.wait_for_selector("main >> text=New note")
    shot(page, "empty")
    assert faults(page) == []


def test_names_of_assets_hold_a_hash_and_are_kept_for_ever(visit: Any) -> None:
    page = visit()
    script = page.locator("script[type=module]").get_attribute("src")
    assert re.fullmatch(r"assets/main-[A-Z0-9]{8}\.js", script)
    started = perf_counter()
    headers = page.request.get(page.url.partition("#")[0] + script).headers
    assert "immutable" in headers["cache-control"]
    assert perf_counter() - started < 5
