# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Vector search: the rows whose vectors are nearest to a query vector."""

import json
import sys
from collections.abc import Mapping, Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast
from uuid import uuid4

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import FloatType, LongType, StructField, StructType

from pyspark_lance.base import TableBase
from pyspark_lance.exceptions import InvalidRequestError, errors_translated
from pyspark_lance.handle import TableHandle
from pyspark_lance.scan import Columns, selected
from pyspark_lance.sql import dotted, identifier, literal, parts, quoted, run_sql, run_with

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Vectors: TypeAlias = (
        Sequence[float]
        | Sequence[Sequence[float]]
        | np.ndarray[Any, Any]
        | pa.Array
        | pa.ChunkedArray
        | DataFrame
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
            q: The query vector: a list, an array or scalar of NumPy or Arrow, a series of pandas or
                polars, or a vector of Spark ML. A two-dimensional one
                is a batch of queries: the result has up to `k` rows for each of them, with its
                position in the column `query_index`. So is a DataFrame with one array column. In a
                column with lists of vectors, two dimensions are a single query, and three a batch.
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
        options: dict[str, Any] = {
            "metric": metric,
            "nprobes": nprobes,
            "minimum_nprobes": minimum_nprobes,
            "maximum_nprobes": maximum_nprobes,
            "refine_factor": refine_factor,
            "ef": ef,
            "approx_mode": approx_mode,
            "distance_range": distance_range,
            "filter": filter,
            "prefilter": prefilter,
            "use_index": use_index,
            "fast_search": fast_search,
            "offset": offset,
            "with_row_id": with_row_id,
        }
        if isinstance(q, _frames()):
            return self._nearest_of_frame(cast(DataFrame, q), column, k, columns, **options)
        vectors = elements(q)
        call = self._search_call(literal(vectors), column, k, **options)
        frame = run_sql(self._handle.spark, f"SELECT * FROM {call}")
        if columns is None:
            return frame
        wanted = selected(columns)
        chosen = {name.lower() for name in columns}
        # Batches fail for tables with a column of this name.
        is_batch = vectors.startswith("[[") and frame.columns[0] == "query_index"
        first = ["query_index"] * (is_batch and "query_index" not in chosen)
        last = [c for c in ["_distance"] + ["_rowid"] * with_row_id if c not in chosen]
        return frame.select(*map(F.col, first), *wanted, *map(F.col, last))

    def nearest_join(
        self,
        df: DataFrame,
        column: str | None = None,
        k: int = 10,
        *,
        query_column: str | None = None,
        how: Literal["inner", "left"] = "inner",
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
        """Joins each row of a DataFrame with the rows whose vectors are nearest to its vector.

        Returns the same rows as a search for each vector, but reads a partition of the index once
        for many of them.

        Args:
            df: The rows with the query vectors. A row whose vector is null has no neighbors.
            column: The vector column of the table, as for `nearest`.
            k: Number of neighbors of a row.
            query_column: The column of `df` with the query vectors, arrays of numbers. The default
                is the name of the vector column of the table.
            how: `inner`, or `left` to keep rows without neighbors.
            metric: See `nearest`.
            nprobes: See `nearest`.
            minimum_nprobes: See `nearest`.
            maximum_nprobes: See `nearest`.
            refine_factor: See `nearest`.
            ef: See `nearest`.
            approx_mode: See `nearest`.
            distance_range: See `nearest`.
            filter: A condition on columns of the table, as SQL.
            prefilter: See `nearest`.
            use_index: See `nearest`.
            fast_search: See `nearest`.
            columns: Columns of the table: names, or a mapping of new names to SQL expressions; all
                if omitted.
            offset: See `nearest`.
            with_row_id: Adds the column `_rowid` of the table.

        Returns:
            The columns of `df`, the columns of the table, and `_distance`.

        Raises:
            InvalidRequestError: The column does not exist or has no vectors, or the queries do not
                suit it.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> rows = spark.sql("SELECT id, array(float(id), 1.0F) AS vector FROM range(5)")
            >>> size = {"column.vector.arrow.fixed-size-list.size": 2}
            >>> write(rows, path, mode="overwrite", **size)
            >>> queries = spark.sql("SELECT 'a' AS name, array(3.25, 1.0) AS v")
            >>> table = LanceTable.forPath(spark, path)
            >>> near = table.nearest_join(queries, "vector", 2, query_column="v", columns=["id"])
            >>> near.select("name", "id", "_distance").show()
            +----+---+---------+
            |name| id|_distance|
            +----+---+---------+
            |   a|  3|   0.0625|
            |   a|  4|   0.5625|
            +----+---+---------+
            <BLANKLINE>
        """
        if how not in ("inner", "left"):
            raise ValueError(f"how is 'inner' or 'left', not {how!r}")
        queries = query_column or parts(column or "vector")[-1]
        if queries not in df.columns:
            raise ValueError(
                f"the DataFrame has no column {queries}: name the column of the query vectors with "
                "query_column"
            )
        call = self._search_call(
            f"q.{identifier(queries)}",
            column,
            k,
            metric=metric,
            nprobes=nprobes,
            minimum_nprobes=minimum_nprobes,
            maximum_nprobes=maximum_nprobes,
            refine_factor=refine_factor,
            ef=ef,
            approx_mode=approx_mode,
            distance_range=distance_range,
            filter=filter,
            prefilter=prefilter,
            use_index=use_index,
            fast_search=fast_search,
            offset=offset,
            with_row_id=with_row_id,
        )
        if columns is not None:
            self._check(columns, with_row_id)
        found = call if columns is None else f"(SELECT {_chosen(columns, with_row_id)} FROM {call})"
        join = "JOIN" if how == "inner" else "LEFT JOIN"
        return run_with(df, lambda q: f"SELECT * FROM {q} AS q {join} LATERAL {found} AS n ON true")

    def _check(self, columns: Columns, with_row_id: bool) -> None:
        """Checks that the table has the columns, because a lateral join also finds left ones."""
        fields = list(self._handle.toDF().schema)
        names = {f.name.lower() for f in fields}
        added = [StructField("_distance", FloatType())]
        added += [StructField("_rowid", LongType())] * with_row_id
        schema = StructType(fields + [f for f in added if f.name not in names])
        with errors_translated():
            rows = self._handle.spark.createDataFrame([], schema)
            rows.select(*selected(columns)).schema  # noqa: B018

    def _nearest_of_frame(
        self,
        q: DataFrame,
        column: str | None,
        k: int,
        columns: Columns | None,
        **options: Any,  # noqa: ANN401
    ) -> DataFrame:
        """Searches for the vectors of the only array column of a DataFrame, in its order."""
        arrays = [f.name for f in q.schema if f.dataType.typeName() == "array"]
        if len(arrays) != 1:
            raise ValueError(
                f"the DataFrame of query vectors has {len(arrays)} columns with arrays instead of "
                "one: select the column of the query vectors"
            )
        order = Window.orderBy(F.monotonically_increasing_id())
        # The table may have columns of any name.
        index, vector = (f"{name}_{uuid4().hex}" for name in ("query_index", "query_vector"))
        numbered = q.select(
            (F.row_number().over(order) - 1).alias(index),
            F.col(quoted(arrays[0])).alias(vector),
        )
        joined = self.nearest_join(
            numbered, column, k, query_column=vector, columns=columns, **options
        ).drop(vector)
        if any(name.lower() == "query_index" for name in joined.columns):
            raise InvalidRequestError(
                "the result of a batch has a column query_index of its own: rename the column of "
                "the table, or choose other columns"
            )
        return joined.withColumnRenamed(index, "query_index")

    def _search_call(  # the arguments of `nearest`
        self,
        vectors: str,
        column: str | None,
        k: int,
        *,
        refine_factor: int | EllipsisType | None,
        distance_range: tuple[float | None, float | None] | None,
        filter: str | None,
        metric: str | None,
        **options: object,
    ) -> str:
        """Returns the call of `vector_search` in SQL."""
        lower, upper = distance_range or (None, None)
        arguments: dict[str, object] = {
            "num_results": k,
            "vector_column": column,
            "distance_type": metric,
            "refine_factor": refinement(refine_factor),
            "lower_bound": lower,
            "upper_bound": upper,
            "filter": filter,
            **options,
        }
        return search_call(self._handle, "vector_search", vectors, **arguments)


def search_call(handle: TableHandle, function: str, *first: str, **arguments: object) -> str:
    """Returns the call of a table function that searches a table, in SQL.

    Args:
        handle: The table.
        function: The name of the function.
        first: Positional arguments after the table, as SQL.
        arguments: Other arguments. An argument that is `None` is omitted.
    """
    if not isinstance(arguments.get("filter"), str | None):
        raise TypeError("filter is SQL text, such as filter=\"label = 'cat'\"")
    arguments |= {"version": handle.pin, "branch": handle.branch}
    given = [f"{name} => {literal(v)}" for name, v in arguments.items() if v is not None]
    return f"{function}({', '.join([literal(handle.reference.sql), *first, *given])})"


def _frames() -> tuple[type, ...]:
    """The classes of DataFrames, without Connect's unless it is loaded."""
    connect = sys.modules.get("pyspark.sql.connect.dataframe")
    return (DataFrame,) if connect is None else (DataFrame, connect.DataFrame)


def _chosen(columns: Columns, with_row_id: bool) -> str:
    """The columns of a search as a list in SQL."""
    if isinstance(columns, Mapping):
        named = [f"{expression} AS {identifier(name)}" for name, expression in columns.items()]
    else:
        named = [dotted(name) for name in columns]
    chosen = {name.lower() for name in columns}
    last = [c for c in ["_distance"] + ["_rowid"] * with_row_id if c not in chosen]
    return ", ".join(named + last)


def refinement(factor: "int | EllipsisType | None") -> int | None:
    """Returns the argument `refine_factor` in SQL, where 0 turns refinement off."""
    return None if factor is ... else factor or 0


def elements(q: "Vectors") -> str:
    """The elements of vectors as a JSON array."""
    values = _plain(q)
    if not isinstance(values, list):
        raise TypeError(
            "a query vector is a list, a NumPy array, or an Arrow array, not "
            + ("null" if values is None else type(q).__name__)
        )
    return json.dumps(values, separators=(",", ":"))


# Methods of Arrow arrays, Arrow scalars, NumPy and pandas, polars, and Spark ML.
_METHODS = ("to_pylist", "as_py", "tolist", "to_list", "toArray")


def _plain(value: Any) -> Any:  # noqa: ANN401
    """Returns numbers and lists of them as Python objects."""
    if isinstance(value, float | int | str | bytes):
        return value
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    method = next((m for m in _METHODS if hasattr(value, m)), None)
    if method is not None:
        found = getattr(value, method)()
        # A long double of NumPy returns itself.
        return float(found) if type(found) is type(value) else _plain(found)
    return [_plain(v) for v in value] if isinstance(value, Sequence) else value
