# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Converts rows from Arrow to Spark and back, and compares them."""

import datetime

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql.types import ArrayType, MapType, StructField, StructType

from pyspark_lance.arrow_tables import to_arrow


def to_spark(spark, table, folder):
    """Returns a DataFrame with the rows of an Arrow table, in order and in one partition.

    They travel in a Parquet file, which keeps every type and null of Spark. Columns that must
    not be null there must not be here either.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "rows.parquet"
    pq.write_table(table, file, store_schema=False)
    rows = spark.read.parquet(str(file)).coalesce(1)
    kept = StructType([_as_required(*pair) for pair in zip(rows.schema, table.schema, strict=True)])
    return _with_schema(rows, kept)


def _with_schema(frame, schema):
    """Returns the rows with a schema of other nullability."""
    if schema == frame.schema:
        return frame
    spark = frame.sparkSession
    java = spark._jvm.org.apache.spark.sql.types.DataType.fromJson(schema.json())
    return DataFrame(spark._jsparkSession.createDataFrame(frame._jdf.javaRDD(), java), spark)


def _as_required(column, field):
    """Returns Spark's column with the nullability of the Arrow field, at any depth."""
    return StructField(column.name, _with_required(column.dataType, field.type), field.nullable)


def _with_required(kind, arrow):
    if isinstance(kind, StructType):
        return StructType([_as_required(*pair) for pair in zip(kind, arrow, strict=True)])
    if isinstance(kind, ArrayType):
        item = arrow.value_field
        return ArrayType(_with_required(kind.elementType, item.type), item.nullable)
    if isinstance(kind, MapType):
        item = arrow.item_field
        return MapType(kind.keyType, _with_required(kind.valueType, item.type), item.nullable)
    return kind


def assert_same_rows(expected, found, sort_by=None):
    """Fails at the first different value.

    Values count, types do not (a uint32 comes back from Spark as a bigint). Floats are compared
    with the sign of zero, NaN equals NaN, null is not empty. Rows are in order unless there is a
    column to sort by.
    """
    expected, found = arrow_of(expected), arrow_of(found)
    assert found.column_names == expected.column_names
    assert found.num_rows == expected.num_rows
    if sort_by is not None:
        expected, found = expected.sort_by(sort_by), found.sort_by(sort_by)
    for name in expected.column_names:
        if _equal(expected[name], found[name]):
            continue
        left, right = values(expected[name]), values(found[name])
        if left != right:
            row = next(i for i, (a, b) in enumerate(zip(left, right, strict=True)) if a != b)
            raise AssertionError(
                f"column {name!r} ({expected[name].type}), row {row} of {len(left)}:"
                f" expected {left[row]!r}, found {right[row]!r}"
            )


def _equal(left, right):
    """Returns whether Arrow considers them equal. Arrow cannot compare floats."""
    if left.type != right.type or any(word in str(left.type) for word in ("float", "double")):
        return False
    return left.equals(right)


def values(column):
    """Returns the values of a column in a form whose equality is exact."""
    return [_value(v) for v in column.to_pylist(maps_as_pydicts="strict")]


def arrow_of(rows):
    """Returns the rows of an Arrow table or a DataFrame as an Arrow table."""
    if isinstance(rows, pa.Table):
        return rows
    # PySpark cannot convert null structs with non-nullable fields.
    rows = rows.select("*")  # a range is not a table of rows yet
    return to_arrow(_with_schema(rows, _nullable(rows.schema)))


def _nullable(kind):
    if isinstance(kind, StructType):
        return StructType([StructField(f.name, _nullable(f.dataType)) for f in kind])
    if isinstance(kind, ArrayType):
        return ArrayType(_nullable(kind.elementType))
    if isinstance(kind, MapType):
        return MapType(kind.keyType, _nullable(kind.valueType))
    return kind


def _value(value):
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, list):
        return [_value(v) for v in value]
    if isinstance(value, dict):
        return [(k, _value(v)) for k, v in value.items()]
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.timezone.utc)
    return value
