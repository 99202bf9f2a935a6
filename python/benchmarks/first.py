# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""First runs: each task in new processes, for Lance and Parquet in turn.

A process opens the tables of one task, runs it three times, and then until it is warm. The times of
each step are stored, and results and page show first and warm runs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

from benchmarks import machine
from benchmarks.kept import Kept
from benchmarks.systems import SYSTEMS, System
from benchmarks.tasks import Task
from benchmarks.turns import Asked

NAMES: Final = ("lance", "parquet")
STEPS: Final = ("open", "first", "second", "third", "warm")
"""The steps of a process. `open` reads the schema of the tables; the others run the task."""
_FACTS: Final = "first"
_COLD_RUNS: Final = 3
_WARM_RUNS: Final = 3
_WARM_SECONDS: Final = 4.0


class Step(NamedTuple):
    """Cost of a step: elapsed seconds, and CPU seconds of all threads."""

    seconds: float
    cpu_seconds: float


Process = dict[str, Step]
"""The steps of one process."""


@dataclass(frozen=True)
class FirstRuns:
    """Measurements of the processes of each task and system."""

    processes: Mapping[tuple[str, str], Sequence[Process]] = field(default_factory=dict)

    @classmethod
    def of(cls, kept: Kept) -> "FirstRuns":
        """Returns all stored measurements."""
        facts = kept.facts(_FACTS)
        return cls(
            {
                (task, system): [{k: Step(*v) for k, v in p.items()} for p in processes]
                for task, systems in facts.items()
                for system, processes in systems.items()
            }
        )

    def seconds(self, task: str, system: str, step: str) -> float | None:
        """Returns the median time of a step."""
        return self._median(task, system, lambda process: process[step].seconds)

    def to_result(self, task: str, system: str) -> float | None:
        """Returns the median time to open the tables and run the task once."""
        return self._median(
            task, system, lambda process: process["open"].seconds + process["first"].seconds
        )

    def cpu_seconds(self, task: str, system: str, step: str) -> float | None:
        """Returns the median CPU time of a step."""
        return self._median(task, system, lambda process: process[step].cpu_seconds)

    def _median(self, task: str, system: str, of: Callable[[Process], float]) -> float | None:
        found = self.processes.get((task, system), ())
        return median(of(process) for process in found) if found else None


def run(
    tasks: Sequence[Task],
    known: Sequence[Task],
    data: Path,
    scale: float,
    cores: int,
    rounds: int,
    out: Path,
) -> FirstRuns:
    """Measures tasks, and writes the results after each of them.

    Args:
        tasks: The tasks to measure.
        known: All tasks of `task_list.first_tasks`. Earlier measurements of them are also written.
        data: The folder of data, copies, logs, and measurements.
        scale: Scale factor of the data.
        cores: Cores of the sessions.
        rounds: Number of new processes for each system and task.
        out: The file of the results.

    Raises:
        WorkerError: A system or a task fails.
    """
    kept = Kept(data / "measured" / f"{scale:g}")
    systems = [SYSTEMS[name] for name in NAMES]
    for system in systems:
        _copy(system, tasks, data, scale, cores)
    for task in tasks:
        found: dict[str, list[Process]] = {name: [] for name in NAMES}
        for number in range(rounds):
            for system in systems if number % 2 else reversed(systems):
                worker = system.start(data, scale, cores)
                try:
                    found[system.name].append(dict(steps(worker, task)))
                finally:
                    worker.stop()
        kept.keep_facts(_FACTS, {**kept.facts(_FACTS), task.name: found})
        runs = FirstRuns.of(kept)
        print("\n".join(_lines(runs, task)), flush=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(render(runs, known, {**machine.facts(), "scale": f"{scale:g}"}))
    return FirstRuns.of(kept)


def _copy(system: System, tasks: Sequence[Task], data: Path, scale: float, cores: int) -> None:
    worker = system.start(data, scale, cores)
    try:
        for table in dict.fromkeys(name for task in tasks for name in task.tables):
            worker.ask(do="copy", table=table)
    finally:
        worker.stop()


def steps(worker: Asked, task: Task) -> Iterator[tuple[str, Step]]:
    """Runs a task in a new process, from opening its tables to the warm run."""
    yield "open", _step(worker.ask(do="open", task=task.name))
    for step in STEPS[1 : 1 + _COLD_RUNS]:
        yield step, _step(worker.ask(do="run", task=task.name))
    worker.ask(do="warm", task=task.name, runs=_WARM_RUNS, seconds=_WARM_SECONDS)
    warm = [_step(worker.ask(do="run", task=task.name)) for _ in range(_WARM_RUNS)]
    yield "warm", Step(*(median(values) for values in zip(*warm, strict=True)))


def _step(sample: Mapping[str, Any]) -> Step:
    return Step(sample["seconds"], sample["cpu_seconds"])


_NOTES: Final = """\
New processes for each task and round, one system after the other. A process opens the tables, runs
the task three times, and then for some seconds until it is warm. Medians of all processes.
  open       reading the schema of the tables; for Parquet, Spark runs a job that reads a footer
  total      open and first together: from a session to the first result
  / parquet  relative to the same step with Spark's Parquet
"""
_COLUMNS: Final = (*STEPS[:2], "total", *STEPS[2:])


def render(runs: FirstRuns, tasks: Iterable[Task], facts: Mapping[str, str]) -> str:
    """Returns the results as text.

    Args:
        runs: The measurements.
        tasks: The tasks in order.
        facts: Names and values for the header.
    """
    parts = [
        "First runs in new processes, Lance beside Parquet, through Spark",
        *(f"  {name:12} {value}" for name, value in facts.items()),
        "",
        _NOTES,
        f"{'task':39}" + "".join(f"{column:>9}" for column in _COLUMNS),
        "-" * (39 + 9 * len(_COLUMNS)),
    ]
    for task in tasks:
        parts += _lines(runs, task)
    return "\n".join(line.rstrip() for line in parts) + "\n"


def _lines(runs: FirstRuns, task: Task) -> Iterator[str]:
    if any((task.name, name) not in runs.processes for name in NAMES):
        return
    for name in NAMES:
        cells = (f"{(seconds_of(runs, task, name, c) or 0) * 1e3:.0f}" for c in _COLUMNS)
        yield _line(task, f"{name} ms", cells)
    for title, of in (("/ parquet", time_ratio), ("CPU / p.", cpu_ratio)):
        ratios = (of(runs, task, c) for c in _COLUMNS)
        yield _line(task, title, ("" if r is None else f"{r:.2f}" for r in ratios))


def _line(task: Task, title: str, cells: Iterable[str]) -> str:
    return f"{task.name:28}{title:11}" + "".join(f"{cell:>9}" for cell in cells)


def seconds_of(runs: FirstRuns, task: Task, system: str, column: str) -> float | None:
    """Returns the median seconds of a step, or of `total`."""
    if column == "total":
        return runs.to_result(task.name, system)
    return runs.seconds(task.name, system, column)


def time_ratio(runs: FirstRuns, task: Task, column: str) -> float | None:
    """Returns the median time of a step, or of `total`, relative to Parquet."""
    return _ratio(*(seconds_of(runs, task, name, column) for name in NAMES))


def cpu_ratio(runs: FirstRuns, task: Task, column: str) -> float | None:
    """Returns the median CPU time of a step relative to Parquet; `None` for `total`."""
    if column == "total":
        return None
    return _ratio(*(runs.cpu_seconds(task.name, name, column) for name in NAMES))


def _ratio(ours: float | None, base: float | None) -> float | None:
    return ours / base if ours is not None and base else None
