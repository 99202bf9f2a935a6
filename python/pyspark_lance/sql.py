# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""SQL text: names, literals, how a table is named in it, and the one place that runs it."""

import hashlib
import os
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TypeAlias
from urllib.parse import quote, urlencode
from uuid import uuid4

from pyspark.sql import DataFrame, Row, SparkSession

from pyspark_lance.exceptions import errors_translated

Scalar: TypeAlias = str | int | float | bool | Decimal | date | datetime | None
PathOrName: TypeAlias = "str | os.PathLike[str] | TableReference"
_PATH = re.compile(r"[/\\:]|\.lance$")
_PART = re.compile(r"`(?:[^`]|``)*`|[^.`]+")
_CATALOGS = ("spark_catalog", "lance")  # sessions have them without a setting


def identifier(name: str) -> str:
    """One part of a name, in backquotes.

    Examples:
        >>> from pyspark_lance.sql import identifier
        >>> identifier("my `own` table")
        '`my ``own`` table`'
    """
    return "`" + name.replace("`", "``") + "`"


def parts(name: str) -> list[str]:
    """The parts of a name with dots, such as a column in a struct or a table in a namespace.

    Raises:
        ValueError: The text is no name.

    Examples:
        >>> from pyspark_lance.sql import parts
        >>> parts("a.`b.c`.d")
        ['a', 'b.c', 'd']
    """
    found = _PART.findall(name)
    if not name or ".".join(found) != name:
        raise ValueError(f"{name!r} is no name: put parts with other characters into backquotes")
    return [p[1:-1].replace("``", "`") if p.startswith("`") else p for p in found]


def dotted(name: str) -> str:
    """A name with dots, each of its parts in backquotes."""
    return ".".join(identifier(part) for part in parts(name))


def literal(value: object) -> str:
    """A value as SQL has it: also lists, and maps with text for keys.

    Raises:
        TypeError: SQL has no literal for such a value.

    Examples:
        >>> from pyspark_lance.sql import literal
        >>> literal(["a", 1.5, None])
        "array('a', 1.5D, NULL)"
    """
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return str(value)
        case float():
            return f"{value!r}D" if _is_finite(value) else f"double('{value}')"
        case Decimal():
            return f"{value}BD"
        case str():
            escaped = value.replace("\\", "\\\\").replace("'", "\\'")
            # Spark puts its settings and the environment into texts that name them.
            return "'" + escaped.replace("${", "\\u0024{") + "'"
        case datetime():
            return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
        case date():
            return f"DATE '{value.isoformat()}'"
        case list() | tuple():
            return f"array({', '.join(literal(v) for v in value)})"
        case dict():
            pairs = (f"{literal(k)}, {literal(v)}" for k, v in value.items())
            return f"map({', '.join(pairs)})"
        case _:
            raise TypeError(f"{value!r} of type {type(value).__name__} has no literal in SQL")


def property_list(values: Mapping[str, object]) -> str:
    """Names and values as TBLPROPERTIES and WITH PROPERTIES have them.

    Examples:
        >>> from pyspark_lance.sql import property_list
        >>> property_list({"team": "a", "maxRowsPerFile": "10"})
        "('team' = 'a', 'maxRowsPerFile' = '10')"
    """
    return f"({', '.join(f'{literal(k)} = {literal(v)}' for k, v in values.items())})"


def _is_finite(value: float) -> bool:
    return value == value and abs(value) != float("inf")


def settings(options: Mapping[str, object]) -> str:
    """The clause `WITH (name = value, ...)` of a statement, for the options that are given.

    A list is written as text with commas, as the statements take it.
    """
    given = {k: v for k, v in options.items() if v is not None}
    if not given:
        return ""
    pairs = (
        f"{k} = {literal(','.join(map(str, v)) if isinstance(v, list | tuple) else v)}"
        for k, v in given.items()
    )
    return f" WITH ({', '.join(pairs)})"


