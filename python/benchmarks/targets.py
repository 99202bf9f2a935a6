# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Targets relative to Parquet, and their verdicts."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Final, Literal

from benchmarks.board import FLOOR, OURS, PARQUET, Board
from benchmarks.tasks import Task

NET: Final = 0.5
"""Target for the time above the floor relative to Parquet, on every scan."""

PER_CORE: Final = 1.5
"""Target for the time above the floor relative to pylance, on one core, on every scan."""

NOISE: Final = 0.05
"""Share of other processes above which CPU seconds decide instead of time."""

Kind = Literal["time", "net", "size", "memory"]


@dataclass(frozen=True)
class Target:
    """Maximum ratio to Parquet. For several tasks, the geometric mean counts.

    Attributes:
        title: Title in results.
        at_most: The maximum ratio.
        tasks: Names of tasks, or of the table for a size.
        kind: Kind of ratio: time, time above the floor, size of a copy, or memory of a run.
    """

    title: str
    at_most: float
    tasks: tuple[str, ...]
    kind: Kind = "time"


@dataclass(frozen=True)
class Verdict:
    """Verdict on a target.

    Attributes:
        target: The target.
        value: The ratio, if it was measured.
        cpu: The ratio of CPU seconds.
        is_met: Whether the target is met; `None` if it was not measured.
        by: The deciding ratio: `time`, `CPU`, `net of the floor`, `bytes`, `memory`.
    """

    target: Target
    value: float | None
    cpu: float | None = None
    is_met: bool | None = None
    by: str = ""


def targets(tasks: Iterable[Task]) -> list[Target]:
    """Returns all targets for tasks."""
    known = list(tasks)
    queries = tuple(task.name for task in known if task.group == "tpch")
    scans = tuple(task.name for task in known if task.is_scan)
    single: list[tuple[str, float, str]] = [
        ("lineitem, 16 columns aggregated", 0.70, "lineitem-all"),
        ("lineitem, 16 columns, no-op sink", 0.70, "lineitem-noop"),
        ("lineitem, a bigint", 0.60, "lineitem-bigint"),
        ("TPC-H Q6", 0.60, "lineitem-q6"),
        ("strings, sum(length(l_comment))", 0.70, "lineitem-comment"),
        ("strings, distinct l_shipmode", 0.70, "lineitem-shipmode"),
        ("TPC-H Q1", 0.90, "lineitem-q1"),
        ("count(*)", 0.50, "lineitem-count"),
        ("count(*) where …", 0.70, "lineitem-count-where"),
        ("20 point lookups by key", 0.90, "rows-keys"),
        ("20 ranges of keys", 0.90, "rows-ranges"),
        ("1,000 rows, id IN (…)", 0.20, "rows-ids"),
        ("1,000 rows by _rowid", 0.12, "rows-addresses"),
        ("embeddings, two elements per vector", 0.35, "vectors-elements"),
        ("embeddings, all columns, no-op sink", 0.45, "vectors-noop"),
        ("documents, all bytes", 0.50, "documents-noop"),
        ("documents, 100 by id", 0.03, "documents-ids"),
        ("documents, sizes alone", 0.70, "documents-blobs-size"),
        ("plan 1,000 files", 0.30, "files-1000-plan"),
        ("scan 1,000 files of 100 rows", 0.50, "files-1000-scan"),
    ]
    return [
        *(Target(title, at_most, (name,)) for title, at_most, name in single),
        Target("all 22 TPC-H queries, geometric mean", 0.85, queries),
        Target("write lineitem, net of reading the source", 0.80, ("write-lineitem",), "net"),
        Target("write embeddings, net of reading the source", 0.30, ("write-embeddings",), "net"),
        Target("size of lineitem", 1.05, ("lineitem",), "size"),
        Target("peak memory of the scans, geometric mean", 0.80, scans, "memory"),
    ]


def verdict(target: Target, board: Board, cores: int) -> Verdict:
    """Compares a target with the measurements."""
    match target.kind:
        case "size":
            sizes = board.sizes.get(target.tasks[0], {})
            if OURS not in sizes or PARQUET not in sizes:
                return Verdict(target, None)
            return _decided(target, sizes[OURS] / sizes[PARQUET], None, "bytes")
        case "memory":
            told = [task for task in target.tasks if board.memory(task, OURS, cores) is not None]
            return _decided(target, _mean(board.memory, told, cores), None, "memory")
        case "net":
            return _timed(target, board, cores, board.net, board.net_cpu)
        case "time":
            return _with_floor(_timed(target, board, cores, board.time, board.cpu), board, cores)


Ratio = Callable[[str, str, int], float | None]


def _timed(target: Target, board: Board, cores: int, time: Ratio, cpu: Ratio) -> Verdict:
    by_time = _mean(time, target.tasks, cores)
    by_cpu = _mean(cpu, target.tasks, cores)
    noise = max((board.noise(task, cores) for task in target.tasks), default=0.0)
    if noise > NOISE and by_cpu is not None:
        decided = _decided(target, by_cpu, by_cpu, "CPU")
        return Verdict(target, by_time, by_cpu, decided.is_met, decided.by)
    return _decided(target, by_time, by_cpu, "time")


def _with_floor(found: Verdict, board: Board, cores: int) -> Verdict:
    """Uses the ratio above the floor if the floor alone exceeds the target.

    If the floor takes as long as Parquet, the ratio must be at most 1.
    """
    if found.is_met is not False or len(found.target.tasks) != 1:
        return found
    task = found.target.tasks[0]
    is_cpu = found.by == "CPU"
    floor = (board.cpu if is_cpu else board.time)(task, FLOOR, cores)
    if floor is None or floor <= found.target.at_most:
        return found
    ours = found.cpu if is_cpu else found.value
    net = (board.net_cpu if is_cpu else board.net)(task, OURS, cores)
    is_met = net <= NET if net is not None else ours is not None and ours <= floor
    return Verdict(found.target, found.value, found.cpu, is_met, "net of the floor")


def _decided(target: Target, value: float | None, cpu: float | None, by: str) -> Verdict:
    if value is None:
        return Verdict(target, None)
    return Verdict(target, value, cpu, value <= target.at_most, by)


def _mean(ratio: Ratio, tasks: Sequence[str], cores: int) -> float | None:
    """Returns the geometric mean over all tasks; `None` unless all of them were measured."""
    values = [ratio(task, OURS, cores) for task in tasks]
    good = [max(value, 1e-6) for value in values if value is not None]
    return geometric_mean(good) if good and len(good) == len(values) else None
