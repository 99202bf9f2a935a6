# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Vector searches with this connector."""

import json
from pathlib import Path
from typing import Any, Protocol

from pyspark.sql import DataFrame, SparkSession

from benchmarks.actions import Search
from benchmarks.words import NEIGHBORS, Queries
from pyspark_lance import LanceTable


class Searches(Protocol):
    """The searches of a task."""

    def run(self) -> None:
        """Runs all searches."""

    def found(self) -> list[list[int]]:
        """Returns the ids of the nearest rows to each query."""
        ...

    def recall(self) -> float:
        """Returns the share of the true neighbors that were found."""
        ...


def opened(spark: SparkSession, path: Path, search: Search, queries: Queries) -> Searches:
    """Returns the searches of a task, without running them.

    Args:
        spark: The session.
        path: The path of the searched table.
        search: The action of the task.
        queries: The query vectors.

    Raises:
        ValueError: This connector has no such searches.
    """
    match search.way:
        case "engine":
            return EngineSearches(spark, path, search, queries)
        case "sql":
            return SqlSearches(spark, path, search, queries)
        case "join":
            return Join(spark, path, search, queries)
        case other:
            raise ValueError(f"no searches by {other}")


class SqlSearches:
    """Searches with the table function, one after another."""

    def __init__(self, spark: SparkSession, path: Path, search: Search, queries: Queries) -> None:
        """Creates the statements."""
        self._spark = spark
        self._queries = queries
        given = "".join(f", {name} => {value}" for name, value in search.parameters.items())
        self._statements = [
            f"SELECT id, _distance FROM vector_search('{path}', '{json.dumps(vector.tolist())}', "
            f"{NEIGHBORS}{given})"
            for vector in queries.vectors
        ]

    def run(self) -> None:
        """Runs all searches."""
        for sql in self._statements:
            self._spark.sql(sql).collect()

    def found(self) -> list[list[int]]:
        """Returns the ids of the nearest rows to each query."""
        return [[row["id"] for row in self._spark.sql(sql).collect()] for sql in self._statements]

    def recall(self) -> float:
        """Returns the share of the true neighbors that were found."""
        return self._queries.recall(self.found())


class Join:
    """A nearest-neighbor join of all queries."""

    def __init__(self, spark: SparkSession, path: Path, search: Search, queries: Queries) -> None:
        """Opens the table and the query vectors."""
        self._queries = queries
        table = LanceTable.forPath(spark, str(path))
        rows = spark.read.parquet(str(queries.file)).where(f"query < {search.queries}")
        size = queries.vectors.shape[1]
        asked = rows.selectExpr("query", f"slice(vector, 1, {size}) AS query_vector")
        self._joined: DataFrame = table.nearest_join(
            asked,
            "vector",
            NEIGHBORS,
            query_column="query_vector",
            columns=["id"],
            **dict[str, Any](search.parameters),
        ).select("query", "id", "_distance")

    def run(self) -> None:
        """Runs the join. Its rows stay in the JVM."""
        joined: Any = self._joined
        joined._jdf.collectAsList()

    def found(self) -> list[list[int]]:
        """Returns the ids of the nearest rows to each query."""
        found: list[list[int]] = [[] for _ in self._queries.vectors]
        for row in self._joined.collect():
            found[row["query"]].append(row["id"])
        return found

    def recall(self) -> float:
        """Returns the share of the true neighbors that were found."""
        return self._queries.recall(self.found())


class EngineSearches:
    """Searches with the classes of the connector that do not need Spark, called through Py4J."""

    def __init__(self, spark: SparkSession, path: Path, search: Search, queries: Queries) -> None:
        """Opens the index, and copies the query vectors to the JVM."""
        context: Any = spark.sparkContext
        self._gateway: Any = context._gateway
        self._jvm: Any = self._gateway.jvm
        self._queries = queries
        root = self._jvm.io.github.pysparklance
        store = getattr(getattr(root.storage.local, "LocalFileStore$"), "MODULE$")
        table = root.table.LanceTable.open(store, str(path), self._option(None))
        vectors = root.index.vector
        self._statistics = vectors.search.SearchStatistics()
        self._refine = vectors.Refinement.apply
        self._all_rows = self._option(None)
        meter = root.index.cache.IndexMeter()
        self._indices = vectors.VectorIndices(table, meter, root.index.cache.IndexCache.shared())
        field = self._indices.names().head()._1()
        self._index = self._indices.find(field, self._option(None)).get()
        self._column = self._index.column()
        self._metric = self._index.metric()
        self._source = vectors.TableVectors(table, self._column)
        self._parameters = self._query(vectors.search, search)
        self._is_refined = "refine_factor" in search.parameters
        self._vectors = [self._vector(vector) for vector in queries.vectors]

    def run(self) -> None:
        """Runs all searches."""
        for vector in self._vectors:
            self._nearest(vector)

    def found(self) -> list[list[int]]:
        """Returns the addresses of the nearest rows to each query, which are their ids."""
        return [list(self._nearest(vector).addresses()) for vector in self._vectors]

    def recall(self) -> float:
        """Returns the share of the true neighbors that were found."""
        return self._queries.recall(self.found())

    def _nearest(self, vector: Any) -> Any:  # noqa: ANN401
        answer = self._indices.search(
            self._index, vector, self._parameters, self._all_rows, self._statistics
        )
        if not self._is_refined:
            return answer
        return self._refine(
            answer,
            self._column,
            vector,
            self._metric,
            self._parameters,
            self._source,
            self._statistics,
        )

    def _query(self, package: Any, search: Search) -> Any:  # noqa: ANN401
        """Returns the parameters of a search."""
        given = search.parameters
        option = {
            name: self._option(given.get(name)) for name in ("nprobes", "refine_factor", "ef")
        }
        unknown = given.keys() - option.keys()
        if unknown:
            raise ValueError(f"unknown parameters of a search: {', '.join(unknown)}")
        none = self._option(None)
        return package.VectorQuery(
            NEIGHBORS,
            none,  # metric
            option["nprobes"],
            none,  # minimum_nprobes
            none,  # maximum_nprobes
            none,  # search_effort
            option["refine_factor"],
            option["ef"],
            none,  # lower bound
            none,  # upper bound
            True,  # use_index
            False,  # fast_search
            package.ApproxMode.parse("normal"),
        )

    def _vector(self, values: Any) -> Any:  # noqa: ANN401
        """Returns a sequence of one query vector."""
        array = self._gateway.new_array(self._jvm.double, len(values))
        for at, value in enumerate(values.tolist()):
            array[at] = value
        vectors = self._jvm.java.util.ArrayList()
        vectors.add(self._column.query(array))
        return self._jvm.org.apache.spark.api.python.PythonUtils.toSeq(vectors)

    def _option(self, value: int | None) -> Any:  # noqa: ANN401
        options = self._jvm.scala.Option
        return options.empty() if value is None else options.apply(value)
