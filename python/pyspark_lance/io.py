# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Reads and writes tables by path or name."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, get_args

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pyspark_lance.arrow import Rows, with_count
from pyspark_lance.exceptions import InvalidRequestError, errors_translated
from pyspark_lance.refs import check_version
from pyspark_lance.sql import PathOrName, TableReference, qualified

OptionValue: TypeAlias = str | int | float | bool | None
SaveMode: TypeAlias = Literal[
    "create", "append", "overwrite", "ignore", "error", "errorifexists", "default"
]
FORMAT: Final = "lance"


def write(
    data: Rows,
    target: PathOrName,
    mode: SaveMode = "create",
    *,
    spark: SparkSession | None = None,
    storage_options: Mapping[str, str] | None = None,
    **options: OptionValue,
) -> None:
    """Writes rows to a table.

    For a Spark DataFrame and a path, this is the same as
    `df.write.format("lance").mode(mode).options(**options).save(path)`.

    Args:
        data: A Spark DataFrame, a pandas DataFrame (its index is ignored), an Arrow table, batch,
            or reader, or a dict of NumPy arrays. Vectors become fixed-size lists of the same type:
            fixed-size lists, two-dimensional arrays, and cells with NumPy arrays of one length.
        target: A local path or any URI that Spark can write to, or the name of a table. A
            string with a slash, backslash, or colon, or with the suffix `.lance`, is a path. A
            name means a table, even if there is a temporary view with this name.
        mode: What to do if the table exists: `create` (Spark's `error`) fails, `append` adds the
            rows, `overwrite` replaces all rows in a new version, and `ignore` does nothing. All
            modes create a missing table.
        spark: The session for rows that are not a Spark DataFrame; the active one if omitted.
        storage_options: Configuration of the Hadoop file system, such as `fs.s3a.endpoint`. Only
            for a path.
        **options: See `docs/options.md`; names can be written in snake_case.

    Raises:
        ConnectorNotLoadedError: The session was not created with `configure`.
        InvalidRequestError: The schema does not match, an option or mode is unknown, or
            `storage_options` is given for a table by name.
        CommitConflictError: Another writer committed a conflicting change.
        AnalysisException: An error of Spark, for instance because the table exists.
        TypeError: `data` has an unsupported type, or `target` is neither a path nor a name.

    Examples:
        >>> import pyspark_lance
        >>> pyspark_lance.write(spark.range(3), path, mode="overwrite", file_version="2.1")
        >>> pyspark_lance.write({"id": [3, 4]}, path, mode="append", spark=spark)
        >>> pyspark_lance.read(spark, path).count()
        5
    """
    if spark is not None:
        check_session(spark, "write(data, target, spark=spark)")
    table = TableReference.of(target)
    _check_storage(table, storage_options)
    write_rows(data, table, mode, spark, {**(storage_options or {}), **options})


def write_rows(
    data: Rows,
    table: TableReference,
    mode: SaveMode,
    spark: SparkSession | None,
    options: Mapping[str, OptionValue],
) -> None:
    """Writes rows to a table, see `write`."""
    _check_mode(mode)
    given = _given(options)
    with errors_translated():
        rows, count = with_count(spark, data)
        if count is not None:
            given = {"expectedRows": count, **given}
        save_mode = "error" if mode in ("create", "default") else mode
        writer = rows.write.format(FORMAT).mode(save_mode).options(**given)
        if table.path is not None:
            writer.save(table.path)
            return
        name = qualified(rows.sparkSession, table).sql
        if mode == "overwrite" and rows.sparkSession.catalog.tableExists(name):
            _replace_rows(rows, name, given)
        else:
            writer.mode("error" if mode == "overwrite" else save_mode).saveAsTable(name)


def _replace_rows(rows: DataFrame, name: str, options: Mapping[str, OptionValue]) -> None:
    """Replaces all rows of a table by name. Keeps the columns unless `overwriteSchema` is set."""
    writer = rows.writeTo(name).using(FORMAT).options(**options)
    plain = {key.lower().replace("_", "").replace("-", ""): v for key, v in options.items()}
    if str(plain.get("overwriteschema")).lower() == "true":
        writer.replace()
    else:
        writer.overwrite(F.lit(True))


