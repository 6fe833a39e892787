"""Reading: what a note shows in Read mode, and how one moves about in it."""

from collections.abc import Generator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Route
from pypdf import PdfReader

from tests.vault.attachments.samples import png
from tests.wait import until
from tests.web.build import build
from tests.web.serve import Server, serving
from tests.web.test_page_shell import faults

_FAR = "\n\n".join(f"Paragraph {number} of a long text." for number in range(60))
_NOTE = """---
tags: [garden]
aliases:
  -
  - Sink
up: "[[Other]]"
---
# Kitchen

First line
second line. ==Lit==, #deep/tag, %%secret%% [[Other]], [[Nowhere]], a note[^1]. ^para

> [!warning]- Careful
> Folded text.

> [!tip] Bare

%%
hidden

paragraphs
%%

Inline $a^2$ and

$$
\\frac{1}{2}
$$

| left | right |
|------|------:|
| a    | 1     |

- [ ] open task
- [x] done task

```python
def f(): return 1
```

```mermaid
graph TD
  A --> B
```

![[Other#Part two]]

![[Other#^quoted]]

![[Kitchen]]

![[pic.png|40]] ![alt](img/a%20b.png) ![[gone.png]] ![far](https://far.invalid/x.png)

[^1]: The footnote.
"""
_OTHER = """# Other

Start.

## Part two

Inside of part two. ![[Kitchen]] and ![[Other#Part two]]

## Part three

Not embedded. A quoted block ^quoted
"""
_NOTES = {
    "Kitchen.md": _NOTE,
    "Other.md": _OTHER,
    "Long.md": f"# Long\n\n{_FAR}\n\n## Near the end\n\nThe rare word quokka stands here.\n\n{_FAR}\n",
    "Tasks.md": "# Tasks\n\n- [ ] buy {++fresh ++}peas\n- [ ] dig\n",
    "Deleted.md": "# Deleted\n\nstill here\n",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    build()
    folder = tmp_path_factory.mktemp("reading")
    vault = folder / "vault"
    (vault / "img").mkdir(parents=True)
    for path in ("pic.png", "img/a b.png"):
        (vault / path).write_bytes(png(80, 60))
    with serving(folder, _NOTES) as found:
        yield found


def _read(visit: Any, place: str, **options: Any) -> Any:
    page = visit(f"#note!{place}", **options)
    page.wait_for_selector(".cm-content .cm-line")
    page.click(".segmented button:has-text('Read')")
    page.wait_for_selector(".prose[data-ready]")
    return page


def test_a_note_shows_what_obsidian_shows(visit: Any) -> None:
    page = _read(visit, "Kitchen.md")
    prose = page.locator(".prose")
    text = prose.inner_text()
    for raw in ("[!", "![[", "$$", "==", "%%", "[^", "^para", "secret", "hidden", "null"):
        assert raw not in text, raw
    assert page.locator(".prose mark", has_text="Lit").count() == 1
    assert page.locator("details.callout[data-callout=warning]:not([open])").count() == 1
    assert page.locator("div.callout[data-callout=tip]").inner_text() == "Bare"
    assert page.locator(".prose .math math").count() == 2
    assert page.locator(".prose .math.display mfrac").count() == 1
    aligned = page.locator(".prose td[align=right]")
    assert aligned.evaluate("each => getComputedStyle(each).textAlign") == "right"
    assert page.locator(".prose pre .hljs-keyword").first.inner_text() == "def"
    assert page.locator(".prose a.unresolved", has_text="Nowhere").count() == 1
    assert page.locator(".note-properties dd .chip").all_inner_texts() == ["Sink"]
    assert "First line\nsecond line" in text
    page.locator(".prose .embed-body", has_text="Inside of part two").wait_for()
    assert "Not embedded" not in page.locator(".prose .embed").first.inner_text()
    assert page.locator(".prose .embed", has_text="A quoted block").count() == 1
    inside = page.locator(".prose .embed-body", has_text="Inside of part two")
    inside.wait_for()
    assert inside.locator("a.wikilink").all_inner_texts() == ["Kitchen", "Other > Part two"]
    assert page.locator(".prose .embed .embed").count() == 0
    assert page.locator(".prose > p > a.wikilink", has_text="Kitchen").count() == 1
    page.wait_for_function(
        "() => [...document.querySelectorAll('.prose p img')].filter((each) => each.naturalWidth === 80).length === 2"
    )
    assert page.locator(".prose p img").first.evaluate("each => each.offsetWidth") == 40
    assert page.locator(".no-image").all_inner_texts() == ["Not found: gone.png", "Picture: far"]


def test_a_diagram_is_drawn_in_a_frame_that_can_reach_nothing(browser: Any, server: Server) -> None:
    page = browser.new_page()
    page.goto(f"{server.url}/#note!Kitchen.md")
    page.click(".segmented button:has-text('Read')")
    page.wait_for_selector("img.diagram", timeout=30_000)
    assert page.locator("img.diagram").evaluate("each => each.naturalWidth") > 20
    assert page.locator("iframe.diagram-frame").get_attribute("sandbox") == "allow-scripts"
    inside = next(each for each in page.frames if each.url.endswith("/diagrams"))
    assert inside.evaluate("() => self.origin") == "null"
    tried = inside.evaluate(_TRIES)
    page.close()
    assert tried == ["rejected"] * 4


_TRIES = """() => Promise.allSettled([
    fetch('/api/status'),
    fetch('https://far.invalid/'),
    Promise.resolve().then(() => parent.document.title),
    Promise.resolve().then(() => localStorage.length),
]).then((all) => all.map((each) => each.status))"""


def test_ticking_a_task_changes_one_character_of_the_text(visit: Any, server: Server) -> None:
    page = _read(visit, "Tasks.md")
    page.get_by_label("buy fresh peas").check()
    page.get_by_label("dig").check()
    wanted = "# Tasks\n\n- [x] buy {++fresh ++}peas\n- [x] dig\n"
    page.wait_for_selector(".prose li.task.done >> nth=1")
    page.wait_for_selector(".state.live.saved")
    until(lambda: (server.vault / "Tasks.md").read_text() == wanted)
    page.get_by_label("dig").uncheck()
    until(lambda: (server.vault / "Tasks.md").read_text() == wanted.replace("[x] dig", "[ ] dig"))


def test_outline_search_hits_and_the_text_beside_lead_to_their_place(visit: Any) -> None:
    page = _read(visit, "Long.md")
    page.click("#tab-outline")
    page.click(".outline button:has-text('Near the end')")
    page.wait_for_selector(".prose h2.here:has-text('Near the end')")
    top = page.locator(".prose h2").bounding_box()["y"]
    assert 0 < top < 860
    page.evaluate("location.hash = '#search!quokka'")
    page.click(".hits a:has-text('Long')")
    page.wait_for_selector(".prose .here:has-text('quokka')")
    page.click(".segmented button:has-text('Write')")
    page.evaluate("location.hash = '#search!quokka'")
    page.click(".hits a:has-text('Long')")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.cm-line')].some((line) => line.textContent.includes('quokka') && line.getBoundingClientRect().top < innerHeight)"
    )
    page.click("summary[aria-label=More]")
    page.click("text=Preview beside")
    page.wait_for_selector(".prose[data-ready]")
    page.evaluate("document.querySelector('.cm-scroller').scrollTop = 1500")
    page.wait_for_function("() => document.querySelector('.prose').scrollTop > 600")
    page.evaluate("document.querySelector('.cm-scroller').scrollTop = 0")
    page.wait_for_function("() => document.querySelector('.prose').scrollTop < 60")
    page.click("summary[aria-label=More]")
    page.click("text=Hide the preview")


