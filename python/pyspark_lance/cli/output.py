# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Formats rows for commands."""

import base64
import json
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from typing import Final

from pyspark.sql import Row

from pyspark_lance.display import grid

CELL_WIDTH: Final = 60


def table(
    header: Sequence[str], rows: Iterable[Sequence[object]], width: int | None = CELL_WIDTH
) -> str:
    """Formats rows as a text table.

    Args:
        header: Names of the columns.
        rows: Values.
        width: Maximum width of a cell; `None`: unlimited.
    """
    return grid(header, [[cell(value, width) for value in row] for row in rows])


def cell(value: object, width: int | None = CELL_WIDTH) -> str:
    r"""Formats a value in one line.

    Examples:
        >>> from pyspark_lance.cli.output import cell
        >>> cell([1, None, "a"]), cell({"k": b"\x01"}), cell("x" * 9, 5)
        ('[1, NULL, a]', '{k: 01}', 'xx...')
    """
    text = _plain(value, _short).replace("\n", "\\n")
    return text if width is None or len(text) <= width else text[: width - 3] + "..."


def exact(value: object) -> str:
    r"""Formats a complete value for CSV: numbers with all digits, text unchanged.

    Examples:
        >>> from pyspark_lance.cli.output import exact
        >>> exact([1 / 3, None, "a\nb"]), exact(None)
        ('[0.3333333333333333, NULL, a\nb]', '')
    """
    return "" if value is None else _plain(value, repr)


def _short(number: float) -> str:
    return f"{number:.6g}" if abs(number) >= 1e-4 else repr(number)


def _plain(value: object, number: Callable[[float], str]) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case bytes() | bytearray():
            return value.hex()
        case float():
            return number(value)
        case Row():
            return _plain(value.asDict(), number)
        case dict():
            pairs = (f"{_plain(k, number)}: {_plain(v, number)}" for k, v in value.items())
            return "{" + ", ".join(pairs) + "}"
        case list() | tuple():
            return "[" + ", ".join(_plain(v, number) for v in value) + "]"
        case _:
            return str(value)


def to_json(value: object, indent: int | None = None) -> str:
    """Converts a value to JSON: times in ISO 8601, bytes in base64, decimals as text."""
    return json.dumps(_jsonable(value), indent=indent, ensure_ascii=False)


def _jsonable(value: object) -> object:
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if abs(value) < float("inf") else str(value)
        case datetime() | date():
            return value.isoformat()
        case bytes() | bytearray():
            return base64.b64encode(value).decode()
        case Row():
            return _jsonable(value.asDict())
        case dict():
            return {str(k): _jsonable(v) for k, v in value.items()}
        case list() | tuple():
            return [_jsonable(v) for v in value]
        case _:
            return str(value)
