# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Reads columns, filtered rows, single rows, and blobs of a table."""

import io
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from pyspark_lance.base import TableBase
from pyspark_lance.changes import Expression, column
from pyspark_lance.exceptions import NotFoundError, errors_translated
from pyspark_lance.progress import shown
from pyspark_lance.sql import dotted, parts, quoted

Columns: TypeAlias = Sequence[str] | Mapping[str, str]
Selector: TypeAlias = Literal["_rowid", "_rowaddr", "_rowoffset"]


class Scans(TableBase):
    """Read operations of `LanceTable`."""

    @property
    def schema(self) -> StructType:
        """Names and types of the columns."""
        with errors_translated():
            return self.toDF().schema

    def to_table(
        self,
        columns: Columns | None = None,
        filter: Expression | None = None,
        limit: int | None = None,
        offset: int | None = None,
        *,
        with_row_id: bool = False,
        with_row_address: bool = False,
    ) -> DataFrame:
        """Returns selected columns and rows, in storage order.

        Args:
            columns: Column names, or a mapping of new names to SQL expressions.
            filter: SQL or a column.
            limit: Maximum number of rows.
            offset: Number of rows to skip.
            with_row_id: Adds the column `_rowid`.
            with_row_address: Adds the column `_rowaddr`.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(9), path, mode="overwrite")
            >>> table = LanceTable.forPath(spark, path)
            >>> table.to_table({"twice": "id * 2"}, filter="id > 5", limit=2).collect()
            [Row(twice=12), Row(twice=14)]
        """
        frame = self.toDF()
        added = ["_rowid"] * with_row_id + ["_rowaddr"] * with_row_address
        chosen = selected(columns)
        if filter is not None:
            frame = frame.where(column(filter))
        if columns is not None or added:
            frame = frame.select(*chosen, *added)
        if offset is not None:
            frame = frame.offset(offset)
        return frame if limit is None else frame.limit(limit)

    def head(self, num_rows: int, columns: Columns | None = None) -> DataFrame:
        """Returns the first rows, in storage order.

        Args:
            num_rows: Number of rows.
            columns: Column names, or a mapping of new names to SQL expressions.
        """
        return self.to_table(columns, limit=num_rows)

    def slice(self, start: int, end: int, columns: Columns | None = None) -> DataFrame:
        """Returns adjacent rows, in storage order.

        Args:
            start: Position of the first row in the version, from 0.
            end: Position after the last row.
            columns: Column names, or a mapping of new names to SQL expressions.

        Raises:
            ValueError: The end is before the start, or the start before the first row.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(9), path, mode="overwrite")
            >>> LanceTable.forPath(spark, path).slice(3, 5).collect()
            [Row(id=3), Row(id=4)]
        """
        if not 0 <= start <= end:
            raise ValueError(
                f"slice({start}, {end}) is not a range of rows: give 0 <= start <= end"
            )
        return self.to_table(columns, limit=end - start, offset=start)

    def validate(self) -> None:
        """Reads all data of the current version in a Spark job, to check it.

        Raises:
            CorruptFileError: A file is damaged; the error names it.
            TableError: Another error of the connector.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(9), path, mode="overwrite")
            >>> LanceTable.forPath(spark, path).validate()
        """
        with errors_translated(), shown(self._handle.spark, f"read {self._handle.reference}"):
            self.toDF().write.format("noop").mode("overwrite").save()

    def count_rows(self, filter: Expression | None = None) -> int:
        """Returns the number of rows. Without a filter, it is read from the manifest.

        Args:
            filter: SQL or a column; all rows if omitted.
        """
        with errors_translated():
            frame = self.toDF()
            return (frame if filter is None else frame.where(column(filter))).count()

    def take(
        self,
        indices: Iterable[int] | None = None,
        columns: Columns | None = None,
        *,
        ids: Iterable[int] | None = None,
        addresses: Iterable[int] | None = None,
    ) -> DataFrame:
        """Returns rows by position, id, or address, in the given order.

        Reads only the pages of these rows. Duplicates return a row several times. Pass one of
        `indices`, `ids`, and `addresses`.

        Positions are checked when the method is called. Ids and addresses are looked up when the
        DataFrame is computed, which skips those without a row, such as deleted rows.

        Args:
            indices: Positions of rows in the version, from 0.
            columns: Column names, or a mapping of new names to SQL expressions.
            ids: Values of `_rowid`.
            addresses: Values of `_rowaddr`.

        Raises:
            NotFoundError: The version has no row at a position.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(9), path, mode="overwrite")
            >>> LanceTable.forPath(spark, path).take([7, 2]).collect()
            [Row(id=7), Row(id=2)]
        """
        selector, numbers = _one(indices, ids, addresses)
        if selector == "_rowoffset" and numbers:
            self._check_positions(numbers)
        return self._taken(selector, numbers, columns)

    def _taken(self, selector: Selector, numbers: list[int], columns: Columns | None) -> DataFrame:
        frame = self.toDF()
        wanted = "array(" + ", ".join(f"{n}L" for n in numbers) + ")"
        if not numbers:
            wanted = "CAST(array() AS ARRAY<BIGINT>)"
        places = f"filter(sequence(0, {max(len(numbers) - 1, 0)}), i -> {wanted}[i] = {selector})"
        place = "__place"
        found = frame.where(F.col(selector).isin(numbers)).select(
            *selected(columns), F.explode(F.expr(places)).alias(place)
        )
        return found.orderBy(place).drop(place)

    def _check_positions(self, positions: Iterable[int]) -> None:
        count = self.count_rows()
        missing = [n for n in positions if not 0 <= n < count]
        if missing:
            raise NotFoundError(
                f"{self._handle.description} has {count} rows, but none at the positions "
                f"{_few(missing)}, which count from 0"
            )

    def sample(
        self, num_rows: int, columns: Columns | None = None, *, seed: int | None = None
    ) -> DataFrame:
        """Returns random rows without replacement, in random order.

        Args:
            num_rows: Number of rows; all rows if the table has fewer.
            columns: Column names, or a mapping of new names to SQL expressions.
            seed: Seed for repeating the sample on the same version.
        """
        count = self.count_rows()
        drawn = random.Random(seed).sample(range(count), min(num_rows, count))
        return self._taken("_rowoffset", drawn, columns)

    def read_blobs(
        self,
        blob_column: str,
        ids: Iterable[int] | None = None,
        addresses: Iterable[int] | None = None,
        indices: Iterable[int] | None = None,
    ) -> DataFrame:
        """Returns the blobs of rows as a DataFrame.

        Pass one of `ids`, `addresses`, and `indices`. Skips ids and addresses without a row.

        Args:
            blob_column: The column.
            ids: Values of `_rowid`.
            addresses: Values of `_rowaddr`.
            indices: Positions of rows in the version, from 0.

        Returns:
            Two columns: `_rowid`, `_rowaddr`, or `_rowoffset`, and the blob column.

        Raises:
            NotFoundError: The version has no row at a position.
        """
        selector, numbers = _one(indices, ids, addresses)
        chosen = {selector: selector, blob_column: dotted(blob_column)}
        given: dict[str, list[int]] = {
            {"_rowid": "ids", "_rowaddr": "addresses", "_rowoffset": "indices"}[selector]: numbers
        }
        return self.take(
            given.get("indices"), chosen, ids=given.get("ids"), addresses=given.get("addresses")
        )

    def take_blobs(
        self,
        blob_column: str,
        ids: Iterable[int] | None = None,
        addresses: Iterable[int] | None = None,
        indices: Iterable[int] | None = None,
    ) -> list[io.BytesIO | None]:
        """Returns blobs as files in memory, in the given order; `None` for null.

        Args:
            blob_column: As for `read_blobs`.
            ids: As for `read_blobs`.
            addresses: As for `read_blobs`.
            indices: As for `read_blobs`.

        Raises:
            NotFoundError: An id, address, or position has no row.
            ValueError: Not exactly one of the three is given.

        Examples:
            >>> from pyspark_lance import LanceTable, blob_field
            >>> table = LanceTable.createOrReplace(spark).location(path)
            >>> table = table.addColumns([blob_field("photo")]).execute()
            >>> table.insert(spark.sql("SELECT CAST('abc' AS BINARY) AS photo"))
            >>> table.take_blobs("photo", indices=[0])[0].read()
            b'abc'
        """
        selector, numbers = _one(indices, ids, addresses)
        given = {selector: numbers}
        with errors_translated():
            found = self.read_blobs(
                blob_column, given.get("_rowid"), given.get("_rowaddr"), given.get("_rowoffset")
            ).collect()
        if missing := sorted(set(numbers).difference(row[0] for row in found)):
            raise NotFoundError(
                f"{self._handle.description} has no rows with the {selector} {_few(missing)}"
            )
        return [None if row[1] is None else io.BytesIO(row[1]) for row in found]


def selected(columns: Columns | None) -> list[Column]:
    """The columns of a call; all for `None`."""
    if columns is None:
        return [F.col("*")]
    if isinstance(columns, Mapping):
        return [column(text).alias(name) for name, text in columns.items()]
    if isinstance(columns, str):
        raise TypeError(f"columns are a list of names: [{columns!r}]")
    return [F.col(".".join(map(quoted, parts(name)))) for name in columns]


def _one(
    indices: Iterable[int] | None, ids: Iterable[int] | None, addresses: Iterable[int] | None
) -> tuple[Selector, list[int]]:
    given: list[tuple[Selector, Iterable[int]]] = []
    if indices is not None:
        given.append(("_rowoffset", indices))
    if ids is not None:
        given.append(("_rowid", ids))
    if addresses is not None:
        given.append(("_rowaddr", addresses))
    if len(given) != 1:
        raise ValueError("give one of indices, ids and addresses")
    selector, numbers = given[0]
    return selector, [int(n) for n in numbers]


def _few(numbers: Sequence[int], limit: int = 20) -> str:
    """Returns numbers as text, without those after a limit."""
    more = f", and {len(numbers) - limit} more" if len(numbers) > limit else ""
    return ", ".join(map(str, numbers[:limit])) + more
