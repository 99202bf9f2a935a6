# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Adds, updates, changes, and drops columns without rewriting the others."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypedDict, Union

from pyspark.sql import DataFrame
from pyspark.sql.types import DataType, StructField, StructType

from pyspark_lance.changes import Expression, column
from pyspark_lance.exceptions import InvalidRequestError
from pyspark_lance.handle import TableHandle
from pyspark_lance.progress import shown
from pyspark_lance.sql import dotted, identifier, literal, names, parts, quoted, run_sql, view
from pyspark_lance.sql_types import column_options, field_declaration, sql_type

if TYPE_CHECKING:
    import pyarrow as pa

ADDRESSES = ("_rowaddr", "_rowid")
NewColumns: TypeAlias = Union[
    Mapping[str, Expression],
    DataFrame,
    StructType,
    StructField,
    "pa.Schema",
    "pa.Field",
    Sequence[Union[StructField, "pa.Field"]],
]


class ColumnAlteration(TypedDict, total=False):
    """A change of a column. All attributes except `path` are optional.

    Attributes:
        path: The column, or a field of it: `a`, `s.b`.
        name: The new name.
        data_type: The new type: a Spark type, an Arrow type, or SQL.
        nullable: Whether it can contain nulls. `False` is rejected for a nullable column.
        comment: The new comment.
    """

    path: str
    name: str
    data_type: "str | DataType | pa.DataType"
    nullable: bool
    comment: str


def add(table: TableHandle, columns: NewColumns, on: str | Iterable[str]) -> None:
    """Adds columns, see `LanceTable.add_columns`."""
    if isinstance(columns, Mapping):
        _compute(table, columns)
    elif isinstance(columns, DataFrame):
        _from(table, "ADD", columns, None, on)
    else:
        _declare(table, _fields(columns))


def _fields(columns: object) -> StructType:
    """Returns Spark or Arrow fields as a list."""
    single = isinstance(columns, StructField) or _is_arrow(columns)
    given = [columns] if single or not isinstance(columns, Iterable) else list(columns)
    fields = [field for field in map(_field, given) if field is not None]
    if not fields or len(fields) < len(given):
        raise TypeError(
            "new columns are a dict of names and expressions, a DataFrame, or fields of Spark "
            f"or Arrow, not {type(columns).__name__}: add_columns({{'half': 'price / 2'}})"
        )
    return StructType(fields)


def _field(given: object) -> StructField | None:
    if _is_arrow(given):
        from pyspark_lance.arrow_types import spark_field

        return spark_field(given)
    return given if isinstance(given, StructField) else None


def _is_arrow(value: object) -> bool:
    """Returns whether it is an Arrow field, by class name: Arrow may not be installed."""
    kind = type(value)
    return (kind.__module__, kind.__qualname__) == ("pyarrow.lib", "Field")


def update(
    table: TableHandle,
    source: DataFrame,
    columns: Iterable[str] | None,
    on: str | Iterable[str],
) -> None:
    """Updates existing columns, see `LanceTable.update_columns`."""
    _from(table, "UPDATE", source, columns, on)


def alter(table: TableHandle, alterations: Iterable[ColumnAlteration]) -> None:
    """Changes columns, see `LanceTable.alter_columns`."""
    changed: list[tuple[list[str], str]] = []
    renamed: list[tuple[list[str], str]] = []
    for one in alterations:
        unknown = set(one) - set(ColumnAlteration.__annotations__)
        if "path" not in one or unknown:
            raise ValueError(
                f"{one} is not a change of a column: pass 'path' and some of "
                "'name', 'data_type', 'nullable', and 'comment'"
            )
        path = parts(one["path"])
        if "data_type" in one:
            changed.append((path, f"TYPE {_sql_type(one['data_type'])}"))
        if "nullable" in one:
            changed.append((path, f"{'DROP' if one['nullable'] else 'SET'} NOT NULL"))
        if "comment" in one:
            changed.append((path, f"COMMENT {literal(one['comment'])}"))
        if "name" in one:
            renamed.append((path, one["name"]))
    for together in _statements(changed):
        specs = ", ".join(f"{_path(path)} {action}" for path, action in together)
        _alter(table, f"ALTER COLUMN {specs}")
    # Fields before their structs, because paths refer to the schema before the call.
    for path, name in sorted(renamed, key=lambda r: -len(r[0])):
        _alter(table, f"RENAME COLUMN {_path(path)} TO {identifier(name)}")


