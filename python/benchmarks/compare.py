# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Runs and formats comparisons of two tasks.

The two sides of a comparison take turns in separate processes. A process warms up before its runs
are measured. Peak memory is measured in other processes with a smaller heap.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

from benchmarks import machine
from benchmarks.actions import Search, TextSearch
from benchmarks.answers import difference, same
from benchmarks.comparisons import Comparison, Effort, Side
from benchmarks.kept import Kept
from benchmarks.systems import ROOT, SYSTEMS
from benchmarks.tasks import Task
from benchmarks.turns import Asked

_RUN_SECONDS: Final = 3600.0


@dataclass(frozen=True)
class Found:
    """Measurements of one side.

    Attributes:
        seconds: Elapsed seconds of each run; for searches, of each query.
        cpu_seconds: CPU seconds of each run or query, all threads.
        peak_bytes: Memory of a build above the idle process.
        recall: Share of the true neighbors that were found, for vector searches.
        index_bytes: Size of a built index.
    """

    seconds: list[float]
    cpu_seconds: list[float]
    peak_bytes: int | None = None
    recall: float | None = None
    index_bytes: int | None = None


class Column(NamedTuple):
    """A column of the results.

    Attributes:
        title: Title.
        width: Width in the results.
        cell: Returns the text for a comparison, our side, and the other one.
    """

    title: str
    width: int
    cell: Callable[[Comparison, Found, Found], str]


@dataclass(frozen=True)
class Group:
    """Comparisons with a results file and a part of the page.

    Attributes:
        name: Name in `TASKS`, and of the stored measurements.
        title: First line of the results.
        notes: Explanation in the results.
        section: Heading on the page.
        intro: Text on the page.
        columns: Columns of the results.
        comparisons: Returns the comparisons at a scale, by the name of our task.
        tasks: Returns the tasks at a scale by name.
        data: Generates the source files in a folder at a scale, and returns facts about them.
        memory_heap: Heap of this connector when memory is measured.
    """

    name: str
    title: str
    notes: str
    section: str
    intro: str
    columns: Sequence[Column]
    comparisons: Callable[[float], Mapping[str, Comparison]]
    tasks: Callable[[float], Mapping[str, Task]]
    data: Callable[[Path, float], Mapping[str, str]]
    memory_heap: str


