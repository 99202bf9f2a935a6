# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Runs tasks with pylance: the native library on the files of this connector."""

import os
from pathlib import Path
from typing import Any, Final

from benchmarks.actions import Build, Search, TextSearch
from benchmarks.answers import Answer
from benchmarks.configuration import Configuration
from benchmarks.tables import clone, copy_path, indexed_path, size_of
from benchmarks.tasks import Task

_INDEX: Final = "built"


def pin(configuration: Configuration) -> None:
    """Pins the process to CPU cores. Called before pylance is imported and counts them."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: configuration.cores])
    os.environ["LANCE_CPU_THREADS"] = str(configuration.cores)
    os.environ["LANCE_IO_THREADS"] = str(2 * configuration.cores)


class PylanceEngine:
    """Runs the native actions of tasks."""

    def __init__(self, configuration: Configuration) -> None:
        """Imports pylance after the process is pinned."""
        import lance

        self._lance = lance
        self._configuration = configuration
        self._open: Task | None = None
        self._table: Any = None
        self._row_ids: list[int] = []
        self._search: Any = None
        self._built = ""

    def facts(self) -> dict[str, str]:
        """Returns versions for the header of the results."""
        return {"pylance": self._lance.__version__}

    def answer(self, task: Task) -> Answer:
        """Returns the number of rows of the task."""
        self._prepare(task)
        if isinstance(task.action, Search):
            return [[sum(map(len, self._search.found()))]]
        if isinstance(task.action, TextSearch):
            return list(self._search.found())
        if isinstance(task.action, Build):
            if self._built != task.name:
                self.before(task)
                self.run(task)
            built = self._lance.dataset(str(self._cloned(task)))
            statistics = built.stats.index_stats(_INDEX)
            return [[statistics["num_indexed_rows"]]]
        return [self._rows(task)]

    def quality(self, task: Task) -> dict[str, float | int | None]:
        """Returns the recall of a search, and the size of the index that was built last."""
        if isinstance(task.action, Build):
            size, search = size_of(self._cloned(task) / "_indices"), task.action.search
        else:
            size, search = None, task.action if isinstance(task.action, Search) else None
        recall = self._opened(task, search).recall() if search else None
        return {"recall": recall, "index_bytes": size}

    def before(self, task: Task) -> None:
        """Prepares a run, unmeasured."""
        if isinstance(task.action, Build):
            self._built = ""
            clone(self._path(task), self._cloned(task))
            self._table = self._lance.dataset(str(self._cloned(task)))
        elif self._open is None or self._open.name != task.name:
            self._prepare(task)

    def open(self, task: Task) -> None:
        """Opens the table of a task."""
        self._prepare(task)

    def run(self, task: Task) -> None:
        """Runs the task, measured."""
        if isinstance(task.action, Build):
            self._build(task.action)
            self._built = task.name
        elif isinstance(task.action, Search | TextSearch):
            self._search.run()
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
        if isinstance(task.action, Search):
            self._search = self._opened(task, task.action)
        if isinstance(task.action, TextSearch):
            from benchmarks.pylance_search import PylanceTextSearch

            kind = task.action.index.kind
            self._search = PylanceTextSearch(self._indexed(task, kind), task.action)
        self._open = task

    def _build(self, build: Build) -> None:
        if build.kind.startswith("IVF"):
            self._table.create_index(build.column, build.kind, name=_INDEX, **build.options)
        else:
            self._table.create_scalar_index(build.column, build.kind, name=_INDEX, **build.options)

    def _opened(self, task: Task, search: Search) -> Any:  # noqa: ANN401 - imports pylance
        from benchmarks.pylance_search import PylanceSearch
        from benchmarks.words import read_queries

        table = task.tables[0]
        queries = read_queries(
            self._configuration.folder, self._configuration.scale, table, search.queries
        )
        if isinstance(task.action, Build):
            opened = self._lance.dataset(str(self._cloned(task)))
        elif search.index is None:
            opened = self._table
        else:
            opened = self._indexed(task, search.index.kind)
        return PylanceSearch(opened, search, queries)

    def _indexed(self, task: Task, kind: str) -> Any:  # noqa: ANN401
        """Returns the table with an index of this connector."""
        folder, scale = self._configuration.folder, self._configuration.scale
        return self._lance.dataset(str(indexed_path(folder, scale, task.tables[0], kind)))

    def _cloned(self, task: Task) -> Path:
        return self._path(task).with_suffix(".cloned")

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
        return copy_path(self._configuration.folder, self._configuration.scale, name, "lance")
