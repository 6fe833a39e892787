"""Where a new attachment goes, and what it is called."""

import json
from collections.abc import Callable
from datetime import datetime

import pytest

from commonplace.vault.attachments.place import file_name, folder_for, numbered
from commonplace.vault.files.roots import Roots
from commonplace.vault.settings import Settings

Make = Callable[..., Settings]
NOW = datetime(2026, 1, 2, 3, 4, 5)  # noqa: DTZ001 (as a person's clock shows it)


@pytest.mark.parametrize(
    ("setting", "obsidian", "folder"),
    [
        (None, None, ""),
        ("", "Other", ""),
        ("Files", "Other", "Files"),
        ("./", None, "Notes/Deep"),
        ("./pictures/", None, "Notes/Deep/pictures"),
        (None, "Files/Here", "Files/Here"),
        (None, "./", "Notes/Deep"),
        (None, "/", ""),
        (None, "../outside", ""),
        (None, ".hidden", ""),
        (None, 5, ""),
    ],
)
def test_the_persons_setting_goes_before_obsidians(
    make_settings: Make, setting: str | None, obsidian: object, folder: str
) -> None:
    app = json.dumps({"attachmentFolderPath": obsidian} if obsidian is not None else {})
    roots = Roots(make_settings({"Notes/Deep/a.md": "", ".obsidian/app.json": app}))
    assert folder_for("Notes/Deep/a.md", setting, roots) == folder
    roots.close()


@pytest.mark.parametrize("app", ["", "no json", "[]", "[" * 5000, "null"])
def test_settings_that_cannot_be_read_say_nothing(make_settings: Make, app: str) -> None:
    roots = Roots(make_settings({"a.md": "", ".obsidian/app.json": app}))
    assert folder_for("a.md", None, roots) == ""
    roots.close()


@pytest.mark.parametrize(
    ("name", "kind", "kept"),
    [
        ("Plan é.pdf", "application/pdf", "Plan é.pdf"),
        ("C:\\pictures\\cat.png", "image/png", "cat.png"),
        ("../../etc/cat.png", "image/png", "cat.png"),
        (".hidden.png", "image/png", "hidden.png"),
        ('a<b>:"|?*#^[].png', "image/png", "a-b----------.png"),
        ("a\x00\n\u202eb.png", "image/png", "ab.png"),
        ("image.png", "image/png", "Pasted image 20260102030405.png"),
        ("Image.PNG", "image/jpeg", "Pasted image 20260102030405.jpg"),
        ("no ending", "image/webp", "Pasted image 20260102030405.webp"),
        ("", "application/x", "Pasted image 20260102030405.png"),
        ("...", "image/gif", "Pasted image 20260102030405.gif"),
    ],
)
def test_a_name_is_one_that_every_system_can_carry(name: str, kind: str, kept: str) -> None:
    assert file_name(name, kind, NOW) == kept


def test_a_name_that_is_taken_gets_a_number() -> None:
    assert [numbered("v1.0/a.b.png", at) for at in (0, 1, 12)] == [
        "v1.0/a.b.png",
        "v1.0/a.b 1.png",
        "v1.0/a.b 12.png",
    ]
