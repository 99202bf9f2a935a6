# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Full-text search, and hybrid search of vectors and text."""

import json
from collections.abc import Callable, Mapping, Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pyspark_lance import pylance_queries
from pyspark_lance.base import TableBase
from pyspark_lance.query import DocumentGranularity, FullTextQuery
from pyspark_lance.search import elements, refinement, search_call
from pyspark_lance.sql import literal, quoted, run_sql

if TYPE_CHECKING:
    import lance.query
    import pandas as pd

    from pyspark_lance.search import Vectors

    Query: TypeAlias = str | Mapping[str, Any] | FullTextQuery | lance.query.FullTextQuery
    Reranker: TypeAlias = Callable[[Column], Column]
    Scores: TypeAlias = Callable[[pd.DataFrame], pd.Series]


class TextSearch(TableBase):
    """The part of `LanceTable` that searches text."""

    def search(
        self,
        query: "Query",
        columns: str | Sequence[str] | None = None,
        k: int = 10,
        *,
        filter: str | None = None,
        prefilter: bool = True,
        fast_search: bool = False,
        operator: str | None = None,
        fuzziness: int | str | None = None,
        prefix_length: int | None = None,
        max_expansions: int | None = None,
        slop: int | None = None,
        document_granularity: DocumentGranularity | str | None = None,
        use_index: bool = True,
        offset: int | None = None,
        with_row_id: bool = False,
    ) -> DataFrame:
        """Returns the rows whose text matches a query best, by descending score.

        Rows with one score are ordered by `_rowid`.

        Args:
            query: Words to find, or a query of `pyspark_lance.query` or `lance.query`, or the same
                as a dict, such as `{"phrase": {"terms": "quick fox", "column": "text"}}`.
            columns: Names of the columns to search; those with a full-text index if omitted. A row
                takes the highest of its scores in these columns.
            k: Number of rows.
            filter: A condition on columns of the table, as SQL.
            prefilter: Whether the filter applies before the search, so that `k` matching rows are
                found. If not, rows that do not match are dropped from the best `k`.
            fast_search: Whether to skip rows that the indices do not cover.
            operator: `OR` or `AND`: whether a row needs any or all of the words.
            fuzziness: Maximum number of edits by which words may differ, or `auto`, see
                `pyspark_lance.query.MatchQuery`.
            prefix_length: Number of characters at the start of words that have to be equal.
            max_expansions: Maximum number of similar words to search. The default is 50.
            slop: Finds the words as a phrase: in their order, with at most this many words between
                two of them.
            document_granularity: `row` or `list_element`: whether to search rows, or the elements
                of a column with lists. The default is the granularity of the column's index, and
                `row` without an index.
            use_index: Whether full-text indices may be used. Without one, all texts are read.
            offset: Number of best rows to skip before the `k` rows.
            with_row_id: Adds the column `_rowid`.

        Returns:
            All columns and `_score`. A search of list elements returns a row for each element that
            it finds, and the position of the element in the column `_doc_index`.

        Raises:
            InvalidRequestError: A column does not exist or has no text, or the query is invalid.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> texts = [(1, "A quick fox"), (2, "Lazy dogs"), (3, "The fox and the dog")]
            >>> rows = spark.createDataFrame(texts, "id INT, text STRING")
            >>> write(rows, path, mode="overwrite")
            >>> LanceTable.forPath(spark, path).search("foxes", "text").select("id", "text").show()
            +---+-------------------+
            | id|               text|
            +---+-------------------+
            |  1|        A quick fox|
            |  3|The fox and the dog|
            +---+-------------------+
            <BLANKLINE>
        """
        call = search_call(
            self._handle,
            "search",
            literal(_json(query)),
            search_columns=_names(columns),
            num_results=k,
            filter=filter,
            prefilter=prefilter,
            fast_search=fast_search,
            operator=operator,
            fuzziness=fuzziness,
            prefix_length=prefix_length,
            max_expansions=max_expansions,
            slop=slop,
            document_granularity=_granularity(document_granularity),
            use_index=use_index,
            offset=offset,
            with_row_id=with_row_id,
        )
        return run_sql(self._handle.spark, f"SELECT * FROM {call}")

    def hybrid(
        self,
        vector: "Vectors",
        text: "Query",
        k: int = 10,
        *,
        vector_column: str | None = None,
        text_columns: str | Sequence[str] | None = None,
        candidates: int | None = None,
        fusion: Literal["rrf", "linear"] | None = None,
        rrf_k: float | None = None,
        weight: float | None = None,
        rerank: "Scores | Reranker | None" = None,
        metric: str | None = None,
        nprobes: int | None = None,
        refine_factor: int | EllipsisType | None = ...,
        ef: int | None = None,
        operator: str | None = None,
        document_granularity: DocumentGranularity | str | None = None,
        filter: str | None = None,
        prefilter: bool = True,
        use_index: bool = True,
        fast_search: bool = False,
        offset: int | None = None,
        with_row_id: bool = False,
    ) -> DataFrame:
        """Returns the best rows of a vector search and a full-text search.

        Each search finds `candidates` rows. The result has the `k` best of them, by descending
        `_relevance_score`, then by `_rowid`.

        Args:
            vector: The query vector, see `nearest`.
            text: The words or the query, see `search`.
            k: Number of rows.
            vector_column: The column of vectors. The default is `vector`, or the only such column.
            text_columns: The columns of text, see `search`.
            candidates: Number of rows that each search finds. The default is `k + offset`.
            fusion: `rrf` for reciprocal rank fusion, the default, or `linear` for a linear
                combination of distances and scores.
            rrf_k: The constant of `rrf`: a row has the sum of `1 / (rank + rrf_k)` over the
                searches that found it, where ranks count from 0. The default is 60.
            weight: The weight of vectors for `linear`, between 0 and 1. Both measures are scaled
                so that the best candidate of a search has 1, and the worst 0; a row that a search
                does not find has 0. The default is 0.7.
            rerank: A function that gives the candidates of both searches another
                `_relevance_score`: from a pandas DataFrame with all columns to a number for each
                row, or a pandas UDF with one struct as its argument. A series with the index of the
                DataFrame may be in any order, other results are in the order of the rows. It
                replaces `fusion`. It gets up to `spark.sql.execution.arrow.maxRecordsPerBatch`
                candidates at a time.
            metric: See `nearest`.
            nprobes: See `nearest`.
            refine_factor: See `nearest`.
            ef: See `nearest`.
            operator: `OR` or `AND`: whether a row needs any or all of the words.
            document_granularity: See `search`. A row has the score of its best list element.
            filter: A condition on columns of the table, as SQL.
            prefilter: Whether the filter applies before both searches.
            use_index: Whether indices may be used.
            fast_search: Whether to skip rows that the indices do not cover.
            offset: Number of best rows to skip before the `k` rows.
            with_row_id: Adds the column `_rowid`.

        Returns:
            All columns, `_distance` and `_score`, which are null if a search did not find the row,
            and `_relevance_score`.

        Raises:
            InvalidRequestError: The columns do not exist or do not suit the queries.
            ValueError: `rerank` is given together with `fusion`, `rrf_k`, or `weight`.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> texts = [(1, "A quick fox", [0.0, 1.0]), (2, "Lazy dogs", [1.0, 1.0])]
            >>> rows = spark.createDataFrame(texts, "id INT, text STRING, vector ARRAY<FLOAT>")
            >>> size = {"column.vector.arrow.fixed-size-list.size": 2}
            >>> write(rows, path, mode="overwrite", **size)
            >>> table = LanceTable.forPath(spark, path)
            >>> found = table.hybrid([1.0, 1.0], "lazy dog", text_columns="text")
            >>> found.select("id", "_distance").show()
            +---+---------+
            | id|_distance|
            +---+---------+
            |  2|      0.0|
            |  1|      1.0|
            +---+---------+
            <BLANKLINE>
        """
        skipped = offset or 0
        reranked = k + skipped if candidates is None else candidates
        if rerank is not None and (fusion, rrf_k, weight) != (None, None, None):
            raise ValueError("rerank replaces fusion, rrf_k, and weight: leave them out")
        call = search_call(
            self._handle,
            "hybrid_search",
            literal(elements(vector)),
            literal(_json(text)),
            # A re-ranker gets all rows of both searches.
            num_results=k if rerank is None else 2 * reranked,
            offset=offset if rerank is None else None,
            candidates=candidates if rerank is None else reranked,
            vector_column=vector_column,
            search_columns=_names(text_columns),
            fusion=fusion,
            rrf_k=rrf_k,
            weight=weight,
            distance_type=metric,
            nprobes=nprobes,
            refine_factor=refinement(refine_factor),
            ef=ef,
            operator=operator,
            document_granularity=_granularity(document_granularity),
            filter=filter,
            prefilter=prefilter,
            use_index=use_index,
            fast_search=fast_search,
            with_row_id=with_row_id or rerank is not None,
        )
        frame = run_sql(self._handle.spark, f"SELECT * FROM {call}")
        if rerank is None:
            return frame
        ranked = _reranked(frame, rerank).offset(skipped).limit(k)
        return ranked if with_row_id else ranked.drop("_rowid")


