# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Converts Arrow types to Spark columns and back, without loss.

A type that Spark does not have, such as a fixed-size list or an unsigned integer, becomes the
closest Spark type. The metadata of the column records the original type, under the keys of
"Lance-specific types" in docs/types.md. Metadata about items, keys, and values belongs to the
enclosing column. Its keys start with the path.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import types as t

from pyspark_lance.fields import FIXED_SIZE_LIST_SIZE

LANCE_TYPE: Final = "lance.type"
_EXTENSION_NAME: Final = "ARROW:extension:name"
_EXTENSION_METADATA: Final = "ARROW:extension:metadata"
_KEPT: Final = ("lance-encoding:", "ARROW:extension:")

# By name in the format: the Arrow type, the Spark type, and whether metadata is needed.
_LEAVES: Final[dict[str, tuple[pa.DataType, t.DataType, bool]]] = {
    "null": (pa.null(), t.NullType(), False),
    "bool": (pa.bool_(), t.BooleanType(), False),
    "int8": (pa.int8(), t.ByteType(), False),
    "int16": (pa.int16(), t.ShortType(), False),
    "int32": (pa.int32(), t.IntegerType(), False),
    "int64": (pa.int64(), t.LongType(), False),
    "uint8": (pa.uint8(), t.ShortType(), True),
    "uint16": (pa.uint16(), t.IntegerType(), True),
    "uint32": (pa.uint32(), t.LongType(), True),
    "uint64": (pa.uint64(), t.DecimalType(20, 0), True),
    "halffloat": (pa.float16(), t.FloatType(), True),
    "float": (pa.float32(), t.FloatType(), False),
    "double": (pa.float64(), t.DoubleType(), False),
    "string": (pa.string(), t.StringType(), False),
    "large_string": (pa.large_string(), t.StringType(), True),
    "binary": (pa.binary(), t.BinaryType(), False),
    "large_binary": (pa.large_binary(), t.BinaryType(), True),
    "date32:day": (pa.date32(), t.DateType(), False),
    "date64:ms": (pa.date64(), t.DateType(), True),
    "time32:s": (pa.time32("s"), t.LongType(), True),
    "time32:ms": (pa.time32("ms"), t.LongType(), True),
    "time64:us": (pa.time64("us"), t.LongType(), True),
    "time64:ns": (pa.time64("ns"), t.LongType(), True),
    "duration:s": (pa.duration("s"), t.LongType(), True),
    "duration:ms": (pa.duration("ms"), t.LongType(), True),
    "duration:us": (pa.duration("us"), t.LongType(), True),
    "duration:ns": (pa.duration("ns"), t.LongType(), True),
}
_NAMES: Final = {kind: name for name, (kind, _, _) in _LEAVES.items()}
_VIEWS: Final = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}


def spark_field(field: pa.Field) -> t.StructField:
    """Returns the Spark column for an Arrow field. Metadata records types that Spark lacks.

    Raises:
        TypeError: The connector does not support the type.
    """
    extension = field.metadata or {}
    metadata = {k.decode(): v.decode() for k, v in extension.items()}
    kind, own = _spark_type(field.type, "", field.name)
    kept = {k: v for k, v in metadata.items() if k.startswith(_KEPT) or k == "comment"}
    return t.StructField(field.name, kind, field.nullable, {**kept, **own})


def _spark_type(kind: pa.DataType, prefix: str, column: str) -> tuple[t.DataType, dict[str, Any]]:
    if isinstance(kind, pa.BaseExtensionType):
        stored, metadata = _spark_type(kind.storage_type, prefix, column)
        metadata[prefix + _EXTENSION_NAME] = kind.extension_name
        if described := _parameters(kind, column):
            metadata[prefix + _EXTENSION_METADATA] = described
        return stored, metadata
    if pa.types.is_struct(kind):
        return t.StructType([spark_field(member) for member in kind]), {}
    if pa.types.is_map(kind):
        key, metadata = _spark_type(kind.key_type, f"{prefix}key.", column)
        value, more = _spark_type(kind.item_type, f"{prefix}value.", column)
        return t.MapType(key, value, kind.item_field.nullable), {**metadata, **more}
    if pa.types.is_fixed_size_list(kind):
        return _vector(kind, prefix, column)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        item, metadata = _spark_type(kind.value_type, f"{prefix}element.", column)
        if pa.types.is_large_list(kind):
            metadata[prefix + LANCE_TYPE] = "large_list"
        return t.ArrayType(item, kind.value_field.nullable), metadata
    if pa.types.is_dictionary(kind):
        values, _ = _spark_type(kind.value_type, "", column)
        return values, {prefix + LANCE_TYPE: _text(kind, column)}
    leaf, is_other = _leaf(kind, column)
    return leaf, {prefix + LANCE_TYPE: _text(kind, column)} if is_other else {}


