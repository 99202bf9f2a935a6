# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The commands of the benchmarks."""

import argparse
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Final

from benchmarks import (
    compare,
    datasets,
    first,
    growth,
    index,
    large,
    machine,
    page,
    run,
    search,
    sizes,
    streaming,
    systems,
    task_list,
    tasks,
)
from benchmarks.turns import Budget

_GROUPS: Final = {group.name: group for group in (index.GROUP, search.GROUP)}
"""The commands that compare pairs of tasks."""


def main() -> int:
    """Runs one of the commands."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("data", "generate the source files"),
        ("sizes", "compare file sizes"),
        ("spark", "measure tasks with Spark, compared with Parquet"),
        ("first", "measure first runs in new processes, compared with Parquet"),
        ("index", "measure builds and uses of scalar indices"),
        ("search", "measure builds and searches of vector indices, compared with pylance"),
        ("growth", "measure cost by size"),
        ("streaming", "measure micro-batches of streaming sinks, compared with Parquet and Delta"),
        ("large", "measure the build of a vector index over ten million vectors"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("--data", type=Path, required=True, help="folder of all data")
        if name == "streaming":
            command.add_argument("--out", type=Path, required=True, help="file of the results")
            command.add_argument(
                "--batches", type=int, default=streaming.BATCHES, help="micro-batches of each sink"
            )
            command.add_argument(
                "--delta-batches",
                type=int,
                default=streaming.DELTA_BATCHES,
                help="micro-batches of the Delta sink",
            )
            command.add_argument(
                "--sinks", nargs="*", default=[], help="names of sinks; all but delta if omitted"
            )
            command.add_argument("--docs", type=Path, default=None, help="folder of the page")
            continue
        if name == "large":
            command.add_argument("--out", type=Path, required=True, help="file of the results")
            command.add_argument("--rows", type=int, default=large.ROWS, help="number of vectors")
            continue
        if name == "growth":
            command.add_argument("--out", type=Path, required=True, help="file of the results")
            command.add_argument(
                "--rows", nargs="*", type=int, default=[], help="additional table sizes"
            )
            command.add_argument("--iterations", type=int, default=5, help="runs of each")
            continue
        command.add_argument(
            "--sf", type=float, default=1.0, help="scale factor of TPC-H and the other data"
        )
        if name != "data":
            command.add_argument("--out", type=Path, required=True, help="file of the results")
        if name == "first" or name in _GROUPS:
            command.add_argument("--tasks", nargs="*", default=[], help="patterns of names")
            command.add_argument("--cores", type=int, default=2, help="of sessions")
            command.add_argument("--rounds", type=int, default=5, help="new processes per system")
            command.add_argument("--docs", type=Path, default=None, help="folder of the page")
        elif name != "spark":
            command.add_argument("--only", nargs="*", default=None, help="names of the data sets")
        else:
            command.add_argument("--tasks", nargs="*", default=[], help="patterns of names")
            command.add_argument("--systems", nargs="*", default=[], help="names")
            command.add_argument("--cores", nargs="*", type=int, default=[2, 1], help="of sessions")
            command.add_argument("--iterations", type=int, default=5, help="measured runs")
            command.add_argument("--passes", type=int, default=2, help="sets of processes")
            command.add_argument("--again", action="store_true", help="repeat stored measurements")
            command.add_argument("--docs", type=Path, default=None, help="folder of the page")
    arguments = parser.parse_args()
    if arguments.command == "spark":
        return _spark(arguments)
    if arguments.command == "first":
        return _first(arguments)
    if arguments.command in _GROUPS:
        return _compare(arguments)
    if arguments.command == "streaming":
        request = streaming.Request(
            arguments.data, arguments.batches, arguments.delta_batches, arguments.sinks
        )
        found, facts = streaming.run(request, arguments.out)
        if arguments.docs is not None:
            page.write_streaming(arguments.docs, found, facts)
        return 0
    if arguments.command == "large":
        large.run(arguments.data / "large", arguments.out, arguments.rows)
        return 0
    if arguments.command == "growth":
        growth.run(arguments.data / "growth", arguments.out, arguments.iterations, arguments.rows)
        return 0
    made = datasets.make(arguments.data, arguments.sf, arguments.only)
    if arguments.command == "sizes":
        sizes.run(made, arguments.data / f"sizes-{arguments.sf:g}", arguments.out, arguments.sf)
    return 0


def _spark(arguments: argparse.Namespace) -> int:
    request = run.Request(
        tasks.chosen(task_list.tasks(arguments.sf), arguments.tasks),
        systems.chosen(arguments.systems),
        arguments.cores or [2, 1],
        arguments.sf,
        arguments.data.absolute(),
        Budget(-(-arguments.iterations // arguments.passes)),
        arguments.passes,
        arguments.again,
    )
    failures = run.run(request, arguments.out, arguments.docs)
    print(arguments.out.read_text())
    for failure in failures:
        print(f"FAILED {failure}")
    return 1 if failures else 0


def _first(arguments: argparse.Namespace) -> int:
    known = task_list.first_tasks(arguments.sf)
    chosen = tasks.chosen(known, arguments.tasks)
    data = arguments.data.absolute()
    tables = dict.fromkeys(name for task in chosen for name in task.tables)
    datasets.make(data, arguments.sf, list(tables))
    found = first.run(
        chosen,
        list(known.values()),
        data,
        arguments.sf,
        arguments.cores,
        arguments.rounds,
        arguments.out,
    )
    if arguments.docs is not None:
        page.write_first(arguments.docs, found, list(known.values()), _facts())
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    group = _GROUPS[arguments.command]
    request = compare.Request(
        group,
        arguments.tasks,
        arguments.data.absolute(),
        arguments.sf,
        arguments.cores,
        arguments.rounds,
    )
    found = compare.run(request, arguments.out)
    if arguments.docs is not None:
        page.write_group(arguments.docs, group, found, arguments.sf, _facts())
    return 0


def _facts() -> dict[str, str]:
    return {
        **machine.facts(),
        "Spark": systems.SPARK,
        "pylance": version("pylance"),
        "commit": machine.commit(systems.ROOT),
    }


if __name__ == "__main__":
    sys.exit(main())
