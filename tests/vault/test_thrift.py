"""Memory that is given back."""

import subprocess
import sys

import pytest

HOLES = """

from commonplace.vault import thrift

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4 // 1024

thrift.share_one_heap()
kept = [(b"x" * 1000, b"x" * 60_000) for _ in range(2_000)]  # all in one heap, side by side
kept = [small for small, _ in kept]
before = resident()
thrift.give_back()
print(before, resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the heaps in question are glibc's")
def test_what_is_free_between_other_things_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", HOLES], capture_output=True, text=True, check=True)
    before, after = map(int, done.stdout.split())
    assert before > 100, "the system had taken it back by itself"
    assert after < 60