def _check_mode(mode: object) -> None:
    if mode not in get_args(SaveMode):
        raise InvalidRequestError(
            f'mode is {mode!r}, expected one of "create", "append", "overwrite", "ignore"'
        )


def _check_storage(table: TableReference, storage_options: Mapping[str, str] | None) -> None:
    """Rejects storage options of a table by name, whose catalog has the configuration."""
    if storage_options and table.path is None:
        raise InvalidRequestError(
            f"{table.sql}: storage_options apply to paths; set the options of the storage on the "
            "catalog of the table, or on the Spark session"
        )


def _given(options: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    return {name: value for name, value in options.items() if value is not None}


def read(
    spark: SparkSession,
    source: PathOrName,
    version: int | None = None,
    *,
    tag: str | None = None,
    branch: str | None = None,
    storage_options: Mapping[str, str] | None = None,
    **options: OptionValue,
) -> DataFrame:
    """Returns a table as a DataFrame.

    For a path, this is the same as `spark.read.format("lance").options(**options).load(path)`.

    Args:
        spark: A session created with `configure`.
        source: A local path or any URI that Spark can read from, or the name of a table. A
            string with a slash, backslash, or colon, or with the suffix `.lance`, is a path. As in
            `spark.table`, a temporary view comes before a table with the same name.
        version: The version to read; the latest if omitted. The first is 1.
        tag: A tag.
        branch: A branch; reads its latest version unless `version` is given.
        storage_options: Configuration of the Hadoop file system, such as `fs.s3a.endpoint`. Only
            for a path.
        **options: See `docs/options.md`; names can be written in snake_case.

    Raises:
        ConnectorNotLoadedError: The session was not created with `configure`.
        NotFoundError: The table, version, tag, or branch does not exist.
        InvalidRequestError: `version` is less than 1, or `storage_options` is given for a table by
            name.
        UnsupportedFeatureError: The table uses a feature that is not supported.
        TypeError: `spark` is not a session, or `source` is neither a path nor a name.

    Examples:
        >>> import pyspark_lance
        >>> pyspark_lance.write(spark.range(3), path, mode="overwrite")
        >>> pyspark_lance.read(spark, path).count()
        3
    """
    check_session(spark, "read(spark, source)")
    table = TableReference.of(source)
    _check_storage(table, storage_options)
    if version is not None:
        version = check_version(version)
    given = _given({**(storage_options or {}), **options})
    with errors_translated():
        if table.path is not None:
            pins = _given({"version": version, "tag": tag, "branch": branch})
            rows = spark.read.format(FORMAT).options(**given, **pins).load(table.path)
        else:
            rows = _named(spark, table, version, tag, branch, given)
        _ = rows.schema  # Spark Connect loads the table only now
        return rows


def _named(
    spark: SparkSession,
    table: TableReference,
    version: int | None,
    tag: str | None,
    branch: str | None,
    options: dict[str, OptionValue],
) -> DataFrame:
    """Returns a name with the version, because read options cannot change the columns."""
    for part in (f"branch_{branch}" if branch else None, f"tag_{tag}" if tag else None):
        table = table.part(part) if part else table
    if version is None:
        return spark.read.options(**options).table(table.sql)
    if options:
        return spark.read.options(**options, version=version).table(table.sql)
    return spark.sql(f"SELECT * FROM {table.sql} VERSION AS OF {int(version)}")


def check_session(spark: object, call: str) -> None:
    """Checks that an argument is a session.

    Args:
        spark: The argument.
        call: The correct form of the call, for the message.

    Raises:
        TypeError: The argument is not a session.
        InvalidRequestError: The session was stopped.
    """
    if not hasattr(spark, "createDataFrame"):  # Spark Connect has a different class
        raise TypeError(f"{call}: spark is a SparkSession, not {type(spark).__name__}")
    if _is_stopped(spark):
        raise InvalidRequestError(
            f"{call}: the Spark session was stopped. Create another one with\n"
            "    spark = pyspark_lance.configure(SparkSession.builder).getOrCreate()"
        )


def _is_stopped(spark: object) -> bool:
    context = getattr(spark, "_sc", None)
    if context is None:  # Spark Connect
        return bool(getattr(spark, "is_stopped", False))
    return getattr(context, "_jsc", None) is None
