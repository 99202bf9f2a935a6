# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Errors of pylance that do not fail a history. All other errors of pylance do.

pylance may reject a step because Spark damaged the table. An error is listed here only if pylance
also raises it for tables that it wrote alone.
"""

import re
from typing import NamedTuple


class Rejection(NamedTuple):
    """An expected error.

    Attributes:
        actions: kinds of steps, `Create`, `filter`, or `indexed filter`.
        message: regular expression for the first line of the message.
        reason: the limit of pylance.
    """

    actions: tuple[str, ...]
    message: str
    reason: str


EXPECTED: tuple[Rejection, ...] = (
    Rejection(
        ("Create", "Append", "Overwrite", "Merge"),
        r"LanceError\(Arrow\): Invalid argument error: null_bit_buffer size too small",
        "structs with nulls that it splits into several files",
    ),
    Rejection(
        ("Delete",),
        r"Query Execution error: Execution error: integers are ordered up to the \d+th element",
        "NOT IN ... OR IN, with a BTREE that does not cover all fragments",
    ),
    Rejection(
        ("indexed filter",),
        r'Invalid user input: Schema error: No field named "`',
        "BLOOMFILTER and ZONEMAP indices on columns whose names need quotes",
    ),
)


def is_interrupt(error):
    """Returns whether the test run is to end. A panic of native code is no `Exception` either."""
    return isinstance(error, KeyboardInterrupt | SystemExit)


def reason_for(action, error, expected=EXPECTED):
    """Returns the reason of an expected error of pylance.

    Raises:
        AssertionError: The error is not expected.
    """
    line = (str(error).splitlines() or [""])[0]
    for known in expected:
        if action in known.actions and re.match(known.message, line):
            return known.reason
    raise AssertionError(
        f"pylance rejects {action}: {type(error).__name__}: {line[:400]}"
    ) from error
