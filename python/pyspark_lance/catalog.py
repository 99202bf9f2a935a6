# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""What is in a catalog of Lance tables."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame, SparkSession

from pyspark_lance.sql import dotted, identifier, literal, property_list, run_sql

if TYPE_CHECKING:
    from pyspark_lance.table import LanceTable


class Catalog:
    """Namespaces and tables of one catalog, by names within it.

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
        """A catalog of a session.

        Args:
            spark: A session made with `configure`.
            name: The catalog's name in SQL.
        """
        self.spark = spark
        self.name = name

    def list_tables(self, namespace: str | None = None) -> DataFrame:
        """A row for each table: `namespace`, `tableName`, `isTemporary`.

        Args:
            namespace: Where they are; right in the catalog when left out.
        """
        return run_sql(self.spark, f"SHOW TABLES IN {self._within(namespace)}")

    def list_namespaces(self, parent: str | None = None) -> DataFrame:
        """A row for each namespace right in the catalog, or in another namespace.

        Args:
            parent: The other namespace.
        """
        return run_sql(self.spark, f"SHOW NAMESPACES IN {self._within(parent)}")

    def table(self, name: str) -> "LanceTable":
        """A table by its name in this catalog.

        Args:
            name: With its namespaces, without the catalog: `sales.europe.orders`.

        Raises:
            NotFoundError: There is none.
        """
        from pyspark_lance.table import LanceTable

        return LanceTable.forName(self.spark, self._within(name))

    def create_namespace(
        self,
        namespace: str,
        properties: Mapping[str, str] | None = None,
        *,
        if_not_exists: bool = False,
    ) -> None:
        """Makes a namespace.

        Args:
            namespace: Its name, such as `sales.europe`.
            properties: What is to be known of it.
            if_not_exists: Whether it is well when there is one of that name.
        """
        noted = f" WITH PROPERTIES {property_list(properties)}" if properties else ""
        self._run(
            f"CREATE NAMESPACE {'IF NOT EXISTS ' if if_not_exists else ''}"
            f"{self._within(namespace)}{noted}"
        )

    def drop_namespace(
        self, namespace: str, *, cascade: bool = False, if_exists: bool = False
    ) -> None:
        """Removes a namespace.

        Args:
            namespace: Its name.
            cascade: Whether its tables and namespaces go as well.
            if_exists: Whether it is well when there is none.
        """
        self._run(
            f"DROP NAMESPACE {'IF EXISTS ' if if_exists else ''}"
            f"{self._within(namespace)}{' CASCADE' if cascade else ''}"
        )

    def rename(self, name: str, new_name: str) -> None:
        """Gives a table another name, in the same namespace or another one.

        Args:
            name: Its name.
            new_name: The new one, with namespaces, but not the catalog.
        """
        self._run(f"ALTER TABLE {self._within(name)} RENAME TO {dotted(new_name)}")

    def register(self, name: str, location: str | os.PathLike[str]) -> "LanceTable":
        """Gives a table that is there a name, in catalogs that know locations.

        Args:
            name: The name.
            location: The table's folder.
        """
        place = literal(os.fspath(location))
        self._run(f"CREATE TABLE {self._within(name)} USING lance LOCATION {place}")
        return self.table(name)

    def drop(self, name: str, *, if_exists: bool = False) -> None:
        """Removes a table with all its versions.

        Args:
            name: Its name.
            if_exists: Whether it is well when there is none.
        """
        self._run(f"DROP TABLE {'IF EXISTS ' if if_exists else ''}{self._within(name)}")

    def _within(self, name: str | None) -> str:
        return identifier(self.name) + (f".{dotted(name)}" if name else "")

    def _run(self, text: str) -> None:
        run_sql(self.spark, text)

    def __repr__(self) -> str:
        """Such as `Catalog('lance')`."""
        return f"Catalog({self.name!r})"
