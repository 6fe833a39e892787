"""The edit tool as an assistant meets it, and people who decide: CONTRACT section 3."""

from collections.abc import Callable
from typing import Any

import anyio
import pytest

from commonplace.core import critic
from commonplace.errors import Conflict
from commonplace.vault.settings import SuggestionStyle

pytestmark = pytest.mark.anyio

OpenDesk = Callable[[dict[str, Any]], Any]

NOTE = {"a.md": "The quick brown fox.\nSecond line.\n", "b.md": "other\n"}


async def file_text(at: Any, path: str) -> str:
    await at.vault.notes.queue.flush_all()
    return (at.folder / path).read_text()


async def test_an_edit_is_refused_before_a_read_and_allowed_after(desk: OpenDesk) -> None:
    at = await desk(NOTE)
    edit = {"file_path": "a.md", "old_string": "quick", "new_string": "slow"}
    assert await at.error("edit", **edit) == (
        "You must read this document before editing it."
        ' Call the read tool with file_path: "a.md" first.'
    )
    await at.call("read", file_path="a.md")
    assert await at.call("edit", **edit) == (
        "Edited a.md: replaced 5 characters."
        " The change is wrapped in CriticMarkup for human review."
    )
    assert await file_text(at, "a.md") == "The {--quick--}{++slow++} brown fox.\nSecond line.\n"
    assert "must read" in await at.error("edit", file_path="b.md", old_string="o", new_string="x")


async def test_what_was_suggested_is_read_back_as_if_it_were_there(desk: OpenDesk) -> None:
    at = await desk(NOTE)
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="quick", new_string="slow")
    shown = await at.call("read", file_path="a.md")
    assert shown.startswith(
        "     1\tThe slow brown fox.\n     2\tSecond line.\n\n[Pending suggestions]"
    )
    assert "  L1: {--quick--}{++slow++} (" in shown
    assert shown.rstrip().endswith("s ago")
    found, undecided = await at.blocks("grep", pattern="slow brown", output_mode="content")
    assert found == "a.md:1:The slow brown fox."
    assert undecided.startswith("Undecided")
    assert await at.call("grep", pattern="quick") == "No matches found."


async def test_the_same_call_again_changes_nothing_more(desk: OpenDesk) -> None:
    at = await desk(NOTE)
    await at.call("read", file_path="a.md")
    edit = {"file_path": "a.md", "old_string": "quick", "new_string": "quick red"}
    first = await at.call("edit", **edit)
    assert await at.call("edit", **edit) == first
    text = await file_text(at, "a.md")
    assert text.count("{++") == 1
    assert await at.vault.texts.accepted("a.md") == "The quick red brown fox.\nSecond line.\n"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            {"old_string": "zebra", "new_string": "x"},
            "Error: old_string not found in a.md. Make sure it matches exactly.",
        ),
        (
            {"old_string": "o", "new_string": "x"},
            (
                "Error: old_string is not unique in a.md (2 occurrences found)."
                " Include more surrounding context to make it unique, or set replace_all."
            ),
        ),
        (
            {"old_string": "fox", "new_string": "fox"},
            "No changes to make: old_string and new_string are exactly the same.",
        ),
        (
            {"old_string": "fox", "new_string": "fox {++x++}"},
            (
                "Error: new_string contains CriticMarkup syntax '{++'."
                " Write plain text: the change is wrapped for review automatically."
                " Code that holds it can stand in a code fence."
            ),
        ),
    ],
)
async def test_an_edit_that_cannot_be_says_why_and_changes_nothing(
    desk: OpenDesk, arguments: dict[str, str], error: str
) -> None:
    at = await desk({"a.md": "The quick brown fox.\n"})
    await at.call("read", file_path="a.md")
    assert await at.error("edit", file_path="a.md", **arguments) == error
    assert await file_text(at, "a.md") == "The quick brown fox.\n"


async def test_text_that_a_person_changed_meanwhile_is_told(desk: OpenDesk) -> None:
    at = await desk(NOTE)
    await at.call("read", file_path="a.md")
    (at.folder / "a.md").write_text("The lazy brown fox.\nSecond line.\n")
    assert await at.error("edit", file_path="a.md", old_string="quick", new_string="slow") == (
        "Document changed since last read. Please re-read and try again."
    )
    assert await at.call("edit", file_path="a.md", old_string="Second", new_string="2nd")


async def test_replace_all_suggests_each_or_none(desk: OpenDesk) -> None:
    at = await desk({"a.md": "cat cat cat\n"})
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="cat", new_string="dog", replace_all=True)
    assert await file_text(at, "a.md") == (
        "{--cat--}{++dog++} {--cat--}{++dog++} {--cat--}{++dog++}\n"
    )


