# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Converts rows between Spark and Arrow, pandas, and NumPy.

All conversions use Spark's API, so they work on Spark Connect as well. They need PyArrow, and
pandas for pandas DataFrames. `import pyspark_lance` needs neither.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from pyspark_lance import arrow_tables
from pyspark_lance.exceptions import InvalidRequestError, LanceError, errors_translated

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa

Rows: TypeAlias = Union[  # stubs for type checkers
    DataFrame,
    "pd.DataFrame",
    "pa.Table",
    "pa.RecordBatch",
    "pa.RecordBatchReader",
    "Mapping[str, np.ndarray[Any, Any] | list[Any]]",
]


def to_arrow(df: DataFrame) -> pa.Table:
    """Returns all rows as an Arrow table, with the types of the Lance table.

    Vectors, unsigned integers, and 16-bit floats have the same types as in pylance's `to_table`.
    `bfloat16` is returned as 32-bit floats, and blobs as binaries. The rows must fit into the
    memory of this process.

    Args:
        df: A DataFrame read from Lance, or any other. Columns without Lance's metadata have the
            types of Spark's `toArrow`.

    Raises:
        LanceError: The connector failed to read the rows.

    Examples:
        >>> import numpy as np
        >>> import pyspark_lance
        >>> vectors = {"id": np.arange(3), "v": np.ones((3, 2), np.float32)}
        >>> pyspark_lance.write(vectors, path, mode="overwrite", spark=spark)
        >>> pyspark_lance.to_arrow(pyspark_lance.read(spark, path)).schema.field("v").type
        FixedSizeListType(fixed_size_list<item: float>[2])
    """
    import pyarrow as pa

    from pyspark_lance.arrow_types import arrow_field

    with errors_translated():
        table = arrow_tables.to_arrow(df)
        columns = df.schema.fields
    fields = [arrow_field(f, a.type) for f, a in zip(columns, table.schema, strict=True)]
    pairs = zip(table.columns, fields, strict=True)
    cast = [_cast(values, field.type) for values, field in pairs]
    shown = [field.with_type(c.type) for field, c in zip(fields, cast, strict=True)]
    return pa.table(cast, pa.schema(shown))


def to_pandas(df: DataFrame, **options: Any) -> pd.DataFrame:  # noqa: ANN401
    """Returns all rows as a pandas DataFrame; vectors are NumPy arrays of their element type.

    The rows must fit into the memory of this process.

    Args:
        df: A DataFrame read from Lance, or any other.
        **options: For pyarrow's `Table.to_pandas`, such as `types_mapper`.

    Raises:
        LanceError: The connector failed to read the rows.

    Examples:
        >>> import pyspark_lance
        >>> pyspark_lance.to_pandas(spark.range(2)).id.tolist()
        [0, 1]
    """
    return to_arrow(df).to_pandas(**options)


def from_data(spark: SparkSession | None, data: Rows) -> DataFrame:
    """Returns rows as a Spark DataFrame. Column metadata records types that Spark does not have.

    Checks the number of rows of the DataFrame. `with_count` leaves this check to the write.

    Args:
        spark: The session. If it is `None`, the session of `data`, or the active one.
        data: A Spark DataFrame, which is returned unchanged; a pandas DataFrame, whose index is
            ignored; an Arrow table, batch, or reader; or a dict of NumPy arrays or Arrow-compatible
            sequences. Vectors are two-dimensional arrays, or pandas cells with arrays of one
            length.

    Raises:
        TypeError: `data` has another class, or a type that Lance tables do not support.
        InvalidRequestError: A timestamp is finer than Spark's microseconds.
        LanceError: Spark's DataFrame has a different number of rows than `data`.
    """
    frame, expected = with_count(spark, data)
    if expected is not None:
        with errors_translated():
            found = frame.count()
        if found != expected:
            raise LanceError(
                f"the data has {expected} rows, but Spark's DataFrame has {found}: nothing was "
                "written. Create the DataFrame with spark.createDataFrame(...)"
            )
    return frame


