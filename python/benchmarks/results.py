# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Formats the results: a header, a line for each measurement, sizes, and targets."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean
from typing import Final

from benchmarks.board import OURS, PARQUET, Board
from benchmarks.kept import Measurement
from benchmarks.systems import SPARK_VERSIONS, SYSTEMS
from benchmarks.targets import NET, NOISE, PER_CORE, Target, Verdict, targets, verdict
from benchmarks.tasks import GROUPS, Task

BELOW: Final = "< floor"
"""Replaces the ratio of a task that is faster than the floor."""
_COLUMNS: Final = (
    ("task", -24),
    ("system", -13),
    ("cores", 5),
    ("median ms", 10),
    ("min ms", 10),
    ("CPU s", 9),
    ("peak MB", 8),
    ("MB read", 9),
    ("/ parquet", 10),
    ("CPU / p.", 9),
    ("net", 7),
    ("/ pylance", 10),
    ("target", 7),
    ("", -6),
)
_NOTES: Final = f"""\
All systems read the same rows. Results are compared before anything is timed, and the systems take
turns. Each pass starts new processes, which run tasks of all groups before anything is measured.
Every other pass runs the tasks backwards.
  CPU s      CPU seconds of all threads, median
  peak MB    memory of a run above the idle process, measured in separate processes
  MB read    bytes that were read
  / parquet  median time relative to Spark's Parquet with snappy, the default
  CPU / p.   CPU seconds relative to Spark's Parquet
  net        (time - floor) / (Parquet's time - floor). The floor is Spark alone: it scans batches
             that are in memory, or reads the source of a write. The target of every scan is at
             most {NET}. Empty if there is no floor, or if Parquet takes no longer than the floor
  / pylance  (time - floor) / pylance's time, with one core each. The target of every scan is at
             most {PER_CORE}
  {BELOW}    the task is faster than the floor. The floor decodes nothing, but it passes plain
             values of every row from memory to Spark. A scan that filters, aggregates, or drops
             duplicates passes fewer rows, and its batches can fit into processor caches
{SPARK_VERSIONS}
Targets apply to the largest number of cores. If other processes used more than {NOISE:.0%} of the
machine during a task, CPU seconds decide."""


def render(board: Board, tasks: Sequence[Task], facts: Mapping[str, str]) -> str:
    """Returns the results as text.

    Args:
        board: The measurements.
        tasks: All tasks, in order.
        facts: Names and values for the header.
    """
    parts = [
        "Lance and Parquet with Spark",
        *(f"  {name:12} {value}" for name, value in {**facts, **load(board)}.items()),
        "",
        _NOTES,
        "",
        *_table(board, tasks),
        "",
        *_sizes(board),
        *_targets(board, tasks),
    ]
    return "\n".join(line.rstrip() for line in parts) + "\n"


def load(board: Board) -> dict[str, str]:
    """Returns the other load of the machine over all measurements."""
    good = [m for m in board.measurements if m.failure is None]
    if not good:
        return {}
    return {
        "CPU steal": f"{mean(m.stolen for m in good):.1%} on average,"
        f" at most {max(m.stolen for m in good):.1%}",
        "other load": f"{mean(m.foreign for m in good):.1%} on average,"
        f" at most {max(m.foreign for m in good):.1%}",
    }


def _table(board: Board, tasks: Sequence[Task]) -> Iterable[str]:
    head = _line([name for name, _ in _COLUMNS])
    rule = "-" * len(head)
    single = {
        t.tasks[0]: t for t in targets(tasks) if t.kind in ("time", "net") and len(t.tasks) == 1
    }
    for group, title in GROUPS.items():
        rows = [
            line
            for cores in board.cores
            for task in tasks
            if task.group == group
            for line in _rows(board, task, cores, single.get(task.name))
        ]
        if rows:
            yield from (title, head, rule, *rows, "")


def _rows(board: Board, task: Task, cores: int, target: Target | None) -> Iterable[str]:
    for system in SYSTEMS:
        found = board.find(task.name, system, cores)
        if found and found.failure is not None:
            yield _line([task.name, system, str(cores)]) + f"  fails: {found.failure}"
        elif found:
            aimed = target if system == OURS and cores == board.cores[0] else None
            yield _line(_cells(board, found, aimed))


