"""README tells the truth: its files are there, its picture is small, its commands exist."""

import os
import re
import tomllib
from pathlib import Path
from urllib.parse import unquote

import click
import pytest
from PIL import Image
from release import encode, film

from commonplace.cli.group import COMMANDS, root

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
PICTURE_BYTES_MAX = 600_000


def test_every_file_that_it_points_to_is_there():
    found = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert len(found) > 8
    assert [name for name in found if not (ROOT / unquote(name)).exists()] == []


def test_its_picture_moves_and_is_small():
    picture = (ROOT / "docs/suggestion.gif").read_bytes()
    assert len(picture) < PICTURE_BYTES_MAX
    assert picture.count(b"\x21\xf9\x04") > 5, "frames"


@pytest.mark.slow
@pytest.mark.skipif("COMMONPLACE_RELEASE" not in os.environ, reason="run by `make release`")
def test_its_picture_is_filmed_from_the_real_page(tmp_path: Path):
    film.main(tmp_path / "frames")
    encode.main(tmp_path / "frames", tmp_path / "new.gif")
    with Image.open(tmp_path / "new.gif") as new, Image.open(ROOT / "docs/suggestion.gif") as shown:
        assert (new.size, new.format) == (shown.size, "GIF")
        assert getattr(new, "n_frames", 1) > 5
    assert (tmp_path / "new.gif").stat().st_size < PICTURE_BYTES_MAX


def test_it_warns_of_the_other_program_of_that_name():
    assert "`pip install commonplace` and `uvx commonplace` fetch another" in README
    for line in README.splitlines():
        assert not line.startswith(("pip install commonplace", "uvx commonplace"))


def test_the_lines_for_the_day_of_publication_stand_ready():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    name = project["name"]
    assert name in project["scripts"], "so `uvx NAME` starts it"
    ready = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("## Publishing")[1]
    for line in (f"uvx {name} serve", f"uv tool install {name}", f"pipx install {name}"):
        assert line in ready
    assert "uv publish dist/*.whl dist/*.tar.gz" in ready
    assert "mcp-publisher publish dist/server.json" in ready


def test_its_commands_and_their_flags_exist():
    shown = re.findall(r"commonplace ([a-z]+)((?: [^`\n#|]*)?)", README)
    used = [(name, words) for name, words in shown if name in COMMANDS]
    assert {name for name, _ in used} >= {"serve", "connect", "mcp", "doctor", "site", "service"}
    context = click.Context(root)
    for name, words in used:
        command = root.get_command(context, name)
        assert command is not None
        group = isinstance(command, click.Group)
        options = (
            [] if group else [flag for p in command.params for flag in (*p.opts, *p.secondary_opts)]
        )
        for flag in re.findall(r"--[a-z-]+", words):
            assert group or flag in options, f"commonplace {name} {flag}"
