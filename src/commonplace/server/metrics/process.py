"""What this process takes of the machine, under the names that Prometheus' own clients use."""

import os
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from commonplace.server.metrics.text import Family, gauge

_STARTED = time.time()
_STATM = Path("/proc/self/statm")
_DESCRIPTORS = Path("/proc/self/fd")


def process_families() -> Iterator[Family]:
    """Return memory, processor time and open files, as far as the system tells."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    peak = used.ru_maxrss if sys.platform == "darwin" else used.ru_maxrss * 1024
    if _STATM.exists():
        pages = int(_STATM.read_text().split()[1])
        size = pages * os.sysconf("SC_PAGE_SIZE")
        yield gauge("process_resident_memory_bytes", "Memory in use.", size)
        open_files = len(os.listdir(_DESCRIPTORS))  # noqa: PTH208 (no paths are wanted)
        yield gauge("process_open_fds", "Open files and sockets.", open_files)
    yield gauge("process_peak_memory_bytes", "The most memory that was in use.", peak)
    cpu = gauge("", "", used.ru_utime + used.ru_stime).samples
    yield Family("process_cpu_seconds_total", "counter", "Processor time.", cpu)
    yield gauge("process_start_time_seconds", "When the process began.", _STARTED)
