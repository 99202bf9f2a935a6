# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The rows of many conditions in two queries, because Spark takes longer to start than to read."""

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def filtered(table: DataFrame, conditions: Sequence[str], column: str | Column) -> list[list]:
    """The sorted values of a column in the rows of each condition, by a filter for each."""
    parts = [
        table.where(condition).select(F.lit(i), column) for i, condition in enumerate(conditions)
    ]
    found: list[list] = [[] for _ in conditions]
    for i, value in reduce(DataFrame.unionAll, parts).collect():
        found[i].append(value)
    return [sorted(values) for values in found]


def evaluated(table: DataFrame, conditions: Sequence[str], column: str | Column) -> list[list]:
    """The same without filters: the conditions are evaluated on all rows of one scan."""
    rows = table.select(column, *(F.expr(condition) for condition in conditions)).collect()
    return [sorted(row[0] for row in rows if row[i + 1]) for i in range(len(conditions))]