def _reranked(frame: DataFrame, rerank: "Scores | Reranker") -> DataFrame:
    """Orders candidates by the scores of a function."""
    is_udf = hasattr(rerank, "evalType")
    udf = cast("Reranker", rerank) if is_udf else _udf(cast("Scores", rerank))
    score = udf(F.struct(*(F.col(quoted(c)) for c in frame.columns)))
    return (
        frame.coalesce(1)
        .withColumn("_relevance_score", score.cast("float"))
        .orderBy(F.desc_nulls_last("_relevance_score"), F.col("_rowid"))
    )


def _udf(rerank: "Scores") -> "Reranker":
    import pandas as pd
    from pyspark.sql.pandas.functions import pandas_udf

    def scores(candidates: pd.DataFrame) -> pd.Series:
        found = rerank(candidates)
        if len(found) != len(candidates):
            raise ValueError(
                f"rerank returned {len(found)} scores for {len(candidates)} candidates: return one "
                "for each candidate"
            )
        # A function may sort the candidates. Their index then shows which row has a score.
        index = candidates.index
        if isinstance(found, pd.Series) and found.index.is_unique and index.isin(found.index).all():
            found = found.reindex(index)
        return pd.Series(found, dtype="float64")

    untyped: Any = pandas_udf  # the stubs lack functions of a DataFrame
    return cast("Reranker", untyped(scores, "double"))


def _json(query: "Query") -> str:
    """Returns the query as words or JSON."""
    if isinstance(query, str):
        return query
    if isinstance(query, FullTextQuery):
        return json.dumps(query.to_dict())
    if isinstance(query, Mapping):
        return json.dumps(dict(query))
    if pylance_queries.is_query(query):
        return json.dumps(pylance_queries.converted(query).to_dict())
    raise TypeError(
        "a query is text, a query of pyspark_lance.query or lance.query, or a dict, not "
        f"{type(query).__name__}"
    )


def _names(columns: str | Sequence[str] | None) -> list[str] | None:
    """The names of the columns to search; a text is one name."""
    if columns is None:
        return None
    return [columns] if isinstance(columns, str) else list(columns)


def _granularity(name: DocumentGranularity | str | None) -> str | None:
    return None if name is None else DocumentGranularity(name).value
