# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Generates `docs/benchmarks.md` and its charts from the measurements."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks import lance_spark
from benchmarks.bars import COLOURS, Bars, draw
from benchmarks.board import FLOOR, OURS, Board
from benchmarks.first import FirstRuns, seconds_of, time_ratio
from benchmarks.index import IndexRuns, cells
from benchmarks.index_tasks import Comparison
from benchmarks.results import BELOW, above_floor, load, ratio, word
from benchmarks.systems import SPARK, SPARK_VERSIONS, SYSTEMS
from benchmarks.targets import NET, PER_CORE, targets, verdict
from benchmarks.tasks import GROUPS, Task

_PICTURES: Final = "images"
_LANCE_SPARK: Final = f"Spark {lance_spark.PYSPARK}; version {lance_spark.VERSION}"
_INTRO: Final = f"""\
# Benchmarks

This page compares queries, lookups, and writes on Lance tables with Spark's Parquet on the same
rows, measured in one run. To reproduce it, run `make bench`, which also generates this page. The
variables `TASKS`, `SYSTEMS`, `CORES`, `SF`, and `ITERATIONS` select tasks and systems, see
`scripts/run-benchmarks`. `benchmarks/results/spark-results.txt` contains all numbers, including
minimum, CPU seconds, memory, and bytes read.

`LINE=3.5 make bench` measures on another Spark version. On Spark 3.5, 4.0, and 4.3, scans of
lineitem take 0.24 to 1.0 of Parquet's time on the same version: see
`benchmarks/results/spark-3.5-results.txt`, `spark-4.0-results.txt`, and `spark-4.3-results.txt`
in the same folder.

Each bar is a median time relative to Parquet with Spark's default codec (1.0X); shorter is faster.
Results are compared before anything is timed. The systems take turns, each in its own process,
which has run tasks of all groups before.

| system | setup |
|---|---|
| this connector | Spark {SPARK}; tables written by this connector with default options |
| Parquet | Spark {SPARK}; Spark's own reader and writer with the default codec, snappy |
| Parquet, zstd | the same with zstd |
| Spark alone | Spark {SPARK}; the floor: scans batches in memory, or reads the source of a write |
| pylance | the native library on the connector's files, without Spark, pinned to the same cores |
| lance-spark | {_LANCE_SPARK}, which calls the native library |

{SPARK_VERSIONS}

*Fails* means an error or a wrong result.

*Net* is `(ours - floor) / (Parquet - floor)`. It compares the readers without the time of Spark
itself. The target is at most {NET} on every scan. It is empty if there is no floor, or if Parquet
takes no longer than the floor. */ pylance* is `(ours - floor) / pylance` with one core each. The
target is at most {PER_CORE} on every scan.

*{BELOW}* means that the task is faster than the floor, so the ratio is not meaningful. The floor
decodes nothing, but it passes plain values of every row from memory to Spark. A scan that filters,
aggregates, or drops duplicates passes fewer rows, and its batches can fit into processor caches.
"""


_FIRST_TITLE: Final = "## First and warm runs"
_FIRST: Final = f"""\
{_FIRST_TITLE}

Each task runs in new processes, for this connector and Parquet in turn. A process opens the
tables, runs the task three times, and then for some seconds until it is warm. *Total* is the time
to open the tables and run the task once. To open Parquet files, Spark runs a job, which loads
classes that the first run needs, too. Numbers are medians in milliseconds, and ratios to Parquet.
All numbers are in `benchmarks/results/first-results.txt`. `TASKS=first make bench` measures them.
"""


_INDEX_TITLE: Final = "## Scalar indices"
_INDEX: Final = f"""\
{_INDEX_TITLE}

This section compares builds of scalar indices on lineitem with pylance on the same cores, and
queries that use an index with Parquet or the same table without the index. The two sides take turns
in new processes, which warm up first. Numbers are medians. *MB* is the memory of a build above the
idle process; the connector has a heap of 1 GB. All numbers are in
`benchmarks/results/index-results.txt`. `TASKS=index make bench` measures them.
"""
_KEPT_TITLES: Final = (_FIRST_TITLE, _INDEX_TITLE)
"""The parts of the page with separate measurements, in order."""


def write_index(docs: Path, runs: IndexRuns, known: Iterable[Comparison]) -> None:
    """Writes the part of the page about scalar indices, and keeps the rest.

    Args:
        docs: The folder of the page.
        runs: The measurements.
        known: All comparisons, in order.
    """
    _write_part(docs, _INDEX_TITLE, "\n".join([_INDEX, *_index_table(runs, known), ""]))


def _index_table(runs: IndexRuns, known: Iterable[Comparison]) -> Iterable[str]:
    yield "| task | compared with | ms | other ms | ratio | CPU | target | MB | other MB |"
    yield "|---|---|" + "--:|" * 7
    for comparison in known:
        if found := cells(runs, comparison):
            yield f"| {comparison.title} | {comparison.other_title} | {' | '.join(found)} |"


def _write_part(docs: Path, title: str, part: str) -> None:
    """Replaces a part of the page, and keeps the others."""
    file = docs / "benchmarks.md"
    text = file.read_text(encoding="utf-8")
    parts = {name: _part(text, name) for name in _KEPT_TITLES}
    for kept in parts.values():
        text = text.replace(kept, "")
    parts[title] = f"{part}\n"
    before, targets, after = text.partition("## Targets\n")
    file.write_text(before + "".join(parts.values()) + targets + after, encoding="utf-8")


