"""What a wheel and a source distribution carry, made on a machine without Node."""

import importlib.util
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.web.build import ROOT, STATIC, build

pytestmark = pytest.mark.slow


def _made(kind: str, folder: Path) -> Path:
    """Make a distribution of the page that is built, with nothing but Python on the path."""
    build()
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    environment = os.environ | {"PATH": str(folder)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = (file for file in folder.iterdir() if file.suffix in (".whl", ".gz"))
    return found


def _page() -> set[str]:
    """Every file of the page, as a wheel names it."""
    files = (file for file in STATIC.rglob("*") if file.is_file())
    return {f"commonplace/server/static/{file.relative_to(STATIC).as_posix()}" for file in files}


def test_a_wheel_carries_the_whole_page(tmp_path: Path) -> None:
    with zipfile.ZipFile(_made("wheel", tmp_path)) as wheel:
        assert _page() <= {name.removesuffix(".xz") for name in wheel.namelist()}


def test_a_source_distribution_carries_the_page_and_its_sources(tmp_path: Path) -> None:
    with tarfile.open(_made("sdist", tmp_path)) as source:
        names = {name.partition("/")[2].removesuffix(".xz") for name in source.getnames()}
    assert {f"src/{name}" for name in _page()} <= names
    assert {"web/package-lock.json", "web/build.mjs", "web/src/main.tsx"} <= names


def test_node_is_asked_for_only_where_the_page_must_be_built_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    build()

    def asked(root: Path) -> list[str]:
        return module.PageBuildHook(
            str(root), {}, None, None, str(tmp_path), "wheel"
        ).dependencies()

    unbuilt = tmp_path / "clone"
    (unbuilt / "web" / "src").mkdir(parents=True)
    for name in ("build.mjs", "index.html", "package-lock.json", "package.json", "tsconfig.json"):
        (unbuilt / "web" / name).write_bytes((ROOT / "web" / name).read_bytes())
    monkeypatch.setenv("PATH", str(tmp_path))
    assert asked(ROOT) == []
    assert asked(unbuilt) == [module.NODE_PACKAGE]
    monkeypatch.setenv("COMMONPLACE_WITHOUT_PAGE", "1")
    assert asked(unbuilt) == []
