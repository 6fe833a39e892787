"""How the interpreter is to run a server: in a process of its own, as it stays so."""

import subprocess
import sys

_CODE = """
import gc, sys
from commonplace.server.owner.interpreter import run_as_server
frozen, kept = [], []
for _ in range(4):
    kept.append([[] for _ in range(1000)])
    run_as_server()
    frozen.append(gc.get_freeze_count())
print(gc.get_threshold()[0] > 700, sys.getswitchinterval() < 0.005)
print(frozen[0] > 0, frozen[1] > frozen[0], frozen[1] == frozen[2] == frozen[3])
"""


def test_what_is_there_at_the_start_is_left_out_twice_and_then_no_more() -> None:
    done = subprocess.run([sys.executable, "-c", _CODE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"] * 5
