# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Changes rows and columns."""

from collections.abc import Iterable
from typing import Any, overload

from pyspark.sql import DataFrame

from pyspark_lance import changes, io
from pyspark_lance import columns as column_changes
from pyspark_lance.arrow import from_data
from pyspark_lance.base import TableBase
from pyspark_lance.changes import Assignments, Expression
from pyspark_lance.columns import ColumnAlteration, NewColumns
from pyspark_lance.merge import LanceMergeBuilder, MergeInsertBuilder
from pyspark_lance.progress import shown
from pyspark_lance.sql import run_sql
from pyspark_lance.update_arguments import update_arguments


class Edits(TableBase):
    """The part of `LanceTable` that changes rows and columns."""

    def delete(
        self, condition: Expression | None = None, *, conflict_retries: int | None = None
    ) -> DataFrame:
        """Deletes the rows that match a condition, or all rows. Commits one version.

        Args:
            condition: SQL or a column.
            conflict_retries: Maximum number of retries of the commit after a conflict, and of
                the operation if others changed the same rows (at most ten); the option
                `commitRetries` if omitted.

        Returns:
            One row: `num_affected_rows`, `num_updated_rows`, `num_deleted_rows` and
            `num_inserted_rows`.

        Raises:
            CommitConflictError: Concurrent writers changed the same rows, and all retries failed.
        """
        table = self._handle
        with shown(table.spark, f"delete from {table.reference}"):
            counts = changes.delete(table, condition, conflict_retries)
        return changes.frame(table.spark, counts)

    @overload
    def update(
        self,
        condition: Expression | None,
        set: Assignments,
        *,
        conflict_retries: int | None = None,
    ) -> DataFrame: ...
    @overload
    def update(
        self,
        *,
        condition: Expression | None = None,
        set: Assignments,
        conflict_retries: int | None = None,
    ) -> DataFrame: ...
    @overload
    def update(
        self,
        updates: Assignments,
        where: Expression | None = None,
        *,
        conflict_retries: int | None = None,
    ) -> DataFrame: ...
    def update(
        self,
        *arguments: Expression | Assignments | None,
        conflict_retries: int | None = None,
        **named: Expression | Assignments | None,
    ) -> DataFrame:
        """Updates the rows that match a condition. Commits one version.

        Accepts Delta Lake's form, `update("id = 1", {"n": "n + 1"})`, and pylance's form,
        `update({"n": "n + 1"}, where="id = 1")`.

        Args:
            *arguments: `condition` and `set`; or `updates` and `where`, if the first is a mapping.
            conflict_retries: As for `delete`.
            **named: `condition` or `where`: SQL or a column; all rows if omitted. `set` or
                `updates`: expressions by column name.

        Returns:
            One row, as for `delete`.

        Raises:
            CommitConflictError: Concurrent writers changed the same rows, and all retries failed.
            TypeError: An argument is unknown, is given twice, or has the wrong type.
            ValueError: No columns are given.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(3), path, mode="overwrite")
            >>> table = LanceTable.forPath(spark, path)
            >>> table.update({"id": "id * 10"}, where="id > 1").first()["num_updated_rows"]
            1
        """
        values, condition = update_arguments(arguments, named)
        table = self._handle
        with shown(table.spark, f"update {table.reference}"):
            counts = changes.update(table, values, condition, conflict_retries)
        return changes.frame(table.spark, counts)

    def truncate_table(self) -> None:
        """Deletes all rows in one version. Reads nothing; earlier versions stay readable.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(3), path, mode="overwrite")
            >>> table = LanceTable.forPath(spark, path)
            >>> table.truncate_table()
            >>> table.count_rows(), table.checkout_version(1).count_rows()
            (0, 3)
        """
        run_sql(self._handle.spark, f"TRUNCATE TABLE {self._handle.target.sql}")

    def merge(self, source: Any, condition: Expression) -> LanceMergeBuilder:  # noqa: ANN401
        """Returns a builder for a merge.

        Args:
            source: A Spark DataFrame with an alias for the conditions, a pandas DataFrame, or an
                Arrow table.
            condition: SQL or a column: whether a source row matches a table row.
        """
        return LanceMergeBuilder(self._handle, from_data(self._handle.spark, source), condition)

    def merge_insert(self, on: str | Iterable[str] | None = None) -> MergeInsertBuilder:
        """Returns a builder for a merge by key columns.

        Args:
            on: The key columns; the primary key if omitted.
        """
        return MergeInsertBuilder(self._handle, on)

    def insert(
        self,
        data: Any,  # noqa: ANN401
        *,
        mode: io.SaveMode = "append",
        **options: io.OptionValue,
    ) -> None:
        """Appends rows, or replaces all rows.

        Args:
            data: A Spark or pandas DataFrame, or an Arrow table.
            mode: `append` or `overwrite`.
            **options: See `docs/options.md`; names can be written in snake_case.
        """
        table = self._handle
        io.write_rows(data, table.target, mode, table.spark, options)

    # Columns

    def add_columns(self, transforms: NewColumns, on: str | Iterable[str] = "_rowaddr") -> None:
        """Adds columns in one version. Writes only files with the new columns.

        Args:
            transforms: SQL expressions or columns by the names of the new columns; or a Spark
                DataFrame with the values; or Spark or Arrow fields, or a schema, for columns with
                their default or null.
            on: Columns of the DataFrame that identify the rows: `_rowaddr`, `_rowid`, or key
                columns of the table. Missing rows get null.

        Raises:
            InvalidRequestError: A column of nulls is declared as not nullable.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(3), path, mode="overwrite")
            >>> table = LanceTable.forPath(spark, path)
            >>> table.add_columns({"half": "id / 2"})
            >>> table.toDF().columns
            ['id', 'half']
        """
        column_changes.add(self._handle, transforms, on)

    def merge_columns(self, df: Any, on: str | Iterable[str]) -> None:  # noqa: ANN401
        """Adds the columns of a DataFrame to the rows with the same keys.

        Args:
            df: A Spark or pandas DataFrame, or an Arrow table, with unique keys.
            on: The key columns.
        """
        column_changes.add(self._handle, from_data(self._handle.spark, df), on)

    def update_columns(
        self,
        df: Any,  # noqa: ANN401
        columns: Iterable[str] | None = None,
        on: str | Iterable[str] = "_rowaddr",
    ) -> None:
        """Updates existing columns in one version. Writes only these columns.

        Args:
            df: The values: a Spark or pandas DataFrame, or an Arrow table.
            columns: The columns; all except `on` if omitted.
            on: As for `add_columns`. Missing rows keep their values.
        """
        column_changes.update(self._handle, from_data(self._handle.spark, df), columns, on)

    def alter_columns(self, *alterations: ColumnAlteration) -> None:
        """Changes names, types, nullability, and comments of columns.

        Commits one version for each rename. Other changes of different columns are committed
        together; several changes of one column are one version each.

        Args:
            *alterations: Such as `{"path": "a", "name": "b", "data_type": "BIGINT"}`; paths
                refer to the schema before the call.

        Raises:
            ValueError: An alteration has no `path`, or unknown keys.
            TypeError: SQL has no name for the new type, such as unsigned integers of Arrow.
            AnalysisException: There is no such column, the new type does not hold all values of the
                old one, or a nullable column would become not nullable.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(3).selectExpr("CAST(id AS INT) AS n"), path, mode="overwrite")
            >>> table = LanceTable.forPath(spark, path)
            >>> table.alter_columns({"path": "n", "name": "count", "data_type": "BIGINT"})
            >>> table.schema.simpleString()
            'struct<count:bigint>'
        """
        column_changes.alter(self._handle, alterations)

    def drop_columns(self, columns: Iterable[str]) -> None:
        """Drops columns. The next compaction removes their data.

        Args:
            columns: Names, with dots for fields in structs.
        """
        column_changes.drop(self._handle, columns)
