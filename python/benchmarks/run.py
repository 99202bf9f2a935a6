# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Runs the benchmarks: data, copies, then each task. Skips stored measurements."""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Final

from benchmarks import datasets, machine, page, results
from benchmarks.answers import Answer
from benchmarks.board import Board
from benchmarks.kept import Kept, Measurement
from benchmarks.systems import ROOT, SYSTEMS, System
from benchmarks.tables import TABLES
from benchmarks.task_list import tasks
from benchmarks.tasks import Task
from benchmarks.turns import BASELINE, NATIVE, Budget, Turns
from benchmarks.workers import Workers

_WARM_TASKS: Final = 20
"""Warm-up tasks of all groups for new processes, each run for the seconds of a warm-up. The JVM
needs about a thousand statements to compile the planner."""


@dataclass(frozen=True)
class Request:
    """A benchmark run.

    Attributes:
        tasks: Tasks in order.
        systems: Systems in the order of their turns.
        cores: Cores of the sessions, one after the other.
        scale: Scale factor of the data.
        data: The folder of data, copies, logs, and measurements.
        budget: Number of runs of a task in a pass.
        passes: Number of passes, each with new processes.
        again: Whether to repeat stored measurements.
    """

    tasks: Sequence[Task]
    systems: Sequence[System]
    cores: Sequence[int]
    scale: float
    data: Path
    budget: Budget
    passes: int = 1
    again: bool = False

    @property
    def kept(self) -> Kept:
        """Returns the stored measurements of this scale."""
        return Kept(self.data / "measured" / f"{self.scale:g}")


def run(request: Request, out: Path, docs: Path | None) -> list[str]:
    """Runs the benchmarks, and writes the results after each task.

    Args:
        request: The benchmark run.
        out: The file of the results.
        docs: The folder of the page; no page if `None`.

    Returns:
        Failures with task and system, except for systems that may fail.
    """
    needed = dict.fromkeys(name for task in request.tasks for name in task.tables)
    sources = dict.fromkeys(TABLES[name].source for name in needed)
    datasets.make(request.data, request.scale, list(sources))
    facts = machine.facts()
    commit = machine.commit(ROOT)
    failures: list[str] = []
    if request.again:
        _forget(request)
    for cores in request.cores:
        for each in _passes(request, cores, commit):
            try:
                for task in each.tasks:
                    if each.measure(task):
                        request.kept.keep_facts("machine", facts)
                        write(request, out, docs)
            finally:
                each.stop()
            failures += each.failures
    write(request, out, docs)
    return failures


def _passes(request: Request, cores: int, commit: str) -> Iterator["_Pass"]:
    """Yields the passes. Each is created when it starts, like its clock."""
    for apart in (False, True):
        systems = [system for system in request.systems if system.apart == apart]
        beside = replace(request, systems=systems)
        for number in range(1, request.passes + 1):
            yield _TimedPass(beside, cores, number, commit)
        yield _MemoryPass(beside, cores)


def _forget(request: Request) -> None:
    """Removes stored measurements that will be repeated."""
    for task, system, cores in product(request.tasks, request.systems, request.cores):
        request.kept.drop(task.name, system.name, cores)


def write(request: Request, out: Path, docs: Path | None) -> None:
    """Writes results and page from all stored measurements."""
    kept = request.kept
    board = Board.of(kept.all(), kept.facts("sizes"))
    everything = list(tasks(request.scale).values())
    commits = ", ".join(sorted({m.commit for m in board.measurements}))
    facts = {"commit": commits, **kept.facts("machine")}
    for system in SYSTEMS:
        found = kept.facts(system)
        said = ", ".join(f"{name} {value}" for name, value in found.items())
        facts |= {system: said} if said else {}
    facts["iterations"] = _iterations(board.measurements)
    facts["scale"] = f"{request.scale:g}"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(results.render(board, everything, facts), encoding="utf-8")
    if docs is not None:
        page.write(docs, board, everything, facts, request.scale)


def _iterations(measurements: Iterable[Measurement]) -> str:
    """Returns the number of runs of the stored measurements."""
    measured = [m for m in measurements if m.seconds]
    if not measured:
        return "none"
    passes = " or ".join(map(str, sorted({m.passes for m in measured})))
    least = min(len(m.seconds) for m in measured)
    sets = "set" if passes == "1" else "sets"
    return f"at least {least}, after warm-up, by {passes} {sets} of processes"