@dataclass(frozen=True)
class Runs:
    """Measurements by the name of our task, and by system and task."""

    found: Mapping[str, Mapping[str, Found]] = field(default_factory=dict)

    @classmethod
    def of(cls, kept: Kept, group: str) -> "Runs":
        """Returns all stored measurements of a group."""
        return cls(
            {
                name: {key: Found(**values) for key, values in sides.items()}
                for name, sides in kept.facts(group).items()
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
    """A run of comparisons.

    Attributes:
        group: The group.
        names: Names of our tasks; all if empty.
        data: The folder of data, copies, logs, and measurements.
        scale: Scale factor of the data.
        cores: Cores of the sessions, and of pylance.
        rounds: Number of new processes for each side.
    """

    group: Group
    names: Sequence[str]
    data: Path
    scale: float
    cores: int
    rounds: int

    @property
    def comparisons(self) -> list[Comparison]:
        """Returns the comparisons in order."""
        known = self.group.comparisons(self.scale)
        unknown = [name for name in self.names if name not in known]
        if unknown:
            raise ValueError(f"no comparison {unknown[0]}: there are {', '.join(known)}")
        return [known[name] for name in self.names or known]


def run(request: Request, out: Path) -> Runs:
    """Runs the comparisons, and writes the results after each of them.

    Raises:
        WorkerError: A system or a task fails.
        AssertionError: The two sides have different results for the same queries, or too low a
            recall.
    """
    group, chosen = request.group, request.comparisons
    facts = group.data(request.data, request.scale)
    kept = Kept(request.data / "measured" / f"{request.scale:g}")
    _copy(request)
    for comparison in chosen:
        found = _measured(request, comparison)
        stored = {key: vars(its) for key, its in found.items()}
        kept.keep_facts(group.name, {**kept.facts(group.name), comparison.ours.task: stored})
        measured = Runs.of(kept, group.name)
        known = list(group.comparisons(request.scale).values())
        print("\n".join(_lines(group, measured, comparison, _width(known))), flush=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(render(group, measured, known, {**_facts(request), **facts}))
    return Runs.of(kept, group.name)


def _measured(request: Request, comparison: Comparison) -> dict[str, Found]:
    """Runs both sides of a comparison in turn."""
    known = request.group.tasks(request.scale)
    found: dict[str, Found] = {}
    for number in range(min(request.rounds, comparison.effort.rounds or request.rounds)):
        answers = []
        for side in comparison.sides if number % 2 else comparison.sides[::-1]:
            with _Process(request, side) as worker:
                samples = runs(worker, side, comparison.effort)
                answers.append(worker.ask(_RUN_SECONDS, do="answer", task=side.task))
                quality = worker.ask(_RUN_SECONDS, do="quality", task=side.task)
            _check(comparison, side, quality["recall"])
            before = found.get(_key(side), Found([], []))
            found[_key(side)] = _joined(before, samples, quality, queries(known[side.task]))
        one, other = answers
        # Sides with different numbers of queries are compared by their recall.
        is_same_work = len({queries(known[side.task]) for side in comparison.sides}) == 1
        if is_same_work and not same(one, other, comparison.tolerance):
            differs = difference(one, other, comparison.tolerance)
            raise AssertionError(f"{comparison.title}: {differs}")
    if comparison.is_build:
        for side in comparison.sides:
            peak = _peak(request, side, comparison.effort)
            found[_key(side)] = replace(found[_key(side)], peak_bytes=peak)
    return found


def queries(task: Task) -> int:
    """Returns the number of queries of a run, by which times are divided."""
    return task.action.queries if isinstance(task.action, Search | TextSearch) else 1


def _check(comparison: Comparison, side: Side, recall: float | None) -> None:
    least = comparison.least_recall
    if least is not None and (recall is None or recall < least):
        raise AssertionError(
            f"{comparison.title}: {side.system} has a recall of {recall}, less than {least}"
        )


def _joined(
    before: Found, samples: Sequence[Mapping[str, Any]], quality: Mapping[str, Any], per: int
) -> Found:
    return Found(
        before.seconds + [s["seconds"] / per for s in samples],
        before.cpu_seconds + [s["cpu_seconds"] / per for s in samples],
        recall=quality["recall"],
        index_bytes=quality["index_bytes"],
    )


class _Process:
    """A worker for one side, which is stopped at the end of the block."""

    def __init__(self, request: Request, side: Side, *, for_memory: bool = False) -> None:
        system = SYSTEMS[side.system]
        if for_memory:
            system = replace(system, heap=request.group.memory_heap)
        self._worker = system.start(
            request.data, request.scale, request.cores, for_memory=for_memory
        )

    def __enter__(self) -> Asked:
        return self._worker

    def __exit__(self, *_: object) -> None:
        self._worker.stop()


def runs(worker: Asked, side: Side, effort: Effort) -> list[Mapping[str, Any]]:
    """Warms up a new process, and returns the samples of its runs."""
    if effort.warm_runs:
        worker.ask(
            _RUN_SECONDS,
            do="warm",
            task=side.task,
            runs=effort.warm_runs,
            seconds=effort.warm_seconds,
        )
    return [worker.ask(_RUN_SECONDS, do="run", task=side.task) for _ in range(effort.runs)]


def _peak(request: Request, side: Side, effort: Effort) -> int:
    """Returns the memory of a run in a new process. The first run on the JVM loads classes."""
    with _Process(request, side, for_memory=True) as worker:
        worker.ask(_RUN_SECONDS, do="open", task=side.task)
        if SYSTEMS[side.system].family != "pylance" and effort.warm_runs:
            worker.ask(_RUN_SECONDS, do="run", task=side.task)
            worker.ask(_RUN_SECONDS, do="rest", task=side.task)
        return int(worker.ask(_RUN_SECONDS, do="run", task=side.task)["peak_bytes"])


def _copy(request: Request) -> None:
    """Writes the tables of the tasks with the systems that have copies, and indices of searches."""
    known = request.group.tasks(request.scale)
    needed: dict[str, dict[str, None]] = {"lance": {}}
    searches: dict[str, None] = {}
    for comparison in request.comparisons:
        for side in comparison.sides:
            task = known[side.task]
            system = side.system if SYSTEMS[side.system].has_copies else "lance"
            needed.setdefault(system, {}).update(dict.fromkeys(task.tables))
            if isinstance(task.action, Search | TextSearch):
                searches[side.task] = None
    for system, tables in needed.items():
        worker = SYSTEMS[system].start(request.data, request.scale, request.cores)
        try:
            for table in tables:
                worker.ask(_RUN_SECONDS, do="copy", table=table)
            for search in searches if system == "lance" else ():
                worker.ask(_RUN_SECONDS, do="index", task=search)
        finally:
            worker.stop()


def _facts(request: Request) -> dict[str, str]:
    return {
        "commit": machine.commit(ROOT),
        **machine.facts(),
        "scale": f"{request.scale:g}",
        "cores": str(request.cores),
    }


def render(
    group: Group, measured: Runs, known: Iterable[Comparison], facts: Mapping[str, str]
) -> str:
    """Returns the results as text.

    Args:
        group: The group.
        measured: The measurements.
        known: The comparisons in order.
        facts: Names and values for the header.
    """
    comparisons = list(known)
    width = _width(comparisons)
    titles = "".join(f"{column.title:>{column.width}}" for column in group.columns)
    head = f"{'comparison':{width}}{'with':19}{titles}"
    parts = [
        group.title,
        *(f"  {name:12} {value}" for name, value in facts.items()),
        "",
        group.notes,
        head,
        "-" * len(head),
    ]
    for comparison in comparisons:
        parts += _lines(group, measured, comparison, width)
    return "\n".join(line.rstrip() for line in parts) + "\n"


def _width(known: Sequence[Comparison]) -> int:
    return max(len(comparison.title) for comparison in known) + 3


def _lines(group: Group, measured: Runs, comparison: Comparison, width: int) -> Iterator[str]:
    row = cells(group, measured, comparison)
    if row:
        pairs = zip(row, group.columns, strict=True)
        numbers = "".join(f"{cell:>{column.width}}" for cell, column in pairs)
        yield f"{comparison.title:{width}}{comparison.other_title:19}{numbers}"


def cells(group: Group, measured: Runs, comparison: Comparison) -> list[str]:
    """Returns the numbers of a comparison as text, in the order of the columns."""
    both = measured.both(comparison)
    return [] if both is None else [column.cell(comparison, *both) for column in group.columns]


def _ms(found: Found) -> str:
    ms = median(found.seconds) * 1e3
    return f"{ms:.0f}" if ms >= 100 else f"{ms:.3g}"


def _ratio(ours: Sequence[float], other: Sequence[float]) -> str:
    one, base = median(ours), median(other)
    return f"{one / base:.2f}" if base else ""


def _mb(size: int | None) -> str:
    return "" if size is None else f"{size / 1e6:.0f}" if size >= 1e7 else f"{size / 1e6:.2g}"


def _share(recall: float | None) -> str:
    return "" if recall is None else f"{recall:.3f}"


TIMES: Final = (
    Column("ms", 9, lambda _, ours, other: _ms(ours)),
    Column("other ms", 10, lambda _, ours, other: _ms(other)),
    Column("ratio", 7, lambda _, ours, other: _ratio(ours.seconds, other.seconds)),
    Column("CPU", 7, lambda _, ours, other: _ratio(ours.cpu_seconds, other.cpu_seconds)),
    Column("target", 9, lambda comparison, ours, other: comparison.target),
)
"""Columns of times."""

MEMORY: Final = (
    Column("MB", 7, lambda _, ours, other: _mb(ours.peak_bytes)),
    Column("other MB", 10, lambda _, ours, other: _mb(other.peak_bytes)),
)
"""Columns of the memory of builds."""

RECALL: Final = (
    Column("recall", 8, lambda _, ours, other: _share(ours.recall)),
    Column("other", 7, lambda _, ours, other: _share(other.recall)),
)
"""Columns of the recall of searches."""

SIZE: Final = (
    Column("index MB", 10, lambda _, ours, other: _mb(ours.index_bytes)),
    Column("other", 7, lambda _, ours, other: _mb(other.index_bytes)),
)
"""Columns of the size of built indices."""