async def test_an_empty_document_can_be_filled(desk: OpenDesk) -> None:
    at = await desk({"a.md": ""})
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="", new_string="first words")
    assert await file_text(at, "a.md") == "{++first words++}"


async def test_windows_line_ends_stay_around_an_edit(desk: OpenDesk) -> None:
    at = await desk({"a.md": b"one\r\ntwo\r\nthree\r\n"})
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="one\ntwo", new_string="1\n2")
    await at.vault.notes.queue.flush_all()
    assert (at.folder / "a.md").read_bytes() == b"{--one\r\ntwo--}{++1\r\n2++}\r\nthree\r\n"


async def test_people_accept_and_reject_and_the_assistant_hears_of_it(desk: OpenDesk) -> None:
    at = await desk(NOTE)
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="quick", new_string="slow")
    await at.call("edit", file_path="a.md", old_string="Second", new_string="Last")
    first, second = await at.vault.pending.listed()
    assert (first.old, first.new, first.line) == ("quick", "slow", 1)
    await at.vault.review.decide("accept", {"a.md": [first.id]}, "Anna")
    await at.vault.review.decide("reject", {"a.md": [second.id]}, "Ben", "too vague")
    assert await file_text(at, "a.md") == "The slow brown fox.\nSecond line.\n"
    shown = await at.call("read", file_path="a.md")
    assert "[Decided since your last read]\n  accepted by Anna: {--quick--}{++slow++}" in shown
    assert '  rejected by Ben: {--Second--}{++Last++} (reason: "too vague")' in shown
    assert "[Decided" not in await at.call("read", file_path="a.md")
    ledger = at.vault.ledger.decisions(10)
    assert [(d.who, d.decision) for d in ledger] == [("Ben", "reject"), ("Anna", "accept")]


async def test_a_decision_on_what_is_gone_changes_nothing_at_all(desk: OpenDesk) -> None:
    at = await desk(NOTE)
    for path, old in (("a.md", "quick"), ("b.md", "other")):
        await at.call("read", file_path=path)
        await at.call("edit", file_path=path, old_string=old, new_string="new")
    one, two = await at.vault.pending.listed()
    await at.vault.review.decide("accept", {two.path: [two.id]}, "Anna")
    before = await file_text(at, "a.md")
    with pytest.raises(Conflict, match="Nothing was decided"):
        await at.vault.review.decide("accept", {one.path: [one.id], two.path: [two.id]}, "Ben")
    assert await file_text(at, "a.md") == before
    assert len(await at.vault.pending.listed()) == 1


async def test_a_decision_can_be_undone(desk: OpenDesk) -> None:
    at = await desk(NOTE)
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="quick", new_string="slow")
    before = await file_text(at, "a.md")
    (one,) = await at.vault.pending.listed()
    done = await at.vault.review.decide("reject", {"a.md": [one.id]}, "Anna")
    assert await file_text(at, "a.md") == NOTE["a.md"]
    assert await at.vault.review.undo(done.undo) == 1
    assert await file_text(at, "a.md") == before


async def test_of_two_who_decide_at_once_one_wins(desk: OpenDesk) -> None:
    at = await desk(NOTE)
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="quick", new_string="slow")
    (one,) = await at.vault.pending.listed()
    outcomes: list[str] = []

    async def decide(verdict: Any) -> None:
        try:
            await at.vault.review.decide(verdict, {"a.md": [one.id]}, verdict)
            outcomes.append(verdict)
        except Conflict:
            outcomes.append("conflict")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(decide, "accept")
        tasks.start_soon(decide, "reject")
    assert sorted(outcomes) in (["accept", "conflict"], ["conflict", "reject"])
    text = await file_text(at, "a.md")
    assert text.startswith("The slow" if "accept" in outcomes else "The quick")


async def test_a_suggestion_can_carry_its_author_in_the_text(desk: OpenDesk) -> None:
    at = await desk(NOTE)
    at.vault.authorship.style = SuggestionStyle("{client}'s suggestion", metadata=True)
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="quick", new_string="slow")
    text = await file_text(at, "a.md")
    assert text.count("'s suggestion\"") == 2
    (one,) = critic.suggestions(text)
    assert (one.old, one.new) == ("quick", "slow")
    assert one.author is not None
    assert one.author.endswith("'s suggestion")
    assert critic.accepted(text) == "The slow brown fox.\nSecond line.\n"


