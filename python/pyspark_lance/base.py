# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""What the parts of `LanceTable` have in common: which table, branch and version is at hand."""

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from pyspark_lance.table import LanceTable


class TableBase:
    """A table at hand."""

    def __init__(
        self,
        spark: SparkSession,
        reference: TableReference,
        *,
        branch: str | None = None,
        pin: int | None = None,
        alias_name: str | None = None,
    ) -> None:
        """Users call `forPath`, `forName` or `lance_table`, which look whether there is one."""
        self.spark = spark
        self.reference = reference
        self.branch = branch
        self.pin = pin
        self.alias_name = alias_name

    def _checked(self) -> "LanceTable":
        """The same, once there is such a table."""
        try:
            rows(self.spark, f"DESCRIBE DETAIL {self.reference.sql}")
        except NotFoundError:
            # Spark alone takes the statement for another one, about a table named DETAIL.
            if EXTENSIONS_CLASS not in str(self.spark.conf.get("spark.sql.extensions", "")):
                raise ConnectorNotLoadedError(is_connect(self.spark)) from None
            path = self.reference.path
            if path is not None:
                raise no_table_at(path) from None
            raise
        return self._with()

    def _with(self, **changed: Any) -> "LanceTable":  # noqa: ANN401
        from pyspark_lance.table import LanceTable

        state: dict[str, Any] = {
            "branch": self.branch,
            "pin": self.pin,
            "alias_name": self.alias_name,
        }
        return LanceTable(self.spark, self.reference, **(state | changed))

    def _of(self, reference: TableReference) -> "LanceTable":
        from pyspark_lance.table import LanceTable

        return LanceTable(self.spark, reference)

    def alias(self, aliasName: str) -> "LanceTable":
        """The same table under a name for conditions of `delete`, `update` and `merge`.

        Args:
            aliasName: The name, which columns in these conditions then go by: `t.id`.
        """
        return self._with(alias_name=aliasName)

    @property
    def name(self) -> str:
        """Its path or name, with branch and version, for people."""
        branch = f", branch {self.branch}" if self.branch else ""
        version = "" if self.pin is None else f", version {self.pin}"
        return f"{self.reference}{branch}{version}"

    @property
    def writable(self) -> TableReference:
        """How SQL names what is written: the table, or the current branch."""
        return self.reference.part(f"branch_{self.branch}") if self.branch else self.reference

    @property
    def target(self) -> TableReference:
        """The same, for commands that change it.

        Raises:
            InvalidRequestError: A version is at hand, which cannot be changed.
        """
        if self.pin is not None:
            raise InvalidRequestError(
                f"{self.name} is an old version and cannot be changed: write to "
                "table.checkout_latest(), or make it the newest one by table.restore()"
            )
        return self.writable

    @property
    def source(self) -> str:
        """What stands after FROM to read the table at hand."""
        return self.writable.sql + self._at

    @property
    def _at(self) -> str:
        return "" if self.pin is None else f" VERSION AS OF {self.pin}"

    def toDF(self) -> DataFrame:
        """All rows, with the metadata columns for queries that name them."""
        frame = run_sql(self.spark, f"SELECT * FROM {self.source}")
        return frame if self.alias_name is None else frame.alias(self.alias_name)
