"""A working copy: what people write flows in, what is saved there becomes suggestions."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from commonplace.core import critic
from commonplace.core.text.edits import Edit
from commonplace.core.view import View
from commonplace.errors import BadArgument
from commonplace.vault.checkout.working_copy import WorkingCopy
from commonplace.vault.open import open_vault
from commonplace.vault.permissions.requests import Asker
from commonplace.vault.settings import Settings
from commonplace.vault.vault import Vault
from tests.wait import eventually, holds

pytestmark = pytest.mark.anyio
AGENT = Asker("token:abc", "claude", suggests_only=True)
Make = Callable[..., Settings]


@asynccontextmanager
async def opened(
    settings: Settings, folder: Path, *chosen: str
) -> AsyncGenerator[tuple[Vault, WorkingCopy]]:
    view = View.of(chosen)
    async with (
        open_vault(settings) as vault,
        WorkingCopy.open(vault, folder, folder.with_suffix(".db"), AGENT, view) as copy,
    ):
        yield vault, copy


async def marked(vault: Vault, path: str) -> str:
    return await vault.texts.marked(path)


async def test_a_save_becomes_a_suggestion_and_the_copy_shows_no_mark(
    make_settings: Make, tmp_path: Path
):
    settings = make_settings(
        {"Plan.md": "# Plan\n\nSow in {--may--}{++June++}.\n", "a/B.md": "b\n"}
    )
    async with opened(settings, tmp_path / "copy") as (vault, copy):
        file = copy.folder / "Plan.md"
        assert file.read_text() == "# Plan\n\nSow in June.\n"
        assert (copy.folder / "a/B.md").read_text() == "b\n"
        (copy.folder / "a/B.md").write_text("Zinnias\n")
        await copy.settle()
        assert await marked(vault, "a/B.md") == "{--b--}{++Zinnias++}\n"
        assert (copy.folder / "a/B.md").read_text() == "Zinnias\n"
        assert [one.author for one in await vault.pending.listed() if one.path == "a/B.md"] == [
            "claude"
        ]


async def test_a_save_is_noticed_by_itself(make_settings: Make, tmp_path: Path):
    async with opened(make_settings({"A.md": "one\n"}), tmp_path / "copy") as (_, copy):
        (copy.folder / "A.md").write_text("two\n")
        await holds(tmp_path / "vault/A.md", "{--one--}{++two++}\n")


async def test_what_people_write_flows_in_and_is_kept_beside_what_was_saved(
    make_settings: Make, tmp_path: Path
):
    settings = make_settings({"A.md": "first line\n\nmiddle\n\nlast line\n"})
    async with opened(settings, tmp_path / "copy") as (vault, copy):
        file = copy.folder / "A.md"

        def by_person(text: str) -> list[Edit]:
            at = text.index("last")
            return [Edit(at, at, "very ")]

        await vault.notes.edit("A.md", by_person, "person:ada")
        file.write_text("first words\n\nmiddle\n\nlast line\n")
        await copy.settle()
        text = await marked(vault, "A.md")
        assert critic.accepted(text) == "first words\n\nmiddle\n\nvery last line\n"
        assert critic.base(text) == "first line\n\nmiddle\n\nvery last line\n"
        await holds(file, critic.accepted(text))


async def test_created_notes_are_suggested_and_a_deletion_asks(make_settings: Make, tmp_path: Path):
    settings = make_settings({"A.md": "a\n", "B.md": "b\n"})
    async with opened(settings, tmp_path / "copy") as (vault, copy):
        (copy.folder / "New").mkdir()
        (copy.folder / "New/C.md").write_text("# C\n")
        (copy.folder / "B.md").unlink()
        await copy.settle()
        await copy.settle()
        assert await marked(vault, "New/C.md") == "{++# C\n++}"
        waiting = await vault.permissions.waiting()
        assert [(one.operation, one.path, one.who) for one in waiting] == [
            ("delete", "B.md", "claude")
        ]
        assert await marked(vault, "B.md") == "b\n"
        assert (copy.folder / "New/C.md").read_text() == "# C\n"


async def test_a_note_with_a_capital_ending_is_in_the_copy_as_every_other(
    make_settings: Make, tmp_path: Path
):
    settings = make_settings({"Loud.MD": "one\n", "Other.Md": "a\n"})
    async with opened(settings, tmp_path / "copy") as (vault, copy):
        assert (copy.folder / "Loud.MD").read_text() == "one\n"
        assert (copy.folder / "Other.Md").read_text() == "a\n"
        await vault.notes.edit("Loud.MD", lambda _: [Edit(0, 0, "more than ")], "person:ada")
        await holds(copy.folder / "Loud.MD", "more than one\n")
        (copy.folder / "Other.Md").write_text("b\n")
        await holds(tmp_path / "vault/Other.Md", "{--a--}{++b++}\n")
        await copy.write(str(copy.folder / "Loud.MD"), "more than two\n")
        assert await marked(vault, "Loud.MD") == "more than {--one--}{++two++}\n"
        assert copy.troubles == {}


async def test_a_rejected_suggestion_leaves_the_copy(make_settings: Make, tmp_path: Path):
    async with opened(make_settings({"A.md": "one\n"}), tmp_path / "copy") as (vault, copy):
        (copy.folder / "A.md").write_text("two\n")
        await copy.settle()
        [one] = await vault.pending.listed()
        await vault.review.decide("reject", {"A.md": [one.id]}, "ada")
        await holds(copy.folder / "A.md", "one\n")
        assert await marked(vault, "A.md") == "one\n"


async def test_markup_in_a_save_is_refused_and_said_and_the_vault_keeps_its_text(
    make_settings: Make, tmp_path: Path
):
    async with opened(make_settings({"A.md": "one\n"}), tmp_path / "copy") as (vault, copy):
        (copy.folder / "A.md").write_text("one {++sneaked in++}\n")
        await copy.settle()
        assert critic.base(await marked(vault, "A.md")) == "one\n"
        (copy.folder / "Bad.md").write_bytes(b"\xff\xfe\x00bad")
        await copy.settle()
        assert "Bad.md" in copy.troubles


async def test_links_out_of_the_copy_are_no_notes(make_settings: Make, tmp_path: Path):
    secret = tmp_path / "secret.md"
    secret.write_text("secret\n")
    async with opened(make_settings({"A.md": "one\n"}), tmp_path / "copy") as (vault, copy):
        (copy.folder / "Leak.md").symlink_to(secret)
        (copy.folder / "A.md").unlink()
        (copy.folder / "A.md").symlink_to(secret)
        await copy.settle()
        assert await marked(vault, "A.md") == "one\n"
        assert not vault.texts.exists("Leak.md")
        await vault.notes.edit("A.md", lambda _: [Edit(0, 0, "x ")], "person:ada")
        await copy.settle()
        assert secret.read_text() == "secret\n"


async def test_a_copy_is_taken_up_again_with_what_was_saved_meanwhile(
    make_settings: Make, tmp_path: Path
):
    settings = make_settings({"A.md": "one\n", "B.md": "b\n"})
    async with opened(settings, tmp_path / "copy") as (_, copy):
        pass
    (copy.folder / "A.md").write_text("two\n")
    (tmp_path / "vault/B.md").write_text("bb\n")
    async with opened(settings, tmp_path / "copy") as (vault, copy):
        assert await marked(vault, "A.md") == "{--one--}{++two++}\n"
        assert (copy.folder / "B.md").read_text() == "bb\n"
        assert await marked(vault, "B.md") == "bb\n"


async def test_chosen_folders_alone_are_held_and_followed(
    make_settings: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    settings = make_settings({"A.md": "a\n", "in/B.md": "b\n", "in/deep/C.md": "c\n"})
    async with opened(settings, tmp_path / "copy", "in") as (vault, copy):
        held = {str(file.relative_to(copy.folder)) for file in copy.folder.rglob("*.md")}
        assert held == {"in/B.md", "in/deep/C.md"}
        for path in ("A.md", "in/B.md"):
            await vault.notes.edit(path, lambda _: [Edit(0, 0, "x ")], "person:ada")
        await holds(copy.folder / "in/B.md", "x b\n")
        await copy.settle()
        assert not (copy.folder / "A.md").exists()
        (copy.folder / "New.md").write_text("new\n")  # what it saves is taken all the same
        await copy.settle()
        assert await marked(vault, "New.md") == "{++new\n++}"
    monkeypatch.setattr("commonplace.vault.checkout.working_copy.COPIED_NOTES_MAX", 1)
    with pytest.raises(BadArgument, match="hold 2 notes"):
        async with opened(settings, tmp_path / "other", "in"):
            pass


async def test_a_vault_that_is_too_big_leaves_the_copy_empty(
    make_settings: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("commonplace.vault.checkout.working_copy.COPIED_NOTES_MAX", 1)
    settings = make_settings({"A.md": "a\n", "B.md": "b\n"})
    async with opened(settings, tmp_path / "copy") as (vault, copy):
        await vault.notes.edit("A.md", lambda _: [Edit(0, 0, "x ")], "person:ada")
        await copy.settle()
        assert list(copy.folder.rglob("*.md")) == []


@pytest.mark.parametrize("by", ["person", "settings"])
async def test_a_deletion_that_is_denied_brings_the_file_back(
    make_settings: Make, tmp_path: Path, by: str
):
    policies = {"delete": "deny"} if by == "settings" else {}
    settings = replace(make_settings({"B.md": "b\n"}), policies=policies)
    async with opened(settings, tmp_path / "copy") as (vault, copy):
        told: list[str] = []
        copy.listeners.append(lambda _, text: told.append(text))
        (copy.folder / "B.md").unlink()
        await copy.settle()
        if by == "person":
            [one] = await vault.permissions.waiting()
            assert not (copy.folder / "B.md").exists()
            await vault.permissions.deny(one.id, "ada")
        await holds(copy.folder / "B.md", "b\n")
        assert await marked(vault, "B.md") == "b\n"
        assert "denied" in (await eventually(lambda: told))[0]


async def test_a_deletion_that_is_approved_stays_one(make_settings: Make, tmp_path: Path):
    async with opened(make_settings({"B.md": "b\n"}), tmp_path / "copy") as (vault, copy):
        (copy.folder / "B.md").unlink()
        await copy.settle()
        [one] = await vault.permissions.waiting()
        await vault.permissions.approve(one.id, "ada")
        await eventually(lambda: not vault.texts.exists("B.md"))
        await copy.settle()
        assert not (copy.folder / "B.md").exists()
        assert copy.troubles == {}


async def test_a_save_of_one_who_read_before_people_wrote_takes_nothing_back(
    make_settings: Make, tmp_path: Path
):
    settings = make_settings({"A.md": "first line\n\nlast line\n"})
    async with opened(settings, tmp_path / "copy") as (vault, copy):
        file = copy.folder / "A.md"
        read = file.read_text()
        await vault.notes.edit("A.md", lambda _: [Edit(0, 5, "very first")], "person:ada")
        await holds(file, "very first line\n\nlast line\n")
        file.write_text(read.replace("last", "final"))
        await copy.settle()
        text = await marked(vault, "A.md")
        assert text == "very first line\n\n{--last--}{++final++} line\n"
        await holds(file, "very first line\n\nfinal line\n")


async def test_a_file_put_back_as_it_was_and_what_a_program_saved_itself_are_meant(
    make_settings: Make, tmp_path: Path
):
    settings = make_settings({"A.md": "first line\n\nlast line\n"})
    async with opened(settings, tmp_path / "copy") as (vault, copy):
        file = copy.folder / "A.md"
        read = file.read_text()
        await vault.notes.edit("A.md", lambda _: [Edit(0, 5, "very first")], "person:ada")
        await holds(file, "very first line\n\nlast line\n")
        for text in (read, f"{read}one more\n", f"{read}another\n"):
            file.write_text(text)
            await copy.settle()
            assert critic.accepted(await marked(vault, "A.md")) == text
        assert critic.base(await marked(vault, "A.md")) == "very first line\n\nlast line\n"


async def test_a_file_that_is_emptied_to_be_written_is_not_taken_for_empty(
    make_settings: Make, tmp_path: Path
):
    lines = "".join(f"line {n}\n" for n in range(50))
    async with opened(make_settings({"A.md": lines}), tmp_path / "copy") as (vault, copy):
        file = copy.folder / "A.md"
        with file.open("w") as writing:
            await copy.settle()
            assert await marked(vault, "A.md") == lines
            writing.write(f"{lines}more\n")
        await copy.settle()
        await eventually(lambda: (tmp_path / "vault/A.md").read_text().endswith("more\n++}"))
        file.write_text("")  # and stays so
        await copy.settle()
        assert critic.accepted(await marked(vault, "A.md")) == ""


async def test_a_file_that_is_being_written_keeps_no_other_waiting(
    make_settings: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("commonplace.vault.documents.file.stable_read.SAVE_WAIT_SECONDS_MAX", 600.0)
    monkeypatch.setattr("commonplace.vault.documents.file.stable_read.HELD_SECONDS_MAX", 600.0)
    lines = "".join(f"line {n}\n" for n in range(50))
    settings = make_settings({"A.md": lines, "B.md": "b\n"})
    async with opened(settings, tmp_path / "copy") as (vault, copy):
        with (copy.folder / "A.md").open("w") as writing:
            settling = asyncio.create_task(copy.settle())
            await eventually(lambda: looks_at(copy, "A.md"))
            (copy.folder / "B.md").write_text("Zinnias\n")
            await holds(tmp_path / "vault/B.md", "{--b--}{++Zinnias++}\n")
            assert not settling.done()
            writing.write(f"{lines}more\n")
        await settling
        assert critic.accepted(await marked(vault, "A.md")) == f"{lines}more\n"


def looks_at(copy: WorkingCopy, path: str) -> bool:
    """Tell whether a file is being looked at until it can be believed."""
    return path in copy._sync._looks


ODD_NAMES = (
    b"a\\b.md",
    b"x\ny.md",
    b" .md",
    b"\xff.md",
    b"[[x]].md",
    b"n" * 252 + b".md",
    b"a:b.md",
)


async def test_a_file_of_any_name_keeps_no_other_from_being_taken(
    make_settings: Make, tmp_path: Path
):
    async with opened(make_settings({"A.md": "one\n"}), tmp_path / "copy") as (vault, copy):
        for name in ODD_NAMES:
            with open(os.fsencode(copy.folder) + b"/" + name, "w") as file:
                file.write("odd\n")
        (copy.folder / "A.md").write_text("Zinnias\n")
        await holds(tmp_path / "vault/A.md", "{--one--}{++Zinnias++}\n")
        await copy.settle()
        for name in ODD_NAMES:
            os.rename(
                os.fsencode(copy.folder) + b"/" + name,
                os.fsencode(copy.folder) + b"/" + name[1:],
            )
        (copy.folder / "B.md").write_text("b\n")
        await holds(tmp_path / "vault/B.md", "{++b\n++}")
        await copy.settle()
        assert await marked(vault, "A.md") == "{--one--}{++Zinnias++}\n"
