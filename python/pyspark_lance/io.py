# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Tables by path or name: a call each for Spark's reader and writer."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, get_args

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pyspark_lance.arrow import Rows, with_count
from pyspark_lance.exceptions import InvalidRequestError, errors_translated
from pyspark_lance.sql import PathOrName, TableReference

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

    With rows of Spark and a path the same as
    `df.write.format("lance").mode(mode).options(**options).save(path)`.

    Args:
        data: The rows: a DataFrame of Spark; or one of pandas, without its index, a table, batch or
            reader of Arrow, or a dict of NumPy arrays, which become a DataFrame first. Columns of
            vectors, that is fixed-size lists, arrays of two dimensions or cells with NumPy arrays
            of one length, become fixed-size lists of the same type.
        target: A local path or any URI that Spark can write to, or the name of a table. Text with a
            slash, a backslash or a colon, or with `.lance` at its end, is a path.
        mode: What to do when there is a table: `create` (also `error`, as Spark calls it) refuses,
            `append` adds a version with more rows, `overwrite` adds a version with these rows
            alone, `ignore` does nothing. All make the table when there is none.
        spark: The session for rows that are not Spark's; the active one when left out.
        storage_options: Settings of the Hadoop file system, such as `fs.s3a.endpoint`.
        **options: See `docs/options.md`; names may be written in snake_case.

    Raises:
        ConnectorNotLoadedError: The session was not made with `configure`.
        InvalidRequestError: A schema that does not fit, an unknown option or mode.
        CommitConflictError: Another writer came first, and the two do not go together.
        AnalysisException: Spark's own, for instance that the table is there already.
        TypeError: `data` is nothing that has rows, or `target` neither path nor name.

    Examples:
        >>> import pyspark_lance
        >>> pyspark_lance.write(spark.range(3), path, mode="overwrite", file_version="2.1")
        >>> pyspark_lance.write({"id": [3, 4]}, path, mode="append", spark=spark)
        >>> pyspark_lance.read(spark, path).count()
        5
    """
    table = TableReference.of(target)
    _check_mode(mode)
    given = _given({**(storage_options or {}), **options})
    with errors_translated():
        rows, count = with_count(spark, data)
        if count is not None:
            given = {"expectedRows": count, **given}
        save_mode = "error" if mode in ("create", "default") else mode
        writer = rows.write.format(FORMAT).mode(save_mode).options(**given)
        if table.path is not None:
            writer.save(table.path)
        elif mode == "overwrite" and rows.sparkSession.catalog.tableExists(table.sql):
            _replace_rows(rows, table.sql, given)
        else:
            writer.mode("error" if mode == "overwrite" else save_mode).saveAsTable(table.sql)


def _replace_rows(rows: DataFrame, name: str, options: Mapping[str, OptionValue]) -> None:
    """As `overwrite` at a path does: the columns stay unless they are to be replaced as well."""
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
    """A table as a DataFrame.

    By path the same as `spark.read.format("lance").options(**options).load(path)`.

    Args:
        spark: A session made with `configure`.
        source: A local path or any URI that Spark can read from, or the name of a table. Text with
            a slash, a backslash or a colon, or with `.lance` at its end, is a path.
        version: The version to read; the newest when left out. The first is 1.
        tag: A tag whose version is read.
        branch: A branch; its newest version unless `version` is given as well.
        storage_options: Settings of the Hadoop file system, such as `fs.s3a.endpoint`.
        **options: See `docs/options.md`; names may be written in snake_case.

    Raises:
        ConnectorNotLoadedError: The session was not made with `configure`.
        NotFoundError: There is no table, or no such version, tag or branch.
        UnsupportedFeatureError: The table needs what the connector does not know.
        TypeError: `spark` is no session, or `source` neither path nor name.

    Examples:
        >>> import pyspark_lance
        >>> pyspark_lance.write(spark.range(3), path, mode="overwrite")
        >>> pyspark_lance.read(spark, path).count()
        3
    """
    check_session(spark, "read(spark, source)")
    table = TableReference.of(source)
    given = _given({**(storage_options or {}), **options})
    with errors_translated():
        if table.path is not None:
            pins = _given({"version": version, "tag": tag, "branch": branch})
            rows = spark.read.format(FORMAT).options(**given, **pins).load(table.path)
        else:
            rows = _named(spark, table, version, tag, branch, given)
        _ = rows.schema  # Spark Connect looks for the table only now
        return rows


def _named(
    spark: SparkSession,
    table: TableReference,
    version: int | None,
    tag: str | None,
    branch: str | None,
    options: dict[str, OptionValue],
) -> DataFrame:
    """A pin is part of the name: an option of the read cannot give a table other columns."""
    for part in (f"branch_{branch}" if branch else None, f"tag_{tag}" if tag else None):
        table = table.part(part) if part else table
    if version is None:
        return spark.read.options(**options).table(table.sql)
    if options:
        return spark.read.options(**options, version=version).table(table.sql)
    return spark.sql(f"SELECT * FROM {table.sql} VERSION AS OF {int(version)}")


def check_session(spark: object, call: str) -> None:
    """Refuses what is no session.

    Args:
        spark: The argument.
        call: The call as it should be written.

    Raises:
        TypeError: It is none.
    """
    if not hasattr(spark, "createDataFrame"):  # the class of Spark Connect is another one
        raise TypeError(f"{call}: spark is a SparkSession, not {type(spark).__name__}")
