# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Runs tasks with pylance: the native library on the files of this connector."""

import os
from pathlib import Path
from typing import Any, Final

from benchmarks.actions import Build
from benchmarks.answers import Answer
from benchmarks.settings import Settings
from benchmarks.tables import clone, copy_path
from benchmarks.tasks import Task

_INDEX: Final = "built"


def pin(settings: Settings) -> None:
    """Pins the process to CPU cores. Called before pylance is imported and counts them."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: settings.cores])
    os.environ["LANCE_CPU_THREADS"] = str(settings.cores)
    os.environ["LANCE_IO_THREADS"] = str(2 * settings.cores)


class PylanceEngine:
    """Runs the native actions of tasks."""

    def __init__(self, settings: Settings) -> None:
        """Imports pylance after the process is pinned."""
        import lance

        self._lance = lance
        self._settings = settings
        self._open: Task | None = None
        self._table: Any = None
        self._row_ids: list[int] = []

    def facts(self) -> dict[str, str]:
        """Returns versions for the header of the results."""
        return {"pylance": self._lance.__version__}

    def answer(self, task: Task) -> Answer:
        """Returns the number of rows of the task."""
        self._prepare(task)
        if isinstance(task.action, Build):
            self.before(task)
            self.run(task)
            statistics = self._table.stats.index_stats(_INDEX)
            return [[statistics["num_indexed_rows"]]]
        return [self._rows(task)]

    def before(self, task: Task) -> None:
        """Prepares a run, unmeasured."""
        if isinstance(task.action, Build):
            path = self._path(task).with_suffix(".cloned")
            clone(self._path(task), path)
            self._table = self._lance.dataset(str(path))
        elif self._open is None or self._open.name != task.name:
            self._prepare(task)

    def open(self, task: Task) -> None:
        """Opens the table of a task."""
        self._prepare(task)

    def run(self, task: Task) -> None:
        """Runs the task, measured."""
        if isinstance(task.action, Build):
            build = task.action
            self._table.create_scalar_index(build.column, build.kind, name=_INDEX)
        else:
            self._rows(task)

    def rest(self) -> None:
        """Does nothing, because memory is released immediately."""

    def is_alive(self) -> bool:
        """Returns true: the engine runs in this process."""
        return True

    def _prepare(self, task: Task) -> None:
        self._table = self._lance.dataset(str(self._path(task)))
        if task.native and task.native.take:
            found = self._table.to_table(columns=[], filter=task.native.wheres[0], with_row_id=True)
            self._row_ids = found["_rowid"].to_pylist()
        self._open = task

    def _rows(self, task: Task) -> int:
        native = task.native
        if native is None:
            raise ValueError(f"{task.name} has no native side")
        columns = list(native.columns) if native.columns is not None else None
        if native.plan:
            table = self._lance.dataset(str(self._path(task)))
            return sum(fragment.metadata.num_rows for fragment in table.get_fragments())
        if native.take:
            return int(self._table._take_rows(self._row_ids, columns=columns).num_rows)
        wheres = native.wheres or (None,)
        if native.count:
            return sum(self._table.count_rows(where) for where in wheres)
        return sum(
            batch.num_rows
            for where in wheres
            for batch in self._table.to_batches(columns=columns, filter=where)
        )

    def _path(self, task: Task) -> Path:
        name = task.tables[0]
        return copy_path(self._settings.folder, self._settings.scale, name, "lance")
