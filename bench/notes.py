"""The note tools over stdio on a large vault, beside a bare MCP server in the same run.

    python -m bench.notes [--notes 100000] [--vault FOLDER]

With no folder, a vault is generated. `list_notes` shows at most 20,000 notes; its goals are for
10,000, so the time is halved where twice as many are listed. CPU is that of the server's process:
on a busy machine it tells more than the clock does.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.__main__ import command, row
from bench.client import Client
from bench.generate import generate

_TICKS = os.sysconf("SC_CLK_TCK")

SEARCHES: tuple[dict[str, object], ...] = (
    {"status": "draft"},
    {"status": "draft", "rating": 3, "tags": "topic"},
    {"status": ["draft", "done"], "rating": [3, 4], "tags": "topic"},
    {"status": "draft", "rating": 3, "created": "2015-03-04"},
)


def cpu_ms(client: Client) -> float:
    """Return what the server has used so far, in milliseconds, to the clock tick."""
    stat = Path(f"/proc/{client.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) * 1e3 / _TICKS


def measured(client: Client, rounds: int, tool: str, **arguments: object) -> tuple[float, float]:
    """Return the median time of a call, and the server's mean CPU time for one."""
    client.call(tool, **arguments)
    before = cpu_ms(client)
    times = [client.timed(tool, **arguments) for _ in range(rounds)]
    return statistics.median(times), (cpu_ms(client) - before) / rounds


def shown(times: tuple[float, float]) -> str:
    return f"{times[0]:.1f} ms, {times[1]:.1f} ms CPU"


def measure(client: Client, folder: Path, bare: Client) -> None:
    notes = sorted(str(p.relative_to(folder)) for p in folder.rglob("*.md"))
    some = random.Random(3).sample(notes, 200)
    ours = statistics.median(client.timed("read_metadata", path=path) for path in some)
    peer = statistics.median(bare.timed("read", file_path=path) for path in some)
    row("read_metadata p50", f"{ours:.2f} ms, bare read {peer:.2f} ms", "< 3 ms", ours < 3)
    for query in SEARCHES:
        times = measured(client, 30, "property_search", properties=query, limit=100)
        row(f"property_search {json.dumps(query)[:42]}", shown(times), "< 20 ms", min(times) < 20)
    listed = json.loads(client.call("list_notes"))["count"]
    for more in (False, True):
        times = measured(client, 5, "list_notes", include_frontmatter=more)
        wall, cpu = (each * min(1.0, 10_000 / listed) for each in times)
        name = f"list_notes{' with frontmatter' if more else ''}, per 10,000 of {listed}"
        row(name, shown((wall, cpu)), "< 150 ms", min(wall, cpu) < 150)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--notes", type=int, default=100_000)
    options.add_argument("--vault", type=Path, default=None)
    chosen = options.parse_args()
    scratch = Path(tempfile.gettempdir()) / "commonplace-bench"
    folder = chosen.vault or scratch / f"generated-{chosen.notes}"
    folder.mkdir(parents=True, exist_ok=True)
    if chosen.vault is None:
        generate(folder, chosen.notes)
    state = str(scratch / f"state-{folder.name}")
    # Nothing is embedded meanwhile: that goes on for an hour at this size, in the same process.
    env = {"COMMONPLACE_STATE": state, "COMMONPLACE_EMBEDDINGS": "none", **os.environ}
    subprocess.run(command("index", str(folder)), env=env, check=True, capture_output=True)
    client = Client(command("mcp", str(folder)), env)
    bare = Client([sys.executable, "-m", "bench.bare", str(folder)])
    client.handshake()
    bare.handshake()
    time.sleep(2)  # let the start settle
    measure(client, folder, bare)
    client.close()
    bare.close()


if __name__ == "__main__":
    main()