def test_a_look_at_a_note_that_comes_too_late_does_not_come(visit: Any) -> None:
    page = _read(visit, "Kitchen.md")
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route("**/api/note?path=Other*", hold)
    page.evaluate(
        """() => {
          window.looks = 0;
          new MutationObserver((all) => all.forEach((one) => one.addedNodes.forEach((node) => {
            if (node instanceof Element && node.matches('.peek.floating')) window.looks += 1;
          }))).observe(document.body, { childList: true });
        }"""
    )
    with page.expect_request("**/api/note?path=Other*"):
        page.hover(".prose > p a.wikilink:has-text('Other')")
    page.keyboard.press("Escape")
    with page.expect_response("**/api/note?path=Other*"):
        held.pop().continue_()
    page.unroute("**/api/note?path=Other*")
    page.hover(".prose h1")
    page.hover(".prose > p a.wikilink:has-text('Other')")
    page.wait_for_selector(".peek.floating:has-text('Start.')")
    assert page.evaluate("window.looks") == 1


def test_links_footnotes_code_tags_and_newlines(visit: Any) -> None:
    page = _read(visit, "Kitchen.md", permissions=["clipboard-read", "clipboard-write"])
    page.click(".footnote-ref a")
    page.wait_for_selector(".footnotes li.here")
    page.click(".footnote-back")
    page.wait_for_selector(".footnote-ref a.here")
    page.hover(".code-box pre")
    page.click(".code-box:has-text('def f') .copy")
    page.wait_for_selector(".copy:has-text('Copied')")
    assert page.evaluate("() => navigator.clipboard.readText()") == "def f(): return 1\n"
    page.hover(".prose > p a.wikilink:has-text('Other')")
    page.wait_for_selector(".peek.floating:has-text('Start.')")
    page.keyboard.press("Escape")
    page.wait_for_selector(".peek.floating", state="detached")
    assert "First line\nsecond line" in page.locator(".prose").inner_text()
    page.click("summary[aria-label=More]")
    page.click("text=Join single lines")
    page.wait_for_function(
        "() => document.querySelector('.prose p[data-line]')?.querySelector('br') === null"
    )
    assert "First line second line" in page.locator(".prose").inner_text()
    page.click(".prose a.tag-link:has-text('#deep/tag')")
    page.wait_for_selector("section h2:has-text('#deep/tag')")
    page.wait_for_selector(".plain a:has-text('Kitchen')")


