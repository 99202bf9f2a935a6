# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The processes of a pass, a system each, which start when they are needed first."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.kept import Kept
from benchmarks.processes import Worker, WorkerError, WorkerGoneError
from benchmarks.systems import SYSTEMS, System
from benchmarks.tasks import Task


class Workers(Mapping[str, Worker]):
    """Those that run, by the names of their systems."""

    def __init__(
        self, data: Path, scale: float, cores: int, kept: Kept, *, for_memory: bool = False
    ) -> None:
        """Nothing starts yet.

        Args:
            data: The folder of all data.
            scale: Of the data.
            cores: Of the sessions.
            kept: Is told of versions and of the sizes of copies.
            for_memory: Whether memory is measured, and not time.
        """
        self._start: Callable[[System], Worker] = lambda system: system.start(
            data, scale, cores, for_memory=for_memory
        )
        self._kept = kept
        self._running: dict[str, Worker] = {}
        self._broken: dict[str, str] = {}

    def __getitem__(self, system: str) -> Worker:
        """The worker of a system that has started."""
        return self._running[system]

    def __iter__(self) -> Iterator[str]:
        """Systems that have started."""
        return iter(self._running)

    def __len__(self) -> int:
        """How many have started."""
        return len(self._running)

    def start(self, systems: Sequence[System]) -> None:
        """All at once, which takes less time; those that do not start fail when they are asked."""
        with ThreadPoolExecutor() as starts:
            for system in systems:
                starts.submit(self.of, system)

    def of(self, system: System) -> Worker:
        """The worker of a system, which starts if it has not.

        Raises:
            Exception: It does not start.
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
        """Starts a system and writes the copies that it needs.

        Raises:
            Exception: What failed of that.
        """
        self.of(system)
        for name in system.needs(task):
            for table in task.tables:
                self._copy(SYSTEMS[name], table)

    def warm_up(self, system: System, task: Task, seconds: float) -> WorkerError | None:
        """Runs a task for so long, at least once; answers with what failed."""
        try:
            self.of(system).ask(do="warm", task=task.name, runs=1, seconds=seconds)
        except WorkerError as error:
            self.failed(system.name, error)
            return error
        return None

    def failed(self, system: str, error: Exception) -> None:
        """Drops a worker that has gone: whoever asks next gets a new one."""
        if isinstance(error, WorkerGoneError) and system in self._running:
            self._running.pop(system).stop()

    def stop(self) -> None:
        """Ends all."""
        for worker in self._running.values():
            worker.stop()
        self._running.clear()

    def _copy(self, system: System, table: str) -> None:
        sizes = self._kept.facts("sizes")
        written = self.of(system).ask(do="copy", table=table)
        if sizes.get(table, {}).get(system.name) != written:
            sizes.setdefault(table, {})[system.name] = written
            self._kept.keep_facts("sizes", sizes)