@dataclass(frozen=True)
class TableReference:
    """How SQL names a table.

    Attributes:
        sql: The name as it stands in statements: `` lance.db.t `` or `` lance.`/data/t` ``.
        path: The path, for `load` and `save`; none when the table goes by a name.
        shown: The name for people, where it is another than that of statements.
    """

    sql: str
    path: str | None = None
    shown: str | None = None

    @staticmethod
    def of(target: PathOrName) -> "TableReference":
        """A table by its path or name.

        A path is an `os.PathLike`, or text with a slash, a backslash or a colon, or with `.lance`
        at its end. Everything else, and all text with a backquote in it, is a name.

        Raises:
            TypeError: It is neither.

        Examples:
            >>> from pyspark_lance.sql import TableReference
            >>> TableReference.of("/data/people.lance").sql
            'lance.`/data/people.lance`'
            >>> TableReference.of("lance.db.people").is_path
            False
        """
        match target:
            case TableReference():
                return target
            case str() if "`" in target or not _PATH.search(target):
                if not target.strip():
                    raise ValueError("an empty text names no table: give a path or a name")
                return TableReference(target)
            case str() | os.PathLike():
                return TableReference.at(os.fspath(target))
        raise TypeError(
            f"a table is named by its path or by its name, a str, not by {type(target).__name__}"
        )

    @staticmethod
    def at(path: str, catalog: str = "lance") -> "TableReference":
        """A table by its path.

        Args:
            path: A local path or a URI.
            catalog: The catalog in whose storage settings it is read.
        """
        # A name without a slash would be one of a table in the catalog.
        shown = path if "/" in path else f"./{path}"
        return TableReference(f"{catalog}.{identifier(shown)}", path)

    @property
    def is_path(self) -> bool:
        """Whether the table is named by its path."""
        return self.path is not None

    def part(self, name: str) -> "TableReference":
        """What goes by the table's name with another part: `history`, `branch_dev`, `tag_v1`."""
        return TableReference(f"{self.sql}.{identifier(name)}")

    def hinted(self, hints: Mapping[str, str]) -> str:
        """The name for `DataFrame.mergeInto` with what it says besides.

        Args:
            hints: `as` is an alias, `command` is `delete` or `update`, others are options.
        """
        return f"{self.sql}.{identifier('?' + urlencode(hints, quote_via=quote))}"

    def __str__(self) -> str:
        """The path, else the name."""
        return self.path or self.shown or self.sql


def run_sql(spark: SparkSession, text: str) -> DataFrame:
    """Runs a statement, or prepares a query, and translates the errors."""
    with errors_translated():
        return spark.sql(text)


def call_procedure(spark: SparkSession, procedure: str, **arguments: object) -> DataFrame:
    """Runs a procedure with those arguments that are not none."""
    said = ", ".join(f"{k} => {literal(v)}" for k, v in arguments.items() if v is not None)
    return run_sql(spark, f"CALL lance.system.{procedure}({said})")


def rows(spark: SparkSession, text: str) -> list[Row]:
    """The rows of a statement or query, with errors translated."""
    with errors_translated():
        return spark.sql(text).collect()


def settled(spark: SparkSession, target: PathOrName) -> TableReference:
    """A table by its path, or by its name in full.

    Statements that come later then mean the same table, whatever catalog and namespace are the
    current ones by then, and procedures do, which look names up in their own catalog first.

    Args:
        spark: The session, whose current catalog and namespace are those of names without them.
        target: The path or name.
    """
    table = TableReference.of(target)
    if table.is_path:
        return table
    try:
        first, *others = parts(table.sql)
    except ValueError:
        return table  # Spark says what is wrong with it
    if others and (
        any("/" in part for part in others)
        or first in _CATALOGS
        or spark.conf.get(f"spark.sql.catalog.{first}", None) is not None
    ):
        return table
    current = rows(spark, "SELECT current_catalog() AS catalog, current_schema() AS namespace")[0]
    # Only names of one part are looked up in the current namespace, which comes quoted.
    namespace = [] if others or not current["namespace"] else [current["namespace"]]
    name = ".".join([identifier(current["catalog"]), *namespace, table.sql])
    return TableReference(name, shown=table.sql)


@contextmanager
def view(frame: DataFrame) -> Generator[str]:
    """A name for the rows of a frame in SQL, as long as the block runs."""
    name = f"pyspark_lance_{uuid4().hex}"
    with errors_translated():
        frame.createOrReplaceTempView(name)
    try:
        yield name
    finally:
        frame.sparkSession.catalog.dropTempView(name)


def with_storage(spark: SparkSession, path: str, options: Mapping[str, object]) -> TableReference:
    """A table at a path whose file system has settings of its own, in all statements.

    They become those of a catalog of the session, one for each set of settings.

    Args:
        spark: The session.
        path: A local path or a URI.
        options: Configuration of the Hadoop file system, such as `fs.s3a.endpoint`.
    """
    given = {key: str(value) for key, value in options.items() if value is not None}
    if not given:
        return TableReference.at(path)
    digest = hashlib.sha256(repr(sorted(given.items())).encode()).hexdigest()
    catalog = f"lance_storage_{digest[:12]}"
    key = f"spark.sql.catalog.{catalog}"
    if spark.conf.get(key, None) is None:
        for name, value in given.items():
            spark.conf.set(f"{key}.storage.{name}", value)
        spark.conf.set(key, "io.github.pysparklance.spark.LanceCatalog")
    # Without the path: what goes by that alone would not meet the settings.
    return TableReference(TableReference.at(path, catalog).sql)
