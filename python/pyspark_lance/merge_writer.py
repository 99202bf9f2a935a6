# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""MERGE of DataFrames on all PySpark versions. PySpark has `DataFrame.mergeInto` since 4.0."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame

from pyspark_lance.exceptions import UnsupportedFeatureError

if TYPE_CHECKING:
    from pyspark.sql.merge import MergeIntoWriter


def merge_writer(source: DataFrame, target: str, condition: Column) -> "MergeIntoWriter":
    """Returns a writer like `DataFrame.mergeInto`.

    Raises:
        UnsupportedFeatureError: The session uses Spark Connect 3.5.
    """
    if hasattr(source, "mergeInto"):
        return source.mergeInto(target, condition)
    frame: Any = source
    if not hasattr(frame, "_jdf"):
        raise UnsupportedFeatureError(
            "unsupported: DELETE, UPDATE, and MERGE of DataFrames on Spark Connect 3.5. "
            "Use SQL, or Spark 4.0 or later",
            parameters={"feature": "MERGE of DataFrames on Spark Connect 3.5"},
        )
    jvm = frame.sparkSession._jvm
    merge = jvm.io.github.pysparklance.spark.sql.MergeIntoWriter(
        frame._jdf, target, _java(condition)
    )
    writer: Any = _Writer(merge)
    return writer  # type: ignore[no-any-return]


class _Writer:
    """Has the methods of PySpark's `MergeIntoWriter`, and calls the connector's class."""

    def __init__(self, merge: Any) -> None:  # noqa: ANN401
        self._merge = merge

    def whenMatched(self, condition: Column | None = None) -> "_Clause":
        return _Clause(self, condition, self._merge.updateMatched, None, self._merge.deleteMatched)

    def whenNotMatched(self, condition: Column | None = None) -> "_Clause":
        return _Clause(self, condition, None, self._merge.insertNotMatched, None)

    def whenNotMatchedBySource(self, condition: Column | None = None) -> "_Clause":
        update = self._merge.updateNotMatchedBySource
        return _Clause(self, condition, update, None, self._merge.deleteNotMatchedBySource)

    def withSchemaEvolution(self) -> "_Writer":
        self._merge.withSchemaEvolution()
        return self

    def merge(self) -> None:
        self._merge.merge()


class _Clause:
    """A WHEN clause without its action."""

    def __init__(
        self,
        writer: _Writer,
        condition: Column | None,
        update: Callable[..., None] | None,
        insert: Callable[..., None] | None,
        delete: Callable[..., None] | None,
    ) -> None:
        self._writer = writer
        self._condition = _java(condition)
        self._update, self._insert, self._delete = update, insert, delete

    def update(self, assignments: Mapping[str, Column]) -> _Writer:
        return self._added(self._update, _java_values(assignments))

    def updateAll(self) -> _Writer:
        return self._added(self._update, None)

    def insert(self, assignments: Mapping[str, Column]) -> _Writer:
        return self._added(self._insert, _java_values(assignments))

    def insertAll(self) -> _Writer:
        return self._added(self._insert, None)

    def delete(self) -> _Writer:
        return self._added(self._delete)

    def _added(self, action: Callable[..., None] | None, *values: Any) -> _Writer:  # noqa: ANN401
        assert action is not None
        action(self._condition, *values)
        return self._writer


def _java(column: Column | None) -> Any:  # noqa: ANN401
    return None if column is None else column._jc  # pyright: ignore


def _java_values(values: Mapping[str, Column]) -> dict[str, Any]:
    return {name: _java(value) for name, value in values.items()}
