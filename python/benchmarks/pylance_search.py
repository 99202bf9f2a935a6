# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Vector and full-text searches with pylance."""

from collections.abc import Iterator
from typing import Any, Final

from benchmarks.actions import Search, TextSearch
from benchmarks.words import NEIGHBORS, Queries

BATCH: Final = 500
"""Queries of a batch. pylance opens files for each of them at once."""


class PylanceSearch:
    """The searches of a task in an open table."""

    def __init__(self, table: Any, search: Search, queries: Queries) -> None:  # noqa: ANN401
        """Creates the searches without running them."""
        self._table = table
        self._search = search
        self._queries = queries

    def run(self) -> None:
        """Runs all searches."""
        if self._search.way == "batch":
            for _ in self._batches():
                pass
        else:
            for vector in self._queries.vectors:
                self._single(vector)

    def found(self) -> list[list[int]]:
        """Returns the ids of the nearest rows to each query."""
        if self._search.way != "batch":
            column = "_rowid" if self._search.way == "engine" else "id"
            return [self._single(vector)[column].to_pylist() for vector in self._queries.vectors]
        found: list[list[int]] = [[] for _ in self._queries.vectors]
        for first, rows in self._batches():
            queries = rows["query_index"].to_pylist()
            for query, row in zip(queries, rows["id"].to_pylist(), strict=True):
                found[first + query].append(row)
        return found

    def recall(self) -> float:
        """Returns the share of the true neighbors that were found."""
        return self._queries.recall(self.found())

    def _single(self, vector: Any) -> Any:  # noqa: ANN401
        if self._search.way == "engine":
            return self._table.to_table(
                columns=["_distance"], with_row_id=True, nearest=self._nearest(vector)
            )
        return self._table.to_table(columns=["id", "_distance"], nearest=self._nearest(vector))

    def _batches(self) -> Iterator[tuple[int, Any]]:
        """Runs the searches. Yields the first query of each batch, and the rows found."""
        vectors = self._queries.vectors
        for first in range(0, len(vectors), BATCH):
            nearest = self._nearest(vectors[first : first + BATCH])
            columns = ["query_index", "id", "_distance"]
            yield first, self._table.to_table(columns=columns, nearest=nearest)

    def _nearest(self, q: Any) -> dict[str, Any]:  # noqa: ANN401
        return {"column": "vector", "q": q, "k": NEIGHBORS, **self._search.parameters}


class PylanceTextSearch:
    """The full-text searches of a task in an open table."""

    def __init__(self, table: Any, search: TextSearch) -> None:  # noqa: ANN401
        """Creates the searches without running them."""
        from lance.query import MatchQuery

        self._table = table
        self._search = search
        self._queries = [MatchQuery(text, search.index.column) for text in search.texts]

    def run(self) -> None:
        """Runs all searches."""
        for query in self._queries:
            self._scored(query)

    def found(self) -> list[list[float]]:
        """Returns the scores of the best rows of each search."""
        return [self._scored(query)["_score"].to_pylist() for query in self._queries]

    def _scored(self, query: Any) -> Any:  # noqa: ANN401
        is_engine = self._search.way == "engine"
        columns = ["_score"] if is_engine else ["o_orderkey", "_score"]
        return self._table.to_table(
            columns=columns, with_row_id=is_engine, full_text_query=query, limit=NEIGHBORS
        )
