# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""MERGE builders with the API of Delta Lake and of pylance."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from pyspark_lance import changes
from pyspark_lance.arrow import from_data
from pyspark_lance.changes import Assignments, Expression, assignments, column
from pyspark_lance.handle import TableHandle
from pyspark_lance.progress import shown
from pyspark_lance.sql import identifier, rows

if TYPE_CHECKING:
    from pyspark.sql.merge import MergeIntoWriter

_Clause = Callable[["MergeIntoWriter"], object]


def _optional(condition: Expression | None) -> Column | None:
    return None if condition is None else column(condition)


class LanceMergeBuilder:
    """Builder of a MERGE, returned by `LanceTable.merge`.

    For each kind of clause, the first one that applies to a row is executed. Conditions and values
    are SQL or columns, and use the aliases of the table and the source.

    Examples:
        >>> from pyspark_lance import LanceTable, write
        >>> write(spark.range(3).selectExpr("id", "0 AS n"), path, mode="overwrite")
        >>> stock = LanceTable.forPath(spark, path).alias("stock")
        >>> news = spark.range(2, 4).selectExpr("id", "7 AS n").alias("news")
        >>> counts = (
        ...     stock.merge(news, "stock.id = news.id")
        ...     .whenMatchedUpdate(set={"n": "stock.n + news.n"})
        ...     .whenNotMatchedInsertAll()
        ...     .execute()
        ... )
        >>> counts.select("num_updated_rows", "num_inserted_rows").collect()
        [Row(num_updated_rows=1, num_inserted_rows=1)]
    """

    def __init__(self, table: TableHandle, source: DataFrame, condition: Expression) -> None:
        """Use `LanceTable.merge`."""
        self._table = table
        self._source = source
        self._condition = column(condition)
        self._clauses: list[_Clause] = []
        self._options: dict[str, str] = {}

    def _with(self, clause: _Clause) -> "LanceMergeBuilder":
        self._clauses.append(clause)
        return self

    def whenMatchedUpdate(
        self, condition: Expression | None = None, set: Assignments | None = None
    ) -> "LanceMergeBuilder":
        """Updates matched rows.

        Args:
            condition: SQL or a column; all rows if omitted.
            set: Expressions by column name.

        Returns:
            This builder.
        """
        when, values = _optional(condition), assignments(set or {})
        return self._with(lambda w: w.whenMatched(when).update(values))

    def whenMatchedUpdateAll(self, condition: Expression | None = None) -> "LanceMergeBuilder":
        """Updates all columns of matched rows with the values of the source.

        Args:
            condition: SQL or a column; all rows if omitted.

        Returns:
            This builder.
        """
        when = _optional(condition)
        return self._with(lambda w: w.whenMatched(when).updateAll())

    def whenMatchedDelete(self, condition: Expression | None = None) -> "LanceMergeBuilder":
        """Deletes matched rows.

        Args:
            condition: SQL or a column; all rows if omitted.

        Returns:
            This builder.
        """
        when = _optional(condition)
        return self._with(lambda w: w.whenMatched(when).delete())

    def whenNotMatchedInsert(
        self, condition: Expression | None = None, values: Assignments | None = None
    ) -> "LanceMergeBuilder":
        """Inserts rows of the source that the table does not have.

        Args:
            condition: SQL or a column; all rows if omitted.
            values: Expressions by column name; other columns get their default.

        Returns:
            This builder.
        """
        when, new = _optional(condition), assignments(values or {})
        return self._with(lambda w: w.whenNotMatched(when).insert(new))

    def whenNotMatchedInsertAll(self, condition: Expression | None = None) -> "LanceMergeBuilder":
        """Inserts all columns of rows of the source that the table does not have.

        Args:
            condition: SQL or a column; all rows if omitted.

        Returns:
            This builder.
        """
        when = _optional(condition)
        return self._with(lambda w: w.whenNotMatched(when).insertAll())

    def whenNotMatchedBySourceUpdate(
        self, condition: Expression | None = None, set: Assignments | None = None
    ) -> "LanceMergeBuilder":
        """Updates rows of the table that the source does not have.

        Args:
            condition: SQL or a column; all rows if omitted.
            set: Expressions by column name.

        Returns:
            This builder.
        """
        when, values = _optional(condition), assignments(set or {})
        return self._with(lambda w: w.whenNotMatchedBySource(when).update(values))

    def whenNotMatchedBySourceDelete(
        self, condition: Expression | None = None
    ) -> "LanceMergeBuilder":
        """Deletes rows of the table that the source does not have.

        Args:
            condition: SQL or a column; all rows if omitted.

        Returns:
            This builder.
        """
        when = _optional(condition)
        return self._with(lambda w: w.whenNotMatchedBySource(when).delete())

    def withSchemaEvolution(self) -> "LanceMergeBuilder":
        """Allows `UpdateAll` and `InsertAll` to add columns that exist only in the source.

        If the source has a wider type, the column gets that type; otherwise, values are cast to the
        type of the column. Columns and rows are committed as one version.

        Returns:
            This builder.
        """
        return self._with(lambda w: w.withSchemaEvolution())

    def execute(self) -> DataFrame:
        """Runs the merge, and commits one version.

        Returns:
            One row: `num_affected_rows`, `num_updated_rows`, `num_deleted_rows` and
            `num_inserted_rows`.

        Raises:
            CommitConflictError: Concurrent writers changed the same rows, and all retries failed.
        """
        return changes.frame(self._table.spark, self.run())

    def run(self) -> Row:
        """Runs the merge, and returns the counts as a row."""
        table = self._table

        def add(writer: "MergeIntoWriter") -> None:
            for clause in self._clauses:
                clause(writer)

        with shown(table.spark, f"merge into {table.reference}"):
            return changes.merge(
                self._source, table.target, table.alias, self._condition, add, self._options
            )


