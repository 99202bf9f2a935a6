# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Compares file sizes of this connector, pylance, and Spark's Parquet, with default options.

All of them write the rows of the same source file. pylance then reads the files of both Lance
writers, and compares the contents with the source.
"""

import platform
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import lance
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
from pyspark.sql import DataFrame, SparkSession

import pyspark_lance
from benchmarks.datasets import DIMENSION, Dataset
from pyspark_lance.demo.checksum import checksum

SYSTEMS: Final = ("lance", "pylance", "parquet zstd", "parquet snappy")
"""The writers. The first is this connector."""


class Sizes(NamedTuple):
    """Size of a data set in bytes by writer."""

    dataset: str
    rows: int
    bytes: dict[str, int]


def run(datasets: Sequence[Dataset], work: Path, out: Path, scale: float) -> list[Sizes]:
    """Writes every data set with every system, and writes the table of sizes to a file.

    Raises:
        AssertionError: The written data differs from the source.
    """
    spark = pyspark_lance.configure(
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "4g")
        .config("spark.sql.session.timeZone", "UTC"),
        root=work / "warehouse",
    ).getOrCreate()
    results = []
    for dataset in datasets:
        print(f"[sizes] {dataset.name}", flush=True)
        results.append(_measure(spark, dataset, work))
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(render(results, scale))
    print(out.read_text())
    return results


def _measure(spark: SparkSession, dataset: Dataset, work: Path) -> Sizes:
    frame = _frame(spark, dataset)
    expected = checksum(_batches(dataset))
    sizes = {}
    for system in SYSTEMS:
        place = work / f"{dataset.name}.{system.replace(' ', '-')}"
        shutil.rmtree(place, ignore_errors=True)
        if system == "pylance":
            lance.write_dataset(_batches(dataset), place, schema=_schema(dataset))
        elif system == "lance":
            frame.write.format("lance").save(str(place))
        else:
            codec = system.split()[1]
            frame.write.option("compression", codec).parquet(str(place))
        sizes[system] = sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
        if "lance" in system:
            found = checksum(lance.dataset(str(place)).to_batches())
            if found != expected:
                raise AssertionError(f"{dataset.name} by {system}: {found}, expected {expected}")
        shutil.rmtree(place)
    return Sizes(dataset.name, pq.ParquetFile(dataset.file).metadata.num_rows, sizes)


def _frame(spark: SparkSession, dataset: Dataset) -> DataFrame:
    frame = spark.read.parquet(str(dataset.file))
    for column in dataset.vector_columns:
        frame = frame.withMetadata(column, {"arrow.fixed-size-list.size": DIMENSION})
    return frame


def _schema(dataset: Dataset) -> pa.Schema:
    return pq.read_schema(dataset.file)


def _batches(dataset: Dataset) -> pa.RecordBatchReader:
    return pa.RecordBatchReader.from_batches(
        _schema(dataset), pq.ParquetFile(dataset.file).iter_batches(65_536)
    )


def render(results: Sequence[Sizes], scale: float) -> str:
    """Returns the table: megabytes, and ratios of this connector to the other writers."""
    lines = [
        "Sizes on disk, all writers with their defaults",
        f"  spark        {pyspark.__version__}",
        f"  pylance      {lance.__version__}",
        f"  python       {platform.python_version()}",
        f"  scale        {scale:g}",
        "",
        f"{'data':18}{'rows':>10}"
        + "".join(f"{system + ' MB':>18}" for system in SYSTEMS)
        + "".join(f"{'/ ' + system:>17}" for system in SYSTEMS[1:]),
    ]
    lines.append("-" * len(lines[-1]))
    for result in results:
        ours = result.bytes[SYSTEMS[0]]
        lines.append(
            f"{result.dataset:18}{result.rows:>10}"
            + "".join(f"{result.bytes[system] / 1e6:>18.3f}" for system in SYSTEMS)
            + "".join(f"{ours / result.bytes[system]:>17.2f}" for system in SYSTEMS[1:])
        )
    return "\n".join(lines) + "\n"
