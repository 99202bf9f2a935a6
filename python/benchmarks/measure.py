# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Measures the cost of a run with counters of the Linux kernel.

Runs on any Python of PySpark, so it imports only the standard library.
"""

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

_PROC: Final = Path("/proc")
_QUIET: Final = 0.1
"""Maximum CPU share of a quiet machine."""
_QUIET_SECONDS: Final = 0.1
"""Seconds over which the CPU share is measured."""
_SETTLE_SECONDS: Final = 2.0
_RESET_PEAK: Final = "5"
"""Value for `clear_refs` that resets the peak of resident memory. See proc(5)."""


class Sample(NamedTuple):
    """Cost of a run.

    Attributes:
        seconds: Elapsed seconds.
        cpu_seconds: CPU seconds of all threads of the processes.
        bytes_read: Bytes returned by read calls, of files and pipes.
        peak_bytes: Peak resident memory minus the resident memory before the run.
        machine_seconds: Seconds of all CPU cores, idle or not, with a resolution of milliseconds.
        stolen_seconds: Seconds that the host gave to other machines.
        foreign_seconds: Seconds of other processes. Can be negative because of the resolution.
    """

    seconds: float
    cpu_seconds: float
    bytes_read: int
    peak_bytes: int
    machine_seconds: float
    stolen_seconds: float
    foreign_seconds: float


def measure(action: Callable[[], object], pids: Iterable[int] | None = None) -> Sample:
    """Runs an action when the machine is quiet, and returns its cost.

    Args:
        action: The action.
        pids: The processes of the action; by default, this process and its children.
    """
    settle()
    processes = list(pids) if pids is not None else process_tree(os.getpid())
    for pid in processes:
        _reset_peak(pid)
    resting = sum(_resident(pid, "VmRSS") for pid in processes)
    machine, read_before = _machine_ticks(), [_bytes_read(pid) for pid in processes]
    cpu_before, start = [cpu_seconds(pid) for pid in processes], time.perf_counter()
    action()
    seconds = time.perf_counter() - start
    cpu = _grown(cpu_before, [cpu_seconds(pid) for pid in processes])
    read = round(_grown(read_before, [_bytes_read(pid) for pid in processes]))
    tick = 1 / os.sysconf("SC_CLK_TCK")
    busy, stolen, total = (
        (after - before) * tick for before, after in zip(machine, _machine_ticks(), strict=True)
    )
    return Sample(
        seconds,
        cpu,
        read,
        max(0, sum(_resident(pid, "VmHWM") for pid in processes) - resting),
        total,
        stolen,
        busy - cpu,
    )


def settle(seconds: float = _SETTLE_SECONDS) -> None:
    """Waits until the machine is quiet: JVMs compile and collect for some time after a run.

    Args:
        seconds: Approximate maximum duration, because the machine can have other work.
    """
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        busy_before, _, all_before = _machine_ticks()
        time.sleep(_QUIET_SECONDS)
        busy, _, total = _machine_ticks()
        if busy - busy_before <= _QUIET * (total - all_before):
            return


def process_tree(pid: int) -> list[int]:
    """Returns a process and its descendants, such as the JVM that PySpark started."""
    below = []
    for thread in (_PROC / str(pid) / "task").glob("*"):
        below += [int(child) for child in _said(pid, f"task/{thread.name}/children").split()]
    return [pid, *(found for child in below for found in process_tree(child))]


def cpu_seconds(pid: int) -> float:
    """Returns the CPU time of a process since its start, all threads; 0 if it has ended."""
    try:
        return time.clock_gettime((~pid << 3) | 2)  # clock_getcpuclockid(3)
    except OSError:
        return 0.0


def _grown(before: Iterable[float], after: Iterable[float]) -> float:
    """Returns the increase of a counter over the processes that still exist."""
    return sum(max(0.0, b - a) for a, b in zip(before, after, strict=True))


def _bytes_read(pid: int) -> int:
    line = _said(pid, "io").split("\n", 1)[0]
    return int(line.removeprefix("rchar: ") or 0)


def _reset_peak(pid: int) -> None:
    with suppress(OSError):
        (_PROC / str(pid) / "clear_refs").write_text(_RESET_PEAK)


def _said(pid: int, file: str) -> str:
    """Reads a file of a process in `/proc`; an empty string if it has ended."""
    try:
        return (_PROC / str(pid) / file).read_text()
    except OSError:
        return ""


def _resident(pid: int, key: str) -> int:
    """Parses the bytes of a line such as `VmHWM:    1234 kB`."""
    for line in _said(pid, "status").splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) * 1024
    return 0


def _machine_ticks() -> tuple[int, int, int]:
    """Returns the ticks of all CPU cores: busy, stolen by the host, and total."""
    words = (_PROC / "stat").read_text().split("\n", 1)[0].split()[1:]
    user, nice, system, idle, iowait, irq, softirq, steal = map(int, words[:8])
    busy = user + nice + system + irq + softirq
    return busy, steal, busy + idle + iowait + steal
