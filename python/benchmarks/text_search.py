# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Full-text searches with this connector."""

import json
from pathlib import Path
from typing import Any, Protocol

from pyspark.sql import SparkSession

from benchmarks.actions import TextSearch
from benchmarks.words import NEIGHBORS
from pyspark_lance import LanceTable


class TextSearches(Protocol):
    """The full-text searches of a task."""

    def run(self) -> None:
        """Runs all searches."""

    def found(self) -> list[list[float]]:
        """Returns the scores of the best rows of each search."""
        ...


def opened(spark: SparkSession, path: Path, search: TextSearch) -> TextSearches:
    """Returns the searches of a task, without running them.

    Args:
        spark: The session.
        path: The path of the searched table.
        search: The action of the task.
    """
    searches = EngineTextSearches if search.way == "engine" else TableSearches
    return searches(spark, path, search)


class TableSearches:
    """Searches with `LanceTable.search`."""

    def __init__(self, spark: SparkSession, path: Path, search: TextSearch) -> None:
        """Opens the table."""
        self._table = LanceTable.forPath(spark, str(path))
        self._search = search

    def run(self) -> None:
        """Runs all searches."""
        for text in self._search.texts:
            self._rows(text)

    def found(self) -> list[list[float]]:
        """Returns the scores of the best rows of each search."""
        return [[row["_score"] for row in self._rows(text)] for text in self._search.texts]

    def _rows(self, text: str) -> list[Any]:
        column = self._search.index.column
        rows = self._table.search(text, [column], k=NEIGHBORS).select("o_orderkey", "_score")
        return rows.collect()


class EngineTextSearches:
    """Searches with the classes of the connector that do not need Spark, called through Py4J."""

    def __init__(self, spark: SparkSession, path: Path, search: TextSearch) -> None:
        """Opens the index, and creates the queries."""
        context: Any = spark.sparkContext
        jvm: Any = context._gateway.jvm
        root = jvm.io.github.pysparklance
        store = getattr(getattr(root.storage.local, "LocalFileStore$"), "MODULE$")
        self._none = jvm.scala.Option.empty()
        table = root.table.LanceTable.open(store, str(path), self._none)
        cache = root.index.cache
        self._indices = root.index.text.TextIndices(
            table, cache.IndexMeter(), cache.IndexCache.shared()
        )
        self._search: Any = root.index.text.TextSearch
        by_name = jvm.java.util.HashMap()
        by_name.put(search.index.column, self._indices.columns().head())
        self._columns = jvm.org.apache.spark.api.python.PythonUtils.toScalaMap(by_name)
        parse = root.index.text.query.TextQueryJson.parse
        self._queries = [
            parse(json.dumps({"match": {"terms": text, "column": search.index.column}}))
            for text in search.texts
        ]

    def run(self) -> None:
        """Runs all searches."""
        for query in self._queries:
            self._answer(query)

    def found(self) -> list[list[float]]:
        """Returns the scores of the best rows of each search."""
        return [list(self._answer(query).rows().scores()) for query in self._queries]

    def _answer(self, query: Any) -> Any:  # noqa: ANN401
        search = self._search(self._indices, query, self._columns, self._none)
        return search.run(NEIGHBORS, self._none, False, True, self._none, self._none)
