"""Programs in processes of their own that save notes in which people type: no word is lost.

`COMMONPLACE_SAVES` asks for more saves than a test can take; see `tests/live/savers.py`.
"""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.live.product import Product
from tests.live.saver import SAVERS, Save, missing, vim
from tests.live.savers import install_programs, kinds_here, play
from tests.live.typist import typist
from tests.wait import eventually

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

SAVES = int(os.environ.get("COMMONPLACE_SAVES", "100"))
DISK, MEMORY = Path(__file__).parents[2] / "build", Path("/dev/shm")


class Careless(Product):
    """The product as it would be if one look at a file were believed."""

    def command(self, name: str) -> list[str]:
        return [sys.executable, "-m", "tests.live.careless", name, str(self.folder)]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["disk", "memory"])
def folder(request: pytest.FixtureRequest) -> Generator[Path]:
    DISK.mkdir(exist_ok=True)
    place = DISK if request.param == "disk" else MEMORY
    if not place.is_dir():
        pytest.skip("there is no file system in memory here")
    with tempfile.TemporaryDirectory(dir=place) as home:
        yield Path(home)


@pytest.mark.parametrize("kind", SAVERS)
def test_every_saver_is_tried_here(kind: str) -> None:
    install_programs()
    if program := missing(kind):
        pytest.skip(f"{program} is not installed: nothing is said about how it saves")
    assert kind in kinds_here()


def test_a_save_that_vim_asks_about_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_programs()
    if (program := shutil.which("vim")) is None:
        pytest.skip("vim is not installed")
    note, folder = tmp_path / "note.md", tmp_path / "bin"
    note.write_text("one\ntwo\n")
    save = Save(note, "", "new", 1)
    vim(save, copy="no")
    assert note.read_text() == "one\nnew\ntwo\n"
    folder.mkdir()
    changing = folder / "vim"
    changing.write_text(
        f"#!/bin/sh\nexec {program} --cmd "
        f'"autocmd BufReadPost * call system(\'touch -d 2001-01-01 {note}\')" "$@"\n'
    )
    changing.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(OSError, match="did not save"):
        vim(save, copy="no")
    assert note.read_text() == "one\nnew\ntwo\n"


async def test_no_word_is_lost_beside_programs_that_save(folder: Path) -> None:
    kinds = kinds_here()
    results = await play(Product(folder), max(1, SAVES // len(kinds) // 2), kinds)
    assert [one for one in results if not one.whole] == []


async def test_one_look_at_a_file_would_not_do(tmp_path: Path) -> None:
    results = await play(Careless(tmp_path), 6, ("pieces",), patience=2.0)
    assert not results[0].whole  # words are lost, or come back beside those that replaced them


async def test_a_person_who_empties_a_note_gets_an_empty_note(tmp_path: Path) -> None:
    with Product(tmp_path, "much\n" * 100) as product:
        async with typist(f"{product.ws}/{product.document()}") as person:
            assert str(person)
            product.note.write_text("")
            began = time.monotonic()
            await eventually(lambda: not str(person))
            took = time.monotonic() - began
    assert took < 2.0
