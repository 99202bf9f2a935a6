# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Creates tables column by column, like Delta Lake's builder."""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

from pyspark.sql import SparkSession
from pyspark.sql.types import DataType, StructField, StructType

from pyspark_lance.fields import BLOB, FIXED_SIZE_LIST_SIZE
from pyspark_lance.sql import (
    TableReference,
    dotted,
    literal,
    property_list,
    qualified,
    run_sql,
)
from pyspark_lance.sql_types import (
    column_options,
    declaration,
    field_declaration,
    member_options,
    path_part,
    sql_type,
)

if TYPE_CHECKING:
    from typing_extensions import Self

TableT = TypeVar("TableT")
Verb: TypeAlias = Literal["CREATE", "CREATE IF NOT EXISTS", "REPLACE", "CREATE OR REPLACE"]
_BEGINNINGS: dict[Verb, str] = {
    "CREATE": "CREATE TABLE",
    "CREATE IF NOT EXISTS": "CREATE TABLE IF NOT EXISTS",
    "REPLACE": "REPLACE TABLE",
    "CREATE OR REPLACE": "CREATE OR REPLACE TABLE",
}


class LanceTableBuilder(Generic[TableT]):
    """Builder of a table, returned by `LanceTable.create` and similar methods.

    Examples:
        >>> from pyspark_lance import LanceTable
        >>> table = (
        ...     LanceTable.create(spark)
        ...     .location(path)
        ...     .addColumn("id", "BIGINT", nullable=False, comment="the key")
        ...     .addColumn("embedding", "ARRAY<FLOAT>", vector=4)
        ...     .addColumn("photo", "BINARY", blob=True)
        ...     .addColumn("text", "STRING", encoding={"compression": "zstd"})
        ...     .property("team", "search")
        ...     .execute()
        ... )
        >>> table.schema["embedding"].metadata
        {'arrow.fixed-size-list.size': 4}
    """

    def __init__(
        self, spark: SparkSession, verb: Verb, open_table: Callable[[TableReference], TableT]
    ) -> None:
        """Use `LanceTable.create`, `createIfNotExists`, `replace`, `createOrReplace`."""
        self._spark = spark
        self._open_table = open_table
        self._verb: Verb = verb
        self._name: str | None = None
        self._location: str | None = None
        self._columns: list[str] = []
        self._properties: dict[str, str] = {}
        self._clustering: list[str] = []
        self._partitioning: list[str] = []
        self._comment: str | None = None

    def tableName(self, identifier: str) -> "Self":
        """Sets the name of the table: `lance.db.people`.

        Args:
            identifier: With catalog and namespaces.

        Returns:
            This builder.
        """
        self._name = identifier
        return self

    def location(self, location: str | os.PathLike[str]) -> "Self":
        """Sets the location of the table. It is also the name if no other is set.

        Args:
            location: A local path or a URI.

        Returns:
            This builder.
        """
        self._location = os.fspath(location)
        return self

    def comment(self, comment: str) -> "Self":
        """Sets the comment of the table.

        Args:
            comment: The text.

        Returns:
            This builder.
        """
        self._comment = comment
        return self

    def addColumn(
        self,
        colName: str,
        dataType: str | DataType,
        nullable: bool = True,
        comment: str | None = None,
        *,
        default: str | None = None,
        vector: int | None = None,
        blob: bool = False,
        encoding: Mapping[str, object] | None = None,
    ) -> "Self":
        """Adds a column.

        Args:
            colName: Its name.
            dataType: A Spark type, or a type in SQL.
            nullable: Whether it can contain nulls.
            comment: Its comment.
            default: Default value, in SQL.
            vector: Dimension of a vector: the length of each array.
            blob: Whether it is a blob column.
            encoding: Keys for the encoder, see `docs/options.md`: `{"compression": "zstd"}`.

        Returns:
            This builder.
        """
        path = path_part(colName)
        text = dataType if isinstance(dataType, str) else sql_type(dataType)
        self._columns.append(declaration(colName, text, nullable, default, comment))
        keys: dict[str, object] = dict(encoding or {})
        if vector is not None:
            keys[FIXED_SIZE_LIST_SIZE] = vector
        if blob:
            keys[BLOB] = "true"
        below = {} if isinstance(dataType, str) else member_options(dataType, path)
        return self._set_column_options(
            below | {f"{path}.{key}": str(value) for key, value in keys.items()}
        )

    def _set_column_options(self, options: Mapping[str, str]) -> "Self":
        self._properties.update({f"column.{name}": value for name, value in options.items()})
        return self

    def addColumns(self, cols: StructType | Iterable[StructField]) -> "Self":
        """Adds the columns of a schema, with vector sizes and blobs from their metadata.

        The metadata of fields in structs is used as well. Other metadata is ignored.

        Args:
            cols: A schema, such as that of a DataFrame, or fields from `vector_field`.

        Returns:
            This builder.

        Raises:
            TypeError: SQL has no name for the type of a column.
        """
        for field in cols.fields if isinstance(cols, StructType) else cols:
            self._columns.append(field_declaration(field))
            self._set_column_options(column_options(field))
        return self

    def property(self, key: str, value: str) -> "Self":
        """Sets a table property.

        Args:
            key: Its name.
            value: Its value.

        Returns:
            This builder.
        """
        self._properties[key] = value
        return self

    def clusterBy(self, *clusterByCols: str) -> "Self":
        """Sets the clustering key, which cannot be changed later.

        Args:
            *clusterByCols: Their names, with dots for fields in structs.

        Returns:
            This builder.
        """
        self._clustering.extend(clusterByCols)
        return self

    def partitionedBy(self, *cols: str) -> "Self":
        """Sets the clustering key. `INSERT ... PARTITION` accepts it, but there are no partitions.

        Args:
            *cols: Their names.

        Returns:
            This builder.
        """
        self._partitioning.extend(cols)
        return self

    def execute(self) -> TableT:
        """Creates the table, and returns it.

        Returns:
            The new table.

        Raises:
            ValueError: It has neither a name nor a location.
            AnalysisException: The table exists, or a column is invalid.
        """
        reference, place = self._target()
        clauses = [
            f"{_BEGINNINGS[self._verb]} {reference.sql} ({', '.join(self._columns)}) USING lance",
            _keyed("PARTITIONED BY", self._partitioning),
            _keyed("CLUSTER BY", self._clustering),
            f"LOCATION {literal(place)}" if place else "",
            "" if self._comment is None else f"COMMENT {literal(self._comment)}",
            f"TBLPROPERTIES {property_list(self._properties)}" if self._properties else "",
        ]
        run_sql(self._spark, " ".join(clause for clause in clauses if clause))
        return self._open_table(reference)

    def _target(self) -> tuple[TableReference, str | None]:
        if self._name is not None:
            return qualified(self._spark, self._name), self._location
        if self._location is None:
            raise ValueError(
                "the table has neither a name nor a location: .tableName('lance.db.people')"
            )
        return TableReference.at(self._location), None


def _keyed(clause: str, columns: list[str]) -> str:
    return f"{clause} ({', '.join(map(dotted, columns))})" if columns else ""
