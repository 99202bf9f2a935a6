# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""DELETE, UPDATE, and MERGE with conditions and values as SQL or columns, and their row counts.

All three use `DataFrame.mergeInto`, which accepts columns, on Spark Connect as well. The name of
the target passes other arguments: see `TargetHints` of the connector.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias
from uuid import uuid4

from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from pyspark_lance.exceptions import errors_translated
from pyspark_lance.handle import TableHandle
from pyspark_lance.merge_writer import merge_writer
from pyspark_lance.sql import TableReference, dotted, rows

if TYPE_CHECKING:
    from pyspark.sql.merge import MergeIntoWriter

Expression: TypeAlias = str | Column
Assignments: TypeAlias = Mapping[str, Expression]
Clauses: TypeAlias = "Callable[[MergeIntoWriter], object]"

COUNTS = "num_affected_rows BIGINT, num_updated_rows BIGINT, num_deleted_rows BIGINT, \
num_inserted_rows BIGINT"
_COMMAND = "lance.spark.command"
_RECENT = 100


def column(value: Expression) -> Column:
    """Returns an expression as a column. Text is SQL.

    Without the parentheses, Spark would take the last word of `k = 1 AND` for a name of `k = 1`,
    and ignore it. They end on a new line, because the text may end with a comment.

    Raises:
        TypeError: The expression is neither text nor a column.
    """
    if isinstance(value, str):
        return F.expr(f"({value}\n)")
    if isinstance(value, Column):
        return value
    raise TypeError(
        f"an expression is SQL (str) or a Column, not {type(value).__name__}: "
        f"for a value, use pyspark.sql.functions.lit({value!r})"
    )


def assignments(values: Assignments) -> dict[str, Column]:
    """Returns assigned values by column.

    Raises:
        TypeError: The argument is not a mapping.
        ValueError: The mapping is empty.
    """
    if not isinstance(values, Mapping):
        raise TypeError(
            f"new values are a dict of columns and expressions, not {type(values).__name__}: "
            "{'price': 'price * 2'}"
        )
    if not values:
        raise ValueError("no columns are given; pass for instance {'price': 'price * 2'}")
    return {dotted(name): column(value) for name, value in values.items()}


def delete(table: TableHandle, condition: Expression | None, retries: int | None = None) -> Row:
    """Deletes the rows that match a condition, or all rows.

    Returns:
        The row counts, see `COUNTS`.
    """
    spark, target = table.spark, table.target
    before = _latest(spark, target)
    chosen = None if condition is None else column(condition)
    counts = _run(
        spark.range(0),
        target,
        F.lit(False),
        lambda writer: writer.whenNotMatchedBySource(chosen).delete(),
        {"command": "delete", **_alias(table.alias), **retrying(retries)},
    )
    return counts or _of_metadata(spark, target, before)


def update(
    table: TableHandle,
    values: Assignments,
    condition: Expression | None,
    retries: int | None = None,
) -> Row:
    """Updates the rows that match a condition, or all rows."""
    chosen = None if condition is None else column(condition)
    new = assignments(values)
    counts = _run(
        table.spark.range(0),
        table.target,
        F.lit(False),
        lambda writer: writer.whenNotMatchedBySource(chosen).update(new),
        {"command": "update", **_alias(table.alias), **retrying(retries)},
    )
    return counts or _row(0, 0, 0)


def merge(
    source: DataFrame,
    target: TableReference,
    alias: str | None,
    condition: Expression,
    clauses: Clauses,
    options: Mapping[str, str],
) -> Row:
    """Merges the rows of a DataFrame into a table.

    Args:
        source: The rows, with the alias that conditions use.
        target: The table.
        alias: Alias of the table in conditions.
        condition: Condition for a source row to match a table row.
        clauses: Function that adds the clauses to the writer.
        options: Write options.
    """
    counts = _run(source, target, column(condition), clauses, {**_alias(alias), **options})
    return counts or _row(0, 0, 0)


def frame(spark: SparkSession, counts: Row) -> DataFrame:
    """Returns the row counts as a DataFrame of one row."""
    return spark.createDataFrame([tuple(counts)], COUNTS)


def retrying(times: int | None) -> dict[str, str]:
    """Returns the option for the maximum number of retries of a commit."""
    return {} if times is None else {"commitRetries": str(times)}


def _alias(name: str | None) -> dict[str, str]:
    return {} if name is None else {"as": name}


def _run(
    source: DataFrame,
    target: TableReference,
    condition: Column,
    clauses: Clauses,
    hints: Mapping[str, str],
) -> Row | None:
    """Runs a command. Returns the row counts from the commit properties, if it committed."""
    command = uuid4().hex
    name = target.hinted({**hints, f"transactionProperty.{_COMMAND}": command})
    with errors_translated():
        writer = merge_writer(source, name, condition)
        clauses(writer)
        writer.merge()
    recent = f"SELECT * FROM {target.part('history').sql} LIMIT {_RECENT}"
    found = rows(
        source.sparkSession,
        f"SELECT properties, rows_added, rows_deleted FROM ({recent}) "
        f"WHERE properties['{_COMMAND}'] = '{command}'",
    )
    if not found:
        return None
    notes = found[0]["properties"]
    # Appends, such as a MERGE that only inserts, and DELETEs by metadata store no counts.
    of_version = {
        "lance.spark.insertedRows": found[0]["rows_added"],
        "lance.spark.deletedRows": found[0]["rows_deleted"],
    }
    deleted, updated, inserted = (
        int((of_version | notes).get(f"lance.spark.{what}Rows") or 0)
        for what in ("deleted", "updated", "inserted")
    )
    return _row(deleted, updated, inserted)


def _row(deleted: int, updated: int, inserted: int) -> Row:
    return Row(
        num_affected_rows=deleted + updated + inserted,
        num_updated_rows=updated,
        num_deleted_rows=deleted,
        num_inserted_rows=inserted,
    )


def _latest(spark: SparkSession, target: TableReference) -> int:
    return int(rows(spark, f"DESCRIBE DETAIL {target.sql}")[0]["version"])


def _of_metadata(spark: SparkSession, target: TableReference, before: int) -> Row:
    """Returns the row counts of a DELETE by metadata, which stores none."""
    history = target.part("history").sql
    found = rows(
        spark,
        f"SELECT rows_deleted FROM (SELECT * FROM {history} LIMIT {_RECENT}) "
        f"WHERE version > {before} AND upper(operation) = 'DELETE' ORDER BY version LIMIT 1",
    )
    return _row(int(found[0]["rows_deleted"]) if found else 0, 0, 0)
