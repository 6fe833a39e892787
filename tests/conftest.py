"""What all tests share."""

import gc
import os
import signal
import sys
from collections.abc import Generator
from itertools import chain

import pytest
from hypothesis import settings

from tests import orphans, standstill
from tests.loop_watch import watching

# A law that holds takes as long as the machine is busy; how fast things are is measured elsewhere.
# The same examples each time: a change is judged by what it changes. To look for new ones, run
# `pytest --hypothesis-profile search`.
settings.register_profile("commonplace", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
# `make laws`: very many examples, others each time.
settings.register_profile("laws", deadline=None, max_examples=100_000)
settings.load_profile("commonplace")


def pytest_configure(config: pytest.Config) -> None:
    """Let nothing that tests start outlive this process, be it a worker or all of the run."""
    standstill.tell_when_asked()
    has_workers = getattr(config.option, "numprocesses", None)
    if sys.platform == "linux" and has_workers and not hasattr(config, "workerinput"):
        config.pluginmanager.register(standstill.Standstill())
    # What a shell starts in the background ignores Ctrl C, and so would all that tests start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Each server would start a process of its own that loads the model. Tests of search by meaning
    # name a provider by themselves.
    os.environ.setdefault("COMMONPLACE_EMBEDDINGS", "none")
    orphans.keep()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put files that start browsers and processes first, in turns, and all others after them.

    Browsers want a processor, processes mostly wait: side by side they take less time than one kind
    after the other, and no worker ends long after another.
    """
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    paths = dict.fromkeys(item.path for item in items)
    web = [path for path in paths if path.parent.name == "web"]
    processes = [path for path in paths if path in slow and path not in web]
    others = [path for path in paths if path not in slow and path not in web]
    share = -(-len(processes) // max(1, len(web)))
    turns = [[path, *processes[at * share : (at + 1) * share]] for at, path in enumerate(web)]
    order = [*chain.from_iterable(turns), *([] if web else processes), *others]
    place = {path: at for at, path in enumerate(order)}
    items.sort(key=lambda item: place[item.path])


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over the thousands of tests that were found."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _no_loop_is_held(request: pytest.FixtureRequest) -> Generator[None]:
    """Fail a test in which one callback of ours keeps an event loop for long.

    `@pytest.mark.holds_loop("why")` is for what cannot be otherwise.
    """
    if request.node.get_closest_marker("holds_loop"):
        yield
        return
    with watching() as watch:
        yield
    assert not watch.held, watch.held[0]
