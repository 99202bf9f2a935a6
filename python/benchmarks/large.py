# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Build of a vector index over more vectors than fit in memory.

Ten million generated vectors are indexed with two cores and a heap of 3 GB. The vectors are written
in chunks, so that a stopped run continues where it was. Time, memory, and recall are recorded.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

import lance
import numpy as np
import pyarrow as pa
import pyspark
from pyspark.sql import SparkSession

import pyspark_lance
from benchmarks import machine
from benchmarks.systems import ROOT
from pyspark_lance import LanceTable

ROWS: Final = 10_000_000
CHUNK: Final = 250_000
DIMENSION: Final = 128
_CENTERS: Final = 4096
_BLOCK: Final = 50_000
"""Vectors that are drawn at a time."""
_HEAP: Final = "3g"
_QUERIES: Final = 100
_NEIGHBORS: Final = 10
_FINE: Final[dict[str, Any]] = {"nprobes": 50, "refine_factor": 10}
_SECONDS: Final = 5.0
"""Time between two measurements of memory."""
_LINES: Final = 6
"""Measurements for each progress line."""


class Vectors:
    """A table of vectors around some centers.

    Attributes:
        path: The table.
        rows: Number of vectors.
    """

    def __init__(self, work: Path, rows: int = ROWS, chunk: int = CHUNK) -> None:
        """Describes the table, without writing it."""
        self.rows = rows
        self.path = work / f"vectors-{rows}.lance"
        self._chunk = chunk

    def make(self) -> None:
        """Writes the chunks that the table lacks."""
        have = lance.dataset(str(self.path)).count_rows() if self.path.exists() else 0
        while have < self.rows:
            count = min(self._chunk, self.rows - have)
            values = self.vectors(have, count)
            table = pa.table(
                {
                    "id": np.arange(have, have + count),
                    "vector": pa.FixedSizeListArray.from_arrays(values.reshape(-1), DIMENSION),
                }
            )
            lance.write_dataset(table, str(self.path), mode="append")
            have += count
            print(f"[large] {have:,} of {self.rows:,} vectors", flush=True)

    @staticmethod
    def vectors(first: int, count: int) -> Any:  # noqa: ANN401 - an array
        """Returns the vectors of rows, which are the same in chunks of any size."""
        centers = np.random.default_rng(7).normal(size=(_CENTERS, DIMENSION)).astype("float32")
        blocks = range(first // _BLOCK, (first + count - 1) // _BLOCK + 1)
        values = np.empty((len(blocks) * _BLOCK, DIMENSION), "float32")
        for block, into in zip(blocks, values.reshape(-1, _BLOCK, DIMENSION), strict=True):
            random = np.random.default_rng([8, block])
            noise = random.standard_normal((_BLOCK, DIMENSION), dtype="float32")
            into[:] = centers[random.integers(0, _CENTERS, _BLOCK)] + noise * np.float32(0.6)
        start = first - blocks.start * _BLOCK
        return values[start : start + count]


@dataclass(frozen=True)
class Built:
    """A measured build.

    Attributes:
        seconds: Of the build.
        heap: Bytes of live objects after collections, in the order of time.
        recall: Share of the true neighbors that searches find.
    """

    seconds: float
    heap: Sequence[int]
    recall: float

    @property
    def growth(self) -> float:
        """The memory of the second half of the build, that of the first half being 1."""
        half = len(self.heap) // 2
        first, second = self.heap[:half] or self.heap, self.heap[half:]
        return median(second) / max(1.0, median(first))


class _Watch:
    """Measures memory and prints progress while an index is built."""

    def __init__(self, spark: SparkSession) -> None:
        self._context: Any = spark.sparkContext
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._started = time.monotonic()
        self.heap: list[int] = []

    def during(self, work: Callable[[], None]) -> float:
        """Runs the work. Returns its seconds."""
        self._thread.start()
        try:
            work()
        finally:
            self._stopped.set()
            self._thread.join()
        return time.monotonic() - self._started

    def _run(self) -> None:
        factory = self._context._jvm.java.lang.management.ManagementFactory
        pools = [pool for pool in factory.getMemoryPoolMXBeans() if "Old Gen" in pool.getName()]
        while True:
            self.heap.append(sum(pool.getCollectionUsage().getUsed() for pool in pools))
            if len(self.heap) % _LINES == 0:
                self._print()
            if self._stopped.wait(_SECONDS):
                return

    def _print(self) -> None:
        tracker = self._context.statusTracker()
        stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        tasks = ", ".join(f"{s.numCompletedTasks}/{s.numTasks} tasks" for s in stages if s)
        seconds = time.monotonic() - self._started
        heap = self.heap[-1] >> 20
        print(f"[large] {seconds:,.0f} s, {tasks or 'driver'}, {heap:,} MiB", flush=True)


def build(spark: SparkSession, vectors: Vectors, partitions: int | None = None) -> Built:
    """Builds an index of the kind IVF_SQ, and searches it."""
    table = LanceTable.forPath(spark, str(vectors.path))
    options: dict[str, Any] = {} if partitions is None else {"num_partitions": partitions}
    watch = _Watch(spark)
    seconds = watch.during(
        lambda: table.create_index("vector", "IVF_SQ", name="large", replace=True, **options)
    )
    table = LanceTable.forPath(spark, str(vectors.path))
    queries = Vectors.vectors(vectors.rows, _QUERIES)
    true = _found(table.nearest("vector", queries, _NEIGHBORS, use_index=False, columns=["id"]))
    near = _found(table.nearest("vector", queries, _NEIGHBORS, columns=["id"], **_FINE))
    common = sum(len(true[query] & near[query]) for query in true)
    return Built(seconds, watch.heap, common / (_QUERIES * _NEIGHBORS))


def _found(rows: Any) -> Mapping[int, set[int]]:  # noqa: ANN401 - a DataFrame
    found: dict[int, set[int]] = {query: set() for query in range(_QUERIES)}
    for row in rows.collect():
        found[row["query_index"]].add(row["id"])
    return found


def run(work: Path, out: Path, rows: int = ROWS) -> None:
    """Writes the vectors, builds the index, and writes the results."""
    work.mkdir(parents=True, exist_ok=True)
    vectors = Vectors(work, rows)
    vectors.make()
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", _HEAP)
        .config("spark.driver.host", "localhost")
        .config("spark.log.level", "ERROR")
        .config("spark.local.dir", str(work / "local"))
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    spark = pyspark_lance.configure(builder, root=work / "lance").getOrCreate()
    try:
        built = build(spark, vectors)
    finally:
        spark.stop()
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(render(built, vectors))


def render(built: Built, vectors: Vectors) -> str:
    """Returns the results as text."""
    facts = {
        "commit": machine.commit(ROOT),
        "Spark": pyspark.__version__,
        **machine.facts(),
        "vectors": f"{vectors.rows:,} of {DIMENSION} floats",
        "session": f"local[2], heap {_HEAP}",
    }
    parts = [
        "Build of an IVF_SQ index with default parameters over generated vectors",
        *(f"  {name:12} {value}" for name, value in facts.items()),
        "",
        "  heap    live objects of the old generation after collections",
        "  growth  median heap of the second half of the build, the first half being 1",
        f"  recall  of {_NEIGHBORS} neighbors with nprobes 50 and refine_factor 10",
        "",
        f"{'seconds':>9}{'heap median':>13}{'heap most':>11}{'growth':>8}{'recall':>8}",
        "-" * 49,
        f"{built.seconds:>9,.0f}{int(median(built.heap)) >> 20:>9,} MiB"
        f"{max(built.heap) >> 20:>7,} MiB{built.growth:>8.2f}{built.recall:>8.3f}",
    ]
    return "\n".join(line.rstrip() for line in parts) + "\n"
