# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Delta Lake, whose jars come from Maven."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks import maven

VERSION: Final = "4.4.0"
TUNING: Final[Mapping[str, str]] = {
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.sql.shuffle.partitions": "2",
}
"""Configuration for small tables. The defaults are 50 and 200 partitions."""
CONFIGURATION: Final[Mapping[str, str]] = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    **TUNING,
}
"""The configuration of a session. Everything else is Delta's default, such as checkpoints of the
log, and statistics of files."""


def jars(data: Path, line: str) -> Sequence[Path]:
    """Returns the jars for a Spark version. Downloads them once.

    Args:
        data: The folder of all data.
        line: Minor version of Spark, such as 4.1.

    Raises:
        CalledProcessError: Maven failed, for instance because this Delta does not support `line`.
    """
    folder = data / f"delta-{VERSION}-{line}"
    ready = folder / "ready"
    if not ready.exists():
        print(f"[bench] downloading Delta Lake {VERSION}", flush=True)
        # Spark has the other dependencies, except for clients of catalogs, which are not used.
        maven.copy(f"io.delta:delta-spark_{line}_2.13:{VERSION}", folder, only=["io.delta"])
        ready.touch()
    return sorted((folder / "jars").glob("*.jar"))