def _part(text: str, title: str) -> str:
    """Returns a part of the page with the following blank line, or an empty string."""
    found = re.search(rf"^{title}\n.*?(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return found.group() if found else ""


def write_first(docs: Path, runs: FirstRuns, tasks: Sequence[Task]) -> None:
    """Writes the part of the page about first runs, and keeps the rest.

    Args:
        docs: The folder of the page.
        runs: The measurements.
        tasks: All tasks of first runs, in order.
    """
    _write_part(docs, _FIRST_TITLE, "\n".join([_FIRST, *_first_table(runs, tasks), ""]))


def _first_table(runs: FirstRuns, tasks: Sequence[Task]) -> Iterable[str]:
    shown = ("total", "first", "second", "third", "warm")
    yield "| task | " + " | ".join(f"{step} | / Parquet" for step in shown) + " |"
    yield "|---|" + "--:|" * 2 * len(shown)
    for task in tasks:
        times = {step: seconds_of(runs, task, "lance", step) for step in shown}
        if None not in times.values():
            cells = (
                f"{seconds * 1e3:.0f} | {ratio(time_ratio(runs, task, step))}"
                for step, seconds in times.items()
                if seconds is not None
            )
            yield f"| {task.title} | {' | '.join(cells)} |"


def write(
    docs: Path, board: Board, tasks: Sequence[Task], facts: Mapping[str, str], scale: float
) -> None:
    """Writes the page and a chart of each measured group."""
    parts = [_INTRO]
    if board.cores:
        parts += [
            _machine(board, facts, scale),
            *_groups(docs, board, tasks),
            _targets(board, tasks),
        ]
    else:
        parts.append("Nothing has been measured yet.\n")
    file = docs / "benchmarks.md"
    if board.cores and file.exists():
        text = file.read_text(encoding="utf-8")
        kept = (_part(text, title).rstrip("\n") for title in _KEPT_TITLES)
        parts[-1:-1] = [f"{part}\n" for part in kept if part]
    file.write_text("\n".join(parts), encoding="utf-8")


def _machine(board: Board, facts: Mapping[str, str], scale: float) -> str:
    said = {
        "scale": f"{scale:g} of TPC-H, and of the other data",
        **facts,
        **load(board),
        "cores": ", ".join(f"`local[{cores}]`" for cores in board.cores)
        + "; shown here is the first",
    }
    rows = (f"| {name} | {value} |" for name, value in said.items())
    return "\n".join(["## Machine", "", "| property | value |", "|---|---|", *rows, ""])


def _groups(docs: Path, board: Board, tasks: Sequence[Task]) -> Iterable[str]:
    cores = board.cores[0]
    for group, title in GROUPS.items():
        members = [
            task
            for task in tasks
            if task.group == group and board.time(task.name, OURS, cores) is not None
        ]
        if not members:
            continue
        rows = [Bars(task.title, _ratios(board, task, cores)) for task in members]
        picture = f"{_PICTURES}/benchmarks-{group}.svg"
        names = {system.name: system.title for system in SYSTEMS.values()}
        (docs / picture).write_text(draw(title, rows, names), encoding="utf-8")
        yield "\n".join(
            [f"## {title}", "", f"![{title}]({picture})", "", *_table(board, members, cores), ""]
        )


def _ratios(board: Board, task: Task, cores: int) -> dict[str, float]:
    found = {system: board.time(task.name, system, cores) for system in COLOURS}
    return {system: value for system, value in found.items() if value is not None}


def _table(board: Board, tasks: Sequence[Task], cores: int) -> Iterable[str]:
    aims = {
        t.tasks[0]: t for t in targets(tasks) if len(t.tasks) == 1 and t.kind in ("time", "net")
    }
    others = [s for s in SYSTEMS.values() if s.name in COLOURS and s.name not in (OURS, FLOOR)]
    yield "| task | ms | / Parquet | CPU | net | / pylance | target |" + "".join(
        f" {system.title} |" for system in others
    )
    yield "|---|--:|--:|--:|--:|--:|---|" + "--:|" * len(others)
    for task in tasks:
        ours = board.good(task.name, OURS, cores)
        if ours is None:
            continue
        key = (task.name, OURS, cores)
        aim = aims.get(task.name)
        said = f"{aim.at_most:.2f} {word(verdict(aim, board, cores))}" if aim else ""
        cells = [
            task.title.replace("|", "\\|"),
            f"{ours.median * 1e3:.0f}",
            ratio(board.time(*key)),
            ratio(board.cpu(*key)),
            above_floor(board.net(*key)),
            above_floor(board.native(task.name)),
            said,
            *(_other(board, task, system.name, cores) for system in others),
        ]
        yield f"| {' | '.join(cells)} |"


def _other(board: Board, task: Task, system: str, cores: int) -> str:
    found = board.find(task.name, system, cores)
    return "fails" if found and found.failure else ratio(board.time(task.name, system, cores))


def _targets(board: Board, tasks: Sequence[Task]) -> str:
    cores = board.cores[0]
    lines = [
        "## Targets",
        "",
        "| relative to Parquet | target | measured | result |",
        "|---|--:|--:|---|",
    ]
    for target in targets(tasks):
        found = verdict(target, board, cores)
        by = f" by {found.by}" if found.by not in ("", "time", "bytes", "memory") else ""
        lines.append(
            f"| {target.title} | {target.at_most:.2f} | {ratio(found.value)} | {word(found)}{by} |"
        )
    return "\n".join([*lines, ""])
