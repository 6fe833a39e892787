"""What this process takes of the machine."""

import socket
import sys
import time

import pytest

from commonplace.server.metrics.process import process_families


def told() -> dict[str, float]:
    return {family.name: family.samples[0].value for family in process_families()}


def test_memory_time_and_start_are_told_in_their_units() -> None:
    found = told()
    assert 1_000_000 < found["process_peak_memory_bytes"] < 1_000_000_000_000
    assert 0 < found["process_start_time_seconds"] <= time.time()
    end = found["process_cpu_seconds_total"] + 0.05
    while told()["process_cpu_seconds_total"] < end:
        pass  # this is what takes the time


@pytest.mark.skipif(sys.platform != "linux", reason="the system tells no more")
def test_what_is_open_is_counted() -> None:
    before = told()["process_open_fds"]
    with socket.socket(), socket.socket():
        assert told()["process_open_fds"] == before + 2
    assert told()["process_resident_memory_bytes"] <= told()["process_peak_memory_bytes"] * 1.1
