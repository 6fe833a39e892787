"""Change sets in the page: the whole change is seen, and decided by keys alone."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tests.wait import has_words, until
from tests.web.assistant import connected
from tests.web.browser import has_all_keys
from tests.web.serve import Server, serving
from tests.web.test_page_shell import faults

pytestmark = pytest.mark.slow

NOTES_OF_SET = 14
CHANGES = 40
KEYS_MAX = 60
_SLOPE = "The garden lies on a slope behind the house, and the water runs down to the hedge. "

# A change is clipped where a box around it that hides what is too much is smaller than its text.
_CLIPPED = """id => {
  const found = [];
  for (const mark of document.querySelectorAll(`[data-change="${CSS.escape(id)}"]`)) {
    const range = document.createRange();
    range.selectNodeContents(mark);
    const rects = [...range.getClientRects()].filter(({ width, height }) => width && height);
    if (!rects.length) found.push('nothing is shown');
    for (let box = mark; box && !box.classList.contains('view'); box = box.parentElement) {
      const style = getComputedStyle(box);
      if (style.webkitLineClamp !== 'none') found.push('clamped');
      if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
      const frame = box.getBoundingClientRect();
      const out = ({ left, right, top, bottom }) => left < frame.left - 1 || right > frame.right + 1
        || top < frame.top - 1 || bottom > frame.bottom + 1;
      if (rects.some(out)) found.push(`${box.className} cuts it`);
    }
    if (rects.some(({ left, right }) => left < 0 || right > innerWidth + 1)) found.push('aside');
    const view = document.querySelector('.set-view').getBoundingClientRect();
    if (rects[0] && (rects[0].bottom < view.top || rects[0].top > view.bottom)) found.push('away');
  }
  return found;
}"""


def passage(note: int, number: int) -> str:
    return f"Paragraph {number} of note {note}. {_SLOPE}The folder is red {number}."


def garden() -> dict[str, str]:
    notes = {
        f"Garden/Note {n}.md": f"# Note {n}\n\n"
        + "".join(f"{passage(n, p)}\n\nUnchanged.\n\nOne more.\n\n" for p in range(12))
        for n in range(NOTES_OF_SET)
    }
    return {**notes, "Old/Gone.md": "Nobody needs this.\n"}


def work(url: str) -> None:
    """Let an assistant suggest 40 changes in 14 notes, as assistants do: whole paragraphs."""
    with connected(url, "Claude") as claude:
        for n in range(NOTES_OF_SET):
            path = f"Garden/Note {n}.md"
            claude.call("read", file_path=path)
            for p in (1, 5, 9) if n < NOTES_OF_SET - 1 else (3,):
                old = passage(n, p)
                new = old.replace(f"red {p}", "green").replace("a slope", "a gentle slope")
                claude.call("edit", file_path=path, old_string=old, new_string=new)


@contextmanager
def serving_a_set(folder: Path) -> Generator[Server]:
    with serving(folder, garden()) as found:
        work(found.url)
        until(lambda: written(found.vault) == CHANGES)
        yield found


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    """The same for all tests that decide and write nothing."""
    with serving_a_set(tmp_path_factory.mktemp("shared")) as found:
        yield found


@pytest.fixture
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Server]:
    if request.node.get_closest_marker("reads_only"):
        yield request.getfixturevalue("shared")
        return
    with serving_a_set(tmp_path) as found:
        yield found


def written(vault: Path) -> int:
    """Count the changes that have reached the files."""
    return sum(file.read_text().count("{++") for file in vault.rglob("Note*.md"))


def summary(server: Server, number: int = 1) -> dict[str, Any]:
    with urlopen(f"{server.url}/api/sets/{number}") as answer:
        return json.load(answer)["set"]


def decided(server: Server, waiting: int) -> dict[str, Any]:
    until(lambda: summary(server)["waiting"] == waiting, 90)
    return summary(server)


def opened_set(visit: Any, **more: Any) -> Any:
    page = visit("#review", **more)
    page.wait_for_selector(".set-row >> text=40 changes wait")
    page.wait_for_function("() => document.activeElement?.classList.contains('set-row')")
    page.keyboard.press("Enter")
    page.wait_for_selector(".acts-row.current")
    return page


def current(page: Any) -> str:
    """Return the change that one is at, once its note is drawn."""
    found = page.wait_for_function("() => document.querySelector('.acts-row.current')?.dataset.key")
    return found.json_value()


@pytest.mark.parametrize(("width", "scheme"), [(1360, "light"), (390, "dark")])
def test_forty_changes_are_seen_whole_and_decided_by_keys(
    visit: Any, server: Server, vault: Path, width: int, scheme: str
) -> None:
    page = opened_set(visit, viewport={"width": width, "height": 860})
    for each in ("dark", "light", scheme):
        page.emulate_media(color_scheme=each)
        assert faults(page) == [], each
    seen: set[str] = set()
    keys = 1
    for n in range(CHANGES):
        key = current(page)
        assert key not in seen
        seen.add(key)
        page.wait_for_function(
            f"id => document.querySelector(`[data-change='${{id}}']`) && !({_CLIPPED})(id).length",
            arg=key.rpartition("~")[2],
        )
        page.keyboard.press("r" if n % 10 == 9 else "a")
        keys += 1
        if n < CHANGES - 1:
            page.wait_for_function(
                "key => (document.querySelector('.acts-row.current')?.dataset.key ?? key) !== key",
                arg=key,
            )
    found = decided(server, 0)
    assert (found["accepted"], found["rejected"], found["state"]) == (36, 4, "accepted")
    assert keys <= KEYS_MAX
    page.wait_for_selector("text=Everything in this set is decided")
    page.wait_for_selector('.set-view .size:text-is("14 notes")')
    has_words(vault / "Garden/Note 0.md", "The folder is green.")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_undo_goes_as_deep_as_there_are_decisions(visit: Any, server: Server, vault: Path) -> None:
    before = {path: path.read_text() for path in vault.rglob("Note*.md")}
    page = opened_set(visit)
    for key in ("A", "a", "r", "A"):
        page.keyboard.press(key)
    decided(server, 40 - 6)
    page.reload()
    page.wait_for_selector(".acts-row")
    for waiting in (35, 36, 37, 40):
        page.keyboard.press("u")
        decided(server, waiting)
    until(lambda: {path: path.read_text() for path in before} == before)


@pytest.mark.reads_only
def test_enter_opens_the_note_at_the_change_and_back_returns_there(visit: Any) -> None:
    page = opened_set(visit)
    for _ in range(7):
        page.keyboard.press("j")
    key = current(page)
    page.keyboard.press("Enter")
    page.wait_for_selector(".cm-content")
    page.wait_for_function("() => document.querySelector('.cm-del, .cm-ins') !== null")
    inside = (
        "[...document.querySelectorAll('.cm-del')].some(e => e.getBoundingClientRect().top > 0"
        " && e.getBoundingClientRect().bottom < innerHeight)"
    )
    page.wait_for_function(f"() => {inside}")
    page.go_back()
    page.wait_for_selector(".acts-row.current")
    assert current(page) == key
    page.wait_for_function(f"id => !({_CLIPPED})(id).length", arg=key.rpartition("~")[2])


def test_a_change_is_edited_rejected_with_a_reason_and_commented(
    visit: Any, server: Server, vault: Path
) -> None:
    page = opened_set(visit)
    page.keyboard.press("c")
    page.keyboard.type("Keep the table")
    page.keyboard.press("Enter")
    has_words(vault / "Garden/Note 0.md", "{>>Keep the table<<}")
    page.wait_for_selector(".message >> text=Your comment is in the note")
    page.keyboard.press("e")
    page.wait_for_selector(".answer textarea")
    page.fill(".answer textarea", "In my words.")
    page.keyboard.press("Control+Enter")
    assert decided(server, 39)["modified"] == 1
    has_words(vault / "Garden/Note 0.md", "In my words.")
    page.keyboard.press("w")
    page.keyboard.type("folder IS red")
    page.keyboard.press("Enter")
    assert decided(server, 38)["rejected"] == 1
    with urlopen(f"{server.url}/api/sets/1") as answer:
        reasons = [each["reason"] for each in json.load(answer)["ended"]]
    assert "folder IS red" in reasons


@pytest.mark.reads_only
def test_what_is_folded_can_be_unfolded_and_shown_side_by_side(visit: Any) -> None:
    page = opened_set(visit)
    fold = page.locator(".fold >> nth=1")
    assert "unchanged lines" in fold.inner_text()
    fold.locator("text=unchanged lines").click()
    page.wait_for_selector(".passage.unchanged >> text=Paragraph 2 of note 0")
    page.keyboard.press("b")
    page.wait_for_selector(".passage-pair .old-side del >> text=red")
    assert page.locator(".passage-pair .old-side ins").count() == 0
    assert faults(page) == []
    page.keyboard.press("v")
    page.wait_for_selector(".set-note >> nth=0 >> input:checked")
    page.reload()
    page.wait_for_selector(".set-note >> nth=0 >> input:checked")


@pytest.mark.reads_only
def test_a_person_hears_what_changes(visit: Any) -> None:
    page = opened_set(visit)
    page.keyboard.press("j")
    said = page.locator(".set-view > [role=status]")
    page.wait_for_function(
        "() => document.querySelector('.set-view > [role=status]').textContent.includes('replaced')"
    )
    assert "Change 2 of 40" in said.inner_text()
    label = page.locator(".acts-row.current").get_attribute("aria-label")
    assert label.startswith("Change 2 of 40: replaced “")


def test_lines_that_are_hidden_are_not_accepted_unseen(visit: Any, server: Server) -> None:
    with connected(server.url, "Other") as other:
        other.call("read", file_path="Old/Gone.md")
        long = "\n".join(f"- line {n}" for n in range(200))
        other.call("edit", file_path="Old/Gone.md", old_string="this.", new_string=f"this.\n{long}")
    page = visit("#set!2")
    page.wait_for_selector("text=lines are hidden here")
    page.keyboard.press("a")
    page.wait_for_selector(".message >> text=Some lines of this change were hidden")
    page.wait_for_selector(".mark >> text=line 100")
    assert summary(server, 2)["waiting"] == 1
    page.keyboard.press("a")
    page.wait_for_selector("text=Everything in this set is decided")


def test_what_blocks_an_assistant_comes_first(visit: Any, server: Server, vault: Path) -> None:
    with connected(server.url, "Asker") as asker:
        asker.begin("delete_note", path="Old/Gone.md").result(20)
    page = visit("")
    page.wait_for_selector(".set-row >> nth=0 >> text=asks 1 question")
    page.wait_for_function("() => document.title.startsWith('(41) ')")
    page.click(".set-row >> nth=0")
    page.wait_for_selector(".risky >> text=deletes the note")
    assert faults(page) == []
    page.keyboard.press("a")
    page.wait_for_selector("text=Everything in this set is decided")
    until(lambda: not (vault / "Old/Gone.md").exists())
    page.keyboard.press("u")
    page.wait_for_selector(".acts-row")
    until(lambda: (vault / "Old/Gone.md").exists())
    assert (vault / "Old/Gone.md").read_text() == "Nobody needs this.\n"


@pytest.mark.reads_only
def test_read_mode_says_what_is_undecided_and_reads_with_it_or_without(visit: Any) -> None:
    page = visit("#note!Garden/Note 0.md")
    page.wait_for_selector(".cm-content .cm-line")
    page.click(".segmented >> text=Read")
    page.wait_for_selector(".undecided >> text=3 changes in this note are undecided")
    page.wait_for_selector(".prose >> text=a gentle slope >> nth=0")
    page.click(".undecided >> text=Without")
    page.wait_for_function("() => !document.querySelector('.prose').textContent.includes('gentle')")
    assert faults(page) == []
    page.reload()
    page.wait_for_selector(".cm-content .cm-line")
    page.click(".segmented >> text=Read")
    page.wait_for_selector(".undecided >> text=You read it without them")
    page.click(".undecided >> text=Marked")
    page.wait_for_selector(".prose del >> text=red 1 >> nth=0")
    page.wait_for_selector(".prose ins >> text=gentle >> nth=0")
    page.wait_for_selector(".undecided >> text=What would go is struck out")
    # Nothing but the changed words is marked: without them it reads as before, and as after.
    for tag, word in (("ins", "The folder is red 1."), ("del", "The folder is green.")):
        read = page.evaluate(
            """tag => { const copy = document.querySelector('.prose').cloneNode(true);
              copy.querySelectorAll(tag).forEach(each => each.remove()); return copy.textContent; }""",
            tag,
        )
        assert word in read
    assert page.locator(".prose ins").count() == page.locator(".prose del").count() + 3 == 6
    assert faults(page) == []
    page.reload()
    page.wait_for_selector(".cm-content .cm-line")
    page.click(".segmented >> text=Read")
    page.wait_for_selector(".prose ins >> text=gentle >> nth=0")


def test_a_set_is_sent_back_and_a_link_to_a_change_leads_there(visit: Any, server: Server) -> None:
    page = opened_set(visit)
    page.keyboard.press("]")
    page.wait_for_function("() => /^#set!1!.*Note%201/.test(location.hash)")
    key = current(page)
    page.get_by_role("button", name="Send back", exact=True).click()
    page.wait_for_selector("text=waits for the assistant")
    assert summary(server)["sent_back"]
    there = visit(page.evaluate("location.hash"))
    there.wait_for_function("() => document.querySelector('.acts-row.current')")
    assert current(there) == key
    assert "changes wait" in there.locator("main").inner_text()


def test_comments_are_answered_and_resolved_in_the_set(visit: Any, vault: Path) -> None:
    note = vault / "Garden/Note 0.md"
    before = note.read_text()
    page = opened_set(visit)
    page.keyboard.press("c")
    page.keyboard.type("Keep the slope")
    page.keyboard.press("Enter")
    page.wait_for_selector(".thread >> text=Keep the slope")
    assert "Ann" in page.locator(".thread").inner_text()
    page.fill(".thread .reply", "Which slope?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".thread li >> text=Which slope?")
    has_words(note, "{>>Keep the slope<<}{>>Which slope?<<}")
    assert faults(page) == []
    page.click(".thread >> text=Resolve")
    page.wait_for_selector(".thread", state="detached")
    until(lambda: note.read_text() == before)


def test_a_suggestion_that_somebody_types_in_keeps_its_author(visit: Any, server: Server) -> None:
    page = visit("#note!Garden/Note 0.md")
    page.click(".cm-ins >> nth=0")
    page.keyboard.type("x")
    page.wait_for_function(
        """() => { const who = [...document.querySelectorAll('.suggestion-foot .who')].map(
          each => each.textContent);
          return who.length === 3 && who.every(each => each.includes('Claude'))
            && who.some(each => each.includes('Ann')); }"""
    )
    assert summary(server)["waiting"] == CHANGES


def test_any_passage_is_commented_on(visit: Any, vault: Path) -> None:
    page = visit("#note!Old/Gone.md")
    page.click(".cm-line >> text=Nobody needs this")
    has_all_keys(page)
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+Alt+m")
    page.wait_for_selector("dialog >> text=Nobody needs this")
    page.keyboard.type("Really?")
    assert faults(page) == []
    page.keyboard.press("Enter")
    has_words(vault / "Old/Gone.md", "{==Nobody needs this.==}{>>Really?<<}")


def test_sets_are_split_merged_and_renamed_by_keys(visit: Any, server: Server) -> None:
    page = opened_set(visit)
    page.keyboard.press("t")
    page.fill(".set-title", "Colours of the garden")
    page.keyboard.press("Enter")
    page.wait_for_selector("h1 >> text=Colours of the garden")
    page.keyboard.press("s")
    page.wait_for_function("() => location.hash.startsWith('#set!2')")
    page.wait_for_selector(".set-note")
    assert page.locator(".set-note").count() == 1
    assert (summary(server, 1)["waiting"], summary(server, 2)["waiting"]) == (37, 3)
    page.wait_for_selector(".acts-row.current")
    page.keyboard.press("m")
    page.wait_for_selector(".merge option >> text=Colours of the garden", state="attached")
    assert faults(page) == []
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(".set-bar >> text=40 changes wait")
    assert summary(server, 2)["waiting"] == 40
    page.click(".set-note >> nth=1 >> text=Split off")
    page.wait_for_function("() => location.hash.startsWith('#set!3')")


def test_a_set_that_is_ready_is_told_aloud_and_by_the_browser(visit: Any, server: Server) -> None:
    page = visit("#review", permissions=["notifications"])
    page.wait_for_selector(".set-row")
    page.evaluate(
        """() => {
          window.shown = [];
          window.Notification = class { constructor(title, more) { shown.push([title, more.body]); } };
          Notification.permission = 'granted';
          Notification.requestPermission = async () => 'granted';
          Object.defineProperty(document, 'hidden', { get: () => true });
        }"""
    )
    page.click("text=Notify me")
    page.wait_for_selector("text=Notifications are on")
    with connected(server.url, "Other") as other:
        other.call("describe_changes", title="Tidy up", why="", ready=False)
        other.call("read", file_path="Old/Gone.md")
        other.call("edit", file_path="Old/Gone.md", old_string="this", new_string="that")
        other.call("describe_changes", title="Tidy up", why="", ready=True)
        page.wait_for_function("() => window.shown.length === 1")
    assert page.evaluate("window.shown[0]") == ["Tidy up", "Other: 1 change waits for you"]
    said = page.locator(".messages .hidden").inner_text()
    assert said == "Other has a change set ready for review: Tidy up."
    assert faults(page) == []


@pytest.mark.reads_only
def test_search_says_which_hits_are_undecided(visit: Any) -> None:
    page = visit("#search!gentle slope")
    page.wait_for_selector(".hits li >> nth=0 >> .badge >> text=undecided")
    page.fill(".search-input", "Nobody needs this")
    first = page.locator(".hits li").nth(0)
    first.locator("text=Nobody needs this").wait_for()
    assert "undecided" not in first.inner_text()
