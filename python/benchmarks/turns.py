# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Runs one task on several systems: compares the results, then measures the systems in turn.

A system with a wrong result or a failure drops out. The others continue.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any, Final, Protocol

from benchmarks.answers import Answer, difference, same
from benchmarks.kept import Measurement
from benchmarks.measure import Sample
from benchmarks.tasks import Task

BASELINE: Final = "parquet"
"""The system with the reference results."""

NATIVE: Final = "pylance"
"""Returns the number of rows."""

_WARM_RUNS: Final = 2
_WARM_SECONDS: Final = 5.0
"""Minimum duration of short tasks, so that the JVM compiles them."""
_MORE_RUNS: Final = 3
"""Maximum factor of additional runs of short tasks."""
_MORE_SECONDS: Final = 1.0
"""Seconds per run above which a task is not short."""
_MEMORY_RUNS: Final = 2
_RUN_SECONDS: Final = 400.0


class Asked(Protocol):
    """Interface of a worker for this module."""

    def ask(self, seconds: float = ..., /, **request: object) -> Any:  # noqa: ANN401
        """Sends a request and returns its result."""


@dataclass(frozen=True)
class Budget:
    """Number of runs of a task.

    Attributes:
        iterations: Minimum number of measured runs.
        warm_runs: Minimum number of warm-up runs.
        warm_seconds: Minimum duration of the warm-up.
        more_seconds: Tasks with shorter runs are repeated more often.
    """

    iterations: int
    warm_runs: int = _WARM_RUNS
    warm_seconds: float = _WARM_SECONDS
    more_seconds: float = _MORE_SECONDS


class Turns:
    """The measurement of one task."""

    def __init__(
        self,
        task: Task,
        cores: int,
        workers: Mapping[str, Asked],
        budget: Budget,
        expected: Answer | None = None,
        failed: Callable[[str, Exception], None] = lambda system, error: None,
    ) -> None:
        """Creates the measurement without running it.

        Args:
            task: The task.
            cores: Cores of the workers.
            workers: Workers by system.
            budget: Number of runs.
            expected: Result of the baseline, if known.
            failed: Called with each failed system and its error.
        """
        self._task = task
        self._cores = cores
        self._workers = dict(workers)
        self._budget = budget
        self._expected = expected
        self._failed = failed
        self._failures: dict[str, str] = {}

    def measure(self, systems: list[str], commit: str = "") -> list[Measurement]:
        """Measures the systems. Failed systems have a reason."""
        self._check(systems)
        self._warm_up(systems)
        samples = self._rounds(systems)
        measured = [
            self._measurement(system, samples[system], commit)
            for system in systems
            if system not in self._failures and samples[system]
        ]
        return measured + [
            Measurement(self._task.name, system, self._cores, failure=failure, commit=commit)
            for system, failure in self._failures.items()
            if system in systems
        ]

    def peaks(self, systems: list[str]) -> dict[str, int]:
        """Returns the memory of a run of each system that does not fail.

        The heap is minimized before each run, so the workers must be used for memory only.
        """
        found: dict[str, int] = {}
        for system in systems:
            self._run(system)
            peaks = []
            for _ in range(_MEMORY_RUNS):
                self._try(system, do="rest")
                sample = self._run(system)
                peaks += [sample.peak_bytes] if sample else []
            if system not in self._failures:
                found[system] = int(median(peaks))
        return found

    def _measurement(self, system: str, samples: list[Sample], commit: str) -> Measurement:
        machine = sum(sample.machine_seconds for sample in samples) or 1.0
        return Measurement(
            self._task.name,
            system,
            self._cores,
            [sample.seconds for sample in samples],
            [sample.cpu_seconds for sample in samples],
            int(median(sample.bytes_read for sample in samples)),
            stolen=sum(sample.stolen_seconds for sample in samples) / machine,
            foreign=max(0.0, sum(sample.foreign_seconds for sample in samples) / machine),
            answer=self._expected if system == BASELINE else None,
            commit=commit,
        )

    def _check(self, systems: list[str]) -> None:
        """Compares every result with the baseline."""
        if self._expected is None:
            self._expected = self._try(BASELINE, do="answer")
        native_rows: Answer | None = None
        for system in systems:
            if system == BASELINE and system not in self._failures:
                continue
            found = self._try(system, do="answer")
            expected = self._expected
            if system == NATIVE:
                if native_rows is None:
                    rows = self._try(BASELINE, do="native rows")
                    native_rows = None if rows is None else [rows]
                expected = native_rows
            if expected is None:
                self._failures.setdefault(system, f"{BASELINE} has no result")
            elif found is not None and not same(expected, found):
                error = AssertionError(f"another result: {difference(expected, found)}")
                self._fail(system, error)

    def _warm_up(self, systems: list[str]) -> None:
        how_long = {"runs": self._budget.warm_runs, "seconds": self._budget.warm_seconds}
        for system in systems:
            self._try(system, do="warm", **how_long)

    def _rounds(self, systems: list[str]) -> dict[str, list[Sample]]:
        samples: dict[str, list[Sample]] = {system: [] for system in systems}
        least = self._budget.iterations
        rounds = 0
        while running := self._running(systems):
            slowest = max(sum(s.seconds for s in samples[system]) for system in running)
            if rounds >= least and (
                rounds >= least * _MORE_RUNS or slowest >= least * self._budget.more_seconds
            ):
                break
            for system in running:
                sample = self._run(system)
                if sample:
                    samples[system].append(sample)
            rounds += 1
        return samples

    def _running(self, systems: list[str]) -> list[str]:
        return [system for system in systems if system not in self._failures]

    def _run(self, system: str) -> Sample | None:
        found = self._try(system, do="run")
        return None if found is None else Sample(**found)

    def _try(self, system: str, **request: object) -> Any:  # noqa: ANN401
        """Returns the result of a worker; `None` if it failed now or before."""
        if system in self._failures:
            return None
        try:
            return self._workers[system].ask(_RUN_SECONDS, task=self._task.name, **request)
        except Exception as error:
            self._fail(system, error)
            return None

    def _fail(self, system: str, error: Exception) -> None:
        self._failures[system] = str(error)
        self._failed(system, error)
