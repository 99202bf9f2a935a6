# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`LanceTable`: one table, by its path or name, with all that can be done with it.

Names in camelCase are those of Delta Lake's `DeltaTable`, names in snake_case those of pylance's
`LanceDataset`; where both have a name for a thing, both are here.
"""

import os
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, SparkSession

from pyspark_lance import io
from pyspark_lance.arrow import to_arrow, to_pandas
from pyspark_lance.builder import LanceTableBuilder
from pyspark_lance.edits import Edits
from pyspark_lance.exceptions import (
    InvalidRequestError,
    NotFoundError,
    UnsupportedFeatureError,
)
from pyspark_lance.optimize import Upkeep
from pyspark_lance.scan import Scans
from pyspark_lance.sql import PathOrName, TableReference, run_sql, settled, with_storage
from pyspark_lance.versions import Versions

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from matplotlib.axes import Axes


class LanceTable(Scans, Versions, Edits, Upkeep):
    """A table, a branch of it, or one of its versions. It holds no rows: each call looks anew.

    Attributes:
        spark: The session.
        reference: How SQL names the table, whatever the branch.
        branch: The branch at hand; none: the main one.
        pin: The number of the version at hand; none: always the newest one.
        alias_name: What conditions call the table, see `alias`.

    Examples:
        >>> from pyspark_lance import LanceTable, write
        >>> write(spark.range(3), path, mode="overwrite")
        >>> table = LanceTable.forPath(spark, path)
        >>> table.delete("id = 1").first()["num_deleted_rows"]
        1
        >>> table.count_rows(), table.checkout_version(1).count_rows()
        (2, 3)
    """

    @classmethod
    def forPath(
        cls,
        sparkSession: SparkSession,
        path: str | os.PathLike[str],
        **storage_options: object,
    ) -> "LanceTable":
        """The table at a path.

        Args:
            sparkSession: A session made with `configure`.
            path: A local path or any URI that Spark can read from.
            **storage_options: Settings of the file system for this table alone; names with dots
                come as `**{"fs.s3a.endpoint": ...}`.

        Raises:
            NotFoundError: There is no table.
            ConnectorNotLoadedError: The session was not made with `configure`.
        """
        io.check_session(sparkSession, "LanceTable.forPath(spark, path)")
        reference = with_storage(sparkSession, os.fspath(path), storage_options)
        return cls(sparkSession, reference)._checked()

    @classmethod
    def forName(cls, sparkSession: SparkSession, tableOrViewName: str) -> "LanceTable":
        """The table of a name.

        Args:
            sparkSession: A session made with `configure`.
            tableOrViewName: Such as `lance.db.people`, or SQL such as `` lance.`/data/people` ``.
                What a name leaves out is taken from the session now, and stays so.

        Raises:
            NotFoundError: There is no table.
            UnsupportedFeatureError: It is none of Lance's.
        """
        io.check_session(sparkSession, "LanceTable.forName(spark, name)")
        reference = settled(sparkSession, TableReference(tableOrViewName))
        return cls(sparkSession, reference)._checked()

    @classmethod
    def isLanceTable(cls, sparkSession: SparkSession, identifier: PathOrName) -> bool:
        """Whether there is a Lance table of a path or name.

        Args:
            sparkSession: A session made with `configure`.
            identifier: The path or name.
        """
        io.check_session(sparkSession, "LanceTable.isLanceTable(spark, path)")
        try:
            cls(sparkSession, TableReference.of(identifier))._checked()
        except (NotFoundError, UnsupportedFeatureError):
            return False
        return True

    @classmethod
    def create(cls, sparkSession: SparkSession) -> LanceTableBuilder:
        """A table that is to be made, and is not there.

        Args:
            sparkSession: A session made with `configure`.

        Returns:
            The builder, whose `execute` makes it.
        """
        return LanceTableBuilder(sparkSession, "CREATE")

    @classmethod
    def createIfNotExists(cls, sparkSession: SparkSession) -> LanceTableBuilder:
        """A table that is to be made unless it is there.

        Args:
            sparkSession: A session made with `configure`.

        Returns:
            The builder, whose `execute` makes it.
        """
        return LanceTableBuilder(sparkSession, "CREATE IF NOT EXISTS")

    @classmethod
    def replace(cls, sparkSession: SparkSession) -> LanceTableBuilder:
        """A table that is there, to be replaced in a new version.

        Args:
            sparkSession: A session made with `configure`.

        Returns:
            The builder, whose `execute` makes it.
        """
        return LanceTableBuilder(sparkSession, "REPLACE")

    @classmethod
    def createOrReplace(cls, sparkSession: SparkSession) -> LanceTableBuilder:
        """A table that is to be made, or replaced when it is there.

        Args:
            sparkSession: A session made with `configure`.

        Returns:
            The builder, whose `execute` makes it.
        """
        return LanceTableBuilder(sparkSession, "CREATE OR REPLACE")

    @classmethod
    def drop(
        cls, sparkSession: SparkSession, identifier: PathOrName, *, ignore_not_found: bool = False
    ) -> None:
        """Removes a table with all its versions.

        Args:
            sparkSession: A session made with `configure`.
            identifier: Its path or name.
            ignore_not_found: Whether it is well when there is none.

        Raises:
            NotFoundError: There is none.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(3), path, mode="overwrite")
            >>> LanceTable.drop(spark, path)
            >>> LanceTable.isLanceTable(spark, path)
            False
        """
        io.check_session(sparkSession, "LanceTable.drop(spark, path)")
        verb = "DROP TABLE IF EXISTS" if ignore_not_found else "DROP TABLE"
        run_sql(sparkSession, f"{verb} {TableReference.of(identifier).sql}")

    def to_pandas(self, **scan: Any) -> "pd.DataFrame":  # noqa: ANN401
        """All rows, or what the arguments of `to_table` leave of them, as a frame of pandas.

        Args:
            **scan: Arguments of `to_table`.
        """
        return to_pandas(self.to_table(**scan))

    def to_arrow(self, **scan: Any) -> "pa.Table":  # noqa: ANN401
        """The same as an Arrow table, with Lance's own types.

        Args:
            **scan: Arguments of `to_table`.
        """
        return to_arrow(self.to_table(**scan))

    def inspect(self, sample_rows: int | None = 10_000) -> DataFrame:
        """How each column is stored: pages, encodings, bytes, compression ratio.

        Args:
            sample_rows: Rows that sizes of values are estimated from; all if None.
        """
        from pyspark_lance.inspection import inspect

        return inspect(self, sample_rows)

    def plot_storage(self, ax: "Axes | None" = None) -> "Axes":
        """Draws the bytes of each column by encoding; takes matplotlib.

        Args:
            ax: Where to draw; a new figure if None.
        """
        from pyspark_lance.plots import plot_storage

        return plot_storage(self, ax)

    def __repr__(self) -> str:
        """Version, rows, fragments, size and schema."""
        from pyspark_lance.display import text

        return text(self)

    def _repr_html_(self) -> str:
        from pyspark_lance.display import html

        return html(self)


def lance_table(
    spark: SparkSession,
    uri_or_name: PathOrName,
    version: int | None = None,
    *,
    tag: str | None = None,
    branch: str | None = None,
) -> LanceTable:
    """A table by its path or name, at a version.

    Args:
        spark: A session made with `configure`.
        uri_or_name: A path or URI, or a name such as `lance.db.people`.
        version: The number of the version, on `branch`; always the newest when left out.
        tag: Or the tag that names it.
        branch: The branch; the main one when left out.

    Raises:
        NotFoundError: There is no such table, version, tag or branch.

    Examples:
        >>> from pyspark_lance import lance_table, write
        >>> write(spark.range(3), path, mode="overwrite")
        >>> lance_table(spark, path, version=1).count_rows()
        3
    """
    io.check_session(spark, "lance_table(spark, path)")
    if tag is not None and (version is not None or branch is not None):
        raise InvalidRequestError("a tag names its version: leave out version and branch")
    table = LanceTable(spark, settled(spark, uri_or_name))._checked()  # pyright: ignore[reportPrivateUsage]
    if tag is not None:
        return table.checkout_version(tag)
    if branch is None and version is None:
        return table
    return table.checkout_version((branch, version))
