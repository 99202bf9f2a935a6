# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Builds and runs SQL: names, literals, and table references."""

import hashlib
import inspect
import os
import re
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode
from uuid import uuid4

from pyspark.sql import DataFrame, Row, SparkSession

from pyspark_lance.exceptions import InvalidRequestError, errors_translated

Scalar: TypeAlias = str | int | float | bool | Decimal | date | datetime | None
PathOrName: TypeAlias = "str | os.PathLike[str]"
_PATH = re.compile(r"[/\\:]|\.lance$")
_PART = re.compile(r"`(?:[^`]|``)*`|[^.`]+")
_CONNECT = "pyspark.sql.connect"
_CATALOGS = ("spark_catalog", "lance")  # available in every session


def quoted(name: str) -> str:
    """Quotes one part of a name with backquotes, for columns of DataFrames."""
    return "`" + name.replace("`", "``") + "`"


def identifier(name: str) -> str:
    """Quotes one part of a name with backquotes, for SQL.

    Raises:
        InvalidRequestError: The name contains `${`.

    Examples:
        >>> from pyspark_lance.sql import identifier
        >>> identifier("my `own` table")
        '`my ``own`` table`'
    """
    return quoted(_without_variables(name))


def _without_variables(name: str) -> str:
    """Checks that a name in SQL has no variables, which Spark replaces also in backquotes.

    Names have no escape sequences, so the statement would use another name.
    """
    if "${" in name:
        raise InvalidRequestError(
            f"{name!r} contains '${{', which Spark's SQL replaces by the value of a variable: use "
            "another name, or for a path spark.read.format('lance').load(path)"
        )
    return name


def parts(name: str) -> list[str]:
    """Splits a dotted name, such as a field of a struct or a table in a namespace.

    Raises:
        ValueError: The text is not a name.

    Examples:
        >>> from pyspark_lance.sql import parts
        >>> parts("a.`b.c`.d")
        ['a', 'b.c', 'd']
    """
    found = _PART.findall(name)
    if not name or ".".join(found) != name:
        raise ValueError(f"{name!r} is not a name: put parts with other characters in backquotes")
    return [p[1:-1].replace("``", "`") if p.startswith("`") else p for p in found]


def dotted(name: str) -> str:
    """Joins parts of a name with dots, and quotes each part."""
    return ".".join(identifier(part) for part in parts(name))


