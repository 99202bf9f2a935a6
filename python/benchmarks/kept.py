# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Measurements, and the folder that keeps them, so that a run which was cut goes on where it was.

One JSON file each, `<task>/<system>-<cores>.json`.
"""

import json
import statistics
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Measurement:
    """A task on a system.

    Attributes:
        task: Its name.
        system: Its name.
        cores: Of the Spark session, or those of pylance.
        seconds: Of each run, by the clock.
        cpu_seconds: Of each run, all threads.
        bytes_read: In a run.
        peak_bytes: Memory of a run, above what the resting process has; None until measured.
        stolen: Share of the machine that its host gave to others meanwhile.
        foreign: Share of the machine that other processes took.
        answer: What came out, for systems that are measured later.
        failure: Why there is nothing of all that.
        commit: Of this repository.
        passes: How many sets of processes it was measured by.
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
        """The runs of both; what was measured once stays."""
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
        """Seconds of a run."""
        return statistics.median(self.seconds)

    @property
    def cpu(self) -> float:
        """Processor seconds of a run."""
        return statistics.median(self.cpu_seconds)

    @property
    def least(self) -> float:
        """Seconds of the fastest run."""
        return min(self.seconds)


@dataclass(frozen=True)
class Kept:
    """The folder of what was measured at one scale."""

    folder: Path

    def find(self, task: str, system: str, cores: int) -> Measurement | None:
        """What is kept of a task on a system."""
        file = self._file(task, system, cores)
        return Measurement(**json.loads(file.read_text())) if file.exists() else None

    def keep(self, measurement: Measurement) -> None:
        """Replaces what was there of the same task, system and cores."""
        file = self._file(measurement.task, measurement.system, measurement.cores)
        _write(file, asdict(measurement))

    def drop(self, task: str, system: str, cores: int) -> None:
        """Forgets a measurement."""
        self._file(task, system, cores).unlink(missing_ok=True)

    def all(self) -> Iterator[Measurement]:
        """Everything, in no order."""
        for file in self.folder.glob("*/*.json"):
            yield Measurement(**json.loads(file.read_text()))

    def keep_facts(self, name: str, facts: dict[str, Any]) -> None:
        """Keeps what is said in the head of the results: of a system, of the copies."""
        _write(self.folder / f"{name}.json", facts)

    def facts(self, name: str) -> dict[str, Any]:
        """What `keep_facts` kept; empty if nothing was."""
        file = self.folder / f"{name}.json"
        found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
        return found

    def _file(self, task: str, system: str, cores: int) -> Path:
        return self.folder / task / f"{system}-{cores}.json"


def _write(file: Path, content: object) -> None:
    """Never half a file, even if the run is cut."""
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(content))
    unfinished.rename(file)
