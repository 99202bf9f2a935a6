# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`TableBase`: the base class of the parts of `LanceTable`."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from pyspark_lance.handle import TableHandle
from pyspark_lance.sql import TableReference

if TYPE_CHECKING:
    from typing_extensions import Self


class TableBase:
    """Stores the handle of the table, and creates tables of the same class with other handles."""

    def __init__(self, handle: TableHandle) -> None:
        """Use `forPath`, `forName`, or `lance_table`, which check that the table exists."""
        self._handle = handle

    def _with(self, **changed: Any) -> "Self":  # noqa: ANN401
        """Returns the same table with other fields of its handle."""
        return type(self)(replace(self._handle, **changed))

    def _of(self, reference: TableReference) -> "Self":
        """Returns another table of the same session."""
        return type(self)(TableHandle(self._handle.spark, reference))

    @property
    def name(self) -> str:
        """The path or name of the table, without branch and version."""
        return str(self._handle.reference)

    @property
    def branch(self) -> str | None:
        """The current branch; `None` for the main branch."""
        return self._handle.branch

    def alias(self, aliasName: str) -> "Self":
        """Returns the table with an alias for conditions of `delete`, `update`, and `merge`.

        Args:
            aliasName: The alias. Conditions use it for columns of the table: `t.id`.
        """
        return self._with(alias=aliasName)

    def toDF(self) -> DataFrame:
        """Returns all rows. Metadata columns can be selected by name."""
        return self._handle.toDF()
