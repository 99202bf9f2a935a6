# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""What a run takes of the machine, as the kernel counts it. Linux alone.

Works within any Python that PySpark runs on: nothing but the standard library is imported here.
"""

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

_PROC: Final = Path("/proc")
_QUIET: Final = 0.1
"""Share of the machine that is busy at most when it counts as quiet."""
_QUIET_SECONDS: Final = 0.1
"""How long it is looked at for that."""
_SETTLE_SECONDS: Final = 2.0
_RESET_PEAK: Final = "5"
"""Written to `clear_refs`: the peak of resident memory begins anew. See proc(5)."""


class Sample(NamedTuple):
    """One run.

    Attributes:
        seconds: By the clock.
        cpu_seconds: Of all threads of the processes that took part.
        bytes_read: What they got from read calls: files, and the little that goes through pipes.
        peak_bytes: Resident memory at its highest, less what was resident before the run.
        machine_seconds: Of all processors, idle or not, in steps of some milliseconds; so are
        stolen_seconds: what the host gave to others, and
        foreign_seconds: what other processes took, less than 0 at times for the steps.
    """

    seconds: float
    cpu_seconds: float
    bytes_read: int
    peak_bytes: int
    machine_seconds: float
    stolen_seconds: float
    foreign_seconds: float


def measure(action: Callable[[], object], pids: Iterable[int] | None = None) -> Sample:
    """Runs an action when the machine is quiet, and says what it took.

    Args:
        action: What is measured.
        pids: The processes that do it: this one and those below it when left out.
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
    """Waits until the machine is quiet: JVMs that are done compile and collect for a while.

    Args:
        seconds: No longer than about this, as a machine may have other work.
    """
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        busy_before, _, all_before = _machine_ticks()
        time.sleep(_QUIET_SECONDS)
        busy, _, total = _machine_ticks()
        if busy - busy_before <= _QUIET * (total - all_before):
            return


def process_tree(pid: int) -> list[int]:
    """A process and all below it, such as the JVM that PySpark started."""
    below = []
    for thread in (_PROC / str(pid) / "task").glob("*"):
        below += [int(child) for child in _said(pid, f"task/{thread.name}/children").split()]
    return [pid, *(found for child in below for found in process_tree(child))]


def cpu_seconds(pid: int) -> float:
    """Processor time of a process since it started, all threads; 0 when it has ended."""
    try:
        return time.clock_gettime((~pid << 3) | 2)  # clock_getcpuclockid(3)
    except OSError:
        return 0.0


def _grown(before: Iterable[float], after: Iterable[float]) -> float:
    """What the processes that are still there have more."""
    return sum(max(0.0, b - a) for a, b in zip(before, after, strict=True))


def _bytes_read(pid: int) -> int:
    line = _said(pid, "io").split("\n", 1)[0]
    return int(line.removeprefix("rchar: ") or 0)


def _reset_peak(pid: int) -> None:
    with suppress(OSError):
        (_PROC / str(pid) / "clear_refs").write_text(_RESET_PEAK)


def _said(pid: int, file: str) -> str:
    """What the kernel says of a process; nothing when it has ended."""
    try:
        return (_PROC / str(pid) / file).read_text()
    except OSError:
        return ""


def _resident(pid: int, key: str) -> int:
    """Bytes of a line such as `VmHWM:    1234 kB`."""
    for line in _said(pid, "status").splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) * 1024
    return 0


def _machine_ticks() -> tuple[int, int, int]:
    """Of all processors: busy, stolen by the host, all."""
    words = (_PROC / "stat").read_text().split("\n", 1)[0].split()[1:]
    user, nice, system, idle, iowait, irq, softirq, steal = map(int, words[:8])
    busy = user + nice + system + irq + softirq
    return busy, steal, busy + idle + iowait + steal