def test_a_missing_note_can_be_created_and_a_deleted_one_restored(
    visit: Any, server: Server
) -> None:
    page = visit("#note!Deleted.md")
    page.wait_for_selector(".cm-content .cm-line")
    page.click("summary[aria-label=More]")
    page.click(".menu-list button:has-text('Delete')")
    page.click(".modal button.reject")
    page.wait_for_selector(".message:has-text('trash')")
    page.evaluate("location.hash = '#note!Deleted.md'")
    page.click("button:has-text('Restore it')")
    page.wait_for_selector(".cm-line:has-text('still here')")
    assert (server.vault / "Deleted.md").read_text() == _NOTES["Deleted.md"]
    page.evaluate("location.hash = '#note!Brand new.md'")
    page.click("button:has-text('Create it')")
    page.click(".modal button.primary")
    page.wait_for_selector(".cm-line:has-text('Brand new')")


def test_a_note_is_printed_whole_and_dark_on_light(visit: Any) -> None:
    page = visit("#note!Long.md", color_scheme="dark")
    page.wait_for_selector(".cm-content .cm-line")
    assert "printed as it reads" in _printed(page), "the control: the text that is written in"
    page.evaluate("() => { window.print = () => { document.title = 'Printed' } }")
    page.click(".cm-content")
    page.keyboard.press("Control+p")
    page.wait_for_function("() => document.title === 'Printed'")
    assert "Paragraph 59" in _printed(page).rpartition("quokka")[2]
    page.evaluate("location.hash = '#note!Kitchen.md'")
    page.wait_for_selector(".prose[data-ready][data-path='Kitchen.md']")
    page.emulate_media(media="print")
    assert faults(page, colours=True) == []


def _printed(page: Any) -> str:
    """What stands on paper."""
    pages = PdfReader(BytesIO(page.pdf())).pages
    return " ".join(" ".join(each.extract_text() for each in pages).split())


@pytest.mark.slow
def test_views_that_met_an_error_mend_themselves_when_the_server_is_back(
    visit: Any, serve: Any, tmp_path: Path
) -> None:
    own = serve(tmp_path, {"A.md": "# A\n\nHello bees.\n", "B.md": "# B\n\nOther bees.\n"})
    pages = [visit("", url=own.url) for _ in range(3)]
    for page in pages:
        page.wait_for_function(_ALL_FETCHED)
    own.stop()
    for page, place in zip(pages, ("note!A.md", "search!bees", "review"), strict=True):
        page.evaluate("place => { location.hash = place }", place)
        page.wait_for_selector("text=cannot be reached >> nth=0")
    own.start()
    note, search, review = pages
    note.wait_for_selector(".cm-line:has-text('Hello bees')", timeout=30_000)
    search.wait_for_selector(".hits a >> nth=1", timeout=30_000)
    review.wait_for_selector("text=cannot be reached", state="detached", timeout=30_000)


@pytest.mark.slow
def test_a_view_whose_question_failed_once_asks_again(visit: Any) -> None:
    page = visit("#tags")
    page.wait_for_selector("button.tag")
    page.evaluate("location.hash = ''")
    page.wait_for_selector("h1:has-text('Tags')", state="detached")

    def fail(route: Route) -> None:
        route.fulfill(status=500, body="{}")

    page.route("**/api/tags", fail, times=1)
    page.evaluate("location.hash = '#tags'")
    page.wait_for_selector("button.tag")


_ALL_FETCHED = """() => performance.getEntriesByType('resource')
    .some(({ name }) => /\\/missing-/.test(name))"""


@pytest.mark.slow
def test_a_note_that_is_read_passes_axe_in_light_and_dark(visit: Any) -> None:
    found: dict[str, list[str]] = {}
    for scheme in ("light", "dark"):
        page = _read(visit, "Kitchen.md", color_scheme=scheme)
        page.wait_for_selector("img.diagram", timeout=30_000)
        page.click("details.callout summary")
        page.click("#tab-links")
        page.wait_for_selector(".links .file")
        found[scheme] = faults(page, colours=scheme == "dark")
        page.evaluate("location.hash = '#note!Not there.md'")
        page.wait_for_selector("button:has-text('Create it')")
        found[f"{scheme} missing"] = faults(page, colours=scheme == "dark")
    assert found == {name: [] for name in found}
