# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Compares index builds with pylance, and lookups with tables without an index.

The two sides of a comparison take turns in separate processes. A process warms up before its runs
are measured. Peak memory is measured in other processes; the connector has a heap of 1 GB there.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any, Final

from benchmarks import machine
from benchmarks.answers import difference, same
from benchmarks.index_tasks import Comparison, Side, comparisons, index_tasks
from benchmarks.kept import Kept
from benchmarks.systems import ROOT, SYSTEMS
from benchmarks.tasks import Task
from benchmarks.turns import Asked

_FACTS: Final = "index"
_MEMORY_HEAP: Final = "1g"
_WARM_RUNS: Final = 2
_WARM_SECONDS: Final = 5.0
_RUNS: Final = 3
_RUN_SECONDS: Final = 900.0


@dataclass(frozen=True)
class Found:
    """Measurements of one side.

    Attributes:
        seconds: Elapsed seconds of each run.
        cpu_seconds: CPU seconds of each run, all threads.
        peak_bytes: Memory of a build above the idle process.
    """

    seconds: list[float]
    cpu_seconds: list[float]
    peak_bytes: int | None = None


@dataclass(frozen=True)
class IndexRuns:
    """Measurements by the name of our task, and by system and task."""

    found: Mapping[str, Mapping[str, Found]] = field(default_factory=dict)

    @classmethod
    def of(cls, kept: Kept) -> "IndexRuns":
        """Returns all stored measurements."""
        return cls(
            {
                name: {key: Found(**values) for key, values in sides.items()}
                for name, sides in kept.facts(_FACTS).items()
            }
        )

    def side(self, comparison: Comparison, side: Side) -> Found | None:
        """Returns the measurements of a side."""
        return self.found.get(comparison.ours.task, {}).get(_key(side))

    def both(self, comparison: Comparison) -> tuple[Found, Found] | None:
        """Returns both sides, if both were measured."""
        ours, other = (self.side(comparison, side) for side in comparison.sides)
        return (ours, other) if ours and other else None


def _key(side: Side) -> str:
    return f"{side.system} {side.task}"


@dataclass(frozen=True)
class Request:
    """A run of the comparisons.

    Attributes:
        names: Names of our tasks; all if empty.
        data: The folder of data, copies, logs, and measurements.
        scale: Scale factor of the data.
        cores: Cores of the sessions, and of pylance.
        rounds: Number of new processes for each side.
    """

    names: Sequence[str]
    data: Path
    scale: float
    cores: int
    rounds: int

    @property
    def comparisons(self) -> list[Comparison]:
        """Returns the comparisons in order."""
        known = comparisons(self.scale)
        unknown = [name for name in self.names if name not in known]
        if unknown:
            raise ValueError(f"no comparison {unknown[0]}: there are {', '.join(known)}")
        return [known[name] for name in self.names or known]


