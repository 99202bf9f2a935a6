# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Generates `docs/benchmarks.md` and its charts from the measurements."""

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Final

from benchmarks import index, lance_spark, search, streaming_results
from benchmarks.bars import COLORS, Bars, draw
from benchmarks.board import FLOOR, OURS, PARQUET, Board
from benchmarks.charts import CHARTS
from benchmarks.compare import Group, Runs, cells
from benchmarks.first import FirstRuns, seconds_of, time_ratio
from benchmarks.results import load, ratio
from benchmarks.systems import SPARK, SPARK_VERSIONS, SYSTEMS
from benchmarks.tasks import GROUPS, Task

_PICTURES: Final = "images"
_INTRO: Final = f"""\
# Benchmarks

These benchmarks compare scans, queries, lookups, and writes on Lance tables with the same
operations on Parquet files. Both sides run on Spark {SPARK}, with the same rows, on the same
machine. The last sections measure [first runs](#first-and-warm-runs), [scalar
indices](#scalar-indices), [searches](#search), and [streaming sinks](#streaming), partly compared
with pylance.
"""
_HOW_TO_READ: Final = f"""\
## How to read the numbers

- A *ratio* is the median time of this connector divided by the time of Parquet with Spark's default
  codec, snappy. 0.50 means half the time, and 2.00 twice the time. Columns of other systems are
  ratios to Parquet, too. The sections on indices, search, and streaming compare with other systems:
  each names the other side.
- A *target* is the largest ratio, or time, that the developers accept for a task.
- *CPU* is the same ratio for CPU seconds of all threads.
- Each chart has a bar per system. Shorter is faster, and the dashed line is the other side, such as
  Parquet. Long bars are cut; the number is the ratio.
- Runs are warm, unless a section says otherwise: the code is compiled, and the files are in the
  page cache.
- Results of all systems are compared before anything is timed. *Fails* means an error or a wrong
  result.
- The systems take turns, each in its own process, which has run tasks of all groups before.

{SPARK_VERSIONS}
"""
_SETUPS: Final[Mapping[str, str]] = {
    OURS: "tables written by this connector with default options",
    PARQUET: "Spark's own reader and writer with the default codec, snappy",
    "parquet-zstd": "the same with the codec zstd",
    "pylance": "the native library without Spark, on the connector's files and the same cores",
    "lance-spark": "calls the native library from Spark",
    FLOOR: "scans rows that are in memory, or reads the source of a write: the time that no reader"
    " can save",
}
"""The setup of each system."""
_GROUP_NOTES: Final[Mapping[str, str]] = {
    "lineitem": "TPC-H's largest table with 16 columns: 6 million rows at scale 1. A no-op sink"
    " computes all columns and discards them.",
    "rows": "Point lookups and ranges search lineitem without an index, and return all columns. The"
    " other tasks return 1,000 of 300,000 rows with embeddings.",
    "vectors": "300,000 rows at scale 1 with an embedding of 384 floats, a sentence, and a label.",
    "documents": "20,000 documents at scale 1 of incompressible bytes, as a plain column and as a"
    " blob column.",
    "files": "Tables of many small files, and a table of 300 columns.",
    "writes": "Each task reads a Parquet file and writes a new table.",
    "tpch": "The 22 queries of TPC-H. The SQL is the same for both formats.",
}
"""A sentence on the data of each group."""
_END_TITLE: Final = "## Reproduce"
_END: Final = f"""\
{_END_TITLE}

`make bench` runs all benchmarks in a clone of the repository, and generates this page. A full run
takes several hours, and an interrupted run continues. Variables select a part:

```bash
TASKS="lineitem-* tpch" SYSTEMS="lance parquet" make bench
LINE=3.5 make bench
```

`CONTRIBUTING.md` lists the variables. `benchmarks/results/spark-results.txt` has all numbers:
medians, minima, CPU seconds, memory, bytes read, and the time of the readers without Spark's own
time. The files `spark-3.5-results.txt`, `spark-4.0-results.txt`, and `spark-4.3-results.txt` in the
same folder compare with Parquet on these Spark versions.
"""