class _Pass(ABC):
    """A pass over all tasks with new processes, and sessions with a number of cores."""

    def __init__(self, request: Request, cores: int, title: str, *, for_memory: bool) -> None:
        self.failures: list[str] = []
        self._request = request
        self._cores = cores
        self._title = f"local[{cores}], {title}"
        self._workers = Workers(
            request.data, request.scale, cores, request.kept, for_memory=for_memory
        )
        self._started = time.monotonic()
        self._measured = 0

    @property
    def tasks(self) -> Sequence[Task]:
        """Returns the tasks in the order of this pass."""
        return self._request.tasks

    def measure(self, task: Task) -> bool:
        """Runs missing measurements. Returns whether there were any."""
        todo = [s for s in self._request.systems if s.takes(task) and self._is_open(task, s)]
        if not todo:
            return False
        number = self.tasks.index(task) + 1
        _say(f"{number}/{len(self.tasks)} {task.name}, {self._title}")
        self._workers.start(todo)
        self._measure(task, todo)
        self._tell(task, todo, number)
        return True

    def stop(self) -> None:
        """Stops all workers."""
        self._workers.stop()

    @abstractmethod
    def _is_open(self, task: Task, system: System) -> bool:
        """Returns whether a measurement is missing."""

    @abstractmethod
    def _measure(self, task: Task, systems: Sequence[System]) -> None:
        """Measures a task, and stores the measurements."""

    @abstractmethod
    def _said(self, measurement: Measurement) -> str:
        """Formats the measurements for the progress line."""

    def _turns(self, task: Task) -> Turns:
        return Turns(
            task,
            self._cores,
            self._workers,
            self._request.budget,
            self._expected(task),
            lambda system, error: self._failed(task, system, error),
        )

    def _expected(self, task: Task) -> Answer | None:
        """Returns the result of the baseline, if known."""
        baseline = self._found(task, BASELINE)
        return baseline.answer if baseline else None

    def _found(self, task: Task, system: str) -> Measurement | None:
        return self._request.kept.find(task.name, system, self._cores)

    def _ready_of(self, systems: Sequence[System], task: Task) -> list[str]:
        return [system.name for system in systems if self._ready(system, task)]

    def _ready(self, system: System, task: Task) -> bool:
        """Returns whether a worker and its copies are ready."""
        try:
            self._workers.prepare(system, task)
        except Exception as error:
            self._failed(task, system.name, error)
            return False
        return True

    def _failed(self, task: Task, system: str, error: Exception) -> None:
        _say(f"  {system} fails: {error}")
        self._workers.failed(system, error)
        if SYSTEMS[system].may_fail:
            kept = Measurement(task.name, system, self._cores, failure=str(error))
            self._request.kept.keep(kept)
        else:
            self.failures.append(f"{task.name} on {system}, local[{self._cores}]: {error}")

    def _tell(self, task: Task, systems: Sequence[System], number: int) -> None:
        found = {s.name: self._found(task, s.name) for s in systems}
        said = ", ".join(
            f"{name} {self._said(m)}" for name, m in found.items() if m and not m.failure
        )
        self._measured += 1
        taken = (time.monotonic() - self._started) / 60
        left = taken / self._measured * (len(self.tasks) - number)
        _say(f"  {said} ({taken:.0f} min, about {left:.0f} min left)")


class _TimedPass(_Pass):
    """A pass that measures time.

    The speed of a JVM depends on the tasks that it ran before. Every other pass therefore runs the
    tasks backwards. New processes run some tasks unmeasured, so that the first tasks of a pass, and
    of a resumed run, do not run in cold processes.
    """

    def __init__(self, request: Request, cores: int, number: int, commit: str) -> None:
        super().__init__(request, cores, f"pass {number} of {request.passes}", for_memory=False)
        self._number = number
        self._commit = commit
        self._warm: set[str] = set()

    @property
    def tasks(self) -> Sequence[Task]:
        return super().tasks[:: 1 if self._number % 2 else -1]

    def _is_open(self, task: Task, system: System) -> bool:
        kept = self._found(task, system.name)
        return kept is None or (kept.failure is None and kept.passes < self._number)

    def _warm_up(self, systems: Sequence[System]) -> None:
        """Runs tasks of all groups in processes that have not run them.

        A failure is reported when the task is measured.
        """
        cold = [s for s in systems if s.name in self._workers and s.name not in self._warm]
        self._warm.update(system.name for system in cold)
        tasks = self.tasks[:: -(-len(self.tasks) // _WARM_TASKS)]
        for number, task in enumerate(tasks if cold else (), 1):
            names = ", ".join(system.name for system in cold if system.takes(task))
            _say(f"  warm-up {number}/{len(tasks)}: {task.name} on {names or 'none'}")
            for system in cold:
                if system.takes(task) and self._ready(system, task):
                    error = self._workers.warm_up(system, task, self._request.budget.warm_seconds)
                    if error:
                        _say(f"  {system.name} fails: {error}")

    def _measure(self, task: Task, systems: Sequence[System]) -> None:
        self._warm_up(systems)
        ready = self._ready_of(systems, task)
        if self._asks_baseline(task, ready) and not self._ready(SYSTEMS[BASELINE], task):
            return
        for measurement in self._turns(task).measure(ready, self._commit):
            if measurement.failure is None or SYSTEMS[measurement.system].may_fail:
                self._keep(task, measurement)

    def _asks_baseline(self, task: Task, systems: Sequence[str]) -> bool:
        """Returns whether the baseline process is needed. Otherwise, its memory is saved."""
        is_asked = NATIVE in systems or self._expected(task) is None
        return is_asked and BASELINE not in systems

    def _keep(self, task: Task, measurement: Measurement) -> None:
        """Adds the runs to the runs of earlier passes."""
        before = self._found(task, measurement.system)
        both = before.joined(measurement) if before and not measurement.failure else measurement
        self._request.kept.keep(both)

    def _said(self, measurement: Measurement) -> str:
        return f"{measurement.median * 1e3:.0f} ms"


class _MemoryPass(_Pass):
    """A pass that measures memory, with processes that shrink their heap between runs."""

    def __init__(self, request: Request, cores: int) -> None:
        super().__init__(request, cores, "memory", for_memory=True)

    def _is_open(self, task: Task, system: System) -> bool:
        kept = self._found(task, system.name)
        return kept is not None and kept.failure is None and kept.peak_bytes is None

    def _measure(self, task: Task, systems: Sequence[System]) -> None:
        for system, peak in self._turns(task).peaks(self._ready_of(systems, task)).items():
            timed = self._found(task, system)
            if timed and not timed.failure:
                self._request.kept.keep(replace(timed, peak_bytes=peak))

    def _said(self, measurement: Measurement) -> str:
        return f"{(measurement.peak_bytes or 0) / 1e6:.0f} MB"


def _say(what: str) -> None:
    print(f"[bench] {what}", flush=True)
