# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Tables by path: a call each for Spark's reader and writer."""

import os
from typing import Literal, TypeAlias

from pyspark.sql import DataFrame, SparkSession

from pyspark_lance.exceptions import connector_expected

OptionValue: TypeAlias = str | int | float | bool | None
SaveMode: TypeAlias = Literal["error", "append", "overwrite", "ignore"]
FORMAT = "lance"


def write(
    df: DataFrame,
    path: str | os.PathLike[str],
    mode: SaveMode = "error",
    **options: OptionValue,
) -> None:
    """Writes a DataFrame to the table at a path.

    The same as `df.write.format("lance").mode(mode).options(**options).save(path)`.

    Args:
        df: The rows.
        path: A local path or any URI that Spark can write to.
        mode: What to do when there is a table: `error` refuses, `append` adds a version with more
            rows, `overwrite` adds a version with these rows alone, `ignore` does nothing.
        **options: See `docs/options.md`; names may be written in snake_case.

    Raises:
        ConnectorNotLoadedError: The session was not made with `configure`.
        PySparkException: What Spark raised, with the connector's message: a table that exists, a
            schema that does not fit, a commit that lost its race.

    Example:
        >>> from pyspark_lance import write
        >>> write(spark.range(3), path, mode="overwrite", file_version="2.1")
    """
    with connector_expected():
        df.write.format(FORMAT).mode(mode).options(**options).save(os.fspath(path))


def read(
    spark: SparkSession,
    path: str | os.PathLike[str],
    version: int | None = None,
    **options: OptionValue,
) -> DataFrame:
    """The table at a path as a DataFrame.

    The same as `spark.read.format("lance").options(**options).load(path)`.

    Args:
        spark: A session made with `configure`.
        path: A local path or any URI that Spark can read from.
        version: The version to read; the newest when left out.
        **options: See `docs/options.md`; names may be written in snake_case.

    Raises:
        ConnectorNotLoadedError: The session was not made with `configure`.
        PySparkException: What Spark raised, with the connector's message: no table at the path, no
            such version, a feature the connector does not know.

    Example:
        >>> from pyspark_lance import read, write
        >>> write(spark.range(3), path, mode="overwrite")
        >>> read(spark, path).count()
        3
    """
    if version is not None:
        options["version"] = version
    with connector_expected():
        return spark.read.format(FORMAT).options(**options).load(os.fspath(path))