def _parameters(kind: pa.DataType, column: str) -> str:
    """Returns the parameters of an extension type. Arrow hides the parameters of its own types."""
    if serialize := getattr(kind, "__arrow_ext_serialize__", None):
        return str(serialize().decode())
    if kind.extension_name in ("arrow.uuid", "arrow.json", "arrow.bool8"):
        return ""
    raise TypeError(
        f'column "{column}": Spark cannot write Arrow\'s {kind} to Lance tables; '
        "write the storage of the column, for instance column.combine_chunks().storage"
    )


def _vector(kind: pa.DataType, prefix: str, column: str) -> tuple[t.DataType, dict[str, Any]]:
    """Returns the metadata of a fixed-size list, which includes that of its items."""
    item, below = _spark_type(kind.value_type, "", column)
    metadata: dict[str, Any] = {prefix + FIXED_SIZE_LIST_SIZE: kind.list_size}
    if FIXED_SIZE_LIST_SIZE in below:
        metadata[prefix + LANCE_TYPE] = _text(kind.value_type, column)
    elif LANCE_TYPE in below:
        metadata[prefix + LANCE_TYPE] = below[LANCE_TYPE]
    return t.ArrayType(item, kind.value_field.nullable), metadata


def _leaf(kind: pa.DataType, column: str) -> tuple[t.DataType, bool]:
    kind = _VIEWS.get(kind, kind)
    if kind in _NAMES:
        _, spark, is_other = _LEAVES[_NAMES[kind]]
        return spark, is_other
    if pa.types.is_timestamp(kind):
        usual = kind.unit == "us" and kind.tz in (None, "UTC")
        return (t.TimestampNTZType() if kind.tz is None else t.TimestampType()), not usual
    if pa.types.is_fixed_size_binary(kind):
        return t.BinaryType(), True
    if pa.types.is_decimal(kind) and kind.precision <= 38 and 0 <= kind.scale <= kind.precision:
        # Lance stores Arrow's narrower decimals with 128 bits.
        return t.DecimalType(kind.precision, kind.scale), pa.types.is_decimal256(kind)
    raise TypeError(
        f'column "{column}": Lance tables written by Spark have no place for Arrow\'s {kind}; '
        "cast the column before, for instance with table.cast(schema)"
    )


def _text(kind: pa.DataType, column: str) -> str:
    """Returns the name of a type in the format."""
    kind = _VIEWS.get(kind, kind)
    if kind in _NAMES:
        return _NAMES[kind]
    if pa.types.is_timestamp(kind):
        return f"timestamp:{kind.unit}:{kind.tz or '-'}"
    if pa.types.is_decimal(kind):
        return f"decimal:{max(128, kind.bit_width)}:{kind.precision}:{kind.scale}"
    if pa.types.is_fixed_size_binary(kind):
        return f"fixed_size_binary:{kind.byte_width}"
    if pa.types.is_fixed_size_list(kind):
        return f"fixed_size_list:{_text(kind.value_type, column)}:{kind.list_size}"
    if pa.types.is_dictionary(kind):
        value, index = _text(kind.value_type, column), _text(kind.index_type, column)
        return f"dict:{value}:{index}:{str(kind.ordered).lower()}"
    raise TypeError(
        f'column "{column}": fixed-size lists and dictionaries cannot have items of type {kind}'
    )


