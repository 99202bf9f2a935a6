# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The run: data, copies, then task by task; what is kept already is not measured again."""

import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

from benchmarks import datasets, machine, page, results
from benchmarks.board import Board
from benchmarks.kept import Kept, Measurement
from benchmarks.processes import Worker, WorkerError, WorkerGoneError
from benchmarks.systems import ROOT, SYSTEMS, System
from benchmarks.tables import TABLES
from benchmarks.task_list import tasks
from benchmarks.tasks import Task
from benchmarks.turns import BASELINE, Budget, Turns


@dataclass(frozen=True)
class Request:
    """What is to be measured.

    Attributes:
        tasks: In order.
        systems: In the order of their turns.
        cores: Of the sessions, one after the other.
        scale: Of the data.
        data: The folder of data, copies, logs and measurements.
        budget: How often tasks run in a pass.
        passes: Sets of processes, one after the other, which measure everything.
        again: Whether to measure what is kept already.
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
        """What was measured at this scale."""
        return Kept(self.data / "measured" / f"{self.scale:g}")


def run(request: Request, out: Path, docs: Path | None) -> list[str]:
    """Measures, and writes the results after each task.

    Args:
        request: What.
        out: The file of the results.
        docs: The folder of the page; no page when None.

    Returns:
        Failures, each with its task and system, but for those of systems that may fail.
    """
    needed = dict.fromkeys(name for task in request.tasks for name in task.tables)
    sources = dict.fromkeys(TABLES[name].source for name in needed)
    datasets.make(request.data, request.scale, list(sources))
    facts = machine.facts()
    commit = machine.commit(ROOT)
    failures: list[str] = []
    if request.again:
        _forget(request)
    for cores, number in product(request.cores, range(1, request.passes + 1)):
        session = _Session(request, cores, number, commit)
        try:
            for task in session.tasks:
                if session.measure(task):
                    request.kept.keep_facts("machine", facts)
                    write(request, out, docs)
        finally:
            session.stop()
        failures += session.failures
    write(request, out, docs)
    return failures


def _forget(request: Request) -> None:
    """Drops what is kept of all that is to be measured."""
    for task, system, cores in product(request.tasks, request.systems, request.cores):
        request.kept.drop(task.name, system.name, cores)


def write(request: Request, out: Path, docs: Path | None) -> None:
    """Draws results and page from everything that is kept."""
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
    """How often everything was run, whatever the request that draws the results asks for."""
    measured = [m for m in measurements if m.seconds]
    if not measured:
        return "none"
    passes = " or ".join(map(str, sorted({m.passes for m in measured})))
    least = min(len(m.seconds) for m in measured)
    return f"at least {least}, after warm-up, by {passes} sets of processes"


@dataclass
class _Session:
    """One pass: workers of one number of cores, which are started when they are needed first.

    How fast a JVM is depends on what it compiled for the tasks before: every other pass goes
    through the tasks backwards.
    """

    request: Request
    cores: int
    number: int
    commit: str
    failures: list[str] = field(default_factory=list)
    _workers: dict[str, Worker] = field(default_factory=dict)
    _broken: dict[str, str] = field(default_factory=dict)
    _started: float = field(default_factory=time.monotonic)
    _measured: int = 0

    @property
    def tasks(self) -> Sequence[Task]:
        """In the order of this pass."""
        return self.request.tasks[:: 1 if self.number % 2 else -1]

    def measure(self, task: Task) -> bool:
        """Measures what is not kept; answers whether there was anything."""
        todo = [s for s in self.request.systems if s.takes(task) and self._is_open(task, s)]
        if not todo:
            return False
        number = self.tasks.index(task) + 1
        _say(
            f"{number}/{len(self.tasks)} {task.name}, local[{self.cores}],"
            f" pass {self.number} of {self.request.passes}"
        )
        self._start(todo)
        ready = [system for system in todo if self._ready(system, task)]
        baseline = self.request.kept.find(task.name, BASELINE, self.cores)
        expected = baseline.answer if baseline else None
        if not any(s.name == BASELINE for s in ready) and not self._ready(SYSTEMS[BASELINE], task):
            return True
        turns = Turns(
            task,
            self.cores,
            self._workers,
            self._budget,
            expected,
            lambda system, error: self._failed(task, system, error),
        )
        for measurement in turns.measure([system.name for system in ready], self.commit):
            if measurement.failure is None or SYSTEMS[measurement.system].may_fail:
                self._keep(measurement)
        self._tell(task, todo, number)
        return True

    def stop(self) -> None:
        """Ends all workers."""
        for worker in self._workers.values():
            worker.stop()
        self._workers.clear()

    @property
    def _budget(self) -> Budget:
        """Memory is measured in the first pass alone."""
        budget = self.request.budget
        return budget if self.number == 1 else replace(budget, memory_runs=0)

    def _keep(self, measurement: Measurement) -> None:
        """Beside the runs of the passes before."""
        before = self.request.kept.find(measurement.task, measurement.system, self.cores)
        both = before.joined(measurement) if before and not measurement.failure else measurement
        self.request.kept.keep(both)

    def _is_open(self, task: Task, system: System) -> bool:
        kept = self.request.kept.find(task.name, system.name, self.cores)
        return kept is None or (kept.failure is None and kept.passes < self.number)

    def _start(self, systems: Sequence[System]) -> None:
        """All at once, which takes less time; those that do not start fail when they are asked."""
        with ThreadPoolExecutor() as starts:
            for system in systems:
                starts.submit(self._worker, system)

    def _ready(self, system: System, task: Task) -> bool:
        """Whether there is a worker and the copies that it needs."""
        try:
            self._worker(system)
            for name in system.needs(task):
                for table in task.tables:
                    self._copy(SYSTEMS[name], table)
        except Exception as error:
            self._failed(task, system.name, error)
            return False
        return True

    def _worker(self, system: System) -> Worker:
        if system.name in self._broken:
            raise WorkerError(self._broken[system.name])
        if system.name not in self._workers:
            try:
                worker = system.start(self.request.data, self.request.scale, self.cores)
            except Exception as error:
                self._broken[system.name] = f"does not start: {error}"
                raise
            self._workers[system.name] = worker
            self.request.kept.keep_facts(system.name, worker.facts)
        return self._workers[system.name]

    def _copy(self, system: System, table: str) -> None:
        sizes = self.request.kept.facts("sizes")
        written = self._worker(system).ask(do="copy", table=table)
        if sizes.get(table, {}).get(system.name) != written:
            sizes.setdefault(table, {})[system.name] = written
            self.request.kept.keep_facts("sizes", sizes)

    def _failed(self, task: Task, system: str, error: Exception) -> None:
        _say(f"  {system} fails: {error}")
        if isinstance(error, WorkerGoneError) and system in self._workers:
            self._workers.pop(system).stop()  # the next task gets a new one
        if SYSTEMS[system].may_fail:
            kept = Measurement(task.name, system, self.cores, failure=str(error))
            self.request.kept.keep(kept)
        else:
            self.failures.append(f"{task.name} on {system}, local[{self.cores}]: {error}")

    def _tell(self, task: Task, systems: Sequence[System], number: int) -> None:
        found: Mapping[str, Measurement | None] = {
            s.name: self.request.kept.find(task.name, s.name, self.cores) for s in systems
        }
        said = ", ".join(
            f"{name} {m.median * 1e3:.0f} ms" for name, m in found.items() if m and not m.failure
        )
        self._measured += 1
        taken = (time.monotonic() - self._started) / 60
        left = taken / self._measured * (len(self.request.tasks) - number)
        _say(f"  {said} ({taken:.0f} min, about {left:.0f} min left)")


def _say(what: str) -> None:
    print(f"[bench] {what}", flush=True)
