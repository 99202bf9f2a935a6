# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Checksum of the rows of a table, independent of their order.

The checksum is the sum of a 64-bit hash of each row, modulo 2**64. It is computed from Arrow memory
only, independently of Spark.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Words: Final = np.uint64
Hashes: TypeAlias = npt.NDArray[np.uint64]
_FACTOR: Final = Words(0x9E3779B97F4A7C15)
_NULL: Final = Words(0xD6E8FEB86659FD93)


class Checksum(NamedTuple):
    """Checksum of a table. Tables with the same rows have the same checksum."""

    rows: int
    hash: int


def checksum(batches: Iterable[pa.RecordBatch]) -> Checksum:
    """Returns the checksum of a table. It depends on the order of columns.

    Integers, decimals, dates, timestamps, strings, and fixed-size lists of floats without nulls.
    """
    rows, total = 0, 0
    for batch in batches:
        hashes = np.zeros(batch.num_rows, Words)
        for column in batch.columns:
            hashes = _mix(hashes * _FACTOR + _values(column))
        rows += batch.num_rows
        total += int(hashes.sum(dtype=Words))
    return Checksum(rows, total % 2**64)


def _values(column: pa.Array) -> Hashes:
    kind = column.type
    if pa.types.is_decimal(kind):
        hashes = _decimals(column.cast(pa.decimal128(38, kind.scale)))
    elif pa.types.is_integer(kind) or pa.types.is_timestamp(kind):
        hashes = _integers(column.cast(pa.int64()))
    elif pa.types.is_fixed_size_list(kind):
        hashes = _vectors(column)
    elif pa.types.is_date(kind):
        hashes = _integers(column.cast(pa.date32()).cast(pa.int32()).cast(pa.int64()))
    else:
        hashes = _strings(column.cast(pa.large_string()))
    if column.null_count == 0:
        return hashes
    return np.where(column.is_valid().to_numpy(zero_copy_only=False), hashes, _NULL)


def _integers(column: pa.Array) -> Hashes:
    return np.frombuffer(column.buffers()[1], Words)[column.offset :][: len(column)]


def _decimals(column: pa.Array) -> Hashes:
    halves = np.frombuffer(column.buffers()[1], Words)
    low_high = halves.reshape(-1, 2)[column.offset :][: len(column)]
    return low_high[:, 0] + low_high[:, 1] * _FACTOR


def _vectors(column: pa.Array) -> Hashes:
    """Returns a polynomial in the bits of the floats of each vector."""
    floats = column.flatten()
    bits = np.frombuffer(floats.buffers()[1], np.uint32)[floats.offset :][: len(floats)]
    rows = bits.reshape(len(column), column.type.list_size).astype(Words)
    hashes: Hashes = rows @ np.cumprod(np.full(rows.shape[1], _FACTOR), dtype=Words)
    return hashes


def _strings(column: pa.Array) -> Hashes:
    """Returns a polynomial in the bytes of each string, one power of the factor per byte."""
    _, offset_buffer, bytes_buffer = column.buffers()
    offsets = np.frombuffer(offset_buffer, np.int64)[column.offset :][: len(column) + 1]
    if len(column) == 0 or offsets[-1] == offsets[0]:
        return np.zeros(len(column), Words)
    text = np.frombuffer(bytes_buffer, np.uint8)[offsets[0] : offsets[-1]]
    offsets = offsets - offsets[0]
    lengths = np.diff(offsets)
    position = np.arange(len(text)) - np.repeat(offsets[:-1], lengths)
    powers = np.cumprod(np.full(int(lengths.max()), _FACTOR))
    sums = np.zeros(len(text) + 1, Words)
    np.cumsum((text.astype(Words) + Words(1)) * powers[position], out=sums[1:])
    hashes: Hashes = sums[offsets[1:]] - sums[offsets[:-1]]
    return hashes


def _mix(hashes: Hashes) -> Hashes:
    """Mixes the bits, so that every input bit affects every output bit."""
    mixed: Hashes = (hashes ^ (hashes >> Words(32))) * _FACTOR
    mixed ^= mixed >> Words(29)
    return mixed
