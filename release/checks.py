"""What must be true of a release before anybody gets it."""

import json
import re
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

from tests import node

from commonplace import __version__

HERE = Path(__file__).parent
ROOT = HERE.parent
BYTES_MAX = 3_000_000
DESCRIPTION_MAX = 100

_REGISTRY_NAME = re.compile(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+")
_VERSIONED = ("release/server.json", "release/manifest.json", "plugin/.claude-plugin/plugin.json")


def check_versions() -> None:
    """Refuse a file that speaks of another version."""
    for name in _VERSIONED:
        stated = json.loads((ROOT / name).read_text("utf-8"))["version"]
        assert stated == __version__, f"{name} says {stated}, not {__version__}"
    (package,) = registry_entry()["packages"]
    assert package["version"] == __version__


_HELD = ("server/static/index.html", "server/static/licences.txt", "server/mcp/direct/icon.png")


def check_wheel(wheel: Path) -> None:
    """Refuse a wheel that is too big, or lacks the page or a licence."""
    _check_size(wheel)
    with zipfile.ZipFile(wheel) as found:
        names = found.namelist()
    for needed in (*_HELD, "/licenses/LICENSE", "/licenses/NOTICE"):
        assert any(name.endswith(needed) for name in names), f"the wheel lacks {needed}"


def check_source(source: Path) -> None:
    """Refuse a source distribution that is too big, or lacks the page or a licence."""
    _check_size(source)
    with tarfile.open(source) as found:
        names = found.getnames()
    for needed in (*_HELD, "/LICENSE", "/NOTICE", "/web/package-lock.json"):
        assert any(name.endswith(needed) for name in names), f"the source lacks {needed}"


def _check_size(file: Path) -> None:
    size = file.stat().st_size
    assert size <= BYTES_MAX, f"{file.name} has {size:,} bytes, over {BYTES_MAX:,}"


def check_bundle(bundle: Path, folder: Path) -> None:
    """Have the official tool read the bundle's manifest, and the bundle."""
    tool = node.installed(HERE) / "node_modules/@anthropic-ai/mcpb/dist/cli/cli.js"
    with zipfile.ZipFile(bundle) as found:
        found.extractall(folder)
    for words in (("validate", str(folder / "manifest.json")), ("info", str(bundle))):
        done = node.run([str(tool), *words], cwd=folder, seconds=60)
        assert done.returncode == 0, done.stdout + done.stderr


def check_registry() -> None:
    """Hold the registry's entry against the rules that its schema states.

    The registry's own tool is a program in Go that asks the registry; it is run when publishing.
    """
    entry = registry_entry()
    assert _REGISTRY_NAME.fullmatch(entry["name"]), "name: OWNER/NAME in reversed DNS form"
    assert 1 <= len(entry["description"]) <= DESCRIPTION_MAX, "description: at most 100 characters"
    assert entry["$schema"].endswith("/2025-12-11/server.schema.json")
    (package,) = entry["packages"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert package["identifier"] == project["name"]
    # Clients write the name behind these, so no word here can choose another command.
    assert not package.get("runtimeArguments")
    assert package["identifier"] in project["scripts"], "clients start it by that name"
    for argument in package["packageArguments"]:
        if argument["type"] == "named":
            assert argument["name"].startswith("--"), argument
        else:
            assert argument["type"] == "positional", argument
            assert "value" in argument or "valueHint" in argument, argument
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"mcp-name: {entry['name']}" in readme, "the index is asked for this line of README"


def registry_entry() -> dict[str, Any]:
    """Return the registry's entry."""
    return json.loads((HERE / "server.json").read_text("utf-8"))
