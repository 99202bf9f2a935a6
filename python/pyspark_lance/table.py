# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`LanceTable`: a table by path or name, and its operations.

Methods in camelCase have the names of Delta Lake's `DeltaTable`. Methods in snake_case have the
names of pylance's `LanceDataset`. If both have a name for an operation, both are available.
"""

import os
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, SparkSession

from pyspark_lance import io
from pyspark_lance.arrow import to_arrow, to_pandas
from pyspark_lance.builder import LanceTableBuilder, Verb
from pyspark_lance.edits import Edits
from pyspark_lance.exceptions import (
    InvalidRequestError,
    NotFoundError,
    UnsupportedFeatureError,
)
from pyspark_lance.feed import ChangeFeeds
from pyspark_lance.handle import TableHandle
from pyspark_lance.indices import Indices
from pyspark_lance.optimize import Maintenance
from pyspark_lance.scan import Scans
from pyspark_lance.search import Search
from pyspark_lance.sql import PathOrName, TableReference, qualified, run_sql, with_storage
from pyspark_lance.text_search import TextSearch
from pyspark_lance.versions import Versions

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from matplotlib.axes import Axes
    from typing_extensions import Self


class LanceTable(Scans, ChangeFeeds, Search, TextSearch, Versions, Edits, Indices, Maintenance):
    """A table, a branch of it, or one of its versions. Every call reads the table again.

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
    ) -> "Self":
        """Returns the table at a path.

        Args:
            sparkSession: A session created with `configure`.
            path: A local path or any URI that Spark can read from.
            **storage_options: Hadoop configuration for this table only; pass names with dots
                as `**{"fs.s3a.endpoint": ...}`.

        Raises:
            NotFoundError: The table does not exist.
            ConnectorNotLoadedError: The session was not created with `configure`.
        """
        io.check_session(sparkSession, "LanceTable.forPath(spark, path)")
        reference = with_storage(sparkSession, os.fspath(path), storage_options)
        return cls._existing(sparkSession, reference)

    @classmethod
    def forName(cls, sparkSession: SparkSession, tableOrViewName: str) -> "Self":
        """Returns the table with a name.

        Args:
            sparkSession: A session created with `configure`.
            tableOrViewName: A name such as `lance.db.people` or `` lance.`/data/people` ``.
                Missing parts of the name are resolved in the session, once.

        Raises:
            NotFoundError: The table does not exist.
            UnsupportedFeatureError: The table is not a Lance table.
        """
        io.check_session(sparkSession, "LanceTable.forName(spark, name)")
        reference = qualified(sparkSession, TableReference(tableOrViewName))
        return cls._existing(sparkSession, reference)

    @classmethod
    def isLanceTable(cls, sparkSession: SparkSession, identifier: PathOrName) -> bool:
        """Returns whether a path or name refers to a Lance table.

        Args:
            sparkSession: A session created with `configure`.
            identifier: The path or name.
        """
        io.check_session(sparkSession, "LanceTable.isLanceTable(spark, path)")
        try:
            TableHandle(sparkSession, qualified(sparkSession, identifier)).check_exists()
        except (NotFoundError, UnsupportedFeatureError):
            return False
        return True

    @classmethod
    def create(cls, sparkSession: SparkSession) -> "LanceTableBuilder[Self]":
        """Returns a builder for a new table, which must not exist.

        Args:
            sparkSession: A session created with `configure`.

        Returns:
            The builder. Call `execute` to create the table.
        """
        return cls._builder(sparkSession, "CREATE")

    @classmethod
    def createIfNotExists(cls, sparkSession: SparkSession) -> "LanceTableBuilder[Self]":
        """Returns a builder for a new table; an existing one is kept.

        Args:
            sparkSession: A session created with `configure`.

        Returns:
            The builder. Call `execute` to create the table.
        """
        return cls._builder(sparkSession, "CREATE IF NOT EXISTS")

    @classmethod
    def replace(cls, sparkSession: SparkSession) -> "LanceTableBuilder[Self]":
        """Returns a builder that replaces an existing table in a new version.

        Args:
            sparkSession: A session created with `configure`.

        Returns:
            The builder. Call `execute` to create the table.
        """
        return cls._builder(sparkSession, "REPLACE")

    @classmethod
    def createOrReplace(cls, sparkSession: SparkSession) -> "LanceTableBuilder[Self]":
        """Returns a builder that creates or replaces a table.

        Args:
            sparkSession: A session created with `configure`.

        Returns:
            The builder. Call `execute` to create the table.
        """
        return cls._builder(sparkSession, "CREATE OR REPLACE")

    @classmethod
    def drop(
        cls, sparkSession: SparkSession, identifier: PathOrName, *, ignore_not_found: bool = False
    ) -> None:
        """Drops a table with all its versions. A temporary view of the same name stays.

        Args:
            sparkSession: A session created with `configure`.
            identifier: Its path or name.
            ignore_not_found: Whether a missing one is not an error.

        Raises:
            NotFoundError: The table does not exist.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(3), path, mode="overwrite")
            >>> LanceTable.drop(spark, path)
            >>> LanceTable.isLanceTable(spark, path)
            False
        """
        io.check_session(sparkSession, "LanceTable.drop(spark, path)")
        verb = "DROP TABLE IF EXISTS" if ignore_not_found else "DROP TABLE"
        run_sql(sparkSession, f"{verb} {qualified(sparkSession, identifier).sql}")

    @classmethod
    def _existing(cls, spark: SparkSession, reference: TableReference) -> "Self":
        handle = TableHandle(spark, reference)
        handle.check_exists()
        return cls(handle)

    @classmethod
    def _builder(cls, spark: SparkSession, verb: Verb) -> "LanceTableBuilder[Self]":
        return LanceTableBuilder(spark, verb, lambda created: cls(TableHandle(spark, created)))

    def to_pandas(self, **scan: Any) -> "pd.DataFrame":  # noqa: ANN401
        """Returns rows as a pandas DataFrame.

        Args:
            **scan: Arguments of `to_table`.
        """
        return to_pandas(self.to_table(**scan))

    def to_arrow(self, **scan: Any) -> "pa.Table":  # noqa: ANN401
        """Returns rows as an Arrow table with Lance types.

        Args:
            **scan: Arguments of `to_table`.
        """
        return to_arrow(self.to_table(**scan))

    def inspect(self, sample_rows: int | None = 10_000) -> DataFrame:
        """Returns the storage of each column: pages, encodings, bytes, and compression ratio.

        Args:
            sample_rows: Number of rows for estimating value sizes; all rows if `None`.
        """
        from pyspark_lance.inspection import inspect

        return inspect(self, sample_rows)

    def plot_storage(self, ax: "Axes | None" = None) -> "Axes":
        """Plots the bytes of each column by encoding. Needs matplotlib.

        Args:
            ax: The axes; a new figure if `None`.

        Returns:
            The axes.
        """
        from pyspark_lance.plots import plot_storage

        return plot_storage(self, ax)

    def __repr__(self) -> str:
        """Returns version, rows, fragments, size, and schema as text."""
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
    """Returns a table by its path or name, at a version.

    Args:
        spark: A session created with `configure`.
        uri_or_name: A path or URI, or a name such as `lance.db.people`.
        version: The version number on `branch`; the latest if omitted.
        tag: A tag, instead of a version and branch.
        branch: The branch; the main branch if omitted.

    Raises:
        NotFoundError: The table, version, tag, or branch does not exist.

    Examples:
        >>> from pyspark_lance import lance_table, write
        >>> write(spark.range(3), path, mode="overwrite")
        >>> lance_table(spark, path, version=1).count_rows()
        3
    """
    io.check_session(spark, "lance_table(spark, path)")
    if tag is not None and (version is not None or branch is not None):
        raise InvalidRequestError("a tag names its version: leave out version and branch")
    handle = TableHandle(spark, qualified(spark, uri_or_name))
    handle.check_exists()
    table = LanceTable(handle)
    if tag is not None:
        return table.checkout_version(tag)
    if branch is None and version is None:
        return table
    return table.checkout_version((branch, version))