def literal(value: object) -> str:
    """Returns a value as a SQL literal, including lists, and maps with text keys.

    Raises:
        TypeError: SQL has no literal for the value.

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
            # Spark substitutes configuration and environment variables in text.
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


def names(given: Iterable[str], argument: str) -> list[str]:
    """Returns names as a list.

    Raises:
        TypeError: It is text, whose characters would be the names.
    """
    if isinstance(given, str):
        raise TypeError(f"{argument} is a list of names: [{given!r}]")
    return list(given)


def property_list(values: Mapping[str, object]) -> str:
    """Returns names and values for TBLPROPERTIES and WITH PROPERTIES.

    Examples:
        >>> from pyspark_lance.sql import property_list
        >>> property_list({"team": "a", "maxRowsPerFile": "10"})
        "('team' = 'a', 'maxRowsPerFile' = '10')"
    """
    return f"({', '.join(f'{literal(k)} = {literal(v)}' for k, v in values.items())})"


def _is_finite(value: float) -> bool:
    return value == value and abs(value) != float("inf")


def with_clause(options: Mapping[str, object]) -> str:
    """Returns the clause `WITH (name = value, ...)` for the options that are not `None`.

    A list becomes comma-separated text, as the statements require.
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
    """A table reference in SQL.

    Attributes:
        text: The name in statements, see `sql`.
        path: The path, for `load` and `save`; `None` for a table by name.
        shown: The name in messages, if it differs from `text`.
    """

    text: str
    path: str | None = None
    shown: str | None = None

    @property
    def sql(self) -> str:
        """The name in statements: `` lance.db.t `` or `` lance.`/data/t` ``.

        Raises:
            InvalidRequestError: The name contains `${`.
        """
        return _without_variables(self.text)

    @staticmethod
    def of(target: "PathOrName | TableReference") -> "TableReference":
        """Returns the reference for a path or name.

        A path is an `os.PathLike`, or text with a slash, backslash, or colon, or with the suffix
        `.lance`. All other text, and text with a backquote, is a name.

        Raises:
            TypeError: The argument is neither.

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
                    raise ValueError("an empty string is not a table: pass a path or a name")
                return TableReference(target)
            case str() | os.PathLike():
                return TableReference.at(os.fspath(target))
        raise TypeError(f"a table is a path or a name (str), not {type(target).__name__}")

    @staticmethod
    def at(path: str, catalog: str = "lance") -> "TableReference":
        """Returns the reference for a path.

        Args:
            path: A local path or a URI.
            catalog: The catalog whose storage options apply.
        """
        # A name without a slash would refer to a table in the catalog.
        shown = path if "/" in path else f"./{path}"
        return TableReference(f"{catalog}.{quoted(shown)}", path)

    @property
    def is_path(self) -> bool:
        """Whether the reference is a path."""
        return self.path is not None

    def part(self, name: str) -> "TableReference":
        """Returns the name with another part: `history`, `branch_dev`, `tag_v1`."""
        return TableReference(f"{self.sql}.{identifier(name)}")

    def hinted(self, hints: Mapping[str, str]) -> str:
        """Returns the name for `DataFrame.mergeInto`, with hints for the connector.

        Args:
            hints: `as` is an alias, `command` is `delete` or `update`, others are options.
        """
        return f"{self.sql}.{identifier('?' + urlencode(hints, quote_via=quote))}"

    def __str__(self) -> str:
        """Returns the path or name."""
        return self.path or self.shown or self.text


def run_sql(spark: SparkSession, text: str) -> DataFrame:
    """Runs a statement or prepares a query, and translates errors."""
    with errors_translated():
        return spark.sql(text)


def call_procedure(spark: SparkSession, procedure: str, **arguments: object) -> DataFrame:
    """Runs a procedure with the arguments that are not `None`."""
    said = ", ".join(f"{k} => {literal(v)}" for k, v in arguments.items() if v is not None)
    return run_sql(spark, f"CALL lance.system.{procedure}({said})")


def rows(spark: SparkSession, text: str) -> list[Row]:
    """Returns the rows of a statement or query, and translates errors."""
    with errors_translated():
        return spark.sql(text).collect()


def qualified(spark: SparkSession, target: "PathOrName | TableReference") -> TableReference:
    """Returns the reference for a path or name, with the full name.

    Later statements then refer to the same table, even if the current catalog or namespace changes.
    So do procedures, which resolve names in their own catalog first.

    Args:
        spark: The session. Its current catalog and namespace complete partial names.
        target: The path or name.
    """
    table = TableReference.of(target)
    if table.is_path:
        return table
    try:
        first, *others = parts(table.sql)
    except ValueError:
        return table  # Spark reports the error
    if others and (
        any("/" in part for part in others)
        or first in _CATALOGS
        or spark.conf.get(f"spark.sql.catalog.{first}", None) is not None
    ):
        return table
    current = rows(spark, "SELECT current_catalog() AS catalog, current_schema() AS namespace")[0]
    # Spark resolves only single-part names in the current namespace, which is returned quoted.
    namespace = [] if others or not current["namespace"] else [current["namespace"]]
    name = ".".join([identifier(current["catalog"]), *namespace, table.sql])
    return TableReference(name, shown=table.sql)


def _is_connect(spark: SparkSession) -> bool:
    return type(spark).__module__.startswith(_CONNECT)


@contextmanager
def view(frame: DataFrame) -> Generator[str]:
    """Creates a temporary view of a DataFrame for the duration of a block."""
    name = f"pyspark_lance_{uuid4().hex}"
    with errors_translated():
        frame.createOrReplaceTempView(name)
    try:
        yield name
    finally:
        spark = frame.sparkSession
        if _is_connect(spark):
            spark.catalog.dropTempView(name)
        else:  # The catalog of PySpark would also remove the DataFrame from Spark's cache.
            session: Any = getattr(spark, "_jsparkSession")  # noqa: B009 - typed as optional
            session.sessionState().catalog().dropTempView(name)


def run_with(frame: DataFrame, text: Callable[[str], str]) -> DataFrame:
    """Prepares a query of a DataFrame.

    Args:
        frame: The DataFrame.
        text: Returns the query for the name of the DataFrame in SQL.
    """
    spark = frame.sparkSession
    if not _is_connect(spark):
        with view(frame) as name:
            return run_sql(spark, text(name))
    if "kwargs" in inspect.signature(spark.sql).parameters:
        escaped = text("\0").replace("{", "{{").replace("}", "}}").replace("\0", "{frame}")
        with errors_translated():
            return spark.sql(escaped, frame=frame)
    # Spark Connect 3.5 analyzes the query again when it runs, so the view has to stay.
    name = f"pyspark_lance_{uuid4().hex}"
    with errors_translated():
        frame.createOrReplaceTempView(name)
    return run_sql(spark, text(name))


def with_storage(spark: SparkSession, path: str, options: Mapping[str, object]) -> TableReference:
    """Returns the reference for a path with its own file system options.

    Configures a catalog in the session for each distinct set of options. The names of the options
    do not begin with `spark`, because Spark would write them to its event log in clear text.

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
            spark.conf.set(f"lance.secret.{catalog}.{name}", value)
        spark.conf.set(key, "io.github.pysparklance.spark.LanceCatalog")
    # Without `path`, because reads by path alone would not use the options.
    return TableReference(TableReference.at(path, catalog).text)
