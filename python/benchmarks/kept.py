# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Stored measurements, from which an interrupted run continues.

Each is a JSON file `<task>/<system>-<cores>.json`.
"""

import json
import statistics
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Measurement:
    """Measurement of a task on a system.

    Attributes:
        task: Name of the task.
        system: Name of the system.
        cores: Cores of the Spark session, or of pylance.
        seconds: Elapsed seconds of each run.
        cpu_seconds: CPU seconds of each run, all threads.
        bytes_read: Bytes read in a run.
        peak_bytes: Memory of a run above the idle process; `None` until measured.
        stolen: Share of the CPU that the host gave to other machines.
        foreign: Share of the CPU that other processes used.
        answer: The result, for systems that are measured later.
        failure: Reason of a failure.
        commit: Commit of this repository.
        passes: Number of passes.
    """

    task: str
    system: str
    cores: int
    seconds: list[float] = field(default_factory=list)
    cpu_seconds: list[float] = field(default_factory=list)
    bytes_read: int = 0
    peak_bytes: int | None = None
    stolen: float = 0.0
    foreign: float = 0.0
    answer: list[Any] | None = None
    failure: str | None = None
    commit: str = ""
    passes: int = 1

    def joined(self, later: "Measurement") -> "Measurement":
        """Joins the runs of two measurements."""
        ours, theirs = (len(m.seconds) / len(self.seconds + later.seconds) for m in (self, later))
        return replace(
            self,
            seconds=self.seconds + later.seconds,
            cpu_seconds=self.cpu_seconds + later.cpu_seconds,
            stolen=ours * self.stolen + theirs * later.stolen,
            foreign=ours * self.foreign + theirs * later.foreign,
            commit=later.commit,
            passes=self.passes + later.passes,
        )

    @property
    def median(self) -> float:
        """Median seconds of a run."""
        return statistics.median(self.seconds)

    @property
    def cpu(self) -> float:
        """Median CPU seconds of a run."""
        return statistics.median(self.cpu_seconds)

    @property
    def least(self) -> float:
        """Seconds of the fastest run."""
        return min(self.seconds)


@dataclass(frozen=True)
class Kept:
    """The folder of measurements at one scale."""

    folder: Path

    def find(self, task: str, system: str, cores: int) -> Measurement | None:
        """Returns the measurement of a task on a system."""
        file = self._file(task, system, cores)
        return Measurement(**json.loads(file.read_text())) if file.exists() else None

    def keep(self, measurement: Measurement) -> None:
        """Stores a measurement, and replaces an earlier one of the same task, system, and cores."""
        file = self._file(measurement.task, measurement.system, measurement.cores)
        _write(file, asdict(measurement))

    def drop(self, task: str, system: str, cores: int) -> None:
        """Removes a measurement."""
        self._file(task, system, cores).unlink(missing_ok=True)

    def all(self) -> Iterator[Measurement]:
        """Returns all measurements in no particular order."""
        for file in self.folder.glob("*/*.json"):
            yield Measurement(**json.loads(file.read_text()))

    def keep_facts(self, name: str, facts: dict[str, Any]) -> None:
        """Stores facts for the header of the results: about a system, or about the copies."""
        _write(self.folder / f"{name}.json", facts)

    def facts(self, name: str) -> dict[str, Any]:
        """Returns the facts that `keep_facts` stored, or an empty mapping."""
        file = self.folder / f"{name}.json"
        found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
        return found

    def _file(self, task: str, system: str, cores: int) -> Path:
        return self.folder / task / f"{system}-{cores}.json"


def _write(file: Path, content: object) -> None:
    """Writes a file atomically."""
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(content))
    unfinished.rename(file)