def with_count(spark: SparkSession | None, data: Rows) -> tuple[DataFrame, int | None]:
    """Like `from_data`, and returns the number of rows for the write option `expectedRows`.

    Returns:
        The DataFrame, and the number of rows, or `None` if `data` is a Spark DataFrame.
    """
    if isinstance(data, DataFrame):
        return data, None
    table = _table(data)
    import pyarrow as pa

    from pyspark_lance.arrow_types import spark_field

    schema = StructType([spark_field(field) for field in table.schema])
    try:
        columns = [_spark_values(_spark_chunks(c)) for c in table.columns]
    except pa.ArrowInvalid as error:
        raise InvalidRequestError(
            f"{error}: Spark's timestamps have microseconds. Round the column first, "
            'for instance with column.cast(pa.timestamp("us"), safe=False)'
        ) from error
    plain = pa.table(columns, [field.name for field in table.schema])
    return arrow_tables.from_arrow(_session(spark), plain, schema), table.num_rows


def _session(spark: SparkSession | None) -> SparkSession:
    found = spark or SparkSession.getActiveSession()
    if found is None:
        raise TypeError(
            "rows of pandas, Arrow, and NumPy need a session: "
            "pyspark_lance.write(data, target, spark=spark)"
        )
    return found


def _table(data: Any) -> pa.Table:  # noqa: ANN401
    try:
        import pyarrow as pa
    except ImportError as error:
        raise ImportError(
            "pyarrow is needed to write data other than Spark DataFrames: pip install pyarrow"
        ) from error

    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if isinstance(data, pa.RecordBatchReader):
        return data.read_all()
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return _of_pandas(data)
    if isinstance(data, Mapping):
        return pa.table({str(name): _array(values) for name, values in data.items()})
    raise TypeError(
        "rows are a Spark or pandas DataFrame, an Arrow table, or a dict of NumPy arrays, "
        f"not {type(data).__name__}: spark.createDataFrame(...) accepts other types"
    )


def _of_pandas(frame: pd.DataFrame) -> pa.Table:
    import pyarrow as pa

    names = [str(name) for name in frame.columns]
    columns = [frame.iloc[:, i] for i in range(len(names))]
    vectors = [_vectors(column) for column in columns]
    arrays = [
        pa.Array.from_pandas(column) if vector is None else vector
        for column, vector in zip(columns, vectors, strict=True)
    ]
    return pa.table(arrays, names)


def _vectors(column: pd.Series) -> pa.Array | None:
    """Returns NumPy arrays of one shape and type as fixed-size lists, otherwise `None`."""
    import numpy as np

    if column.dtype != object:
        return None
    cells = list(column)
    arrays = [cell for cell in cells if isinstance(cell, np.ndarray)]
    is_null = [not isinstance(c, np.ndarray) and (c is None or c is np.nan) for c in cells]
    if not arrays or len(arrays) + sum(is_null) < len(cells):
        return None
    if len({(a.shape, a.dtype) for a in arrays}) > 1 or arrays[0].dtype.kind not in "biuf":
        return None
    if arrays[0].ndim == 0 or 0 in arrays[0].shape:
        return None
    empty = np.zeros_like(arrays[0])
    stacked = np.stack([empty if null else c for c, null in zip(cells, is_null, strict=True)])
    return _array(stacked, is_null if any(is_null) else None)


def _array(values: object, is_null: list[bool] | None = None) -> pa.Array:
    """Returns values as an Arrow array. Each dimension after the first is a fixed-size list."""
    import numpy as np
    import pyarrow as pa

    if not isinstance(values, np.ndarray) or values.ndim < 2:
        return pa.array(values)
    array = pa.array(np.ascontiguousarray(values).reshape(-1))
    for size in reversed(values.shape[2:]):
        array = pa.FixedSizeListArray.from_arrays(array, size)
    mask = None if is_null is None else pa.array(is_null)
    return pa.FixedSizeListArray.from_arrays(array, values.shape[1], mask=mask)


