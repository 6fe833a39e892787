"""The bundle for Claude Desktop (`.mcpb`): a manifest, and our wheel as a project for uv.

It is written here, with fixed times, so that the same sources make the same bytes; the official
tool then checks it.
"""

import json
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
_TIME = (2020, 2, 2, 0, 0, 0)

_PROJECT = """\
[project]
name = "commonplace-bundle"
version = "{version}"
requires-python = ">=3.11"
dependencies = ["commonplace-notes"]

[tool.uv]
package = false

[tool.uv.sources]
commonplace-notes = {{ path = "{wheel}" }}
"""
_SERVER = """\
import sys

from commonplace.cli import main

sys.exit(main())
"""


def write(wheel: Path, folder: Path) -> Path:
    """Write the bundle beside a wheel's other forms."""
    manifest = (HERE / "manifest.json").read_bytes()
    version = json.loads(manifest)["version"]
    parts = {
        "icon.png": (ROOT / "plugin/.claude-plugin/icon.png").read_bytes(),
        "manifest.json": manifest,
        "pyproject.toml": _PROJECT.format(version=version, wheel=wheel.name).encode(),
        "server.py": _SERVER.encode(),
        wheel.name: wheel.read_bytes(),
    }
    bundle = folder / f"commonplace-{version}.mcpb"
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name, content in parts.items():
            entry = zipfile.ZipInfo(name, _TIME)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, content)
    return bundle
