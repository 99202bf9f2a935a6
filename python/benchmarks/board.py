# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Comparison of measurements."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from benchmarks.kept import Measurement

OURS: Final = "lance"
PARQUET: Final = "parquet"
FLOOR: Final = "floor"
NATIVE: Final = "pylance"
_TELLING_BYTES: Final = 50_000_000
"""Minimum memory for a ratio. Smaller values depend mostly on garbage collection."""


@dataclass(frozen=True)
class Board:
    """All measurements of a run.

    Attributes:
        measurements: One for each task, system, and number of cores.
        sizes: Size of the copies in bytes, by table and system.
    """

    measurements: tuple[Measurement, ...]
    sizes: Mapping[str, Mapping[str, int]]

    @classmethod
    def of(
        cls, measurements: Iterable[Measurement], sizes: Mapping[str, Mapping[str, int]]
    ) -> "Board":
        """Returns a board of stored measurements."""
        return cls(tuple(measurements), sizes)

    @cached_property
    def _by_key(self) -> dict[tuple[str, str, int], Measurement]:
        return {(m.task, m.system, m.cores): m for m in self.measurements}

    @property
    def cores(self) -> list[int]:
        """Returns the numbers of cores, largest first."""
        return sorted({m.cores for m in self.measurements}, reverse=True)

    def find(self, task: str, system: str, cores: int) -> Measurement | None:
        """Returns a measurement, also if it failed."""
        return self._by_key.get((task, system, cores))

    def good(self, task: str, system: str, cores: int) -> Measurement | None:
        """Returns a measurement that did not fail."""
        found = self.find(task, system, cores)
        return found if found and found.failure is None else None

    def time(self, task: str, system: str, cores: int) -> float | None:
        """Returns the median time relative to Parquet."""
        one, base = self.good(task, system, cores), self.good(task, PARQUET, cores)
        return one.median / base.median if one and base else None

    def cpu(self, task: str, system: str, cores: int) -> float | None:
        """Returns the CPU time relative to Parquet."""
        one, base = self.good(task, system, cores), self.good(task, PARQUET, cores)
        return one.cpu / base.cpu if one and base and base.cpu else None

    def memory(self, task: str, system: str, cores: int) -> float | None:
        """Returns the memory of a run relative to Parquet; `None` if Parquet needs almost none."""
        one, base = self.good(task, system, cores), self.good(task, PARQUET, cores)
        ours, theirs = (m.peak_bytes if m else None for m in (one, base))
        if ours is None or theirs is None or theirs < _TELLING_BYTES:
            return None
        return ours / theirs

    def net(self, task: str, system: str, cores: int) -> float | None:
        """Returns the time above the floor relative to Parquet: the time of the readers alone."""
        return self._net(task, system, cores, "median")

    def net_cpu(self, task: str, system: str, cores: int) -> float | None:
        """Returns the CPU time above the floor relative to Parquet."""
        return self._net(task, system, cores, "cpu")

    def _net(self, task: str, system: str, cores: int, what: str) -> float | None:
        one, base, floor = (self.good(task, s, cores) for s in (system, PARQUET, FLOOR))
        if one is None or base is None or floor is None or system in (FLOOR, NATIVE):
            return None
        above = getattr(base, what) - getattr(floor, what)
        return (getattr(one, what) - getattr(floor, what)) / above if above > 0 else None

    def native(self, task: str) -> float | None:
        """Returns the time above the floor relative to pylance, on one core each."""
        ours, floor, native = (self.good(task, s, 1) for s in (OURS, FLOOR, NATIVE))
        if ours is None or floor is None or native is None:
            return None
        return (ours.median - floor.median) / native.median

    def noise(self, task: str, cores: int) -> float:
        """Returns the largest CPU share of other processes during a task."""
        found = (self.good(task, system, cores) for system in (OURS, PARQUET))
        return max((m.stolen + m.foreign for m in found if m), default=0.0)
