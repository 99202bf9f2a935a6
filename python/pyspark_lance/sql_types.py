# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Spark columns in SQL: their types, and the column options for types that SQL does not have.

Statements that do not accept column metadata use table properties `column.<path>.<key>` instead,
see docs/options.md.
"""

from typing import Any, Final

from pyspark.sql.types import (
    ArrayType,
    DataType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
    UserDefinedType,
)

from pyspark_lance.fields import FIXED_SIZE_LIST_SIZE
from pyspark_lance.sql import identifier, literal, quoted

COMMENT: Final = "comment"
DEFAULT: Final = "CURRENT_DEFAULT"
_ENCODING: Final = "lance-encoding:"
_CHAR_OR_VARCHAR: Final = "__CHAR_VARCHAR_TYPE_STRING"
_COLUMN_OPTIONS: Final = (
    FIXED_SIZE_LIST_SIZE,
    "arrow.fixed-size-binary.byte-width",
    "arrow.float16",
    "arrow.large_var_char",
    "arrow.large_var_binary",
    "lance.type",
    "ARROW:extension:name",
    "ARROW:extension:metadata",
)


def sql_type(kind: DataType) -> str:
    """Returns a type as SQL, with nullability and comments of struct fields.

    Raises:
        TypeError: SQL has no name for the type.

    Examples:
        >>> from pyspark.sql.types import StringType, StructField, StructType
        >>> from pyspark_lance.sql_types import sql_type
        >>> sql_type(StructType([StructField("a b", StringType(), False, {"comment": "it"})]))
        "struct<`a b`: string NOT NULL COMMENT 'it'>"
    """
    match kind:
        case StructType():
            members = (f"{identifier(f.name)}: {_described(f)}" for f in kind.fields)
            return f"struct<{', '.join(members)}>"
        case ArrayType():
            return f"array<{sql_type(kind.elementType)}>"
        case MapType():
            return f"map<{sql_type(kind.keyType)}, {sql_type(kind.valueType)}>"
        case UserDefinedType():
            raise TypeError(f"SQL has no name for {kind.simpleString()}, a user-defined type")
        case TimestampType():
            return "timestamp_ltz"  # independent of the session's meaning of `timestamp`
        case _:
            return kind.simpleString()


def _described(member: StructField) -> str:
    comment = member.metadata.get(COMMENT)
    return (
        sql_type(member.dataType)
        + ("" if member.nullable else " NOT NULL")
        + ("" if comment is None else f" COMMENT {literal(comment)}")
    )


def _column_type(column: StructField) -> str:
    """Returns the type of a column as SQL. CHAR and VARCHAR are in its metadata.

    Raises:
        TypeError: SQL has no name for the type.
    """
    if isinstance(column.dataType, StringType) and _CHAR_OR_VARCHAR in column.metadata:
        return str(column.metadata[_CHAR_OR_VARCHAR])
    return sql_type(column.dataType)


def declaration(
    name: str, kind: str, nullable: bool, default: str | None, comment: str | None
) -> str:
    """Returns a column definition for CREATE TABLE and ADD COLUMNS."""
    return (
        f"{identifier(name)} {kind}"
        + ("" if nullable else " NOT NULL")
        + ("" if default is None else f" DEFAULT {default}")
        + ("" if comment is None else f" COMMENT {literal(comment)}")
    )


def field_declaration(column: StructField) -> str:
    """Returns a column definition, with the comment and default from the metadata.

    Raises:
        TypeError: SQL has no name for its type.
    """
    default, comment = column.metadata.get(DEFAULT), column.metadata.get(COMMENT)
    return declaration(column.name, _column_type(column), column.nullable, default, comment)


def column_options(column: StructField) -> dict[str, str]:
    """Returns the column options in the metadata of a column and its nested fields.

    Returns:
        Values by path and key, as in the name of a property after `column.`. Other metadata is
        omitted.

    Examples:
        >>> from pyspark.sql.types import StructField, StructType
        >>> from pyspark_lance import vector_field
        >>> from pyspark_lance.sql_types import column_options
        >>> column_options(StructField("s", StructType([vector_field("a.v", 2)])))
        {'s.`a.v`.arrow.fixed-size-list.size': '2'}
    """
    path = path_part(column.name)
    own = {k: v for k, v in column.metadata.items() if _is_column_option(k)}
    return {f"{path}.{k}": _text(v) for k, v in own.items()} | member_options(column.dataType, path)


def member_options(kind: DataType, path: str) -> dict[str, str]:
    """Returns the column options of fields nested in a column or field.

    Args:
        kind: The type with the nested fields.
        path: The path of that type.
    """
    match kind:
        case StructType():
            below = [column_options(member) for member in kind.fields]
            return {f"{path}.{key}": value for one in below for key, value in one.items()}
        case ArrayType():
            return member_options(kind.elementType, f"{path}.element")
        case MapType():
            values = member_options(kind.valueType, f"{path}.value")
            return member_options(kind.keyType, f"{path}.key") | values
        case _:
            return {}


def path_part(name: str) -> str:
    """Returns a name as a part of a path, quoted if necessary."""
    return quoted(name) if "." in name or "`" in name else name


def _is_column_option(key: str) -> bool:
    """Returns whether a name is a column option, or a column option with a path."""
    return (
        key.startswith(_ENCODING)
        or f".{_ENCODING}" in key
        or any(key == name or key.endswith(f".{name}") for name in _COLUMN_OPTIONS)
    )


def _text(value: Any) -> str:  # noqa: ANN401
    return str(value).lower() if isinstance(value, bool) else str(value)
