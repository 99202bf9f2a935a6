# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The contents of a catalog of Lance tables."""

import os
from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from pyspark_lance.sql import dotted, identifier, literal, property_list, run_sql
from pyspark_lance.table import LanceTable


class Catalog:
    """Namespaces and tables of one catalog. Names are relative to the catalog.

    Examples:
        >>> from pyspark_lance import Catalog, LanceTable
        >>> catalog = Catalog(spark, "lance")
        >>> catalog.create_namespace("shop", {"team": "a"})
        >>> table = LanceTable.create(spark).tableName("lance.shop.stock").addColumn("id", "INT")
        >>> _ = table.execute()
        >>> catalog.rename("shop.stock", "shop.goods")
        >>> [row["tableName"] for row in catalog.list_tables("shop").collect()]
        ['goods']
        >>> catalog.drop("shop.goods")
        >>> catalog.drop_namespace("shop")
    """

    def __init__(self, spark: SparkSession, name: str = "lance") -> None:
        """Creates the object; the catalog must be configured in the session.

        Args:
            spark: A session created with `configure`.
            name: The catalog's name in SQL.
        """
        self.spark = spark
        self.name = name

    def list_tables(self, namespace: str | None = None) -> DataFrame:
        """Returns a row for each table: `namespace`, `tableName`, `isTemporary`.

        Args:
            namespace: The namespace; the root of the catalog if omitted.
        """
        return run_sql(self.spark, f"SHOW TABLES IN {self._within(namespace)}")

    def list_namespaces(self, parent: str | None = None) -> DataFrame:
        """Returns a row for each namespace in the catalog or in another namespace.

        Args:
            parent: The other namespace.
        """
        return run_sql(self.spark, f"SHOW NAMESPACES IN {self._within(parent)}")

    def table(self, name: str) -> LanceTable:
        """Returns a table by its name in this catalog.

        Args:
            name: Name with namespaces, without the catalog: `sales.europe.orders`.

        Raises:
            NotFoundError: The table does not exist.
        """
        return LanceTable.forName(self.spark, self._within(name))

    def create_namespace(
        self,
        namespace: str,
        properties: Mapping[str, str] | None = None,
        *,
        if_not_exists: bool = False,
    ) -> None:
        """Creates a namespace.

        Args:
            namespace: Its name, such as `sales.europe`.
            properties: Its properties.
            if_not_exists: Whether an existing one is not an error.
        """
        noted = f" WITH PROPERTIES {property_list(properties)}" if properties else ""
        self._run(
            f"CREATE NAMESPACE {'IF NOT EXISTS ' if if_not_exists else ''}"
            f"{self._within(namespace)}{noted}"
        )

    def drop_namespace(
        self, namespace: str, *, cascade: bool = False, if_exists: bool = False
    ) -> None:
        """Drops a namespace.

        Args:
            namespace: Its name.
            cascade: Whether to drop its tables and namespaces as well.
            if_exists: Whether a missing one is not an error.
        """
        self._run(
            f"DROP NAMESPACE {'IF EXISTS ' if if_exists else ''}"
            f"{self._within(namespace)}{' CASCADE' if cascade else ''}"
        )

    def rename(self, name: str, new_name: str) -> None:
        """Renames a table, within a namespace or to another one.

        Args:
            name: Its name.
            new_name: The new name, with namespaces, without the catalog.
        """
        self._run(f"ALTER TABLE {self._within(name)} RENAME TO {dotted(new_name)}")

    def register(self, name: str, location: str | os.PathLike[str]) -> LanceTable:
        """Registers an existing table under a name, in catalogs that support locations.

        Args:
            name: The name.
            location: The table's folder.

        Returns:
            The table.
        """
        place = literal(os.fspath(location))
        self._run(f"CREATE TABLE {self._within(name)} USING lance LOCATION {place}")
        return self.table(name)

    def drop(self, name: str, *, if_exists: bool = False) -> None:
        """Drops a table with all its versions.

        Args:
            name: Its name.
            if_exists: Whether a missing one is not an error.
        """
        self._run(f"DROP TABLE {'IF EXISTS ' if if_exists else ''}{self._within(name)}")

    def _within(self, name: str | None) -> str:
        return identifier(self.name) + (f".{dotted(name)}" if name else "")

    def _run(self, text: str) -> None:
        run_sql(self.spark, text)

    def __repr__(self) -> str:
        """Returns text such as `Catalog('lance')`."""
        return f"Catalog({self.name!r})"
