# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Properties and metadata of a table, stored in its manifest."""

import os
from collections.abc import Iterable, Mapping
from typing import Final

from pyspark_lance.base import TableBase
from pyspark_lance.exceptions import InvalidRequestError, errors_translated
from pyspark_lance.sql import call_procedure, literal, names, property_list, run_sql

# SET and UNSET TBLPROPERTIES reject these: SQL clauses or the table's files define them.
_RESERVED: Final = {
    "external",
    "is_managed_location",
    "lance.branch",
    "lance.fileVersion",
    "lance.spark.partitioned",
    "lance.version",
    "location",
    "owner",
    "path",
    "provider",
    "table_type",
}
_RESERVED_BEGINNINGS: Final = (
    "lance.spark.constraint.",
    "lance.spark.primary-key",
    "lance.spark.rely.",
    "lance.spark.statistics.",
    "lance.spark.txn.",
)


def _is_reserved(key: str) -> bool:
    return key in _RESERVED or key.startswith(_RESERVED_BEGINNINGS)


class Properties(TableBase):
    """Properties and metadata of `LanceTable`."""

    def config(self) -> dict[str, str]:
        """Returns the table properties of the current version.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(3), path, mode="overwrite")
            >>> table = LanceTable.forPath(spark, path)
            >>> table.update_config({"team": "a"})["team"]
            'a'
        """
        return self._metadata_of("config")

    def update_config(
        self, values: Mapping[str, str | None], *, replace: bool = False
    ) -> dict[str, str]:
        """Changes table properties, in one version, or in two if some are removed and others set.

        Args:
            values: Properties by name; `None` removes a property.
            replace: Whether to remove all other properties, except reserved ones such as
                constraints, keys, `owner`, and the numbers of applied writes.

        Returns:
            The new properties.

        Raises:
            InvalidRequestError: A property is reserved; nothing was changed.
        """
        present = self.config()
        gone = {key for key, value in values.items() if value is None and key in present}
        if replace:
            gone |= {key for key in present.keys() - values.keys() if not _is_reserved(key)}
        new = {key: str(value) for key, value in values.items() if value is not None}
        if refused := sorted(filter(_is_reserved, new)):
            raise InvalidRequestError(
                f"{self._handle.description}: {', '.join(refused)} cannot be set as table "
                "properties; use the SQL statements for constraints and keys"
            )
        self.delete_config_keys(sorted(gone))
        if new:
            self._alter(f"SET TBLPROPERTIES {property_list(new)}")
        return self.config()

    def delete_config_keys(self, keys: Iterable[str]) -> None:
        """Removes table properties; missing ones are ignored.

        Args:
            keys: Their names.
        """
        given = names(keys, "keys")
        if given:
            self._alter(f"UNSET TBLPROPERTIES IF EXISTS ({', '.join(map(literal, given))})")

    @property
    def metadata(self) -> dict[str, str]:
        """Metadata of the table at the current version."""
        return self._metadata_of("table")

    def update_metadata(
        self, values: Mapping[str, str | None], *, replace: bool = False
    ) -> dict[str, str]:
        """Changes the table metadata in one version.

        Args:
            values: Metadata by key; `None` removes a key.
            replace: Whether to remove all other keys.

        Returns:
            The new metadata.
        """
        self._note("table", values, replace)
        return self.metadata

    @property
    def schema_metadata(self) -> dict[str, str]:
        """Metadata of the schema at the current version."""
        return self._metadata_of("schema")

    def update_schema_metadata(
        self, values: Mapping[str, str | None], *, replace: bool = False
    ) -> dict[str, str]:
        """Changes the schema metadata in one version.

        Args:
            values: As for `update_metadata`.
            replace: As for `update_metadata`.

        Returns:
            The new metadata.
        """
        self._note("schema", values, replace)
        return self.schema_metadata

    def update_field_metadata(
        self, field_updates: Mapping[str, Mapping[str, str | None]], *, replace: bool = False
    ) -> None:
        """Changes the metadata of columns, in one version for each column.

        Args:
            field_updates: Metadata by column: `{"s.a": {"unit": "m"}}`.
            replace: Whether to remove all other keys of these columns.
        """
        for field, values in field_updates.items():
            self._note("field", values, replace, field)

    def add_bases(self, *bases: str | os.PathLike[str], **named: str | os.PathLike[str]) -> None:
        """Adds base paths for files of the table, for the write option `target_bases`.

        Args:
            *bases: Paths or URIs.
            **named: Paths or URIs by name.
        """
        for name, path in [*((None, b) for b in bases), *named.items()]:
            self._call("add_base", path=os.fspath(path), name=name)

    def _note(
        self, scope: str, values: Mapping[str, str | None], replace: bool, field: str | None = None
    ) -> None:
        new = {key: str(value) for key, value in values.items() if value is not None}
        self._call(
            "update_metadata",
            scope=scope,
            values=new or None,
            removed=[key for key, value in values.items() if value is None] or None,
            replace=replace,
            field=field,
        )

    def _call(self, procedure: str, **arguments: object) -> None:
        """Runs a procedure on the table with the arguments that are not `None`."""
        call_procedure(self._handle.spark, procedure, table=self._handle.target.sql, **arguments)

    def _metadata_of(self, scope: str) -> dict[str, str]:
        config = self._handle.metadata_table("config")
        with errors_translated():
            found = config.where(f"scope = {literal(scope)}").collect()
        return {row["key"]: row["value"] for row in found}

    def _alter(self, action: str) -> None:
        run_sql(self._handle.spark, f"ALTER TABLE {self._handle.target.sql} {action}")
