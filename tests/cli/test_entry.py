"""The program itself: how little a short command pays for what it loads."""

import subprocess
import sys

CODE = """
import gc, sys
looks = []
gc.callbacks.append(lambda phase, _: phase == "start" and looks.append(phase))
from commonplace import cli
sys.argv = ["commonplace", "status", "--help"]
{before}
cli.main()
print(len(looks), gc.get_freeze_count() > 10_000, file=sys.stderr)
"""


def ended(before: str) -> list[str]:
    code = CODE.format(before=before)
    done = subprocess.run(
        [sys.executable, "-c", code], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    return done.stderr.split()


def test_a_command_does_not_look_through_what_it_loads_for_garbage() -> None:
    looks, is_frozen = ended("")
    assert int(looks) <= 5
    assert is_frozen == "True"


def test_without_that_it_looks_again_and_again() -> None:
    looks, _ = ended("gc.set_threshold = lambda *_: None")
    assert int(looks) > 20, "the control"