class MergeInsertBuilder:
    """Builder of a merge by key columns, like pylance's. Returned by `LanceTable.merge_insert`.

    Conditions use the names `target` for the table and `source` for the new rows. If the new rows
    lack columns, updated rows keep their values there, and inserted rows get the default or null.

    Examples:
        >>> from pyspark_lance import LanceTable, write
        >>> write(spark.range(3).selectExpr("id", "0 AS n"), path, mode="overwrite")
        >>> table = LanceTable.forPath(spark, path)
        >>> counts = (
        ...     table.merge_insert("id")
        ...     .when_matched_update_all()
        ...     .when_not_matched_insert_all()
        ...     .execute(spark.range(2, 4).selectExpr("id", "7 AS n"))
        ... )
        >>> counts["num_updated_rows"], counts["num_inserted_rows"]
        (1, 1)
    """

    def __init__(self, table: TableHandle, on: str | Iterable[str] | None = None) -> None:
        """Use `LanceTable.merge_insert`."""
        self._table = table
        self._on = [on] if isinstance(on, str) else list(on or _primary_key(table))
        self._first = identifier(self._on[0])
        self._clauses: list[Callable[[dict[str, Column]], _Clause]] = []
        self._options: dict[str, str] = {}

    def when_matched_update_all(self, condition: str | None = None) -> "MergeInsertBuilder":
        """Updates matched rows with the new values.

        Args:
            condition: SQL such as `source.at > target.at`.

        Returns:
            This builder.
        """
        when = _optional(condition)
        self._clauses.append(lambda values: lambda w: w.whenMatched(when).update(values))
        return self

    def when_matched_delete(self) -> "MergeInsertBuilder":
        """Deletes matched rows.

        Returns:
            This builder.
        """
        self._clauses.append(lambda values: lambda w: w.whenMatched().delete())
        return self

    def when_matched_fail(self) -> "MergeInsertBuilder":
        """Fails if a row matches, without changing the table.

        Returns:
            This builder.
        """
        keys = ", ".join(self._on)
        fails = F.raise_error(f"merge_insert: a row with the same {keys} is in the table")
        self._clauses.append(lambda values: lambda w: w.whenMatched().update({self._first: fails}))
        return self

    def when_not_matched_insert_all(self) -> "MergeInsertBuilder":
        """Inserts new rows without a match.

        Returns:
            This builder.
        """
        self._clauses.append(lambda values: lambda w: w.whenNotMatched().insert(values))
        return self

    def when_not_matched_by_source_delete(self, expr: str | None = None) -> "MergeInsertBuilder":
        """Deletes rows of the table without a match.

        Args:
            expr: SQL over the columns of the table.

        Returns:
            This builder.
        """
        when = _optional(expr)
        self._clauses.append(lambda values: lambda w: w.whenNotMatchedBySource(when).delete())
        return self

    def conflict_retries(self, max_retries: int) -> "MergeInsertBuilder":
        """Sets the maximum number of retries of the commit after a conflict.

        If others changed the same rows, the whole merge is retried, at most ten times.

        Args:
            max_retries: Number of retries; 0 for none.

        Returns:
            This builder.
        """
        self._options |= changes.retrying(max_retries)
        return self

    def execute(self, data_obj: Any) -> Row:  # noqa: ANN401
        """Runs the merge, and commits one version.

        Args:
            data_obj: The rows: a Spark or pandas DataFrame, or an Arrow table.

        Returns:
            `num_updated_rows`, `num_inserted_rows`, `num_deleted_rows`, and `num_affected_rows`.

        Raises:
            PySparkException: A row matches, with `when_matched_fail`.
            CommitConflictError: Concurrent writers changed the same rows, and all retries failed.
        """
        table = self._table
        source = from_data(table.spark, data_obj)
        values = {identifier(c): F.col(f"source.{identifier(c)}") for c in source.columns}
        clauses = [clause(values) for clause in self._clauses]

        def add(writer: "MergeIntoWriter") -> None:
            for clause in clauses:
                clause(writer)

        keys = (f"target.{identifier(k)} = source.{identifier(k)}" for k in self._on)
        with shown(table.spark, f"merge into {table.reference}"):
            return changes.merge(
                source.alias("source"),
                table.target,
                "target",
                " AND ".join(keys),
                add,
                self._options,
            )


def _primary_key(table: TableHandle) -> list[str]:
    found = rows(
        table.spark,
        f"SELECT path FROM {table.reference.part('columns').sql} "
        "WHERE primary_key_position IS NOT NULL ORDER BY primary_key_position, position",
    )
    if not found:
        raise ValueError(f"{table.reference} has no primary key: merge_insert(['id'])")
    return [row["path"] for row in found]
