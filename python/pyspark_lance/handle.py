# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`TableHandle`: a table in a session, with branch, version, and alias."""

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from pyspark_lance.exceptions import (
    ConnectorNotLoadedError,
    InvalidRequestError,
    NotFoundError,
    no_table_at,
)
from pyspark_lance.progress import is_connect
from pyspark_lance.session import EXTENSIONS_CLASS
from pyspark_lance.sql import TableReference, rows, run_sql


@dataclass(frozen=True)
class TableHandle:
    """The table that a `LanceTable` and its helpers run SQL on.

    Attributes:
        spark: The session.
        reference: The table's name in SQL, without the branch.
        branch: The current branch; `None` for the main branch.
        pin: The number of the current version; `None` for the latest.
        alias: The name of the table in conditions of DELETE, UPDATE, and MERGE.
    """

    spark: SparkSession
    reference: TableReference
    branch: str | None = None
    pin: int | None = None
    alias: str | None = None

    def check_exists(self) -> None:
        """Raises an error if the table does not exist.

        Raises:
            NotFoundError: The table does not exist.
            ConnectorNotLoadedError: The session has no SQL extensions of the connector.
        """
        try:
            rows(self.spark, f"DESCRIBE DETAIL {self.reference.sql}")
        except NotFoundError:
            # Without the extensions, Spark reads DETAIL as the name of a table.
            if EXTENSIONS_CLASS not in str(self.spark.conf.get("spark.sql.extensions", "")):
                raise ConnectorNotLoadedError(is_connect(self.spark)) from None
            path = self.reference.path
            if path is not None:
                raise no_table_at(path) from None
            raise

    @property
    def description(self) -> str:
        """The path or name with branch and version, for messages."""
        branch = f", branch {self.branch}" if self.branch else ""
        version = "" if self.pin is None else f", version {self.pin}"
        return f"{self.reference}{branch}{version}"

    @property
    def writable(self) -> TableReference:
        """The name in SQL of the current branch."""
        return self.reference.part(f"branch_{self.branch}") if self.branch else self.reference

    @property
    def target(self) -> TableReference:
        """The name in SQL of the current branch, for commands that change it.

        Raises:
            InvalidRequestError: The handle has a version, which cannot be changed.
        """
        if self.pin is not None:
            raise InvalidRequestError(
                f"{self.description} is an old version and cannot be changed: write to "
                "table.checkout_latest(), or restore this version with table.restore()"
            )
        return self.writable

    def toDF(self) -> DataFrame:
        """Returns all rows. Metadata columns can be selected by name."""
        frame = run_sql(self.spark, f"SELECT * FROM {self.writable.sql}{self.as_of}")
        return frame if self.alias is None else frame.alias(self.alias)

    def metadata_table(self, name: str) -> DataFrame:
        """Returns a metadata table of the current version.

        Args:
            name: A name such as `files`.
        """
        return run_sql(self.spark, f"SELECT * FROM {self.writable.part(name).sql}{self.as_of}")

    @property
    def as_of(self) -> str:
        """The clause after a table name that selects the current version."""
        return "" if self.pin is None else f" VERSION AS OF {self.pin}"
