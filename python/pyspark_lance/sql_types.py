# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Columns of Spark in statements: their types as SQL, and the settings that SQL has no type for.

Where a statement has no place for the metadata of a column, what it says of the column's type goes
with properties of the table, `column.<path>.<key>`, see docs/options.md.
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
from pyspark_lance.sql import identifier, literal

COMMENT: Final = "comment"
DEFAULT: Final = "CURRENT_DEFAULT"
_ENCODING: Final = "lance-encoding:"
_CHAR_OR_VARCHAR: Final = "__CHAR_VARCHAR_TYPE_STRING"
_SETTINGS: Final = (
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
    """A type as SQL has it, with what it says of the members of structs: nullability and comments.

    Raises:
        TypeError: SQL has no name for it.

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
            raise TypeError(f"SQL has no name for {kind.simpleString()}, which a program defines")
        case TimestampType():
            return "timestamp_ltz"  # whatever the session takes `timestamp` for
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
    """The type of a column as SQL; CHAR and VARCHAR are in its metadata.

    Raises:
        TypeError: SQL has no name for it.
    """
    if isinstance(column.dataType, StringType) and _CHAR_OR_VARCHAR in column.metadata:
        return str(column.metadata[_CHAR_OR_VARCHAR])
    return sql_type(column.dataType)


def declaration(
    name: str, kind: str, nullable: bool, default: str | None, comment: str | None
) -> str:
    """A column as CREATE TABLE and ADD COLUMNS have it."""
    return (
        f"{identifier(name)} {kind}"
        + ("" if nullable else " NOT NULL")
        + ("" if default is None else f" DEFAULT {default}")
        + ("" if comment is None else f" COMMENT {literal(comment)}")
    )


def field_declaration(column: StructField) -> str:
    """The same of a column that says all of itself: its comment and default are in its metadata.

    Raises:
        TypeError: SQL has no name for its type.
    """
    default, comment = column.metadata.get(DEFAULT), column.metadata.get(COMMENT)
    return declaration(column.name, _column_type(column), column.nullable, default, comment)


def column_settings(column: StructField) -> dict[str, str]:
    """The settings of Lance in the metadata of a column and of fields below it.

    Returns:
        Values by path and key, as they stand after `column.` in the name of a property. Metadata
        that means nothing to Lance is left out.

    Examples:
        >>> from pyspark.sql.types import StructField, StructType
        >>> from pyspark_lance import vector_field
        >>> from pyspark_lance.sql_types import column_settings
        >>> column_settings(StructField("s", StructType([vector_field("a.v", 2)])))
        {'s.`a.v`.arrow.fixed-size-list.size': '2'}
    """
    path = path_part(column.name)
    own = {k: v for k, v in column.metadata.items() if _is_setting(k)}
    return {f"{path}.{k}": _text(v) for k, v in own.items()} | member_settings(
        column.dataType, path
    )


def member_settings(kind: DataType, path: str) -> dict[str, str]:
    """The same of the fields below a column, or below another field.

    Args:
        kind: The type that has the fields.
        path: Where it is.
    """
    match kind:
        case StructType():
            below = [column_settings(member) for member in kind.fields]
            return {f"{path}.{key}": value for one in below for key, value in one.items()}
        case ArrayType():
            return member_settings(kind.elementType, f"{path}.element")
        case MapType():
            values = member_settings(kind.valueType, f"{path}.value")
            return member_settings(kind.keyType, f"{path}.key") | values
        case _:
            return {}


def path_part(name: str) -> str:
    """A name as a part of a path, in backquotes where it must be."""
    return identifier(name) if "." in name or "`" in name else name


def _is_setting(key: str) -> bool:
    """Whether it is a key, or one with a path before it."""
    return (
        key.startswith(_ENCODING)
        or f".{_ENCODING}" in key
        or any(key == name or key.endswith(f".{name}") for name in _SETTINGS)
    )


def _text(value: Any) -> str:  # noqa: ANN401
    return str(value).lower() if isinstance(value, bool) else str(value)
