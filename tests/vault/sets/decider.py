"""A process that decides a whole set: `python -m tests.vault.sets.decider FOLDER`; to be killed.

It tells how long it took until all of it was decided and safe, by the clock and of the processor.
"""

import sys
import time
from pathlib import Path

import anyio

from commonplace.vault.open import open_vault
from tests.vault.sets.deciding import everything, settings


async def main(folder: Path) -> None:
    async with open_vault(settings(folder)) as vault:
        await vault.indexer.settled()
        chosen = await everything(vault)
        _say("ready")
        sys.stdin.readline()
        began, cpu = time.perf_counter(), time.process_time()
        await vault.sets.decisions.decide(1, "accept", chosen, "Ann")
        _say(f"decided {time.perf_counter() - began:.3f} {time.process_time() - cpu:.3f}")
        sys.stdin.readline()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    anyio.run(main, Path(sys.argv[1]))
