# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The worker processes of a pass, one per system. They start on first use."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.kept import Kept
from benchmarks.processes import Worker, WorkerError, WorkerGoneError
from benchmarks.systems import SYSTEMS, System
from benchmarks.tasks import Task


class Workers(Mapping[str, Worker]):
    """Running workers by system."""

    def __init__(
        self, data: Path, scale: float, cores: int, kept: Kept, *, for_memory: bool = False
    ) -> None:
        """Creates the collection without starting workers.

        Args:
            data: The folder of all data.
            scale: Scale factor of the data.
            cores: Cores of the sessions.
            kept: Store for versions and sizes of copies.
            for_memory: Whether memory is measured instead of time.
        """
        self._start: Callable[[System], Worker] = lambda system: system.start(
            data, scale, cores, for_memory=for_memory
        )
        self._kept = kept
        self._running: dict[str, Worker] = {}
        self._broken: dict[str, str] = {}

    def __getitem__(self, system: str) -> Worker:
        """Returns the running worker of a system."""
        return self._running[system]

    def __iter__(self) -> Iterator[str]:
        """Yields the systems with a running worker."""
        return iter(self._running)

    def __len__(self) -> int:
        """Returns the number of running workers."""
        return len(self._running)

    def start(self, systems: Sequence[System]) -> None:
        """Starts workers in parallel. Workers that do not start fail at their first request."""
        with ThreadPoolExecutor() as starts:
            for system in systems:
                starts.submit(self.of, system)

    def of(self, system: System) -> Worker:
        """Returns the worker of a system. Starts it if necessary.

        Raises:
            Exception: The worker does not start.
        """
        if system.name in self._broken:
            raise WorkerError(self._broken[system.name])
        if system.name not in self._running:
            try:
                worker = self._start(system)
            except Exception as error:
                self._broken[system.name] = f"does not start: {error}"
                raise
            self._running[system.name] = worker
            self._kept.keep_facts(system.name, worker.facts)
        return self._running[system.name]

    def prepare(self, system: System, task: Task) -> None:
        """Starts a system and writes its copies.

        Raises:
            Exception: A step failed.
        """
        self.of(system)
        for name in system.needs(task):
            for table in task.tables:
                self._copy(SYSTEMS[name], table)

    def warm_up(self, system: System, task: Task, seconds: float) -> WorkerError | None:
        """Runs a task for a duration, at least once. Returns the failures."""
        try:
            self.of(system).ask(do="warm", task=task.name, runs=1, seconds=seconds)
        except WorkerError as error:
            self.failed(system.name, error)
            return error
        return None

    def failed(self, system: str, error: Exception) -> None:
        """Removes a worker that has ended. The next request starts a new one."""
        if isinstance(error, WorkerGoneError) and system in self._running:
            self._running.pop(system).stop()

    def stop(self) -> None:
        """Stops all workers."""
        for worker in self._running.values():
            worker.stop()
        self._running.clear()

    def _copy(self, system: System, table: str) -> None:
        sizes = self._kept.facts("sizes")
        written = self.of(system).ask(do="copy", table=table)
        if sizes.get(table, {}).get(system.name) != written:
            sizes.setdefault(table, {})[system.name] = written
            self._kept.keep_facts("sizes", sizes)
