"""`commonplace site`: what is refused, and what is left out; the site itself is tested as one."""

from pathlib import Path

from tests.cli.commands.conftest import Say


def test_a_site_lies_outside_of_its_vault(say: Say, notes: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(notes)
    for target in (notes, notes / "out", tmp_path / "link/out"):
        assert "would lie inside the vault" in say("site", str(notes), str(target), code=2)
    assert sorted(file.name for file in notes.iterdir()) == ["Plan.md", "あ.md"]


def test_a_note_that_cannot_be_read_is_named_and_left_out(
    say: Say, notes: Path, tmp_path: Path
) -> None:
    (notes / "latin.md").write_bytes(b"caf\xe9")
    said = say("site", str(notes), str(tmp_path / "out"))
    assert "left out latin.md" in said
    assert "wrote 2 notes as" in said
    assert said.splitlines()[0].endswith("out/index.html")


def test_the_vault_may_be_the_usual_one(say: Say, tmp_path: Path) -> None:
    assert "2 notes" in say("site", str(tmp_path / "out"))
    assert "VAULT" in say("site", code=2)
