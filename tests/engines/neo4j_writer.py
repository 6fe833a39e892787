"""Writes nodes through the store, several at once, and says which were acknowledged.

    python -m tests.engines.neo4j_writer URL FROM TO [careless]

`careless` is the control: it says so before the store has answered, and does not try again.
"""

import sys
import tempfile
from pathlib import Path

import anyio

from commonplace.errors import CommonplaceError, Conflict
from commonplace.vault.nodes.store import NewNode, Store
from commonplace.vault.store_settings import StoreChoice
from tests.engines.neo4j_server import PASSWORD
from tests.engines.test_neo4j_store import opened
from tests.vault.nodes.contract import BY

WRITERS = 4


def say(word: str, number: int) -> None:
    sys.stdout.write(f"{word} {number}\n")
    sys.stdout.flush()


async def write(store: Store, number: int, careless: bool) -> None:
    draft = NewNode(
        f"w{number}", f"[[hub]] [[w{number - 1}]] [[w{number + 1}]]", (f"t{number % 7}",)
    )
    while True:
        if careless:
            say("done", number)
        try:
            await store.create(draft, BY)
        except Conflict:
            return  # an earlier try was made, though nobody heard of it
        except CommonplaceError:
            say("failed", number)
            if careless:
                return
            await anyio.sleep(0.2)
            continue
        if not careless:
            say("done", number)
        return


async def main(url: str, first: int, last: int, careless: bool) -> None:
    choice = StoreChoice(url, {}, "neo4j", PASSWORD)
    with tempfile.TemporaryDirectory() as folder:
        async with opened(choice, Path(folder), {}) as (store, _):
            say("ready", 0)

            async def share(part: int) -> None:
                for number in range(first + part, last, WRITERS):
                    await write(store, number, careless)

            async with anyio.create_task_group() as tasks:
                for part in range(WRITERS):
                    tasks.start_soon(share, part)


if __name__ == "__main__":
    url, first, last, *rest = sys.argv[1:]
    anyio.run(main, url, int(first), int(last), "careless" in rest)
