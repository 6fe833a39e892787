"""A client that costs next to nothing: lines out, lines in, over a process's pipes."""

import json
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


class Memory(NamedTuple):
    """Megabytes resident, and the same with shared pages counted in part."""

    rss: float
    pss: float
    anonymous: float


def memory_of(process: int) -> Memory:
    rows = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    found = {row.split()[0]: int(row.split()[1]) / 1024 for row in rows[1:]}
    return Memory(found["Rss:"], found["Pss:"], found["Anonymous:"])


class Client:
    """One stdio MCP session."""

    def __init__(self, command: Sequence[str], env: dict[str, str] | None = None) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
        )
        self._id = 0

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin
        assert self.process.stdout
        self._id += 1
        message = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"the server ended during {method}")
            answer = json.loads(line)
            if answer.get("id") == self._id:
                return answer

    def handshake(self) -> float:
        """Initialize and list tools; the seconds from process start to the first answer."""
        self.request("initialize", INITIALIZE)
        first = time.perf_counter() - self.started
        assert self.process.stdin
        self.process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        self.process.stdin.flush()
        self.request("tools/list", {})
        return first

    def call(self, tool: str, **arguments: Any) -> str:
        result = self.request("tools/call", {"name": tool, "arguments": arguments})["result"]
        return str(result["content"][0]["text"])

    def timed(self, tool: str, **arguments: Any) -> float:
        start = time.perf_counter()
        self.call(tool, **arguments)
        return (time.perf_counter() - start) * 1e3

    def memory(self) -> Memory:
        """What the server's process takes."""
        return memory_of(self.process.pid)

    def embedder(self) -> Memory | None:
        """What the process of the search model takes, if there is one."""
        for task in Path(f"/proc/{self.process.pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                if b"embed_worker" in Path(f"/proc/{child}/cmdline").read_bytes():
                    return memory_of(int(child))
        return None

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