def run(request: Request, out: Path) -> IndexRuns:
    """Runs the comparisons, and writes the results after each of them.

    Raises:
        WorkerError: A system or a task fails.
        AssertionError: The two sides have different results.
    """
    kept = Kept(request.data / "measured" / f"{request.scale:g}")
    known = index_tasks(request.scale)
    _copy(request, known)
    for comparison in request.comparisons:
        samples: dict[str, list[Mapping[str, Any]]] = {_key(side): [] for side in comparison.sides}
        for number in range(request.rounds):
            sides = comparison.sides if number % 2 else comparison.sides[::-1]
            answers = []
            for side in sides:
                with _Process(request, side) as worker:
                    answers.append(worker.ask(_RUN_SECONDS, do="answer", task=side.task))
                    samples[_key(side)] += runs(worker, side)
            if not same(*answers):
                raise AssertionError(f"{comparison.title}: {difference(*answers)}")
        found = {key: _found(its) for key, its in samples.items()}
        if comparison.is_build:
            for side in comparison.sides:
                found[_key(side)] = replace(found[_key(side)], peak_bytes=_peak(request, side))
        facts = {key: vars(its) for key, its in found.items()}
        kept.keep_facts(_FACTS, {**kept.facts(_FACTS), comparison.ours.task: facts})
        measured = IndexRuns.of(kept)
        print("\n".join(_lines(measured, comparison)), flush=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(render(measured, comparisons(request.scale).values(), _facts(request)))
    return IndexRuns.of(kept)


class _Process:
    """A worker for one side, which is stopped at the end of the block."""

    def __init__(self, request: Request, side: Side, *, for_memory: bool = False) -> None:
        system = SYSTEMS[side.system]
        if for_memory:
            system = replace(system, heap=_MEMORY_HEAP)
        self._worker = system.start(
            request.data, request.scale, request.cores, for_memory=for_memory
        )

    def __enter__(self) -> Asked:
        return self._worker

    def __exit__(self, *_: object) -> None:
        self._worker.stop()


def runs(worker: Asked, side: Side) -> list[Mapping[str, Any]]:
    """Warms up a new process, and returns the samples of its runs."""
    worker.ask(_RUN_SECONDS, do="warm", task=side.task, runs=_WARM_RUNS, seconds=_WARM_SECONDS)
    return [worker.ask(_RUN_SECONDS, do="run", task=side.task) for _ in range(_RUNS)]


def _found(samples: Sequence[Mapping[str, Any]]) -> Found:
    return Found([s["seconds"] for s in samples], [s["cpu_seconds"] for s in samples])


def _peak(request: Request, side: Side) -> int:
    """Returns the memory of a run in a new process. The first run on the JVM loads classes."""
    with _Process(request, side, for_memory=True) as worker:
        worker.ask(_RUN_SECONDS, do="open", task=side.task)
        if SYSTEMS[side.system].family != "pylance":
            worker.ask(_RUN_SECONDS, do="run", task=side.task)
            worker.ask(_RUN_SECONDS, do="rest", task=side.task)
        return int(worker.ask(_RUN_SECONDS, do="run", task=side.task)["peak_bytes"])


def _copy(request: Request, known: Mapping[str, Task]) -> None:
    """Writes the tables of the tasks with the systems that have copies."""
    needed: dict[str, dict[str, None]] = {"lance": {}}
    for comparison in request.comparisons:
        for side in comparison.sides:
            system = side.system if SYSTEMS[side.system].has_copies else "lance"
            needed.setdefault(system, {}).update(dict.fromkeys(known[side.task].tables))
    for system, tables in needed.items():
        worker = SYSTEMS[system].start(request.data, request.scale, request.cores)
        try:
            for table in tables:
                worker.ask(_RUN_SECONDS, do="copy", table=table)
        finally:
            worker.stop()


def _facts(request: Request) -> dict[str, str]:
    return {
        "commit": machine.commit(ROOT),
        **machine.facts(),
        "scale": f"{request.scale:g}",
        "cores": str(request.cores),
    }


_NOTES: Final = f"""\
Two sides of each comparison in turn, each in new processes, which warm up first. Medians.
  ratio      our time, that of the other side being 1
  CPU        our processor time, that of the other side being 1
  MB         memory of a build above that at rest; ours with a heap of {_MEMORY_HEAP}
"""
_HEAD: Final = (
    f"{'comparison':34}{'with':19}{'ms':>9}{'other ms':>10}{'ratio':>7}{'CPU':>7}"
    f"{'at most':>9}{'MB':>7}{'other MB':>10}"
)


def render(measured: IndexRuns, known: Iterable[Comparison], facts: Mapping[str, str]) -> str:
    """Returns the results as text.

    Args:
        measured: The measurements.
        known: The comparisons in order.
        facts: Names and values for the header.
    """
    parts = [
        "Scalar indices: builds beside pylance, and their use, through Spark",
        *(f"  {name:12} {value}" for name, value in facts.items()),
        "",
        _NOTES,
        _HEAD,
        "-" * len(_HEAD),
    ]
    for comparison in known:
        parts += _lines(measured, comparison)
    return "\n".join(line.rstrip() for line in parts) + "\n"


def _lines(measured: IndexRuns, comparison: Comparison) -> Iterator[str]:
    row = cells(measured, comparison)
    if row:
        widths = (9, 10, 7, 7, 9, 7, 10)
        numbers = "".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
        yield f"{comparison.title:34}{comparison.other_title:19}{numbers}"


def cells(measured: IndexRuns, comparison: Comparison) -> list[str]:
    """Returns the numbers of a comparison as text, in the order of the results."""
    both = measured.both(comparison)
    if both is None:
        return []
    ours, other = both
    seconds = [median(found.seconds) for found in both]
    cpu = [median(found.cpu_seconds) for found in both]
    return [
        *(f"{s * 1e3:.0f}" for s in seconds),
        f"{seconds[0] / seconds[1]:.2f}",
        f"{cpu[0] / cpu[1]:.2f}" if cpu[1] else "",
        "" if comparison.at_most is None else f"{comparison.at_most:.2f}",
        *("" if f.peak_bytes is None else f"{f.peak_bytes / 1e6:.0f}" for f in (ours, other)),
    ]
