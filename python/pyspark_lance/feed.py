# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The change feed of a table: the rows that commits inserted, deleted, and updated."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pyspark_lance import refs
from pyspark_lance.base import TableBase
from pyspark_lance.exceptions import InvalidRequestError
from pyspark_lance.handle import TableHandle
from pyspark_lance.sql import literal, names, rows, run_sql

if TYPE_CHECKING:
    from pyspark.sql import Column

Bound: TypeAlias = int | str | datetime
CHANGE_COLUMNS = ("_change_type", "_commit_version", "_commit_timestamp")
_LINEAGE = ("_rowid", "_row_created_at_version", "_row_last_updated_at_version")


class ChangeFeeds(TableBase):
    """The part of `LanceTable` that reads changes."""

    def changes(
        self,
        begin: Bound,
        end: Bound | None = None,
        *,
        net: bool = False,
        identifier_columns: Sequence[str] | None = None,
    ) -> DataFrame:
        """Returns the changes of the rows in a range of versions, see `docs/changes.md`.

        Besides the columns of the table, rows have `_change_type` (`insert`, `delete`,
        `update_preimage`, or `update_postimage`), `_commit_version`, and `_commit_timestamp`.
        Queries that name metadata columns such as `_rowid` get them as well.

        Args:
            begin: First version: a number, or a time as a datetime or as text. The value of
                `_commit_timestamp` selects its commit.
            end: Last version, inclusive; the current one if omitted.
            net: Whether the changes of a row are collapsed to one.
            identifier_columns: Columns that identify rows; if omitted, stable row ids, or else the
                primary key. Without any of these, an update is a deleted and an inserted row.

        Raises:
            NotFoundError: A version was cleaned up, or is on another branch.
            InvalidRequestError: The range is not one of versions, or a column does not exist.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(3), path, mode="overwrite")
            >>> table = LanceTable.forPath(spark, path)
            >>> table.delete("id = 1").count()
            1
            >>> table.changes(2).drop("_commit_timestamp").collect()
            [Row(id=1, _change_type='delete', _commit_version=2)]
        """
        return _changes(self._handle, begin, end, net, identifier_columns)

    def delta(
        self,
        begin: int | None = None,
        end: int | None = None,
        *,
        begin_version: int | None = None,
        end_version: int | None = None,
    ) -> "Delta":
        """Compares two versions, like pylance. Needs stable row ids.

        Args:
            begin: The version to compare with.
            end: The version that is compared; if omitted, the current one at the time of this call.
            begin_version: The name of `begin` in pylance.
            end_version: The name of `end` in pylance.

        Returns:
            The difference, whose methods return the inserted, updated, and deleted rows.

        Raises:
            InvalidRequestError: No version to compare with is given, or one of the two versions has
                no stable row ids.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(3), path, mode="overwrite", enable_stable_row_ids=True)
            >>> table = LanceTable.forPath(spark, path)
            >>> table.insert(spark.range(7, 8))
            >>> table.delta(1).get_inserted_rows().select("id").collect()
            [Row(id=7)]
        """
        first = begin if begin is not None else begin_version
        if first is None:
            raise InvalidRequestError("delta compares two versions: give the first, as in delta(3)")
        last = end if end is not None else end_version
        if last is None:
            last = self._handle.pin
        if last is None:
            last = _latest_version(self._handle)
        _check_stable_row_ids(self._handle, first, last)
        return Delta(self._handle, first, last)


@dataclass(frozen=True)
class Delta:
    """The difference of two versions of a table with stable row ids.

    Rows have the values of the later version, and the metadata columns `_rowid`,
    `_row_created_at_version`, and `_row_last_updated_at_version`. Updates that were undone since do
    not count, and neither do compactions and added columns.

    Attributes:
        begin: The earlier version.
        end: The later version.
    """

    _handle: TableHandle = field(repr=False)
    begin: int
    end: int

    def get_inserted_rows(self) -> DataFrame:
        """Returns the rows that only the later version has."""
        return self._rows("insert")

    def get_updated_rows(self) -> DataFrame:
        """Returns the rows that both versions have, with different values or moved by an update."""
        return self._rows("update_postimage")

    def get_deleted_row_ids(self) -> DataFrame:
        """Returns the column `_rowid` of the rows that only the earlier version has."""
        return self._of("delete").select("_rowid")

    def _rows(self, change: str) -> DataFrame:
        frame = self._of(change)
        names = [c for c in frame.columns if c not in CHANGE_COLUMNS]
        columns: list[str | Column] = [frame[f"`{name.replace('`', '``')}`"] for name in names]
        return frame.select(*columns, *_LINEAGE)

    def _of(self, change: str) -> DataFrame:
        feed = _changes(self._handle, self.begin + 1, self.end, True, None)
        return feed.where(F.col("_change_type") == change)


def _latest_version(handle: TableHandle) -> int:
    return int(rows(handle.spark, f"DESCRIBE DETAIL {handle.writable.sql}")[0]["version"])


def _check_stable_row_ids(handle: TableHandle, first: int, last: int) -> None:
    """Raises an error if one of the versions has none. Reads of changes report missing versions."""
    versions = replace(handle, pin=None).metadata_table("versions")
    compared = versions.where(F.col("version").isin(first, last))
    for row in compared.select("version", "has_stable_row_ids").collect():
        if not row["has_stable_row_ids"]:
            raise InvalidRequestError(
                f"version {row['version']} of {handle.description} has no stable row ids, which "
                "delta needs: use changes, or create the table with the option enableStableRowIds"
            )


def _changes(
    handle: TableHandle,
    begin: Bound,
    end: Bound | None,
    net: bool,
    identifier_columns: Sequence[str] | None,
) -> DataFrame:
    last = handle.pin if end is None else end
    arguments = [literal(handle.writable.sql), _bound(begin)]
    if last is not None:
        arguments.append(_bound(last))
    if net:
        arguments.append("net => true")
    if identifier_columns is not None:
        columns = names(identifier_columns, "identifier_columns")
        if not columns:
            raise InvalidRequestError("identifier_columns is empty: leave it out, or name columns")
        arguments.append(f"identifier_columns => {literal(columns)}")
    frame = run_sql(handle.spark, f"SELECT * FROM lance_changes({', '.join(arguments)})")
    return frame if handle.alias is None else frame.alias(handle.alias)


def _bound(bound: Bound) -> str:
    if isinstance(bound, bool):
        raise TypeError(f"a version is a number or a time, not {bound}")
    # The function parses times as text itself, and reports invalid text.
    return literal(bound) if isinstance(bound, int | str) else refs.time(bound)
