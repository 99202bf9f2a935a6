# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Answers of tasks, to be compared before anything is timed.

Imported by workers on any PySpark: nothing but the standard library is imported here.
"""

import hashlib
import math
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

Answer: TypeAlias = list[Any]
"""Rows of plain values, as JSON has them."""

_TOLERANCE: Final = 1e-9
"""Relative; sums of floats depend on the order in which tasks end."""
_SHOWN: Final = 200


def answer(rows: Iterable[Iterable[object]], *, ordered: bool) -> Answer:
    """Rows as plain values; in an order of their own unless theirs counts."""
    plain = [[_plain(value) for value in row] for row in rows]
    return plain if ordered else sorted(plain, key=repr)


def _plain(value: object) -> object:
    """Long values become a digest of them."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes | bytearray):
        return f"{len(value)} bytes {hashlib.sha1(value).hexdigest()}"
    if isinstance(value, list | tuple):
        return f"{len(value)} items {hashlib.sha1(repr(list(value)).encode()).hexdigest()}"
    return str(value)  # decimals, dates


def same(one: object, other: object) -> bool:
    """Whether two answers are equal, but for the last digits of floats."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=_TOLERANCE) or one == other
    return type(one) is type(other) and one == other


def difference(expected: Answer, found: Answer) -> str:
    """The first rows that differ, for people."""
    if len(expected) != len(found):
        return f"{len(found)} rows instead of {len(expected)}"
    for row, (left, right) in enumerate(zip(expected, found, strict=True)):
        if not same(left, right):
            return f"row {row} is {str(right)[:_SHOWN]} instead of {str(left)[:_SHOWN]}"
    return "no difference"
