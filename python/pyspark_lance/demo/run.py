# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Runs the demo. Each step is a function of a `Stage`."""

import shutil
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import lance
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from pyspark_lance.demo import tpch
from pyspark_lance.demo.checksum import checksum
from pyspark_lance.demo.report import QueryRun, Report, TableLoad, megabytes
from pyspark_lance.io import read, write
from pyspark_lance.session import configure

TIMED_RUNS: Final = 3
BATCH_ROWS: Final = 65_536


@dataclass(frozen=True)
class Stage:
    """The session and the two copies of the data."""

    spark: SparkSession
    source: Path
    target: Path
    report: Report

    def parquet_file(self, table: str) -> Path:
        """Returns the generated file of a table."""
        return self.source / f"{table}.parquet"

    def lance_path(self, table: str) -> Path:
        """Returns the path of the Lance table that Spark writes."""
        return self.target / f"{table}.lance"

    def parquet(self, table: str) -> DataFrame:
        """Returns the source, read by Spark."""
        return self.spark.read.parquet(str(self.parquet_file(table)))

    def lance(self, table: str, version: int | None = None) -> DataFrame:
        """Returns the Lance table, read by Spark."""
        return read(self.spark, self.lance_path(table), version)


def run(scale_factor: float, data: Path) -> bool:
    """Runs the demo and prints the summary.

    Args:
        scale_factor: Scale factor of TPC-H; 1 has six million order lines.
        data: Folder for the data. Generated files are kept, and Lance tables are created again.

    Returns:
        Whether all comparisons were equal.
    """
    folder = data.absolute() / f"tpch-sf{scale_factor:g}"
    folder.mkdir(parents=True, exist_ok=True)
    print(f"TPC-H data in {folder}", flush=True)
    source = tpch.generate(scale_factor, folder / "parquet")
    target = folder / "lance"
    shutil.rmtree(target, ignore_errors=True)
    spark = _session(target)
    try:
        stage = Stage(spark, source, target, Report(scale_factor))
        for step in (load, compare_in_spark, compare_in_pylance, query, append_and_look_back):
            step(stage)
    finally:
        spark.stop()
    print(f"\n{stage.report.render()}", flush=True)
    return stage.report.passed


def load(stage: Stage) -> None:
    """Writes the eight tables, and prints a line for each."""
    for number, table in enumerate(tpch.TABLES, start=1):
        seconds = _timed(partial(write, stage.parquet(table), stage.lance_path(table)))
        size = sum(f.stat().st_size for f in stage.lance_path(table).rglob("*") if f.is_file())
        rows = stage.lance(table).count()
        parquet_size = stage.parquet_file(table).stat().st_size
        stage.report.loads.append(TableLoad(table, rows, parquet_size, size, seconds))
        print(
            f"[{number}/{len(tpch.TABLES)}] {table:<8} {rows:>10,} rows"
            f" {megabytes(size):>12} {seconds:>7.2f} s",
            flush=True,
        )


def compare_in_spark(stage: Stage) -> None:
    """Compares every value of every row, as read by Spark."""

    def hashed(frame: DataFrame) -> Row | None:
        row_hash = F.xxhash64(*frame.columns).cast("decimal(38,0)")
        return frame.agg(F.count("*").alias("rows"), F.sum(row_hash).alias("hash")).first()

    for table in tpch.TABLES:
        expected, found = hashed(stage.parquet(table)), hashed(stage.lance(table))
        stage.report.check(f"{table}: Spark reads Lance as it reads Parquet", expected, found)


def compare_in_pylance(stage: Stage) -> None:
    """Compares the tables with the reference implementation."""
    for table in tpch.TABLES:
        dataset = lance.dataset(str(stage.lance_path(table)))
        dataset.validate()
        expected = checksum(pq.ParquetFile(stage.parquet_file(table)).iter_batches(BATCH_ROWS))
        found = checksum(dataset.to_batches(batch_size=BATCH_ROWS))
        stage.report.check(
            f"{table}: pylance reads what Spark wrote", expected, found, f"{found.rows:,} rows"
        )


def query(stage: Stage) -> None:
    """Runs three SQL queries on both sides, and compares the results. Reports the best times."""
    parquet = _results(stage, stage.parquet)
    for name, found in _results(stage, stage.lance).items():
        expected = parquet[name]
        stage.report.check(f"{name}: same result as on Parquet", expected.rows, found.rows)
        stage.report.queries.append(
            QueryRun(name, len(found.rows), expected.seconds, found.seconds)
        )


def append_and_look_back(stage: Stage) -> None:
    """Appends to a table, reads it with Spark and pylance, and reads the previous version."""
    path = stage.lance_path("orders")
    before = lance.dataset(str(path)).version
    rows = stage.lance("orders").count()
    more = stage.parquet("orders").where("o_orderdate >= date '1998-01-01'")
    appended = more.count()
    write(more, path, mode="append")

    check = stage.report.check
    check(
        "append: Spark sees it",
        rows + appended,
        stage.lance("orders").count(),
        f"{appended:,} rows",
    )
    dataset = lance.dataset(str(path))
    check("append: pylance sees it", rows + appended, dataset.count_rows())
    check("append: is one version more", before + 1, dataset.version)
    check(
        "time travel: Spark reads the version before", rows, stage.lance("orders", before).count()
    )
    earlier = dataset.checkout_version(before)
    check("time travel: pylance reads it too", rows, earlier.count_rows())


class QueryResult(NamedTuple):
    """The rows of a query and its best time."""

    rows: list[Row]
    seconds: float


def _results(stage: Stage, frame: Callable[[str], DataFrame]) -> dict[str, QueryResult]:
    """Runs the queries, with a view for each table."""
    for table in tpch.TABLES:
        frame(table).createOrReplaceTempView(table)

    def result(sql: str) -> QueryResult:
        rows = stage.spark.sql(sql).collect()  # the first run is a warm-up
        return QueryResult(
            rows, min(_timed(stage.spark.sql(sql).collect) for _ in range(TIMED_RUNS))
        )

    return {name: result(sql) for name, sql in tpch.QUERIES.items()}


def _timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _session(root: Path) -> SparkSession:
    builder = (
        SparkSession.builder.master("local[*]")
        .appName("pyspark-lance demo")
        .config("spark.driver.memory", "2g")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.sql.shuffle.partitions", "8")
    )
    with warnings.catch_warnings():
        # pylance warns about the fork that starts Spark's JVM, which does not return to Python
        warnings.filterwarnings("ignore", message="lance is not fork-safe")
        spark = configure(builder, root=root).getOrCreate()
    spark.range(1).write.format("noop").mode(
        "overwrite"
    ).save()  # a warm-up, so that no table includes the startup time
    return spark
