"""Which attachments there are: nothing hidden, nothing linked, no note."""

from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.vault.attachments.files import FRESH_SECONDS, AttachmentFiles
from commonplace.vault.files.roots import Roots
from commonplace.vault.settings import Settings

pytestmark = pytest.mark.anyio
Make = Callable[..., Settings]


async def test_files_are_listed_by_path_and_by_name(make_settings: Make, tmp_path: Path) -> None:
    notes = {"a.md": "", "p.png": b"1", "f/P.png": b"2", "f/e\u0301.pdf": b"3", "LICENSE": b"4"}
    hidden = {".obsidian/app.json": b"{}", "f/.x.png": b"", "skip/q.png": b""}
    settings = make_settings({**notes, **hidden}, ignore=("skip/**",))
    folder = settings.roots[0].path
    (folder / "link.png").symlink_to("p.png")
    (folder / "linked").symlink_to(tmp_path)
    roots = Roots(settings)
    found = await AttachmentFiles(roots).current()
    assert sorted(found.by_path) == ["LICENSE", "f/P.png", "f/é.pdf", "p.png"]
    assert sorted(found.named("p.png")) == ["f/P.png", "p.png"]
    assert found.by_path["f/é.pdf"].on_disk in ("f/e\u0301.pdf", "f/é.pdf")
    assert found.named("none.png") == []
    roots.close()


async def test_a_list_is_as_new_as_it_is_asked_for(make_settings: Make) -> None:
    settings = make_settings({"a.png": b""})
    now = 100.0
    roots = Roots(settings)
    files = AttachmentFiles(roots, lambda: now)
    assert list((await files.recent()).by_path) == ["a.png"]
    (settings.roots[0].path / "b.png").write_bytes(b"")
    now += FRESH_SECONDS / 2
    assert list((await files.recent()).by_path) == ["a.png"]
    assert sorted((await files.current()).by_path) == ["a.png", "b.png"]
    (settings.roots[0].path / "c.png").write_bytes(b"")
    now += FRESH_SECONDS * 2
    assert len((await files.recent()).by_path) == 3
    roots.close()