def _cells(board: Board, found: Measurement, target: Target | None) -> list[str]:
    key = (found.task, found.system, found.cores)
    is_ours = found.system == OURS and found.cores == 1
    result = verdict(target, board, found.cores) if target else None
    return [
        found.task,
        found.system,
        str(found.cores),
        f"{found.median * 1e3:.1f}",
        f"{found.least * 1e3:.1f}",
        f"{found.cpu:.3f}",
        "" if found.peak_bytes is None else f"{found.peak_bytes / 1e6:.0f}",
        f"{found.bytes_read / 1e6:.2f}",
        ratio(board.time(*key)),
        ratio(board.cpu(*key)),
        above_floor(board.net(*key)),
        above_floor(board.native(found.task) if is_ours else None),
        f"{target.at_most:.2f}" if target else "",
        word(result) if result else "",
    ]


def _line(cells: Sequence[str]) -> str:
    return "  ".join(
        f"{cell:{'<' if width < 0 else '>'}{abs(width)}}"
        for cell, (_, width) in zip(cells, _COLUMNS, strict=False)
    )


def _sizes(board: Board) -> Iterable[str]:
    systems = [s for s in SYSTEMS if any(s in sizes for sizes in board.sizes.values())]
    if not systems:
        return
    yield (
        f"{'MB on disk':16}" + "".join(f"{system:>14}" for system in systems) + "   lance / parquet"
    )
    for table, sizes in board.sizes.items():
        cells = (f"{sizes[s] / 1e6:.3f}" if s in sizes else "" for s in systems)
        both = OURS in sizes and PARQUET in sizes
        yield (
            f"{table:16}"
            + "".join(f"{cell:>14}" for cell in cells)
            + (f"{sizes[OURS] / sizes[PARQUET]:>18.2f}" if both else "")
        )
    yield ""


def _targets(board: Board, tasks: Sequence[Task]) -> Iterable[str]:
    if not board.cores:
        return
    cores = board.cores[0]
    yield f"{'target':50}{'at most':>8}{'is':>8}{'by CPU':>8}   local[{cores}]"
    for target in targets(tasks):
        found = verdict(target, board, cores)
        by = f", by {found.by}" if found.by not in ("", "time", "bytes", "memory") else ""
        yield (
            f"{target.title:50}{target.at_most:>8.2f}{ratio(found.value):>8}"
            f"{ratio(found.cpu):>8}   {word(found)}{by}"
        )
    yield from _every_scan(board, tasks, cores)


def _every_scan(board: Board, tasks: Sequence[Task], cores: int) -> Iterable[str]:
    """Returns the targets of all scans, and the tasks that miss them or are slower than Parquet."""
    scans = [task.name for task in tasks if task.is_scan]
    net = {name: board.net(name, OURS, cores) for name in scans}
    native = {name: board.native(name) for name in scans}
    slower = {task.name: board.time(task.name, OURS, cores) for task in tasks}
    memory = {name: board.memory(name, OURS, cores) for name in scans}
    for title, at_most, values in (
        ("every scan: net time relative to Parquet", NET, net),
        ("every scan: net time relative to pylance, one core", PER_CORE, native),
        ("every scan: peak memory, if measurable", 1.0, memory),
        ("every task: not slower than Parquet", 1.0, slower),
    ):
        known = {name: value for name, value in values.items() if value is not None}
        missed = {name: value for name, value in known.items() if value > at_most}
        named = ", ".join(f"{name} {value:.2f}" for name, value in missed.items())
        yield (
            f"{title:50}{at_most:>8.2f}{'':16}   {len(known) - len(missed)} of {len(known)}"
            + (f", not {named}" if named else "")
        )


def ratio(value: float | None) -> str:
    """Formats a ratio with two digits; an empty string for `None`."""
    return "" if value is None else f"{value:.2f}"


def above_floor(value: float | None) -> str:
    """Formats a ratio of times above the floor. Negative values are not meaningful."""
    return BELOW if value is not None and value < 0 else ratio(value)


def word(found: Verdict) -> str:
    """Returns the word for a verdict."""
    return {True: "met", False: "missed", None: "open"}[found.is_met]
