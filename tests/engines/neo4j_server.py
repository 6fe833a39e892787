"""A real Neo4j server for the tests: a process over a folder, to be started, stopped and killed.

Run as a program it gets everything ready: Maven fetches the server by its coordinates, once, and
what is missing on the machine is said in one line.
"""

import os
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, cast

HERE = Path(__file__).parent / "neo4j"
BUILD = Path(__file__).parents[2] / "build" / "engines" / "neo4j"
CLASSPATH = BUILD / "classpath"
PASSWORD = "a-password-of-the-tests"
START_SECONDS_MAX = 600.0

_OPENED = ("java.base/java.nio", "java.base/java.lang", "java.base/sun.nio.ch")
_RESOLVE = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"


class Neo4jServer:
    """One server over one folder; after a stop or a kill it can be started again."""

    def __init__(self, home: Path, *, short_lived: bool = True) -> None:
        self.home = home
        self._short_lived = short_lived
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"bolt://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it answers; the port stays the same from the first time on."""
        self.home.mkdir(parents=True, exist_ok=True)
        # Quick to start rather than fast in the long run, unless it is for a bench.
        hurry = ["-XX:TieredStopAtLevel=1"] if self._short_lived else []
        command = ["java", "-Xmx1500m", "-XX:+UseSerialGC", *hurry]
        for package in _OPENED:
            command += ["--add-opens", f"{package}=ALL-UNNAMED"]
        command += ["-cp", f"{BUILD / 'classes'}{os.pathsep}{CLASSPATH.read_text()}", "Neo4jEngine"]
        with (self.home / "engine.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*command, str(self.home), str(self.port)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, "NEO4J_ENGINE_PASSWORD": PASSWORD},
            )
        self.port = self._told_port(cast("IO[bytes]", self._process.stdout))

    def _told_port(self, out: IO[bytes]) -> int:
        while select.select([out], [], [], START_SECONDS_MAX)[0]:
            line = out.readline()
            if line.startswith(b"bolt "):
                return int(line.split()[1])
            if not line:
                break
        self.kill()
        log = (self.home / "engine.log").read_text("utf-8", "replace")[-2000:]
        raise RuntimeError(f"Neo4j did not start: {log}")

    def cpu_seconds(self) -> float:
        """Return the processor time that it has used."""
        assert self._process is not None
        after_name = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """End it in order."""
        if self._process is not None:
            cast("IO[bytes]", self._process.stdin).close()
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self.kill()
            self._let_go()

    def kill(self) -> None:
        """End it as a power cut would."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._let_go()

    def _let_go(self) -> None:
        assert self._process is not None
        for stream in (self._process.stdin, self._process.stdout):
            cast("IO[bytes]", stream).close()
        self._process = None


def missing() -> str | None:
    """Say what the machine lacks, if anything."""
    lacking = [name for name in ("java", "javac", "mvn") if shutil.which(name) is None]
    if lacking:
        return f"Neo4j needs a JDK 17 or newer and Maven; not found: {', '.join(lacking)}."
    return None


def main() -> int:
    """Get Neo4j ready."""
    if why := missing():
        sys.stderr.write(why + "\n")
        return 1
    pom, source = HERE / "pom.xml", HERE / "Neo4jEngine.java"
    newest = max(pom.stat().st_mtime, source.stat().st_mtime)
    if CLASSPATH.exists() and CLASSPATH.stat().st_mtime > newest:
        return 0
    BUILD.mkdir(parents=True, exist_ok=True)
    partial = BUILD / "classpath.part"
    command = ["mvn", "-B", "-q", "-f", str(pom), _RESOLVE, f"-Dmdep.outputFile={partial}"]
    if subprocess.run(command, check=False).returncode:
        sys.stderr.write("Neo4j could not be fetched by Maven; its words are above.\n")
        return 1
    compiler = ["javac", "-cp", partial.read_text(), "-d", str(BUILD / "classes"), str(source)]
    if subprocess.run(compiler, check=False).returncode:
        return 1
    partial.replace(CLASSPATH)
    return 0


if __name__ == "__main__":
    sys.exit(main())
