# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Results of tasks, which are compared before anything is timed.

Workers on any PySpark import this module, so it imports only the standard library.
"""

import hashlib
import math
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

Answer: TypeAlias = list[Any]
"""Rows of JSON values."""

TOLERANCE: Final = 1e-9
"""Relative tolerance: sums of floats depend on the order in which tasks finish."""
_SHOWN: Final = 200


def answer(rows: Iterable[Iterable[object]], *, ordered: bool) -> Answer:
    """Returns rows as JSON values, sorted unless their order matters."""
    plain = [[_plain(value) for value in row] for row in rows]
    return plain if ordered else sorted(plain, key=repr)


def _plain(value: object) -> object:
    """Converts a value to JSON. Long values become a digest."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes | bytearray):
        return f"{len(value)} bytes {hashlib.sha1(value).hexdigest()}"
    if isinstance(value, list | tuple):
        return f"{len(value)} items {hashlib.sha1(repr(list(value)).encode()).hexdigest()}"
    return str(value)  # decimals, dates


def same(one: object, other: object, tolerance: float = TOLERANCE) -> bool:
    """Returns whether two results are equal, up to a relative tolerance of floats."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(
            same(left, right, tolerance) for left, right in zip(one, other, strict=True)
        )
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=tolerance) or one == other
    return type(one) is type(other) and one == other


def difference(expected: Answer, found: Answer, tolerance: float = TOLERANCE) -> str:
    """Describes the first rows that differ by more than a relative tolerance of floats."""
    if len(expected) != len(found):
        return f"{len(found)} rows instead of {len(expected)}"
    for row, (left, right) in enumerate(zip(expected, found, strict=True)):
        if not same(left, right, tolerance):
            return f"row {row} is {str(right)[:_SHOWN]} instead of {str(left)[:_SHOWN]}"
    return "no difference"