_FIRST_TITLE: Final = "## First and warm runs"
_FIRST: Final = f"""\
Each task runs in new processes, for this connector and Parquet in turn, both on Spark {SPARK}. A
process opens the tables, runs the task three times, and then for some seconds until it is warm.
*Total* is the time to open the tables and run the task once. To open Parquet files, Spark runs a
job, which loads classes that the first run needs, too. Numbers are medians in milliseconds of this
connector, each followed by its ratio to Parquet. All numbers are in
`benchmarks/results/first-results.txt`. `TASKS=first make bench` measures them.
"""


_STREAMING_TITLE: Final = "## Streaming"
_KEPT_TITLES: Final = (
    _FIRST_TITLE,
    f"## {index.GROUP.section}",
    f"## {search.GROUP.section}",
    _STREAMING_TITLE,
)
"""The parts of the page with separate measurements, in order."""


def write_group(
    docs: Path, group: Group, runs: Runs, scale: float, facts: Mapping[str, str]
) -> None:
    """Writes the part of the page about a group of comparisons, and keeps the rest.

    Args:
        docs: The folder of the page.
        group: The group.
        runs: The measurements.
        scale: Scale factor of the data.
        facts: Names and values of the machine and the versions.
    """
    _write_part(docs, f"## {group.section}", group.intro, facts, _group_table(group, runs, scale))


def _group_table(group: Group, runs: Runs, scale: float) -> Iterable[str]:
    yield f"| task | compared with | {' | '.join(column.title for column in group.columns)} |"
    yield "|---|---|" + "--:|" * len(group.columns)
    for comparison in group.comparisons(scale).values():
        if found := cells(group, runs, comparison):
            yield f"| {comparison.title} | {comparison.other_title} | {' | '.join(found)} |"


def write_streaming(
    docs: Path, found: Mapping[str, streaming_results.Found], facts: Mapping[str, str]
) -> None:
    """Writes the part of the page about streaming sinks, and keeps the rest.

    Args:
        docs: The folder of the page.
        found: The measurements by title.
        facts: Names and values of the machine and the versions.
    """
    table = streaming_results.table(found)
    _write_part(docs, _STREAMING_TITLE, streaming_results.INTRO, facts, table)


def _write_part(
    docs: Path, title: str, intro: str, facts: Mapping[str, str], table: Iterable[str]
) -> None:
    """Replaces a part of the page and its chart, and keeps the other parts."""
    chart = CHARTS[title]
    machine = textwrap.wrap(measured_on(facts), 100)
    part = "\n".join([title, "", intro, *machine, "", chart.link, "", *table, ""])
    pictures = docs / _PICTURES
    pictures.mkdir(exist_ok=True)
    (pictures / chart.file).write_text(chart.draw(part), encoding="utf-8")
    file = docs / "benchmarks.md"
    text = file.read_text(encoding="utf-8")
    parts = {name: _part(text, name) for name in _KEPT_TITLES}
    for kept in parts.values():
        text = text.replace(kept, "")
    parts[title] = f"{part}\n"
    before, end, after = text.partition(f"{_END_TITLE}\n")
    file.write_text(before + "".join(parts.values()) + end + after, encoding="utf-8")


def measured_on(facts: Mapping[str, str]) -> str:
    """Returns a sentence about the machine and the versions of a separate measurement."""
    names = ("cpu", "memory", "Spark", "pylance", "Delta", "commit")
    said = [
        facts[name] if name in names[:2] else f"{name} {facts[name]}"
        for name in names
        if facts.get(name)
    ]
    return f"Measured on: {', '.join(said)}." if said else "The machine was not recorded."


