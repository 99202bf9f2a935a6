# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Fields of a schema for Lance-specific types.

The metadata of a field sets the Lance type of its column. Reads return the same metadata.
"""

from typing import Final

from pyspark.sql.types import ArrayType, BinaryType, DataType, FloatType, StructField

FIXED_SIZE_LIST_SIZE: Final = "arrow.fixed-size-list.size"
BLOB: Final = "lance-encoding:blob"


def vector_field(
    name: str,
    size: int,
    element_type: DataType | None = None,
    nullable: bool = True,
    comment: str | None = None,
) -> StructField:
    """Returns a field for vectors: arrays of one size, stored as a fixed-size list.

    Args:
        name: The column's name.
        size: Number of values of each vector, at least 1. Writes of other sizes fail.
        element_type: Type of the values; `FloatType()` (32 bits) if omitted.
        nullable: Whether the column can contain nulls.
        comment: The column's comment.

    Returns:
        A field for a `StructType`, for `createDataFrame` or for a new table.

    Raises:
        TypeError: `size` is not an integer, or `element_type` is not a Spark type.
        ValueError: `size` is less than 1.

    Examples:
        >>> import pyspark_lance
        >>> from pyspark.sql.types import StructType
        >>> schema = StructType([pyspark_lance.vector_field("v", 2)])
        >>> rows = spark.createDataFrame([([0.5, 1.5],)], schema)
        >>> pyspark_lance.write(rows, path, mode="overwrite", overwrite_schema=True)
        >>> pyspark_lance.read(spark, path).schema["v"].metadata
        {'arrow.fixed-size-list.size': 2}
    """
    if not isinstance(size, int) or isinstance(size, bool):
        raise TypeError(f'vector_field("{name}", size): size is {size!r}, a whole number is due')
    if size < 1:
        raise ValueError(f'vector_field("{name}", {size}): a vector has at least 1 value')
    kind = FloatType() if element_type is None else element_type
    if not isinstance(kind, DataType):
        raise TypeError(
            f'vector_field("{name}", {size}, {kind!r}): element_type takes a type of Spark, '
            "such as pyspark.sql.types.FloatType()"
        )
    metadata: dict[str, object] = {FIXED_SIZE_LIST_SIZE: size}
    return StructField(name, ArrayType(kind), nullable, _commented(metadata, comment))


def blob_field(name: str, nullable: bool = True, comment: str | None = None) -> StructField:
    """Returns a field for blobs: large binaries, stored outside of pages.

    Args:
        name: The column's name.
        nullable: Whether the column can contain nulls.
        comment: The column's comment.

    Returns:
        A field of `BinaryType`, for `createDataFrame` or for a new table.

    Examples:
        >>> import pyspark_lance
        >>> from pyspark.sql.types import StructType
        >>> schema = StructType([pyspark_lance.blob_field("image")])
        >>> rows = spark.createDataFrame([(bytes(100),)], schema)
        >>> pyspark_lance.write(rows, path, mode="overwrite", overwrite_schema=True)
        >>> pyspark_lance.read(spark, path, blob_mode="size").first().image
        100
    """
    metadata: dict[str, object] = {BLOB: "true"}
    return StructField(name, BinaryType(), nullable, _commented(metadata, comment))


def _commented(metadata: dict[str, object], comment: str | None) -> dict[str, object]:
    return metadata if comment is None else {**metadata, "comment": comment}
