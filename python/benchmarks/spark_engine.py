# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Runs tasks with Spark: one session, one system.

Workers on PySpark 3.5 and 4.1 import this module, so it imports this connector's package only where
it is used.
"""

import gc
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from benchmarks.actions import (
    Build,
    Change,
    Plan,
    Query,
    Search,
    Sink,
    Take,
    TextSearch,
    Write,
)
from benchmarks.answers import Answer, answer
from benchmarks.configuration import Configuration
from benchmarks.tables import TABLES, clone, copy_path, indexed_path, size_of, source_file
from benchmarks.tasks import Task

FLOOR: Final = "io.github.pysparklance.benchmarks.floor.FloorSource"
_TIGHT: Final = {"MinHeapFreeRatio": 5, "MaxHeapFreeRatio": 10}
"""Free heap after a collection in percent: small, so that used memory can be measured."""
_USUAL: Final = {"MaxHeapFreeRatio": 70, "MinHeapFreeRatio": 40}
_SOURCE_BATCH: Final = ("spark.sql.parquet.columnarReaderBatchSize", "512")
"""Batch size of source readers: the default of 4,096 documents would fill the heap."""
_FORMATS: Final = {"lance": "lance", "lance-spark": "lance", "parquet": "parquet"}
_WITH_ADDRESSES: Final = ("lance", "lance-spark")
_ROWS_PER_FILE: Final = {
    "lance": "maxRowsPerFile",
    "lance-spark": "max_row_per_file",
    "parquet": "maxRecordsPerFile",
}


def start(configuration: Configuration) -> SparkSession:
    """Returns the session of a worker."""
    builder = (
        SparkSession.builder.master(f"local[{configuration.cores}]")
        .appName(f"benchmark of {configuration.system}")
        .config("spark.driver.memory", configuration.heap)
        .config("spark.driver.host", "localhost")
        .config("spark.local.dir", str(configuration.folder / "tmp"))
        .config("spark.log.level", "ERROR")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.warehouse.dir", str(configuration.folder / "tmp" / "warehouse"))
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    if configuration.start_heap:
        builder = builder.config("spark.driver.extraJavaOptions", f"-Xms{configuration.start_heap}")
    for key, value in configuration.spark.items():
        builder = builder.config(key, value)
    if configuration.family == "lance":
        import pyspark_lance

        builder = pyspark_lance.configure(builder, root=configuration.folder / "tmp" / "lance")
    return builder.getOrCreate()


class SparkEngine:
    """Runs tasks in a separate session."""

    def __init__(self, spark: SparkSession, configuration: Configuration) -> None:
        """Creates a new session from the given one, with its own views and configuration."""
        self._spark = spark.newSession()
        self._jvm: Any = getattr(self._spark, "_jvm")  # noqa: B009 - typed as optional
        self._configuration = configuration
        self._family = configuration.family
        self._open: Task | None = None
        self._tables: dict[str, DataFrame] = {}
        self._row_ids: list[int] = []
        self._search: Any = None
        self._built = ""

    def facts(self) -> dict[str, str]:
        """Returns versions for the header of the results."""
        system = self._jvm.java.lang.System
        return {
            "spark": self._spark.version,
            "jvm": f"{system.getProperty('java.vm.name')} {system.getProperty('java.vm.version')}",
            "heap": self._configuration.heap,
        }

    def copy(self, name: str) -> int:
        """Writes this system's copy of a table, unless it exists. Returns its size in bytes."""
        path = self._path(name)
        if not path.exists():
            unfinished = path.with_name(f"{path.name}.unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            self._write(name, unfinished)
            if self._family == "lance":
                for column, kind in TABLES[name].indices.items():
                    self._build(Build(kind, column), unfinished)
            unfinished.rename(path)
        return size_of(path)

    def index(self, task: Task) -> None:
        """Builds the index of a search on a clone of the table, unless it exists."""
        if not isinstance(task.action, Search | TextSearch) or task.action.index is None:
            return
        path = self._searched(task, task.action)
        if not path.exists():
            unfinished = path.with_name(f"{path.name}.unfinished")
            clone(self._path(task.tables[0]), unfinished)
            self._build(task.action.index, unfinished)
            unfinished.rename(path)

    def quality(self, task: Task) -> dict[str, float | int | None]:
        """Returns the recall of a search, and the size of the index that was built last."""
        if isinstance(task.action, Build):
            size, search = size_of(self._written(task) / "_indices"), task.action.search
        else:
            size, search = None, task.action if isinstance(task.action, Search) else None
        recall = self._opened(task, search).recall() if search else None
        return {"recall": recall, "index_bytes": size}

    def answer(self, task: Task) -> Answer:
        """Returns the result of a task. Opens its tables again."""
        self._prepare(task)
        match task.action:
            case Query():
                statements = task.action.of(self._family)
                rows = [row for sql in statements for row in self._spark.sql(sql).collect()]
                return answer(rows, ordered=task.action.ordered)
            case Take():
                return answer(self._taken(task, task.action).collect(), ordered=False)
            case Sink():
                return self._hash(self._columns(task, task.action))
            case Plan():
                self.run(task)
                return answer([[self._tables[task.tables[0]].count()]], ordered=True)
            case Write():
                if self._family == "floor":
                    return self._hash(self._source(task.tables[0]))
                self.before(task)
                self.run(task)
                return self._hash(self._load(self._written(task)))
            case Build():
                if self._built != task.name:
                    self.before(task)
                    self.run(task)
                index = self._lance(self._written(task)).describe_indices()[0]
                return answer([[index.num_rows_indexed]], ordered=True)
            case Search():
                return answer([[sum(map(len, self._search.found()))]], ordered=True)
            case TextSearch():
                return answer(self._search.found(), ordered=True)
            case Change():
                self.before(task)
                self.run(task)
                return self._hash(self._load(self._written(task)))

    def native_rows(self, task: Task) -> int:
        """Returns the number of rows that pylance must find for the task."""
        self._prepare(task)
        native = task.native
        wheres = native.wheres if native and native.wheres else ("true",)
        table = task.tables[0]
        counts = [f"SELECT count(*) FROM {table} WHERE {where}" for where in wheres]
        return sum(row[0] for sql in counts for row in self._spark.sql(sql).collect())

    def open(self, task: Task) -> None:
        """Opens the tables of a task, and reads their schemas."""
        self._prepare(task)

    def before(self, task: Task) -> None:
        """Prepares a run, unmeasured: an output folder, and free heap.

        DataFrames and their result rows are in reference cycles. Until Python collects them, the
        JVM keeps the rows of many runs.
        """
        gc.collect()
        if self._open is None or self._open.name != task.name:
            self._prepare(task)
        if isinstance(task.action, Write):
            shutil.rmtree(self._written(task), ignore_errors=True)
        if isinstance(task.action, Build | Change):
            self._built = ""
            clone(self._path(task.tables[0]), self._written(task))

    def run(self, task: Task) -> None:
        """Runs the task, measured. The rows stay in the JVM."""
        match task.action:
            case Query():
                for sql in task.action.of(self._family):
                    _collect(self._spark.sql(sql))
            case Take():
                _collect(self._taken(task, task.action))
            case Sink():
                _drain(self._columns(task, task.action))
            case Plan():
                frame: Any = self._read(task.tables[0], task)
                frame._jdf.queryExecution().toRdd().getNumPartitions()
            case Write():
                if self._family == "floor":
                    _drain(self._source(task.tables[0]))
                else:
                    self._write(task.tables[0], self._written(task))
            case Build():
                self._build(task.action, self._written(task))
                self._built = task.name
            case Search() | TextSearch():
                self._search.run()
            case Change():
                path = f"{_FORMATS[self._family]}.`{self._written(task)}`"
                self._spark.sql(task.action.statement.format(table=path))

    def rest(self) -> None:
        """Releases memory, so that the memory of a run can be measured."""
        for key, value in _TIGHT.items():
            self._set_flag(key, value)
        self._jvm.java.lang.System.gc()
        for key, value in _USUAL.items():
            self._set_flag(key, value)

    def _set_flag(self, name: str, value: int) -> None:
        """Sets a manageable flag of the JVM. Does nothing without a JDK."""
        jcmd = shutil.which("jcmd")
        if jcmd:
            pid = str(self._jvm.java.lang.ProcessHandle.current().pid())
            subprocess.run(
                [jcmd, pid, "VM.set_flag", name, str(value)], stdout=subprocess.DEVNULL, check=False
            )

    def is_alive(self) -> bool:
        """Returns whether the JVM still runs."""
        try:
            context: Any = self._spark.sparkContext
            return not context._jsc.sc().isStopped()
        except Exception:  # the JVM is gone
            return False

    def _prepare(self, task: Task) -> None:
        if self._family == "floor" and (self._open is None or self._open.tables != task.tables):
            self._jvm.io.github.pysparklance.benchmarks.floor.FloorSource.clear()
        self._spark.conf.unset(_SOURCE_BATCH[0])
        is_read = not isinstance(task.action, Write | Build | Search | TextSearch | Change)
        self._tables = {name: self._read(name, task) for name in task.tables if is_read}
        for name, frame in self._tables.items():
            frame.createOrReplaceTempView(name)
        if isinstance(task.action, Take) and self._family in _WITH_ADDRESSES:
            found = self._tables[task.tables[0]].where(task.action.where).select("_rowid")
            self._row_ids = [row[0] for row in found.collect()]
        if isinstance(task.action, Search):
            self._search = self._opened(task, task.action)
        if isinstance(task.action, TextSearch):
            from benchmarks.text_search import opened

            self._search = opened(self._spark, self._searched(task, task.action), task.action)
        self._open = task

    def _taken(self, task: Task, take: Take) -> DataFrame:
        frame = self._tables[task.tables[0]]
        if self._family not in _WITH_ADDRESSES:
            return frame.where(take.where)
        return frame.where(f"_rowid IN ({', '.join(map(str, self._row_ids))})")

    def _read(self, name: str, task: Task) -> DataFrame:
        path = str(self._path(name))
        options = dict(task.options_of(self._family))
        if self._family == "floor":
            return self._spark.read.format(FLOOR).options(source=path, **options).load()
        return self._spark.read.format(_FORMATS[self._family]).options(**options).load(path)

    def _columns(self, task: Task, action: Sink) -> DataFrame:
        frame = self._tables[task.tables[0]]
        return frame.select(*action.columns) if action.columns else frame

    def _build(self, build: Build, path: Path) -> None:
        self._lance(path).create_index(build.column, build.kind, **build.options)

    def _opened(self, task: Task, search: Search) -> Any:  # noqa: ANN401 - needs this connector
        from benchmarks.spark_search import opened
        from benchmarks.words import read_queries

        queries = read_queries(
            self._configuration.folder, self._configuration.scale, task.tables[0], search.queries
        )
        return opened(self._spark, self._searched(task, search), search, queries)

    def _searched(self, task: Task, search: Search | TextSearch) -> Path:
        """Returns the path of the searched table: with an index that was built before, or now."""
        if isinstance(task.action, Build):
            return self._written(task)
        table, index = task.tables[0], search.index
        if index is None:
            return self._path(table)
        return indexed_path(
            self._configuration.folder, self._configuration.scale, table, index.kind
        )

    def _lance(self, path: Path) -> Any:  # noqa: ANN401 - a class of this connector
        from pyspark_lance import LanceTable

        return LanceTable.forPath(self._spark, str(path))

    def _load(self, path: Path) -> DataFrame:
        return self._spark.read.format(_FORMATS[self._family]).load(str(path))

    def _hash(self, frame: DataFrame) -> Answer:
        """Returns the number of rows, and a hash of all values."""
        value = F.sum(F.shiftright(F.xxhash64(*frame.columns), 32))
        return answer(frame.agg(F.count("*"), value).collect(), ordered=True)

    def _path(self, name: str) -> Path:
        """Returns the path of the copy. The floor uses batches of the Parquet copy."""
        system = "parquet" if self._family == "floor" else self._configuration.system
        return copy_path(self._configuration.folder, self._configuration.scale, name, system)

    def _written(self, task: Task) -> Path:
        return self._path(f"{task.tables[0]}.written")

    def _source(self, name: str) -> DataFrame:
        self._spark.conf.set(*_SOURCE_BATCH)
        table = TABLES[name]
        file = source_file(self._configuration.folder, self._configuration.scale, table.source)
        frame = self._spark.read.parquet(str(file))
        for column, metadata in table.column_metadata.items():
            frame = frame.withMetadata(column, dict(metadata))
        return frame

    def _write(self, name: str, path: Path) -> None:
        frame, rows = self._source(name), TABLES[name].rows_per_file
        options = dict(self._configuration.write_options)
        if rows is not None:
            frame, options = frame.coalesce(1), {**options, _ROWS_PER_FILE[self._family]: str(rows)}
        if self._family == "lance" and TABLES[name].zone_maps:
            options = {**options, "zonemap": ", ".join(TABLES[name].zone_maps)}
        frame.write.format(_FORMATS[self._family]).options(**options).save(str(path))


def _collect(frame: Any) -> None:  # noqa: ANN401
    """Collects rows in the JVM, without copying them to Python."""
    frame._jdf.collectAsList()


def _drain(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()
