"""Claude Code itself, from npm, in a home of its own and without a network."""

import json
import os
import platform
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import node
from tests.foreign.claude_code.model import Model

HERE = Path(__file__).parent
SECONDS_MAX = 120.0

Answer = Callable[[dict[str, Any]], dict[str, Any]]


def program() -> str:
    """Find the program, installed from the lock file once."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    name = f"claude-code-{sys.platform}-{machine}"
    found = node.installed(HERE) / "node_modules/@anthropic-ai" / name / "claude"
    found.chmod(found.stat().st_mode | 0o100)
    return str(found)


@dataclass
class ClaudeCode:
    """One person's Claude Code; `servers` as in its settings."""

    home: Path
    servers: dict[str, Any] = field(default_factory=dict[str, Any])

    def run(self, *words: str, model: Model | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command of it."""
        return subprocess.run(
            [program(), *words],
            cwd=self.home,
            env=self._environment(model),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS_MAX,
        )

    def task(self, model: Model, *flags: str) -> str:
        """Have a task done without anybody to ask."""
        done = self.run("-p", "Tend my notes.", *self._flags(), *flags, model=model)
        assert done.returncode == 0, (done.stdout, done.stderr)
        return done.stdout

    def conversation(self, model: Model, answer: Answer) -> list[dict[str, Any]]:
        """Have a task done for a person who answers what is asked; return the questions."""
        stream = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
        asked: list[dict[str, Any]] = []
        with subprocess.Popen(
            [program(), "-p", *stream, *self._flags()],
            cwd=self.home,
            env=self._environment(model),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            alarm = threading.Timer(SECONDS_MAX, process.kill)
            alarm.start()
            assert process.stdin
            assert process.stdout

            def send(message: dict[str, Any]) -> None:
                assert process.stdin
                process.stdin.write(json.dumps(message) + "\n")
                process.stdin.flush()

            begun = {"subtype": "initialize"}
            send({"type": "control_request", "request_id": "1", "request": begun})
            words = {"role": "user", "content": "Tend my notes."}
            send({"type": "user", "message": words, "parent_tool_use_id": None, "session_id": ""})
            for line in process.stdout:
                message = json.loads(line)
                if message["type"] == "control_request":
                    asked.append(message["request"])
                    reply = {"subtype": "success", "request_id": message["request_id"]}
                    reply["response"] = answer(message["request"])
                    send({"type": "control_response", "response": reply})
                if message["type"] == "result":
                    process.stdin.close()
            alarm.cancel()
        return asked

    def _flags(self) -> list[str]:
        flags = ["--allowedTools", "mcp__notes,mcp__plugin_commonplace_notes"]
        if self.servers:
            config = self.home / "mcp.json"
            config.write_text(json.dumps({"mcpServers": self.servers}))
            flags += ["--strict-mcp-config", "--mcp-config", str(config)]
        return flags

    def _environment(self, model: Model | None) -> dict[str, str]:
        nowhere = "http://127.0.0.1:9"
        return {
            "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
            "HOME": str(self.home),
            "ANTHROPIC_BASE_URL": model.url if model else nowhere,
            "ANTHROPIC_API_KEY": "not-a-key",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "ENABLE_TOOL_SEARCH": "true",  # as it is where the real model is asked
            "HTTPS_PROXY": nowhere,
            # Somebody who types is slower than any server starts; a test is not.
            "MCP_CONNECTION_NONBLOCKING": "0",
            "MCP_CONNECT_TIMEOUT_MS": "60000",
            "NO_PROXY": "127.0.0.1",
        }
