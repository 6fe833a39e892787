"""The writer of the index: a batch is there as a whole or not at all, and links follow names."""

from collections.abc import Generator
from pathlib import Path

import pytest

from commonplace.vault.files.roots import Roots
from commonplace.vault.index.build import scan
from commonplace.vault.index.links import LinkForecast
from commonplace.vault.index.reader import Index
from commonplace.vault.index.rows import Fresh
from commonplace.vault.index.writer import IndexWriter
from commonplace.vault.settings import Root, Settings
from tests.vault.conftest import write


class Bench:
    """A folder of notes, a writer of its index, and a reader."""

    def __init__(self, place: Path) -> None:
        self.folder, self.state = place / "vault", place / "state"
        self.folder.mkdir()
        self.state.mkdir()
        self.roots = Roots(Settings((Root("vault", self.folder),), self.state))
        self.writer = IndexWriter(self.state, several_roots=False)
        self.index = Index(self.state)

    def close(self) -> None:
        self.index.close()
        self.writer.close()
        self.roots.close()

    def read(self, **notes: str) -> list[Fresh]:
        write(self.folder, {f"{name}.md": text for name, text in notes.items()})
        wanted = {f"{name}.md" for name in notes}
        found = (scan.read(self.roots, one) for one in self.roots.scan() if one.path in wanted)
        return [fresh for fresh in found if fresh is not None]

    def put(self, **notes: str) -> set[str]:
        """Write notes; return the paths of those whose links may lead elsewhere now."""
        fresh = self.read(**notes)
        with self.writer.batch():
            self.writer.put(fresh)
            relinked = self.writer.settle_links()
        return self.paths(relinked)

    def remove(self, *names: str) -> set[str]:
        with self.writer.batch():
            self.writer.remove([f"{name}.md" for name in names])
            relinked = self.writer.settle_links()
        return self.paths(relinked)

    def paths(self, notes: set[int]) -> set[str]:
        return {path for note, path, *_ in self.index.catalog() if note in notes}

    def links(self, name: str) -> dict[str, str | None]:
        """Return the links of a note: what is written, and the path that it means."""
        paths = {note: path for note, path, *_ in self.index.catalog()}
        db = self.writer._db
        rows = db.execute(
            "SELECT raw, target FROM links JOIN notes ON notes.id = source WHERE path = ?",
            (f"{name}.md",),
        )
        return {raw: paths.get(target) for raw, target in rows}


@pytest.fixture
def bench(tmp_path: Path) -> Generator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.close()


def test_what_was_put_is_read_and_what_was_removed_is_not(bench: Bench) -> None:
    bench.put(a="# A\n\nwords\n", b="{++new++} text\n")
    assert sorted(bench.index.known()) == ["a.md", "b.md"]
    assert len(bench.index.pending.of(["b.md"])) == 1
    bench.remove("b")
    assert list(bench.index.known()) == ["a.md"]
    assert bench.index.pending.of(["b.md"]) == []
    assert bench.index.sound() is None


def test_a_batch_that_fails_leaves_nothing_behind(bench: Bench) -> None:
    bench.put(a="one\n")
    before = bench.index.known()
    fresh = bench.read(a="two\n", b="three\n")

    def fail_in_the_middle() -> None:
        with bench.writer.batch():
            bench.writer.put(fresh)
            raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        fail_in_the_middle()
    assert bench.index.known() == before
    bench.put(a="two\n", b="three\n")
    assert sorted(bench.index.known()) == ["a.md", "b.md"]
    assert bench.index.sound() is None


def test_a_link_means_the_note_of_its_name_as_long_as_there_is_one(bench: Bench) -> None:
    bench.put(home="to [[plan]] and [[other]]\n", apart="to [[home]]\n")
    assert bench.links("home") == {"plan": None, "other": None}
    assert bench.put(plan="# Plan\n") == {"home.md", "plan.md"}
    assert bench.links("home") == {"plan": "plan.md", "other": None}
    assert bench.remove("plan") == {"home.md"}
    assert bench.links("home") == {"plan": None, "other": None}


def test_links_of_notes_that_a_change_does_not_touch_are_left_alone(bench: Bench) -> None:
    many = {f"n{number}": f"to [[n{number + 1}]]\n" for number in range(40)}
    bench.put(**many)
    assert bench.put(extra="to [[n3]]\n") == {"extra.md"}
    assert bench.put(n40="the last\n") == {"n40.md", "n39.md"}


def test_a_first_build_means_the_same_links_as_notes_put_one_by_one(bench: Bench) -> None:
    notes = {
        "home": "[[plan]] [[spark]] [[nowhere]] [[home]]\n",
        "plan": "---\naliases: [spark]\n---\n[[home]]\n",
    }
    fresh = bench.read(**notes)
    with bench.writer.batch():
        bench.writer.list_files(one.listed for one in fresh)
    bench.writer.begin_build()
    with bench.writer.batch():
        bench.writer.put(fresh)
        bench.writer.settle_links()
    built = {name: bench.links(name) for name in notes}
    assert built["home"]["spark"] == "plan.md"
    bench.writer.clear()
    for name, text in notes.items():
        bench.put(**{name: text})
    assert {name: bench.links(name) for name in notes} == built


def test_the_forecast_names_only_files_that_are_alone_in_their_name() -> None:
    forecast = LinkForecast([(1, "a/Plan.md"), (2, "b/plan.md"), (3, "Home.md")])
    rows = [(9, 0, "plan", "plan"), (9, 1, "home", "home"), (9, 2, "x/home", "home")]
    assert [row[-1] for row in forecast.targets(rows)] == [None, 3, None]