def arrow_field(column: t.StructField, kind: pa.DataType) -> pa.Field:
    """Returns the field of pylance for a Spark column.

    Args:
        column: The column, with the metadata of the read.
        kind: The type of the values in Spark, used where the metadata has no other type.
    """
    metadata = column.metadata or {}
    kept = {k: str(v) for k, v in metadata.items() if k.startswith("lance-encoding:")}
    result = _arrow_type(column.dataType, kind, metadata, "")
    return pa.field(column.name, result, column.nullable, kept or None)


def _arrow_type(
    spark: t.DataType, kind: pa.DataType, metadata: Mapping[str, Any], prefix: str
) -> pa.DataType:
    named = metadata.get(prefix + LANCE_TYPE)
    if isinstance(spark, t.StructType) and pa.types.is_struct(kind):
        return pa.struct([arrow_field(f, a.type) for f, a in zip(spark, kind, strict=True)])
    if isinstance(spark, t.MapType):
        key = _arrow_type(spark.keyType, kind.key_type, metadata, f"{prefix}key.")
        value = _arrow_type(spark.valueType, kind.item_type, metadata, f"{prefix}value.")
        nullable = spark.valueContainsNull
        return pa.map_(key, pa.field("value", value, nullable))
    if isinstance(spark, t.ArrayType):
        nullable, item = spark.containsNull, kind.value_type
        if size := metadata.get(prefix + FIXED_SIZE_LIST_SIZE):
            inner = parse(named) if named else _arrow_type(spark.elementType, item, {}, "")
            return pa.list_(pa.field("item", inner or item, nullable), int(size))
        inner = _arrow_type(spark.elementType, item, metadata, f"{prefix}element.")
        of = pa.large_list if named == "large_list" else pa.list_
        return of(pa.field("item", inner, nullable))
    stored = (parse(named) if named else None) or kind
    return _extended(stored, metadata.get(prefix + _EXTENSION_NAME))


def _extended(stored: pa.DataType, name: str | None) -> pa.DataType:
    """Returns one of Arrow's extension types, or the storage type of other extension types."""
    of_arrow = {"arrow.uuid": "uuid", "arrow.bool8": "bool8"}
    make = getattr(pa, of_arrow.get(name or "", ""), None)  # missing in older releases
    extended = make() if make else None
    return extended if extended is not None and extended.storage_type == stored else stored


def parse(text: str) -> pa.DataType | None:
    """Parses the name of a type. Returns `None` if Arrow does not have it, such as `bfloat16`."""
    if text in _LEAVES:
        return _LEAVES[text][0]
    word, _, rest = text.partition(":")
    if word == "timestamp":
        unit, _, zone = rest.partition(":")
        return pa.timestamp(unit, None if zone == "-" else zone)
    if word == "fixed_size_binary":
        return pa.binary(int(rest))
    if word == "decimal":
        bits, precision, scale = (int(n) for n in rest.split(":"))
        return (pa.decimal256 if bits == 256 else pa.decimal128)(precision, scale)
    if word == "fixed_size_list":
        inner, _, size = rest.rpartition(":")
        item = parse(inner)
        return None if item is None else pa.list_(item, int(size))
    if word == "dict":
        value, index, ordered = rest.rsplit(":", 2)
        values, indices = parse(value), parse(index)
        known = values is not None and indices is not None
        return pa.dictionary(indices, values, ordered == "true") if known else None
    return None


def with_leaves(kind: pa.DataType, change: Callable[[pa.DataType], pa.DataType]) -> pa.DataType:
    """Returns a type whose leaf types are replaced by a function."""

    def below(field: pa.Field) -> pa.Field:
        return field.with_type(with_leaves(field.type, change))

    if pa.types.is_struct(kind):
        return pa.struct([below(member) for member in kind])
    if pa.types.is_map(kind):
        return pa.map_(below(kind.key_field), below(kind.item_field))
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(below(kind.value_field), kind.list_size)
    if pa.types.is_large_list(kind):
        return pa.large_list(below(kind.value_field))
    if pa.types.is_list(kind):
        return pa.list_(below(kind.value_field))
    return change(kind)