def _cast(values: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Casts values to a type. Returns them unchanged if Arrow does not support the cast."""
    import pyarrow as pa

    try:
        chunks = [_converted(chunk, kind) for chunk in values.chunks]
        if other := [chunk.type for chunk in chunks if chunk.type != kind]:
            raise pa.ArrowNotImplementedError(f"{values.type} became {other[0]}, not {kind}")
        return pa.chunked_array(chunks, kind)
    except pa.ArrowNotImplementedError:
        return values


def _converted(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Casts each child separately, because Arrow's cast fails on nulls in lists and structs."""
    import pyarrow as pa

    if array.type == kind:
        return array
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, _converted(array, kind.storage_type))
    if pa.types.is_struct(kind):
        members = [_converted(a, f.type) for a, f in zip(array.flatten(), kind, strict=True)]
        return pa.StructArray.from_arrays(members, fields=list(kind), mask=array.is_null())
    if pa.types.is_map(kind):
        keys = _converted(array.keys, kind.key_type)
        items = _converted(array.items, kind.item_type)
        return pa.MapArray.from_arrays(_starts(array), keys, items, type=kind)
    if pa.types.is_list(array.type):
        if pa.types.is_fixed_size_list(kind):
            return _vectors_of(array, kind)
        items = _converted(array.values, kind.value_type)
        return pa.ListArray.from_arrays(_starts(array), items).cast(kind)
    if pa.types.is_time32(kind):
        return array.cast(pa.int32()).cast(kind)
    return array.cast(kind)


def _vectors_of(lists: pa.Array, kind: pa.DataType) -> pa.Array:
    """Returns lists of one size as a fixed-size list, with null items in null lists."""
    import numpy as np
    import pyarrow as pa

    items = _converted(lists.flatten(), kind.value_type)
    is_null = lists.is_null().to_numpy(zero_copy_only=False)
    size, present = kind.list_size, int((~is_null).sum())
    if (np.diff(lists.offsets.to_numpy())[~is_null] != size).any():
        raise pa.ArrowNotImplementedError(f"the lists do not have the type {kind}")
    if present < len(lists):
        places = np.zeros((len(lists), size), np.int64)
        places[~is_null] = np.arange(len(items)).reshape(present, size)
        taken = pa.array(places.reshape(-1), mask=np.repeat(is_null, size))
        items = items.take(taken) if present else pa.nulls(size * len(lists), kind.value_type)
    return pa.FixedSizeListArray.from_arrays(items, type=kind, mask=pa.array(is_null))


def _starts(lists: pa.Array) -> pa.Array:
    """Returns the start of each list and the end of the last one; null for a null list."""
    import numpy as np
    import pyarrow as pa

    is_null = np.append(lists.is_null().to_numpy(zero_copy_only=False), False)
    return pa.array(lists.offsets.to_numpy(), pa.int32(), mask=is_null)


def _spark_chunks(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Returns chunks that Spark can convert.

    Removes empty chunks: Spark stops at an empty record batch and drops the following rows. Copies
    slices of nested arrays, whose lists Spark cannot build again.
    """
    import pyarrow as pa

    full = [chunk for chunk in values.chunks if len(chunk)]
    if pa.types.is_nested(values.type):
        full = [pa.concat_arrays([c]) if _is_slice(c) else c for c in full]
    # Spark infers the type from a chunk, which can be empty.
    return pa.chunked_array(full or values.chunks[:1], values.type)


def _is_slice(array: pa.Array) -> bool:
    """Returns whether a nested array or one of its children does not start at its first value."""
    import pyarrow as pa

    if array.offset:
        return True
    if isinstance(array, pa.ExtensionArray):
        return _is_slice(array.storage)
    if isinstance(array, pa.StructArray):
        return any(_is_slice(array.field(i)) for i in range(array.type.num_fields))
    if isinstance(array, pa.MapArray):
        return _is_slice(array.keys) or _is_slice(array.items)
    return _is_slice(array.values) if hasattr(array, "values") else False


def _spark_values(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Converts narrow types and fine timestamps, which Spark cannot cast, or only with loss."""
    import pyarrow as pa

    from pyspark_lance.arrow_types import with_leaves

    def changed(leaf: pa.DataType) -> pa.DataType:
        if pa.types.is_time32(leaf):
            return pa.int32()
        if pa.types.is_decimal(leaf) and leaf.bit_width < 128:
            return pa.decimal128(leaf.precision, leaf.scale)
        return pa.timestamp("us", leaf.tz) if pa.types.is_timestamp(leaf) else leaf

    kind = with_leaves(values.type, changed)
    return values if kind == values.type else values.cast(kind)
