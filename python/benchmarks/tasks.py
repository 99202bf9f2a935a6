# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Tasks and their selection. `task_list` has all tasks.

Workers on any PySpark import this module, so it imports only the standard library.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from benchmarks.actions import Action, Native, Write


@dataclass(frozen=True)
class Task:
    """A measured task.

    Attributes:
        name: Name in `TASKS`, and of its results.
        title: Title in results.
        group: Tasks of a group share a chart of the page.
        tables: The tables that it reads, by name.
        action: The action.
        is_scan: Whether it reads complete columns, so that the floor can be measured with batches
            in memory. Writes have a floor as well, and lookups whose rows are in the options of the
            floor.
        native: The action of pylance, if it is compared.
        read_options: Read options by family of systems.
    """

    name: str
    title: str
    group: str
    tables: tuple[str, ...]
    action: Action
    is_scan: bool = False
    native: Native | None = None
    read_options: Mapping[str, Mapping[str, str]] | None = None

    @property
    def has_floor(self) -> bool:
        """Whether the system `floor` runs the task."""
        return self.is_scan or isinstance(self.action, Write) or bool(self.options_of("floor"))

    def options_of(self, family: str) -> Mapping[str, str]:
        """Returns the read options for systems of a family."""
        return (self.read_options or {}).get(family, {})


GROUPS: Final[Mapping[str, str]] = {
    "lineitem": "Scans of lineitem",
    "rows": "Point lookups and takes",
    "vectors": "Vectors",
    "documents": "Documents",
    "files": "Many files and many columns",
    "writes": "Writes",
    "tpch": "TPC-H queries",
}
"""Titles of the groups, in the order they are shown and run."""


def chosen(known: Mapping[str, Task], patterns: list[str]) -> list[Task]:
    """Returns the tasks whose name or group matches a pattern (`*`, `?`), or all tasks.

    Raises:
        ValueError: A pattern matches nothing.
    """
    for pattern in patterns:
        if not any(_matches(task, pattern) for task in known.values()):
            names = ", ".join([*GROUPS, *known])
            raise ValueError(f"no task {pattern}: TASKS takes patterns of these names: {names}")
    return [
        task
        for task in known.values()
        if not patterns or any(_matches(task, pattern) for pattern in patterns)
    ]


def _matches(task: Task, pattern: str) -> bool:
    return fnmatchcase(task.name, pattern) or task.group == pattern
