# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Comparisons of two tasks, as data.

Workers on any PySpark import this module, so it imports only the standard library.
"""

from dataclasses import dataclass
from typing import Final

from benchmarks.answers import TOLERANCE


@dataclass(frozen=True)
class Side:
    """A task on a system."""

    system: str
    task: str


@dataclass(frozen=True)
class Effort:
    """Number of runs of a side.

    Attributes:
        warm_runs: Minimum number of runs before the measured ones.
        warm_seconds: Minimum duration of these runs, unless there are none.
        runs: Measured runs of each process.
        rounds: Maximum number of processes; as requested if `None`.
    """

    warm_runs: int = 2
    warm_seconds: float = 5.0
    runs: int = 3
    rounds: int | None = None


USUAL: Final = Effort()


@dataclass(frozen=True)
class Comparison:
    """A task of this connector, and the compared task.

    Attributes:
        title: Title in results.
        ours: The task of this connector.
        other: The task on another system, or without an index.
        other_title: Title of the other side.
        at_most: Target for the ratio of the times; no target if `None`.
        is_build: Whether memory is compared as well.
        at_most_ms: Target for our time in milliseconds, instead of the ratio.
        least_recall: Recall below which the comparison fails, on both sides.
        effort: Number of runs of each side.
        tolerance: Relative tolerance of floats in the results of both sides.
    """

    title: str
    ours: Side
    other: Side
    other_title: str
    at_most: float | None
    is_build: bool = False
    at_most_ms: float | None = None
    least_recall: float | None = None
    effort: Effort = USUAL
    tolerance: float = TOLERANCE

    @property
    def sides(self) -> tuple[Side, Side]:
        """Returns both sides."""
        return self.ours, self.other

    @property
    def target(self) -> str:
        """Returns the target as text."""
        if self.at_most_ms is not None:
            return f"{self.at_most_ms:g} ms"
        return "" if self.at_most is None else f"{self.at_most:.2f}"
