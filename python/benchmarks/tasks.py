# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""What a task is, and how tasks are chosen; `task_list` has all of them.

Imported by workers on any PySpark: nothing but the standard library is imported here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from benchmarks.actions import Action, Native, Write


@dataclass(frozen=True)
class Task:
    """Something to measure.

    Attributes:
        name: What `TASKS` chooses by; its results are kept under it.
        title: What people read.
        group: Tasks that are shown together: a picture of the page.
        tables: What it reads, and under which names.
        action: What is done.
        is_scan: Whether it reads columns from end to end, so that Spark's own part is known from
            ready-made batches, the floor. A write has a floor as well, and a look-up whose rows
            the options of the floor name.
        native: What pylance does instead, if it is to be compared.
        read_options: Options of the read by the family of systems.
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
        """Whether the system `floor` takes part."""
        return self.is_scan or isinstance(self.action, Write) or bool(self.options_of("floor"))

    def options_of(self, family: str) -> Mapping[str, str]:
        """Options of the read for systems of a family."""
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
    """The tasks whose name or group matches a pattern with `*` and `?`; all without patterns.

    Raises:
        ValueError: A pattern that matches nothing.
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
