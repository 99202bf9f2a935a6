# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Vector search: the rows whose vectors are nearest to a query vector."""

import json
from collections.abc import Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any, TypeAlias

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pyspark_lance.base import TableBase
from pyspark_lance.scan import Columns, selected
from pyspark_lance.sql import literal, run_sql

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Vectors: TypeAlias = (
        Sequence[float]
        | Sequence[Sequence[float]]
        | np.ndarray[Any, Any]
        | pa.Array
        | pa.ChunkedArray
    )


class Search(TableBase):
    """The part of `LanceTable` that searches."""

    def nearest(
        self,
        column: str | None,
        q: "Vectors",
        k: int = 10,
        *,
        metric: str | None = None,
        nprobes: int | None = None,
        minimum_nprobes: int | None = None,
        maximum_nprobes: int | None = None,
        refine_factor: int | EllipsisType | None = ...,
        ef: int | None = None,
        approx_mode: str | None = None,
        distance_range: tuple[float | None, float | None] | None = None,
        filter: str | None = None,
        prefilter: bool = True,
        use_index: bool = True,
        fast_search: bool = False,
        columns: Columns | None = None,
        offset: int | None = None,
        with_row_id: bool = False,
    ) -> DataFrame:
        """Returns the rows whose vectors are nearest to a query vector, nearest first.

        Rows at one distance are ordered by `_rowid`. Rows without a vector are not found.

        Args:
            column: The column of vectors, such as `vector` or `features.image`. `None` is the
                column `vector`, or the only column of vectors.
            q: The query vector: a list, a NumPy array, or an Arrow array. A two-dimensional one
                is a batch of queries: the result has up to `k` rows for each of them, with its
                position in the column `query_index`.
            k: Number of rows.
            metric: `l2` (squared), `cosine`, `dot`, or `hamming`. The default is the metric of the
                index, else `l2`, and `hamming` for vectors of `uint8`.
            nprobes: Partitions of a vector index to search.
            minimum_nprobes: Partitions of a vector index to search at least.
            maximum_nprobes: Partitions of a vector index to search at most.
            refine_factor: `k` times this many rows of a vector index are compared again by their
                true distance; `None` for the distances of the index. The default is 10 for indices
                with product quantization.
            ef: Candidates of the search in the graph of a vector index.
            approx_mode: `fast`, `normal`, or `accurate`, for vector indices of kind RQ.
            distance_range: Distances to return: at least the first, less than the second number,
                both as the metric defines them.
            filter: A condition on columns of the table, as SQL.
            prefilter: Whether the filter applies before the search, so that `k` matching rows are
                found. If not, rows that do not match are dropped from the nearest `k`.
            use_index: Whether a vector index may be used. Without one, the search is exact.
            fast_search: Whether to skip rows that the vector index does not cover.
            columns: Column names, or a mapping of new names to SQL expressions; all if omitted.
            offset: Number of nearest rows to skip before the `k` rows.
            with_row_id: Adds the column `_rowid`.

        Returns:
            The columns and `_distance`.

        Raises:
            InvalidRequestError: The column does not exist or has no vectors, or the query does
                not suit it.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> rows = spark.sql("SELECT id, array(float(id), 1.0F) AS vector FROM range(5)")
            >>> size = {"column.vector.arrow.fixed-size-list.size": 2}
            >>> write(rows, path, mode="overwrite", **size)
            >>> LanceTable.forPath(spark, path).nearest("vector", [3.25, 1.0], k=2).show()
            +---+----------+---------+
            | id|    vector|_distance|
            +---+----------+---------+
            |  3|[3.0, 1.0]|   0.0625|
            |  4|[4.0, 1.0]|   0.5625|
            +---+----------+---------+
            <BLANKLINE>
        """
        if filter is not None and not isinstance(filter, str):
            raise TypeError("filter is SQL text, such as filter=\"label = 'cat'\"")
        lower, upper = distance_range or (None, None)
        vectors = _elements(q)
        arguments: dict[str, object] = {
            "num_results": k,
            "vector_column": column,
            "distance_type": metric,
            "nprobes": nprobes,
            "minimum_nprobes": minimum_nprobes,
            "maximum_nprobes": maximum_nprobes,
            "refine_factor": None if refine_factor is ... else refine_factor or 0,
            "ef": ef,
            "approx_mode": approx_mode,
            "lower_bound": lower,
            "upper_bound": upper,
            "filter": filter,
            "prefilter": prefilter,
            "use_index": use_index,
            "fast_search": fast_search,
            "offset": offset,
            "with_row_id": with_row_id,
            "version": self._handle.pin,
            "branch": self._handle.branch,
        }
        given = "".join(
            f", {name} => {literal(value)}"
            for name, value in arguments.items()
            if value is not None
        )
        call = f"vector_search({literal(self._handle.reference.sql)}, {literal(vectors)}{given})"
        frame = run_sql(self._handle.spark, f"SELECT * FROM {call}")
        if columns is None:
            return frame
        wanted = selected(columns)
        chosen = {name.lower() for name in columns}
        first = ["query_index"] * (vectors.startswith("[[") and "query_index" not in chosen)
        last = [c for c in ["_distance"] + ["_rowid"] * with_row_id if c not in chosen]
        return frame.select(*map(F.col, first), *wanted, *map(F.col, last))


def _elements(q: "Vectors") -> str:
    """The elements of vectors as a JSON array."""
    values: Any = q
    for method in ("to_pylist", "tolist"):
        if hasattr(values, method):
            values = getattr(values, method)()
            break
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        raise TypeError(
            f"a query vector is a list, a NumPy array, or an Arrow array, not {type(q).__name__}"
        )
    return json.dumps([_plain(v) for v in values], separators=(",", ":"))


def _plain(value: Any) -> Any:  # noqa: ANN401
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(v) for v in value]
    return value
