# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Data of unusual shape, from fixed seeds: large values, rows for many files, many columns."""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

SEED: Final = 20_240_229
_DOCUMENT_BYTES: Final = (20 << 10, 100 << 10)
_ROWS_PER_FILE: Final = 100


class Shape(NamedTuple):
    """Generator of a data set.

    Attributes:
        rows: Number of rows at scale 1.
        table: Function that generates a number of rows.
        row_group_rows: Rows of a row group of the source file, so that several tasks can read it.
    """

    rows: int
    table: Callable[[int], pa.Table]
    row_group_rows: int = 131_072


def _random(name: str) -> np.random.Generator:
    return np.random.default_rng([SEED, *name.encode()])


def _documents(rows: int) -> pa.Table:
    """Returns incompressible bytes, as in images and PDF files."""
    random = _random("documents")
    sizes = random.integers(*_DOCUMENT_BYTES, rows)
    bodies = []
    for first in range(0, rows, 1000):  # each chunk has less than 2 GiB
        offsets = np.concatenate([[0], np.cumsum(sizes[first : first + 1000])]).astype(np.int32)
        data = pa.py_buffer(random.bytes(int(offsets[-1])))
        count = len(offsets) - 1
        bodies.append(
            pa.Array.from_buffers(pa.binary(), count, [None, pa.py_buffer(offsets), data])
        )
    return pa.table(
        {
            "id": pa.array(np.arange(rows), pa.int64()),
            "body": pa.chunked_array(bodies, pa.binary()),
        }
    )


def _for_files(rows: int) -> pa.Table:
    """Returns a number, a measured value, and a label."""
    random = _random("files")
    labels = pa.array([f"label-{number}" for number in range(50)])
    return pa.table(
        {
            "id": pa.array(np.arange(rows), pa.int64()),
            "value": _prices(random, rows),
            "label": labels.take(pa.array(random.integers(0, 50, rows))),
        }
    )


def _many_columns(rows: int) -> pa.Table:
    """Returns 100 columns each of integers, prices, and strings with few values."""
    random = _random("columns")
    integers = {
        f"i{n:03}": random.integers(0, 1 << (1 + n % 40), rows, dtype=np.int64) for n in range(100)
    }
    prices = {f"d{n:03}": _prices(random, rows) for n in range(100)}
    strings = {}
    for n in range(100):
        values = pa.array([f"value {k} of {n}" for k in range(2 + 10 * n)])
        strings[f"s{n:03}"] = values.take(pa.array(random.integers(0, len(values), rows)))
    return pa.table({**integers, **prices, **strings})


def _prices(random: np.random.Generator, rows: int) -> npt.NDArray[np.float64]:
    return random.integers(100, 1_000_000, rows) / 100


SHAPES: Final[dict[str, Shape]] = {
    "documents": Shape(20_000, _documents, 2000),
    "files_1000": Shape(1000 * _ROWS_PER_FILE, _for_files),
    "files_10000": Shape(10_000 * _ROWS_PER_FILE, _for_files),
    "columns_300": Shape(100_000, _many_columns, 20_000),
}
