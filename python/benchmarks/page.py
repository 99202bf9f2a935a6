# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`docs/benchmarks.md` and its pictures, drawn from the measurements."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks import lance_spark
from benchmarks.bars import COLOURS, Bars, draw
from benchmarks.board import FLOOR, OURS, Board
from benchmarks.results import load, ratio, word
from benchmarks.systems import SYSTEMS
from benchmarks.targets import NET, PER_CORE, targets, verdict
from benchmarks.tasks import GROUPS, Task

_PICTURES: Final = "images"
_INTRO: Final = f"""\
# Benchmarks

What queries, look-ups and writes take on Lance tables by this connector, beside Spark's Parquet on
the same rows, in one run. `make bench` measures and draws this page; `TASKS`, `SYSTEMS`, `CORES`,
`SF` and `ITERATIONS` choose what, see `scripts/run-benchmarks`. All numbers, with minimum,
processor seconds, memory and bytes read, are in `benchmarks/results/spark-results.txt`.

Every bar is a median time, that of Parquet with Spark's default codec being 1.0X: shorter is
faster. Answers are compared before anything is timed; the systems take turns, each in a process of
its own, which has gone through tasks of all groups before.

| system | |
|---|---|
| this connector | copies written by it, every option by default |
| Parquet | Spark's own reader and writer, by default: snappy |
| Parquet, zstd | the same with zstd |
| Spark alone | the floor: batches that are there already; of a write, reading the source |
| pylance | the native library on our files, without Spark, pinned to as many cores |
| lance-spark | the connector that calls the native library, {lance_spark.VERSION} on Spark 3.5 |

*Net* is `(ours - floor) / (Parquet - floor)`: the readers against each other, without Spark around
them. It is to be at most {NET} on every scan. The column */ pylance* is `(ours - floor) / pylance`
with one core each, at most {PER_CORE}.
"""


def write(
    docs: Path, board: Board, tasks: Sequence[Task], facts: Mapping[str, str], scale: float
) -> None:
    """Writes the page and a picture of each group that was measured."""
    parts = [_INTRO]
    if board.cores:
        parts += [
            _machine(board, facts, scale),
            *_groups(docs, board, tasks),
            _targets(board, tasks),
        ]
    else:
        parts.append("Nothing has been measured yet.\n")
    (docs / "benchmarks.md").write_text("\n".join(parts), encoding="utf-8")


def _machine(board: Board, facts: Mapping[str, str], scale: float) -> str:
    said = {
        "scale": f"{scale:g} of TPC-H, and of the other data",
        **facts,
        **load(board),
        "cores": ", ".join(f"`local[{cores}]`" for cores in board.cores)
        + "; shown here is the first",
    }
    rows = (f"| {name} | {value} |" for name, value in said.items())
    return "\n".join(["## Machine", "", "| | |", "|---|---|", *rows, ""])


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
            ratio(board.net(*key)),
            ratio(board.native(task.name)),
            said,
            *(_other(board, task, system.name, cores) for system in others),
        ]
        yield f"| {' | '.join(cells)} |"


def _other(board: Board, task: Task, system: str, cores: int) -> str:
    found = board.find(task.name, system, cores)
    return "fails" if found and found.failure else ratio(board.time(task.name, system, cores))


def _targets(board: Board, tasks: Sequence[Task]) -> str:
    cores = board.cores[0]
    lines = ["## Targets", "", "| ours / Parquet | at most | is | |", "|---|--:|--:|---|"]
    for target in targets(tasks):
        found = verdict(target, board, cores)
        by = f" by {found.by}" if found.by not in ("", "time", "bytes", "memory") else ""
        lines.append(
            f"| {target.title} | {target.at_most:.2f} | {ratio(found.value)} | {word(found)}{by} |"
        )
    return "\n".join([*lines, ""])
