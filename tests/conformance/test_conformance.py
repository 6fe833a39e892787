"""The official conformance suite against our stack: every scenario that a revision scores."""

import re
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from tests import node
from tests.server.http_server import serving
from tests.server.processes import Process
from tests.server.small_vault import Shelf, app_on, server_on
from tests.wait import until

pytestmark = pytest.mark.slow

FOREIGN = Path(__file__).parents[1] / "foreign"
SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"


@pytest.fixture(scope="module")
def url() -> Generator[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.conformance.server"],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) in (0, -signal.SIGTERM)
    process.stdout.close()


def scored(folder: Path, revision: str) -> list[str]:
    """The server scenarios that a revision requires, from the suite's own list of them."""
    text = (folder / SUITE).parents[1].joinpath(f"requirements/{revision}.yaml").read_text("utf-8")
    section = text.partition("\nserver:\n")[2].partition("\n\n")[0]
    return [line.removeprefix("  - ") for line in section.splitlines()]


@pytest.mark.parametrize(("revision", "scenarios"), [("2025-11-25", 30), ("2026-07-28", 37)])
def test_every_scored_scenario_passes(url: str, revision: str, scenarios: int) -> None:
    folder = node.installed(FOREIGN)
    arguments = [SUITE, "server", "--url", url, "--requirements", revision]
    done = node.run(arguments, cwd=folder, seconds=120)
    passed = re.findall(r"^✓ ([\w-]+): [1-9]\d* passed, 0 failed", done.stdout, re.MULTILINE)
    assert set(scored(folder, revision)) - set(passed) == set(), done.stdout + done.stderr
    assert len(scored(folder, revision)) == scenarios
    assert done.returncode == 0


def test_a_server_without_the_fixtures_does_not_pass() -> None:
    folder = node.installed(FOREIGN)
    with serving(app_on(server_on(Shelf()))) as bare:
        url = f"{bare}/mcp"
        arguments = [SUITE, "server", "--url", url, "--scenario", "tools-call-image"]
        assert node.run(arguments, cwd=folder, seconds=60).returncode == 1


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """Serve a vault as a person would; the address of its MCP endpoint."""
    folder = tmp_path_factory.mktemp("product")
    vault, state = folder / "vault", folder / "state"
    vault.mkdir()
    (vault / "Home.md").write_text("# Home\n")
    command = [sys.executable, "-m", "commonplace", "serve", str(vault), "--state", str(state)]
    with Process(*command, "--embeddings", "none", "--port", "0") as process:

        def address() -> re.Match[str] | None:
            return re.search(r"http://[\d.:]+", process.complaint())

        yield f"{until(address)[0]}/mcp"


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_the_product_itself_fails_only_what_needs_the_fixtures(product: str, revision: str) -> None:
    folder = node.installed(FOREIGN)
    baseline = Path(__file__).with_name(f"bare-{revision}.yml")
    arguments = [SUITE, "server", "--url", product, "--requirements", revision]
    done = node.run([*arguments, "--expected-failures", str(baseline)], cwd=folder, seconds=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Baseline check passed" in done.stdout
