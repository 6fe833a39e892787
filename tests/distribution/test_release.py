"""What is given to people: the same bytes each time, and it works where nothing else is."""

import json
import os
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from release import bundle, checks

from tests.server.processes import Process, until
from tests.web.build import ROOT, build

pytestmark = pytest.mark.slow
at_release = pytest.mark.skipif(
    "COMMONPLACE_RELEASE" not in os.environ, reason="run by `make release`"
)

UV = str(Path(sys.executable).with_name("uv"))
SECONDS_MAX = 300.0


def made(folder: Path) -> list[Path]:
    """Make wheel, source and bundle."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("*.whl")
    bundle.write(wheel, folder)
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    build()
    return made(tmp_path_factory.mktemp("dist"))


def of(dist: Sequence[Path], suffix: str) -> Path:
    return next(file for file in dist if file.suffix == suffix)


@pytest.fixture(scope="module")
def commonplace(dist: list[Path], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The command, in an environment that holds the wheel and what it asks for."""
    folder = tmp_path_factory.mktemp("empty") / "venv"
    for words in (
        ("venv", "-q", "--python", sys.executable, str(folder)),
        ("pip", "install", "-q", "--python", str(folder), str(of(dist, ".whl"))),
    ):
        subprocess.run([UV, *words], check=True, timeout=SECONDS_MAX)
    return str(folder / "bin/commonplace")


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """An environment with nothing of ours in it, and a home of its own."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/Bees.md").write_text("# Bees\n\nBees dance.\n")
    return {"PATH": os.defpath, "HOME": str(tmp_path)}


def test_two_builds_have_the_same_bytes(dist: list[Path], tmp_path: Path):
    os.utime(ROOT / "README.md")
    again = made(tmp_path)
    assert [file.name for file in again] == [file.name for file in dist]
    assert [file.read_bytes() for file in again] == [file.read_bytes() for file in dist]


def test_the_source_makes_the_same_files_of_a_wheel_without_node(dist: list[Path], tmp_path: Path):
    with tarfile.open(of(dist, ".gz")) as source:
        source.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    env = {**os.environ, "PATH": str(tmp_path)}
    subprocess.run(words, cwd=folder, env=env, check=True, capture_output=True)
    (again,) = tmp_path.glob("*.whl")
    assert inside(again) == inside(of(dist, ".whl"))


def inside(wheel: Path) -> dict[str, bytes]:
    """Return the files of a wheel but for the list of them, whose order may differ."""
    with zipfile.ZipFile(wheel) as found:
        names = (name for name in found.namelist() if not name.endswith("/RECORD"))
        return {name: found.read(name) for name in names}


def test_everything_states_one_version_and_holds_what_it_should(dist: list[Path], tmp_path: Path):
    checks.check_versions()
    checks.check_registry()
    checks.check_wheel(of(dist, ".whl"))
    checks.check_source(of(dist, ".gz"))
    checks.check_bundle(of(dist, ".mcpb"), tmp_path)


def test_a_bundle_that_claude_desktop_would_refuse_is_found_out(dist: list[Path], tmp_path: Path):
    broken = tmp_path / "broken.mcpb"
    with zipfile.ZipFile(of(dist, ".mcpb")) as good, zipfile.ZipFile(broken, "w") as bad:
        manifest = json.loads(good.read("manifest.json"))
        del manifest["server"]["entry_point"]
        bad.writestr("manifest.json", json.dumps(manifest))
    with pytest.raises(AssertionError, match="entry_point"):
        checks.check_bundle(broken, tmp_path / "out")


def test_the_wheel_alone_serves_the_page(commonplace: str, bare: dict[str, str]):
    notes = f"{bare['HOME']}/notes"
    with Process(commonplace, "serve", notes, "--port", "0", "--json", env=bare) as server:
        url = json.loads(until(lambda: server.out, SECONDS_MAX)[0])["url"]
        with urllib.request.urlopen(url, timeout=30) as page:
            assert b"<title>Commonplace" in page.read()
        with urllib.request.urlopen(f"{url}/api/status", timeout=30) as status:
            assert json.load(status)["roots"][0]["name"] == "notes"
        # A script that the wheel carries packed comes as it was built.
        (script,) = (ROOT / "src/commonplace/server/static/assets").glob("mermaid-*.js")
        with urllib.request.urlopen(f"{url}/assets/{script.name}", timeout=30) as answer:
            assert answer.headers["content-type"].startswith("text/javascript")
            assert answer.read() == script.read_bytes()


def test_the_wheel_alone_writes_the_same_site(
    commonplace: str, bare: dict[str, str], tmp_path: Path
):
    sites: list[dict[str, bytes]] = []
    for name, program in (
        ("wheel", [commonplace]),
        ("here", [sys.executable, "-m", "commonplace"]),
    ):
        folder = tmp_path / name
        words = [*program, "site", f"{bare['HOME']}/notes", str(folder)]
        subprocess.run(words, env=bare, check=True, capture_output=True)
        files = (file for file in folder.rglob("*") if file.is_file())
        sites.append({str(file.relative_to(folder)): file.read_bytes() for file in files})
    assert sites[0] == sites[1]
    assert any(name.startswith("assets/site-") for name in sites[0])


def test_the_wheel_alone_speaks_to_an_assistant_and_looks_after_itself(
    commonplace: str, bare: dict[str, str]
):
    notes = f"{bare['HOME']}/notes"
    assert spoken([commonplace, "mcp", notes], bare) == "Bees.md"
    subprocess.run([commonplace, "index", notes], env=bare, check=True, capture_output=True)
    words = [commonplace, "doctor", notes]
    done = subprocess.run(words, env=bare, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "commonplace model install" in done.stdout, "it says what is missing, and how to get it"


@pytest.fixture
def with_uv(bare: dict[str, str]) -> dict[str, str]:
    """An environment in which uv installs things, from what it has fetched before."""
    env = {**os.environ, "HOME": bare["HOME"]}
    env.pop("VIRTUAL_ENV", None)
    cache = subprocess.run([UV, "cache", "dir"], capture_output=True, text=True).stdout.strip()
    return env | {"UV_CACHE_DIR": cache, "UV_PYTHON": sys.executable}


@at_release
def test_the_registrys_entry_runs_as_clients_run_it(dist: list[Path], with_uv: dict[str, str]):
    (package,) = checks.registry_entry()["packages"]
    assert package["runtimeHint"] == "uvx"
    given = {"vault": f"{with_uv['HOME']}/notes"}
    words = [each.get("value") or given[each["valueHint"]] for each in package["packageArguments"]]
    # The place of the wheel stands for the index; every client writes the rest so.
    uvx = [UV, "tool", "run", "--find-links", str(of(dist, ".whl").parent)]
    name = f"{package['identifier']}@{package['version']}"
    assert spoken([*uvx, name, *words], with_uv) == "Bees.md"


@at_release
def test_the_bundle_runs_as_claude_desktop_runs_it(
    dist: list[Path], with_uv: dict[str, str], tmp_path: Path
):
    folder = tmp_path / "bundle"
    with zipfile.ZipFile(of(dist, ".mcpb")) as found:
        found.extractall(folder)
    config = json.loads((folder / "manifest.json").read_text())["server"]["mcp_config"]
    meant: dict[str, str] = {
        "${__dirname}": str(folder),
        "${user_config.vault}": f"{with_uv['HOME']}/notes",
    }
    words = [meant.get(word, word) for word in map(str, config["args"])]
    assert spoken([UV, *words], {**with_uv, "COMMONPLACE_READ_ONLY": "false"}) == "Bees.md"


def spoken(command: list[str], env: dict[str, str]) -> str:
    """Ask a server that is started so for the notes that speak of dancing."""
    info = {"name": "test", "version": "1"}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
    grep = {"name": "grep", "arguments": {"pattern": "dance"}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": grep},
    ]
    with Process(*command, env=env) as server:
        for message in messages:
            server.write(json.dumps({"jsonrpc": "2.0", **message}).encode())
        answers = [
            json.loads(line) for line in until(lambda: server.out[1:] and server.out, SECONDS_MAX)
        ]
        # It ends by itself, also where another program started it for us.
        server.close_stdin()
        assert server.wait() == 0
    (answer,) = (each for each in answers if each.get("id") == 2)
    return answer["result"]["content"][0]["text"]
