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
        actions: kinds of steps, `Create`, or `filter`.
        message: regular expression for the first line of the message.
        reason: the limit of pylance.
    """

    actions: tuple[str, ...]
    message: str
    reason: str


EXPECTED: tuple[Rejection, ...] = ()


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
