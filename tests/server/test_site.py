"""A site on disk: no dead link, no note that breaks out of its page, no file of others touched."""

import html
import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from commonplace.cli.commands.programs.site import command
from commonplace.core.site import published
from commonplace.errors import BadArgument, Conflict
from commonplace.server.site import LIST, write

ROOT = Path(__file__).parents[2]
EVIL = "</script><script>alert(1)</script>\u2028<!-- & \" ' -->"


@pytest.fixture
def static(tmp_path: Path) -> Path:
    """A built page, as far as a site is concerned."""
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    for name in ("site-X.js", "site-X.css"):
        (folder / "assets" / name).write_text("")
    about = {"script": "site-X.js", "style": "site-X.css", "files": ["site-X.css", "site-X.js"]}
    (folder / "site.json").write_text(json.dumps(about))
    return folder


def dead(folder: Path) -> list[str]:
    """Every address of every page that leads to no file, plain links and those of scripts."""
    missing: list[str] = []
    data = (folder / "data.js").read_text().removeprefix("window.commonplaceSite = ")
    notes = json.loads(data.removesuffix(";\n"))["notes"]
    urls = {path: url for path, _, _, url, _, _ in notes}
    files = {path: files for path, *_, files in notes}
    for file in folder.rglob("*.html"):
        text = file.read_text()
        found = re.findall(r'(?:href|src)="([^"]*)"', text)
        (note,) = re.findall(r'id="note">(.*?)</script>', text)
        (top,) = re.findall(r'data-top="([^"]*)"', text)
        found += [top + urls[path] for path in json.loads(note)["links"].values()]
        found += [top + url for each in files.values() for url in each.values()]
        missing += [
            f"{file.relative_to(folder)}: {address}"
            for address in found
            if not (file.parent / unquote(html.unescape(address))).resolve().is_file()
        ]
    return missing


def test_the_guide_becomes_a_site_without_a_dead_link(tmp_path: Path, static: Path):
    texts = {
        str(file.relative_to(ROOT / "demo")): file.read_text("utf-8")
        for file in (ROOT / "demo").rglob("*.md")
    }
    pages = published(texts)
    write(pages, "The guide", tmp_path / "site", static)
    assert dead(tmp_path / "site") == []
    assert sum(len(page.links) for page in pages.values()) > 100
    (tmp_path / "site" / pages["FAQ.md"].file).unlink()
    assert dead(tmp_path / "site"), "the check sees"


def test_a_note_cannot_break_out_of_its_page(tmp_path: Path, static: Path):
    pages = published({"a.md": f"# {EVIL}\n\n{EVIL}\n"})
    write(pages, EVIL, tmp_path / "site", static)
    for file in (tmp_path / "site").rglob("*.html"):
        text = file.read_text()
        assert "<script>" not in text
        assert len(re.findall(r"</script>", text)) == 3
        assert text.count("<!--") == 0
    page = (tmp_path / "site/notes/a.html").read_text()
    (note,) = re.findall(r'id="note">(.*?)</script>', page)
    assert EVIL in json.loads(note)["text"]


def test_what_is_gone_is_cleared_away_and_nothing_else(tmp_path: Path, static: Path):
    folder = tmp_path / "site"
    write(published({"a.md": "", "Sub/b.md": ""}), "x", folder, static)
    (folder / "CNAME").write_text("notes.example")
    listed = json.loads((folder / LIST).read_text())
    (tmp_path / "mine").write_text("")
    listed["files"] += ["../mine", "/etc/hostname"]
    (folder / LIST).write_text(json.dumps(listed))
    write(published({"a.md": ""}), "x", folder, static)
    assert not (folder / "notes/Sub/b.html").exists()
    assert (folder / "notes/a.html").exists()
    assert (folder / "CNAME").exists()
    assert (tmp_path / "mine").exists()


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path, static: Path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home/thesis.txt").write_text("years of work")
    with pytest.raises(Conflict, match="not of a site"):
        write(published({"a.md": ""}), "x", tmp_path / "home", static)
    assert [file.name for file in (tmp_path / "home").iterdir()] == ["thesis.txt"]


def test_the_vault_itself_is_no_place_for_it(tmp_path: Path):
    (tmp_path / "notes").mkdir()
    words = [str(tmp_path / "notes"), str(tmp_path / "notes/public")]
    with pytest.raises(BadArgument, match="inside the vault"):
        CliRunner().invoke(command, words, catch_exceptions=False)
    assert list((tmp_path / "notes").iterdir()) == []


def test_an_empty_vault_makes_an_empty_site(tmp_path: Path, static: Path):
    assert write({}, "x", tmp_path / "site", static) == 5
    assert dead(tmp_path / "site") == []


def test_pictures_and_files_that_notes_use_come_along_and_others_do_not(tmp_path: Path):
    vault, site = tmp_path / "vault", tmp_path / "site"
    (vault / "img").mkdir(parents=True)
    (vault / "Sub").mkdir()
    names = ("img/a b.png", "paper.pdf", "secret.png", "remark.png", "offered.png", "run.html")
    for name in names:
        (vault / name).write_bytes(name.encode())
    (vault / "linked.png").symlink_to("/etc/hostname")
    (vault / "Sub/a.md").write_text(
        "---\npublish: true\ncover: '[[secret.png]]'\n---\n![x](../img/a%20b.png) ![[a b.png|30]]\n"
        "![](../img/a b.png)\n"
        "[[paper.pdf#page=2]] [[run.html]] ![[linked.png]] ![[missing.png]]\n"
        "%%![[remark.png]]%% {++![[offered.png]]++}\n"
    )
    (vault / "b.md").write_text("![[secret.png]]\n")
    words = [str(vault), str(site), "--published"]
    assert CliRunner().invoke(command, words, catch_exceptions=False).exit_code == 0
    copied = sorted(str(p.relative_to(site)) for p in (site / "files").rglob("*") if p.is_file())
    assert copied == ["files/img/a b.png", "files/paper.pdf"]
    assert (site / "files/img/a b.png").read_bytes() == b"img/a b.png"
    data = (site / "data.js").read_text().removeprefix("window.commonplaceSite = ")
    ((*_, files),) = json.loads(data.removesuffix(";\n"))["notes"]
    assert files == {
        "../img/a b.png": "files/img/a%20b.png",
        "a b.png": "files/img/a%20b.png",
        "paper.pdf": "files/paper.pdf",
    }
    assert dead(site) == []
    (vault / "Sub/a.md").write_text("---\npublish: true\n---\n")
    assert CliRunner().invoke(command, words, catch_exceptions=False).exit_code == 0
    assert not (site / "files/paper.pdf").exists()
