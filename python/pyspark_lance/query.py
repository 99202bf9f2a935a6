# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Full-text queries, with the names and arguments of pylance's module `lance.query`.

Examples:
    >>> from pyspark_lance.query import MatchQuery, PhraseQuery
    >>> query = MatchQuery("fox", "text") & PhraseQuery("lazy dog", "text")
    >>> query.to_dict()["boolean"]["must"][0]
    {'match': {'terms': 'fox', 'column': 'text'}}
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, TypeAlias

from pyspark_lance.sql import names

Json: TypeAlias = dict[str, Any]


class FullTextOperator(Enum):
    """Whether a row must contain any term (`OR`) or all terms (`AND`)."""

    AND = "AND"
    OR = "OR"


class DocumentGranularity(str, Enum):
    """The documents of a column with lists of strings: rows, or the elements of the lists."""

    ROW = "row"
    LIST_ELEMENT = "list_element"


class Occur(Enum):
    """The role of a query in a `BooleanQuery`."""

    SHOULD = "SHOULD"
    MUST = "MUST"
    MUST_NOT = "MUST_NOT"


class FullTextQuery(ABC):
    """A full-text query. `a & b` finds rows that both find, `a | b` rows that either finds."""

    _kind: ClassVar[str]

    @abstractmethod
    def _members(self) -> Json: ...

    def to_dict(self) -> Json:
        """Returns the query in JSON, as `search` takes it in SQL."""
        return {self._kind: self._members()}

    def __and__(self, other: "FullTextQuery") -> "BooleanQuery":
        """Finds rows that both queries find."""
        return BooleanQuery([(Occur.MUST, self), (Occur.MUST, other)])

    def __or__(self, other: "FullTextQuery") -> "BooleanQuery":
        """Finds rows that either query finds."""
        return BooleanQuery([(Occur.SHOULD, self), (Occur.SHOULD, other)])


@dataclass(frozen=True)
class MatchQuery(FullTextQuery):
    """Finds rows with the terms of a text.

    Attributes:
        query: The text.
        column: The column to search; the columns of the search if omitted.
        boost: Factor of the score.
        fuzziness: Maximum number of edits by which terms may differ. `None` depends on the length
            of a term: 0 up to 2 characters, 1 up to 5, else 2.
        max_expansions: Maximum number of similar terms to search.
        operator: Whether a row needs any or all of the terms.
        prefix_length: Number of characters at the start of terms that have to be equal.
        document_granularity: Whether to search rows or list elements. The default is the
            granularity of the column's index, and rows without an index.
    """

    _kind = "match"
    query: str
    column: str | None = None
    boost: float = 1.0
    fuzziness: int | None = 0
    max_expansions: int = 50
    operator: FullTextOperator = FullTextOperator.OR
    prefix_length: int = 0
    document_granularity: DocumentGranularity | str | None = None

    def _members(self) -> Json:
        parts = {
            "boost": self.boost,
            "fuzziness": "auto" if self.fuzziness is None else self.fuzziness,
            "max_expansions": self.max_expansions,
            "operator": FullTextOperator(self.operator).value,
            "prefix_length": self.prefix_length,
        }
        defaults = {
            "boost": 1.0,
            "fuzziness": 0,
            "max_expansions": 50,
            "operator": "OR",
            "prefix_length": 0,
        }
        chosen = {k: v for k, v in parts.items() if v != defaults[k]}
        granularity = _granularity(self.document_granularity)
        return {"terms": self.query, **_column(self.column), **chosen, **granularity}


@dataclass(frozen=True)
class PhraseQuery(FullTextQuery):
    """Finds rows with the terms of a text in their order.

    Attributes:
        query: The text.
        column: The column to search; the columns of the search if omitted.
        slop: Maximum number of terms between two terms.
        document_granularity: See `MatchQuery`.
    """

    _kind = "phrase"
    query: str
    column: str | None = None
    slop: int = 0
    document_granularity: DocumentGranularity | str | None = None

    def _members(self) -> Json:
        slop = {"slop": self.slop} if self.slop else {}
        granularity = _granularity(self.document_granularity)
        return {"terms": self.query, **_column(self.column), **slop, **granularity}


@dataclass(frozen=True)
class BoostQuery(FullTextQuery):
    """Finds the rows of `positive`, and lowers the scores of rows that match `negative`, too.

    Attributes:
        positive: The query that finds rows.
        negative: The query whose scores are subtracted.
        negative_boost: Factor of the subtracted scores.
    """

    _kind = "boost"
    positive: FullTextQuery
    negative: FullTextQuery
    negative_boost: float = 0.5

    def _members(self) -> Json:
        return {
            "positive": self.positive.to_dict(),
            "negative": self.negative.to_dict(),
            "negative_boost": self.negative_boost,
        }


@dataclass(frozen=True)
class MultiMatchQuery(FullTextQuery):
    """Finds rows with the terms of a text in any of several columns, with the highest score.

    Attributes:
        query: The text.
        columns: The columns to search.
        boosts: Factors of the scores, one a column; 1 if omitted.
        operator: Whether a column needs any or all of the terms.
    """

    _kind = "multi_match"
    query: str
    columns: Sequence[str]
    boosts: Sequence[float] | None = None
    operator: FullTextOperator = FullTextOperator.OR

    def __post_init__(self) -> None:
        """Checks the number of boosts."""
        if self.boosts is not None and len(self.boosts) != len(self.columns):
            raise ValueError(
                f"there are {len(self.boosts)} boosts for {len(self.columns)} columns: "
                "give one for each column"
            )

    def _members(self) -> Json:
        boosts = self.boosts or [1.0] * len(self.columns)
        queries = [
            MatchQuery(self.query, column, boost=boost, operator=self.operator)
            for column, boost in zip(names(self.columns, "columns"), boosts, strict=True)
        ]
        return {"match_queries": [q.to_dict()["match"] for q in queries]}


@dataclass(frozen=True)
class CombinedFieldsQuery(FullTextQuery):
    """Finds rows with the terms of a text in several columns, which count as one text (BM25F).

    Attributes:
        query: The text.
        columns: The columns to search, which have the same analyzer.
        boosts: Weights of the columns, at least 1; 1 if omitted.
        operator: Whether a row needs any or all of the terms.
    """

    _kind = "combined_fields"
    query: str
    columns: Sequence[str]
    boosts: Sequence[float] | None = None
    operator: FullTextOperator = FullTextOperator.OR

    def _members(self) -> Json:
        boosts = {} if self.boosts is None else {"boost": list(self.boosts)}
        operator = FullTextOperator(self.operator).value
        return {
            "query": self.query,
            "columns": names(self.columns, "columns"),
            **boosts,
            "operator": operator,
        }


@dataclass(frozen=True)
class BooleanQuery(FullTextQuery):
    """Combines queries. The score is the sum of the scores of `MUST` and `SHOULD` queries.

    Attributes:
        queries: Pairs of a role and a query. Without a `MUST` query, a row has to match at
            least one `SHOULD` query.
    """

    _kind = "boolean"
    queries: Sequence[tuple[Occur, FullTextQuery]]

    def _members(self) -> Json:
        parts: dict[str, list[Json]] = {}
        for occur, query in self.queries:
            parts.setdefault(Occur(occur).value.lower(), []).append(query.to_dict())
        return parts


def _column(name: str | None) -> Json:
    return {} if name is None else {"column": name}


def _granularity(name: DocumentGranularity | str | None) -> Json:
    return {} if name is None else {"document_granularity": DocumentGranularity(name).value}
