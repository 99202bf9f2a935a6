# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Creates Lance tables from other formats."""

import os
from collections.abc import Mapping

from pyspark.sql import SparkSession

from pyspark_lance.exceptions import InvalidRequestError
from pyspark_lance.fields import FIXED_SIZE_LIST_SIZE
from pyspark_lance.io import OptionValue, SaveMode, check_session, write
from pyspark_lance.sql import PathOrName


def from_parquet(
    spark: SparkSession,
    source: str | os.PathLike[str],
    target: PathOrName,
    mode: SaveMode = "create",
    *,
    vectors: Mapping[str, int] | None = None,
    storage_options: Mapping[str, str] | None = None,
    **options: OptionValue,
) -> None:
    """Writes the rows of Parquet files to a Lance table.

    Does not change the files. Partition folders (`country=de`) become columns.

    Args:
        spark: A session created with `configure`.
        source: A file, folder, or pattern, as a local path or URI.
        target: The path or name of the Lance table.
        mode: As for `pyspark_lance.write`.
        vectors: Array columns to convert to vectors, with their sizes:
            `{"embedding": 128}`. Parquet has no such type.
        storage_options: Configuration of the Hadoop file system of the target.
        **options: Options of the write, see `docs/options.md`; names can be written in snake_case.

    Raises:
        InvalidRequestError: `vectors` names a column that does not exist.
        AnalysisException: An error of Spark, for instance because there are no files, or
            because the table exists.
        LanceError: As for `pyspark_lance.write`.

    Examples:
        >>> import pyspark_lance
        >>> spark.range(3).write.mode("overwrite").parquet(path + ".parquet")
        >>> pyspark_lance.convert.from_parquet(spark, path + ".parquet", path, mode="overwrite")
        >>> pyspark_lance.read(spark, path).count()
        3
    """
    check_session(spark, "from_parquet(spark, source, target)")
    rows = spark.read.parquet(os.fspath(source))
    for name, size in (vectors or {}).items():
        if name not in rows.columns:
            known = ", ".join(rows.columns)
            raise InvalidRequestError(f'vectors: no column "{name}" in {source}, only {known}')
        metadata = {**rows.schema[name].metadata, FIXED_SIZE_LIST_SIZE: size}
        rows = rows.withMetadata(name, metadata)
    write(rows, target, mode, spark=spark, storage_options=storage_options, **options)