async def test_a_retry_over_superseded_text_changes_nothing_more(desk: OpenDesk) -> None:
    at = await desk({"a.md": "one {--two--}{++zwei++} three\n"})
    await at.call("read", file_path="a.md")
    edit = {"file_path": "a.md", "old_string": "zwei three", "new_string": "zwei three zwei three"}
    first = await at.call("edit", **edit)
    text = await file_text(at, "a.md")
    assert await at.call("edit", **edit) == first
    assert await file_text(at, "a.md") == text


async def test_every_suggestion_is_on_record_and_a_retry_is_not(desk: OpenDesk) -> None:
    at = await desk(NOTE)
    await at.call("read", file_path="a.md")
    edit = {"file_path": "a.md", "old_string": "quick", "new_string": "slow"}
    await at.call("edit", **edit)
    await at.call("edit", **edit)
    await at.error("edit", file_path="a.md", old_string="zebra", new_string="x")
    (row,) = at.vault.permissions.audit.latest(5)
    assert row.who
    assert (row.operation, row.path, row.answer, row.by) == ("edit", "a.md", "suggest", "settings")
    assert row.outcome == "done"
    (shown,) = at.vault.health.status()["writes"]
    assert (shown["operation"], shown["who"]) == ("edit", row.who)


async def test_thousands_of_suggestions_of_one_call_are_saved_together(desk: OpenDesk) -> None:
    at = await desk({"a.md": "cat\n" * 1500})
    await at.call("read", file_path="a.md")
    await at.call("edit", file_path="a.md", old_string="cat", new_string="dog", replace_all=True)
    waiting = await at.vault.pending.listed()
    assert len(waiting) == 1500
    assert {one.author for one in waiting} == {waiting[0].author} != {None}
    assert len(at.vault.permissions.audit.latest(5)) == 1


@pytest.mark.parametrize(
    ("text", "old", "new", "marked"),
    [
        (
            "| a | b |\n|---|---|\n| 1 | 2 |\n",
            "| 1 | 2 |",
            "| 1 | 2 |\n| 3 | 4 |",
            "| a | b |\n|---|---|\n| 1 | 2 |\n{++| 3 | 4 |\n++}",
        ),
        (
            "| 1 | 2 |\n| 5 | 6 |\n",
            "| 1 | 2 |",
            "| 1 | 2 |\n| 3 | 4 |",
            "| 1 | 2 |\n{++| 3 | 4 |\n++}| 5 | 6 |\n",
        ),
        ("- a\n- b\n", "- b", "- b\n- bb", "- a\n- b\n{++- bb\n++}"),
        ("- b\n- c\n", "- b\n- c", "- b\n- bb\n- c", "- b\n{++- bb\n++}- c\n"),
        ("- a\n- b", "- b", "- b\n- bb", "- a\n- b{++\n- bb++}"),
        ("One.\n\nThree.\n", "One.", "One.\n\nTwo.", "One.\n{++\nTwo.\n++}\nThree.\n"),
        ("- a\n- ab\n- b\n", "- a\n- ab\n- b", "- a\n- b", "- a\n{--- ab\n--}- b\n"),
        ("- a\n- b\n", "- b", "- ab\n- b", "- a\n{++- ab\n++}- b\n"),
        ("- b\n", "- b", "- ab\n- b", "{++- ab\n++}- b\n"),
        ("a\n| 1 | 2 |\n", "| 1 | 2 |", "| 0 | 0 |\n| 1 | 2 |", "a\n{++| 0 | 0 |\n++}| 1 | 2 |\n"),
        ("- a\n- ab\n- b\n", "- ab\n- b", "- b", "- a\n{--- ab\n--}- b\n"),
        ("1. - b\n", "- b", "- ab\n- b", "1. - {++ab\n- ++}b\n"),
    ],
)
async def test_whole_lines_are_marked_as_whole_lines(
    desk: OpenDesk, text: str, old: str, new: str, marked: str
) -> None:
    at = await desk({"t.md": text})
    await at.call("read", file_path="t.md")
    for _ in range(2):  # a client may send a call again
        await at.call("edit", file_path="t.md", old_string=old, new_string=new)
        assert await file_text(at, "t.md") == marked


async def test_a_folder_can_be_kept_free_of_suggestions(desk: OpenDesk) -> None:
    rules = {"edit:Public/**": "deny", "*:Shut/**@nobody": "deny"}
    at = await desk({"Public/a.md": "one\n", "Shut/a.md": "one\n"}, **rules)
    for path in ("Public/a.md", "Shut/a.md"):
        await at.call("read", file_path=path)
    edit = {"old_string": "one", "new_string": "two"}
    assert await at.error("edit", file_path="Public/a.md", **edit) == (
        "Error: User denied permission: the vault's settings allow no edit at this path."
    )
    assert await file_text(at, "Public/a.md") == "one\n"
    assert await at.call("edit", file_path="Shut/a.md", **edit)
