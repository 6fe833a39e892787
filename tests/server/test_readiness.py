"""`/readyz` looks at what it vouches for, `/healthz` at the process."""

import resource
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from commonplace.core.text.edits import Edit
from commonplace.errors import Unavailable
from tests.server.site import Site, site_in
from tests.wait import eventually

pytestmark = pytest.mark.anyio


@pytest.fixture
async def site(tmp_path: Path) -> AsyncGenerator[Site]:
    async with site_in(tmp_path) as site:
        yield site


@contextmanager
def full_disk() -> Generator[None]:
    """Let the system refuse whatever would make a file longer than a page."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def ask(site: Site, path: str) -> tuple[int, str]:
    async with site.http() as http:
        answer = await http.get(path)
        return answer.status_code, answer.text


async def test_a_log_that_cannot_be_written_is_told_until_it_can(site: Site) -> None:
    assert (await ask(site, "/readyz"))[0] == 200
    note = {"path": "New.md", "content": "x"}
    async with site.http("approve", **{"x-commonplace": "1"}) as http:
        with full_disk():
            with pytest.raises(Unavailable):
                await site.vault.notes.edit("Bees.md", lambda text: [Edit(0, 0, "x")], "person:ana")
            status, text = await ask(site, "/readyz")
            assert (status, "log cannot be written" in text) == (503, True), text
            assert await ask(site, "/healthz") == (200, '{"status":"ok"}')
        # it is seen to work again though nobody writes meanwhile

        async def is_ready() -> bool:
            return (await ask(site, "/readyz"))[0] == 200

        await eventually(is_ready)
        assert (await http.post("/api/notes", json=note)).status_code == 200


async def test_what_was_done_on_a_full_disk_is_not_called_failed(site: Site) -> None:
    async with site.http("approve", **{"x-commonplace": "1"}) as http:
        with full_disk():
            made = await http.post("/api/notes", json={"path": "New.md", "content": "x"})
            assert (made.status_code, made.json()) == (200, {"path": "New.md"})
            gone = await http.post("/api/notes/delete", json={"path": "Bees.md"})
            assert (gone.status_code, gone.json()) == (200, {"trash": ".trash/Bees.md"})
            back = await http.post("/api/notes/restore", json={"trash": ".trash/Bees.md"})
            assert (back.status_code, back.json()) == (200, {"path": "Bees.md"})
            read = await http.get("/api/tree")
            assert read.status_code == 200
    assert (site.folder / "New.md").read_text() == "x"
    assert (site.folder / "Bees.md").exists()
