# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Types of columns by their name in JSON, and literals in the SQL of Spark and of pylance."""

import datetime
import decimal
import math

import pyarrow as pa

from kit.values import LEAVES

SQL = {
    "bool": "BOOLEAN",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INT",
    "int64": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "STRING",
    "date32[day]": "DATE",
}
"""Types that both sides can cast to, by the names of Arrow."""

WIDER = {"int8": "int16", "int16": "int32", "int32": "int64", "float": "double"}
"""The next wider type."""

INTEGERS = ("int8", "int16", "int32", "int64")
EASY = {str(kind): kind for kind in LEAVES.values() if str(kind) in SQL}
"""The types of `SQL`."""


def is_leaf(kind):
    """Whether values of a type have no parts."""
    return not pa.types.is_nested(kind)


def encoded(value, wide=False):
    """A value of a leaf as JSON; None if there is no literal of it.

    Unless `wide`, the literal means the same in both kinds of SQL.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if wide or abs(value) < 2**53 else None
    if isinstance(value, float):
        if wide:
            return repr(value)
        return value if math.isfinite(value) and value != 0 and value * 2 % 1 == 0 else None
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.hex() if wide else None
    if isinstance(value, decimal.Decimal):
        return f"{value:f}" if len(value.as_tuple().digits) < 38 else None  # pylance casts less
    if isinstance(value, datetime.datetime):
        if value.year < 1000 or (value.tzinfo is not None and not wide):
            return None
        return value.isoformat(" ")
    if isinstance(value, datetime.date):
        return value.isoformat() if value.year >= 1000 else None
    return None


def decoded(kind, literal):
    """The value of a literal for a column of a type."""
    if pa.types.is_decimal(kind):
        return decimal.Decimal(literal)
    if pa.types.is_timestamp(kind):
        return datetime.datetime.fromisoformat(literal)
    if pa.types.is_date(kind):
        return datetime.date.fromisoformat(literal)
    if pa.types.is_binary(kind):
        return bytes.fromhex(literal)
    return float(literal) if pa.types.is_floating(kind) else literal


def sql(kind, literal, side):
    """A literal in the SQL of a side."""
    if isinstance(literal, bool):
        return str(literal).lower()
    if pa.types.is_decimal(kind):
        return f"CAST('{literal}' AS DECIMAL({kind.precision}, {kind.scale}))"
    if pa.types.is_timestamp(kind):
        name = "TIMESTAMP" if kind.tz else "TIMESTAMP_NTZ" if side == "spark" else "timestamp"
        return f"{name} '{literal}'"
    if pa.types.is_binary(kind):
        return f"X'{literal}'"
    if pa.types.is_floating(kind) and side == "spark":
        return f"CAST('{literal}' AS {'FLOAT' if kind == pa.float32() else 'DOUBLE'})"
    if pa.types.is_date(kind):
        return f"DATE '{literal}'"
    if isinstance(literal, str):
        return "'" + literal.replace("'", "''") + "'"
    if isinstance(literal, int) and abs(literal) >= 2**53:
        return f"CAST('{literal}' AS BIGINT)"
    return str(literal)


def order(value):
    """A key by which values are ordered as in SQL: NaN last, both zeros equal."""
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value + 0.0)
    return value


def quoted(name):
    """The path of a column in the SQL of both sides."""
    return ".".join(f"`{part}`" for part in name.split("."))
