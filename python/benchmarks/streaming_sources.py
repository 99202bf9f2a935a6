# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Time of streams that read the tables of sinks."""

import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Any, Final

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from benchmarks.streaming_results import Reading

_FIRST: Final[Mapping[str, str]] = {"lance": "earliest", "delta": "0"}
"""`startingVersion` of a stream of all commits, by format."""
_OPTIONS: Final[Mapping[str, Mapping[str, str]]] = {"delta": {"maxFilesPerTrigger": "1000000"}}
"""Options for one micro-batch. Lance and Parquet have no limits by default, and Delta has one of
1,000 files."""


class Sources:
    """Reads of one table.

    Attributes:
        spark: A session.
        kind: The format of the table.
        table: The folder of the table.
        rows: Its number of rows.
    """

    def __init__(self, spark: SparkSession, kind: str, table: Path, rows: int) -> None:
        """Describes the table."""
        self.spark = spark
        self.kind = kind
        self.table = table
        self.rows = rows

    def measure(self, rounds: int) -> Reading:
        """Returns the medians of `rounds` rounds, after one that does not count.

        Raises:
            AssertionError: A stream had another number of rows.
        """
        times: dict[str, list[float]] = {}
        reads: dict[str, Callable[[], None]] = {"batch": self._batch, "snapshot": self._stream}
        if self.kind in _FIRST:
            reads["versions"] = lambda: self._stream(startingVersion=_FIRST[self.kind])
        for _ in range(1 + rounds):
            for name, read in reads.items():
                start = time.perf_counter()
                read()
                times.setdefault(name, []).append(time.perf_counter() - start)
        medians = {name: median(its[1:] or its) for name, its in times.items()}
        return Reading(medians["batch"], medians["snapshot"], medians.get("versions"))

    def _batch(self) -> None:
        rows = self.spark.read.format(self.kind).load(str(self.table))
        rows.write.format("noop").mode("overwrite").save()

    def _stream(self, **options: str) -> None:
        checkpoint = self.table.with_name(f"{self.table.name}-read")
        shutil.rmtree(checkpoint, ignore_errors=True)
        reader = self.spark.readStream.format(self.kind).options(
            **_OPTIONS.get(self.kind, {}), **options
        )
        if self.kind == "parquet":
            reader = reader.schema(self.spark.read.parquet(str(self.table)).schema)
        writer = reader.load(str(self.table)).writeStream.format("noop")
        writer = writer.option("checkpointLocation", str(checkpoint))
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        rows = _rows(query)
        if rows != self.rows:
            raise AssertionError(f"{self.kind} {options}: {rows} rows instead of {self.rows}")


def _rows(query: StreamingQuery) -> int:
    progress: list[Any] = query.recentProgress
    return sum(int(p["numInputRows"]) for p in progress)
