"""The examples for a team's server: every setting in them is one, and the tools take them."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from commonplace.cli.group import root
from tests.distribution.test_guide_commands import check_words

ROOT = Path(__file__).parents[2]
TEAM = ROOT / "docs" / "examples" / "team"
UNIT = (TEAM / "commonplace.service").read_text("utf-8")
VARIABLE = re.compile(r"^(?:Environment=)?(COMMONPLACE_\w+)=", re.MULTILINE)


def known() -> set[str]:
    """The variables that `serve` takes, by itself or for the vault."""
    serve = root.get_command(click.Context(root), "serve")
    assert serve is not None
    named = {str(option.envvar) for option in serve.params if option.envvar}
    return named | {"COMMONPLACE_STATE", "COMMONPLACE_VAULT"}


def compose() -> dict[str, Any]:
    return yaml.safe_load((TEAM / "compose.yaml").read_text("utf-8"))


def test_the_variables_are_those_of_serve() -> None:
    unit = set(VARIABLE.findall(UNIT)) | set(VARIABLE.findall((TEAM / "node.env").read_text()))
    assert unit <= known()
    needed = {f"COMMONPLACE_{word}" for word in ("DATABASE", "VAULT_NAME", "NODE", "NODE_KEY")}
    assert needed <= unit
    for name in ("node-a", "node-b"):
        given = set(compose()["services"][name]["environment"])
        assert needed <= given <= known()
    assert "COMMONPLACE_NODES" not in known(), "it would find one that is none"


def test_the_commands_exist() -> None:
    (start,) = re.findall(r"^ExecStart=\S*/commonplace (.+)$", UNIT, re.MULTILINE)
    check_words(shlex.split(start))
    text = (TEAM / "compose.yaml").read_text("utf-8")
    (made,) = re.findall(r"exec node-a commonplace (.+)$", text, re.MULTILINE)
    check_words(shlex.split(made))


def analyze(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    unit = folder / "commonplace.service"
    here = Path(sys.executable).with_name("commonplace")
    unit.write_text(re.sub(r"^ExecStart=\S+", f"ExecStart={here}", text, flags=re.MULTILINE))
    command = ["systemd-analyze", "verify", "--man=no", str(unit)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    done = analyze(UNIT, tmp_path)
    ours = [line for line in done.stderr.splitlines() if "commonplace.service" in line]
    assert (done.returncode, ours) == (0, [])
    wrong = analyze(UNIT.replace("RestartSec=1", "RestartSeconds=1"), tmp_path)
    assert "RestartSeconds" in wrong.stderr, "it would find one"


def test_what_the_compose_file_names_is_there() -> None:
    file = compose()
    services = file["services"]
    for service in services.values():
        assert set(service.get("depends_on", ())) <= services.keys()
        volumes = [each.partition(":")[0] for each in service.get("volumes", ())]
        assert set(volumes) <= file["volumes"].keys()
        assert set(service.get("secrets", ())) <= file["secrets"].keys()
        if build := service.get("build"):
            context = (TEAM / build["context"]).resolve()
            container = (context / build["dockerfile"]).read_text("utf-8")
            assert set(re.findall(r"^ARG (\w+)", container, re.MULTILINE)) == set(build["args"])
    states = [services[name]["volumes"] for name in ("node-a", "node-b")]
    assert states[0] != states[1], "each has a state of its own"
    docker = shutil.which("docker")
    if (
        docker
        and not subprocess.run([docker, "compose", "version"], capture_output=True).returncode
    ):
        check = [docker, "compose", "-f", str(TEAM / "compose.yaml"), "config", "-q"]
        subprocess.run(check, check=True, env={"NOTES_PASSWORD": "x", "PATH": "/usr/bin:/bin"})
