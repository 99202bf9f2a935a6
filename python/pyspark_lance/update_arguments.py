# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Parses the arguments of `LanceTable.update`, in the order of Delta Lake or pylance."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from pyspark.sql import Column

from pyspark_lance.changes import Assignments, Expression

Argument: TypeAlias = Expression | Assignments | None

_DELTA: Final = ("condition", "set")
_PYLANCE: Final = ("updates", "where")
_FORMS: Final = """update("id = 1", {"n": "n + 1"}) or update({"n": "n + 1"}, where="id = 1")"""


def update_arguments(
    positional: Sequence[Argument], named: Mapping[str, Argument]
) -> tuple[Assignments, Expression | None]:
    """Returns the new values by column name, and the condition.

    Args:
        positional: The arguments without names. They are in pylance's order if the first one is a
            mapping, otherwise in Delta Lake's order.
        named: The arguments by name.

    Raises:
        TypeError: An argument is unknown, is given twice, or has the wrong type.
    """
    if unknown := named.keys() - {*_DELTA, *_PYLANCE}:
        raise TypeError(f"update has no argument {min(unknown)}: {_FORMS}")
    names = _PYLANCE if positional and isinstance(positional[0], Mapping) else _DELTA
    if len(positional) > len(names):
        raise TypeError(f"update takes two positional arguments, not {len(positional)}: {_FORMS}")
    ordered = list(zip(names, positional, strict=False))
    given = [(name, value) for name, value in [*ordered, *named.items()] if value is not None]
    condition = _only("the condition", [one for one in given if one[0] in ("condition", "where")])
    values = _only("the new values", [one for one in given if one[0] in ("set", "updates")])
    if condition is not None and not isinstance(condition, str | Column):
        raise TypeError(
            "the condition of an update is SQL (str) or a Column, "
            f"not {type(condition).__name__}: {_FORMS}"
        )
    if values is not None and not isinstance(values, Mapping):
        raise TypeError(
            "the new values of an update are a dict of columns and expressions, "
            f"not {type(values).__name__}: {_FORMS}"
        )
    return values or {}, condition


def _only(what: str, given: Sequence[tuple[str, Argument]]) -> Argument:
    if len(given) > 1:
        names = " and ".join(name for name, _ in given)
        raise TypeError(f"update got {what} twice, as {names}: {_FORMS}")
    return given[0][1] if given else None