def _statements(changes: list[tuple[list[str], str]]) -> list[list[tuple[list[str], str]]]:
    """Groups changes into as few statements as possible. Each has a column or field only once."""
    found: list[list[tuple[list[str], str]]] = []
    for path, action in changes:
        for statement in found:
            if not any(_overlap(path, other) for other, _ in statement):
                statement.append((path, action))
                break
        else:
            found.append([(path, action)])
    return found


def _overlap(one: list[str], other: list[str]) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def _path(path: list[str]) -> str:
    return ".".join(map(identifier, path))


def drop(table: TableHandle, columns: Iterable[str]) -> None:
    """Drops columns, see `LanceTable.drop_columns`."""
    dropped = [columns] if isinstance(columns, str) else list(columns)
    _alter(table, f"DROP COLUMNS ({', '.join(map(dotted, dropped))})")


def _alter(table: TableHandle, action: str) -> None:
    run_sql(table.spark, f"ALTER TABLE {table.target.sql} {action}")


def _compute(table: TableHandle, columns: Mapping[str, Expression]) -> None:
    if not columns:
        raise ValueError("no columns are given: add_columns({'half': 'price / 2'})")
    texts = {name: value for name, value in columns.items() if isinstance(value, str)}
    if len(texts) == len(columns):
        made = ", ".join(f"{identifier(name)} AS ({text}\n)" for name, text in texts.items())
        with shown(table.spark, f"add columns to {table.reference}"):
            _alter(table, f"ADD COLUMNS ({made})")
    else:
        values = [column(value).alias(name) for name, value in columns.items()]
        _from(table, "ADD", table.toDF().select("_rowaddr", *values), None, "_rowaddr")


def _declare(table: TableHandle, columns: StructType) -> None:
    """Adds columns of nulls. Changes only the manifest, unless metadata sets their storage."""
    if any(map(column_options, columns.fields)):
        if full := [field.name for field in columns.fields if not field.nullable]:
            raise InvalidRequestError(
                f"columns of nulls that are declared NOT NULL: {', '.join(full)}. "
                "Pass values, or add them as nullable"
            )
        addressed = StructType(columns.fields).add("_rowaddr", "long")
        empty = table.spark.createDataFrame([], addressed)
        _from(table, "ADD", empty, None, "_rowaddr")
    else:
        _alter(table, f"ADD COLUMNS ({', '.join(map(field_declaration, columns.fields))})")


def _from(
    table: TableHandle,
    verb: str,
    source: DataFrame,
    columns: Iterable[str] | None,
    on: str | Iterable[str],
) -> None:
    keys = [on] if isinstance(on, str) else list(on)
    addressed = source if keys[0] in ADDRESSES else _joined(table, source, keys)
    given = source.columns if columns is None else names(columns, "columns")
    chosen = [name for name in given if name not in keys and name not in ADDRESSES]
    if not chosen:
        raise ValueError(f"the rows have no columns except {', '.join(keys)}")
    with shown(table.spark, f"write columns of {table.reference}"), view(addressed) as rows:
        run_sql(
            addressed.sparkSession,
            f"ALTER TABLE {table.target.sql} {verb} COLUMNS "
            f"{', '.join(map(identifier, chosen))} FROM {rows}",
        )


def _joined(table: TableHandle, source: DataFrame, keys: list[str]) -> DataFrame:
    """Returns the rows with the addresses of the table rows with equal keys."""
    mine = table.toDF().select("_rowaddr", *map(quoted, keys))
    return mine.join(source, keys, "inner").drop(*keys)


def _sql_type(data_type: "str | DataType | pa.DataType") -> str:
    """Returns a type as SQL.

    Raises:
        TypeError: SQL has no name for the type or a nested type.
    """
    if isinstance(data_type, str):
        return data_type
    if isinstance(data_type, DataType):
        column = StructField("type", data_type)
    else:
        import pyarrow as pa

        from pyspark_lance.arrow_types import spark_field

        column = spark_field(pa.field("type", data_type))
    if lost := column_options(column):
        raise TypeError(
            f"SQL has no name for the type {data_type} ({', '.join(sorted(lost))}): "
            "add a column of that type and drop this one"
        )
    return sql_type(column.dataType)
