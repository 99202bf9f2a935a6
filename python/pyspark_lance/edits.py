# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Changes of rows and columns."""

from collections.abc import Iterable, Mapping
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


class Edits(TableBase):
    """The part of `LanceTable` that changes rows and columns."""

    def delete(
        self, condition: Expression | None = None, *, conflict_retries: int | None = None
    ) -> DataFrame:
        """Deletes the rows for which a condition is true; all without one. One version.

        Args:
            condition: SQL or a column.
            conflict_retries: How often a commit that lost against others is tried again, and the
                whole is run again where they changed the same rows (ten times at most); as the
                setting `commitRetries` says when left out.

        Returns:
            One row: `num_affected_rows`, `num_updated_rows`, `num_deleted_rows` and
            `num_inserted_rows`.

        Raises:
            CommitConflictError: Others changed the same rows meanwhile, again and again.
        """
        with shown(self.spark, f"delete from {self.reference}"):
            counts = changes.delete(
                self.spark, self.target, self.alias_name, condition, conflict_retries
            )
        return changes.frame(self.spark, counts)

    @overload
    def update(
        self,
        condition: Expression | None = None,
        set: Assignments | None = None,
        *,
        updates: Assignments | None = None,
        where: Expression | None = None,
        conflict_retries: int | None = None,
    ) -> DataFrame: ...
    @overload
    def update(
        self,
        condition: Assignments,
        set: Expression | None = None,
        *,
        where: Expression | None = None,
        conflict_retries: int | None = None,
    ) -> DataFrame: ...
    def update(
        self,
        condition: Any = None,
        set: Any = None,
        *,
        updates: Assignments | None = None,
        where: Expression | None = None,
        conflict_retries: int | None = None,
    ) -> DataFrame:
        """Gives the rows for which a condition is true new values. One version.

        As Delta Lake has it, `update("id = 1", {"n": "n + 1"})`, and as pylance has it,
        `update({"n": "n + 1"}, where="id = 1")`.

        Args:
            condition: Which rows: SQL or a column; all when left out.
            set: Expressions by the columns that get their values.
            updates: The same as `set`.
            where: The same as `condition`.
            conflict_retries: As for `delete`.

        Returns:
            One row, as `delete` gives it.

        Raises:
            CommitConflictError: Others changed the same rows meanwhile, again and again.
            ValueError: No columns are given.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(3), path, mode="overwrite")
            >>> table = LanceTable.forPath(spark, path)
            >>> table.update({"id": "id * 10"}, where="id > 1").first()["num_updated_rows"]
            1
        """
        if isinstance(condition, Mapping):
            condition, set, where = None, condition, set if where is None else where
        values = set if set is not None else updates
        chosen = condition if condition is not None else where
        with shown(self.spark, f"update {self.reference}"):
            counts = changes.update(
                self.spark, self.target, self.alias_name, values or {}, chosen, conflict_retries
            )
        return changes.frame(self.spark, counts)

    def truncate_table(self) -> None:
        """Removes all rows, as one version; nothing is read, and earlier versions stay.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(3), path, mode="overwrite")
            >>> table = LanceTable.forPath(spark, path)
            >>> table.truncate_table()
            >>> table.count_rows(), table.checkout_version(1).count_rows()
            (0, 3)
        """
        run_sql(self.spark, f"TRUNCATE TABLE {self.target.sql}")

    def merge(self, source: Any, condition: Expression) -> LanceMergeBuilder:  # noqa: ANN401
        """Merges rows: what becomes of them, the builder's clauses say.

        Args:
            source: A frame of Spark, with an alias that conditions call it by; or one of pandas, or
                an Arrow table.
            condition: When a row of the source and one of the table match.
        """
        return LanceMergeBuilder(self, from_data(self.spark, source), condition)

    def merge_insert(self, on: str | Iterable[str] | None = None) -> MergeInsertBuilder:
        """Merges rows by key columns.

        Args:
            on: The columns; the primary key when left out.
        """
        return MergeInsertBuilder(self, on)

    def insert(
        self,
        data: Any,  # noqa: ANN401
        *,
        mode: io.SaveMode = "append",
        **options: io.OptionValue,
    ) -> None:
        """Adds rows, or replaces all by them.

        Args:
            data: A frame of Spark or pandas, or an Arrow table.
            mode: `append` or `overwrite`.
            **options: See `docs/options.md`; names may be written in snake_case.
        """
        io.write(data, self.target, mode, spark=self.spark, storage_options=None, **options)

    # Columns

    def add_columns(self, transforms: NewColumns, on: str | Iterable[str] = "_rowaddr") -> None:
        """Adds columns; only their files are written. One version.

        Args:
            transforms: SQL or columns by the names of new columns; or a Spark DataFrame with the
                values; or fields or a schema, of Spark or Arrow, for columns of nulls, or of the
                default that a field of Spark has.
            on: Columns of the DataFrame that say whose the values are: `_rowaddr` or `_rowid`, or
                keys that the table has as well. Rows that it leaves out get null.

        Raises:
            InvalidRequestError: A column of nulls is to hold none.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(3), path, mode="overwrite")
            >>> table = LanceTable.forPath(spark, path)
            >>> table.add_columns({"half": "id / 2"})
            >>> table.toDF().columns
            ['id', 'half']
        """
        column_changes.add(self, transforms, on)

    def merge_columns(self, df: Any, on: str | Iterable[str]) -> None:  # noqa: ANN401
        """Adds the columns of a frame to the rows with the same keys.

        Args:
            df: A frame of Spark or pandas, or an Arrow table; each key comes once.
            on: The key columns.
        """
        column_changes.add(self, from_data(self.spark, df), on)

    def update_columns(
        self,
        df: Any,  # noqa: ANN401
        columns: Iterable[str] | None = None,
        on: str | Iterable[str] = "_rowaddr",
    ) -> None:
        """Gives rows new values in columns that are there; only these are written. One version.

        Args:
            df: The values: a frame of Spark or pandas, or an Arrow table.
            columns: The columns; all of the frame but `on` when left out.
            on: As for `add_columns`. Rows that the frame leaves out keep what they have.
        """
        column_changes.update(self, from_data(self.spark, df), columns, on)

    def alter_columns(self, *alterations: ColumnAlteration) -> None:
        """Changes names, types, nullability and comments of columns.

        Changes of one kind for each column are one version, and so is each new name.

        Args:
            *alterations: Such as `{"path": "a", "name": "b", "data_type": "BIGINT"}`; all paths
                are those before the call.

        Raises:
            ValueError: It is no change of a column.
            TypeError: SQL has no name for the new type, such as unsigned integers of Arrow.
            AnalysisException: There is no such column, the new type does not hold all values of the
                old one, or a column that may hold nulls is to hold none.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(3).selectExpr("CAST(id AS INT) AS n"), path, mode="overwrite")
            >>> table = LanceTable.forPath(spark, path)
            >>> table.alter_columns({"path": "n", "name": "count", "data_type": "BIGINT"})
            >>> table.schema.simpleString()
            'struct<count:bigint>'
        """
        column_changes.alter(self, alterations)

    def drop_columns(self, columns: Iterable[str]) -> None:
        """Drops columns. Their data goes with the next compaction.

        Args:
            columns: Names, with dots for fields in structs.
        """
        column_changes.drop(self, columns)