def _part(text: str, title: str) -> str:
    """Returns a part of the page with the following blank line, or an empty string."""
    found = re.search(rf"^{title}\n.*?(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return found.group() if found else ""


def write_first(
    docs: Path, runs: FirstRuns, tasks: Sequence[Task], facts: Mapping[str, str]
) -> None:
    """Writes the part of the page about first runs, and keeps the rest.

    Args:
        docs: The folder of the page.
        runs: The measurements.
        tasks: All tasks of first runs, in order.
        facts: Names and values of the machine and the versions.
    """
    _write_part(docs, _FIRST_TITLE, _FIRST, facts, _first_table(runs, tasks))


def _first_table(runs: FirstRuns, tasks: Sequence[Task]) -> Iterable[str]:
    shown = ("total", "first", "second", "third", "warm")
    yield "| group | task | " + " | ".join(f"{step} ms | ratio" for step in shown) + " |"
    yield "|---|---|" + "--:|" * 2 * len(shown)
    for task in tasks:
        times = {step: seconds_of(runs, task, "lance", step) for step in shown}
        if None not in times.values():
            cells = (
                f"{seconds * 1e3:.0f} | {ratio(time_ratio(runs, task, step))}"
                for step, seconds in times.items()
                if seconds is not None
            )
            yield f"| {task.group} | {task.title} | {' | '.join(cells)} |"


def write(
    docs: Path, board: Board, tasks: Sequence[Task], facts: Mapping[str, str], scale: float
) -> None:
    """Writes the page and a chart of each measured group.

    Args:
        docs: The folder of the page.
        board: The measurements.
        tasks: All tasks, in order.
        facts: Names and values of the machine, and the versions of each system.
        scale: Scale factor of the data.
    """
    parts = [_INTRO]
    if board.cores:
        parts += [
            _summary(board, tasks),
            _HOW_TO_READ,
            _systems(board, facts),
            _machine(board, facts, scale),
            *_groups(docs, board, tasks),
            _END,
        ]
    else:
        parts.append("Nothing has been measured yet.\n")
    file = docs / "benchmarks.md"
    if board.cores and file.exists():
        text = file.read_text(encoding="utf-8")
        kept = (_part(text, title).rstrip("\n") for title in _KEPT_TITLES)
        parts[-1:-1] = [f"{part}\n" for part in kept if part]
    file.write_text("\n".join(parts), encoding="utf-8")


def _members(board: Board, tasks: Sequence[Task], group: str) -> list[Task]:
    """Returns the measured tasks of a group."""
    cores = board.cores[0]
    return [
        task
        for task in tasks
        if task.group == group and board.good(task.name, OURS, cores) is not None
    ]


def _summary(board: Board, tasks: Sequence[Task]) -> str:
    """Returns the table of the mean ratio of each group."""
    cores = board.cores[0]
    lines = [
        "## Summary",
        "",
        f"Time relative to Parquet on Spark {SPARK}, `local[{cores}]`:",
        "",
        "| group | tasks | geometric mean | fastest | slowest |",
        "|---|--:|--:|--:|--:|",
    ]
    for group, title in GROUPS.items():
        times = (board.time(task.name, OURS, cores) for task in _members(board, tasks, group))
        ratios = [time for time in times if time is not None]
        if ratios:
            cells = (_shown(value) for value in (geometric_mean(ratios), min(ratios), max(ratios)))
            link = re.sub(r"[^a-z0-9]+", "-", title.lower())
            lines.append(f"| [{title}](#{link}) | {len(ratios)} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _systems(board: Board, facts: Mapping[str, str]) -> str:
    """Returns the table of the compared systems and their versions."""
    measured = {measurement.system for measurement in board.measurements}
    lines = ["## Systems", "", "| system | versions | setup |", "|---|---|---|"]
    for system in SYSTEMS.values():
        if system.name in measured:
            title = system.title.partition(", Spark")[0]
            versions = _versions(system.name, facts)
            lines.append(f"| {title} | {versions} | {_SETUPS[system.name]} |")
    return "\n".join([*lines, ""])


def _versions(system: str, facts: Mapping[str, str]) -> str:
    """Returns the versions of a system, without the JVM, which all have in common."""
    found = [fact for fact in facts.get(system, "").split(", ") if fact]
    said = [re.sub("^spark", "Spark", fact) for fact in found if not fact.startswith("jvm ")]
    if system == "lance-spark":
        said.insert(0, f"lance-spark {lance_spark.VERSION}")
    return ", ".join(said)


def _machine(board: Board, facts: Mapping[str, str], scale: float) -> str:
    jvms = sorted(
        {
            fact.removeprefix("jvm ")
            for name in SYSTEMS
            for fact in facts.get(name, "").split(", ")
            if fact.startswith("jvm ")
        }
    )
    said = {
        "scale": f"{scale:g} of TPC-H, and of the other data",
        **{name: value for name, value in facts.items() if name not in (*SYSTEMS, "scale")},
        **({"Java": ", ".join(jvms)} if jvms else {}),
        **load(board),
        "cores": ", ".join(f"`local[{cores}]`" for cores in board.cores)
        + "; shown here is the first",
    }
    rows = (f"| {name} | {value} |" for name, value in said.items())
    return "\n".join(["## Machine", "", "| property | value |", "|---|---|", *rows, ""])


def _groups(docs: Path, board: Board, tasks: Sequence[Task]) -> Iterable[str]:
    cores = board.cores[0]
    for group, title in GROUPS.items():
        members = _members(board, tasks, group)
        if not members:
            continue
        rows = [Bars(task.title, _ratios(board, task, cores)) for task in members]
        picture = f"{_PICTURES}/benchmarks-{group}.svg"
        names = {system.name: system.title for system in SYSTEMS.values()}
        (docs / picture).write_text(draw(title, rows, names), encoding="utf-8")
        alternative = f"{title}: time of each task relative to Parquet; the table has the numbers"
        yield "\n".join(
            [
                f"## {title}",
                "",
                *textwrap.wrap(_GROUP_NOTES[group], 100),
                "",
                f"![{alternative}]({picture})",
                "",
                *_table(board, members, cores),
                "",
            ]
        )


def _ratios(board: Board, task: Task, cores: int) -> dict[str, float]:
    found = {system: board.time(task.name, system, cores) for system in COLORS}
    return {system: value for system, value in found.items() if value is not None}


def _table(board: Board, tasks: Sequence[Task], cores: int) -> Iterable[str]:
    """Returns the table of a group. It leaves out systems without a measurement in the group."""
    others = [
        system
        for system in SYSTEMS.values()
        if system.name in COLORS
        and system.name not in (OURS, FLOOR)
        and any(board.find(task.name, system.name, cores) for task in tasks)
    ]
    yield "| task | Lance ms | Parquet ms | ratio | CPU |" + "".join(
        f" {system.title} |" for system in others
    )
    yield "|---|--:|--:|--:|--:|" + "--:|" * len(others)
    for task in tasks:
        ours, base = (board.good(task.name, system, cores) for system in (OURS, PARQUET))
        if ours is None:
            continue
        key = (task.name, OURS, cores)
        cells = [
            task.title.replace("|", "\\|"),
            f"{ours.median * 1e3:.0f}",
            "" if base is None else f"{base.median * 1e3:.0f}",
            _shown(board.time(*key)),
            _shown(board.cpu(*key)),
            *(_other(board, task, system.name, cores) for system in others),
        ]
        yield f"| {' | '.join(cells)} |"


def _other(board: Board, task: Task, system: str, cores: int) -> str:
    found = board.find(task.name, system, cores)
    return "fails" if found and found.failure else _shown(board.time(task.name, system, cores))


def _shown(value: float | None) -> str:
    """Formats a ratio. Ratios that would be rounded to zero are shown as less than 0.01."""
    return "< 0.01" if value is not None and value < 0.005 else ratio(value)
