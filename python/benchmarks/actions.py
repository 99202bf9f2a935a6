# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Actions of tasks, as data. Each system runs them in its own way.

Workers on any PySpark import this module, so it imports only the standard library.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias


@dataclass(frozen=True)
class Query:
    """SQL statements. Their rows are the result.

    Attributes:
        statements: SQL.
        instead: Different statements for some systems.
        ordered: Whether the order of the rows is part of the result.
    """

    statements: tuple[str, ...]
    instead: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ordered: bool = True

    def of(self, family: str) -> tuple[str, ...]:
        """Returns the statements for systems of a family."""
        return self.instead.get(family, self.statements)


@dataclass(frozen=True)
class Take:
    """A take by row addresses. The rows are the result. Computing the addresses is not measured.

    Attributes:
        where: Condition for the rows, for their addresses, and for systems without addresses.
    """

    where: str


@dataclass(frozen=True)
class Sink:
    """A scan of columns to Spark's no-op sink. A hash of all values is the result.

    Attributes:
        columns: The columns; all if empty.
    """

    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """Opening the table and planning a scan, up to its tasks. The number of rows is the result."""


@dataclass(frozen=True)
class Write:
    """A write of the table from its source. A hash of the written rows is the result.

    The floor is reading the source.
    """


@dataclass(frozen=True)
class Build:
    """An index build on a new clone of the table. The number of indexed rows is the result.

    Attributes:
        kind: The kind of the index, such as `BTREE`.
        column: The indexed column.
        options: Options of the index, with the names of pylance.
        search: The search whose recall is reported, for vector indices.
    """

    kind: str
    column: str
    options: Mapping[str, int] = field(default_factory=dict)
    search: "Search | None" = None


Way: TypeAlias = Literal["engine", "sql", "join", "batch"]
"""How rows are searched: `engine` returns addresses, without Spark; `sql` returns the column of
ids; both run one query at a time. `join` and `batch` search for all query vectors at once: by a
nearest-neighbor join of this connector, or a batch of pylance."""


@dataclass(frozen=True)
class Search:
    """Searches for the vectors nearest to query vectors. The number of found rows is the result.

    Attributes:
        queries: Number of query vectors.
        way: How they are searched.
        index: The index of the searched table; `None` for an exact search.
        parameters: Parameters of each search, with the names of pylance.
    """

    queries: int
    way: Way
    index: Build | None = None
    parameters: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class TextSearch:
    """Full-text searches, one after another. The scores of the best rows are the result.

    Attributes:
        texts: The words of each search.
        way: `engine` or `sql`.
        index: The index of the searched column.
    """

    texts: tuple[str, ...]
    way: Way
    index: Build

    @property
    def queries(self) -> int:
        """Returns the number of searches."""
        return len(self.texts)


@dataclass(frozen=True)
class Change:
    """A change of a new clone of the table. A hash of the changed table is the result.

    Attributes:
        statement: SQL. `{table}` is the name of the clone.
    """

    statement: str


Action: TypeAlias = Query | Take | Sink | Plan | Write | Build | Search | TextSearch | Change


@dataclass(frozen=True)
class Native:
    """The corresponding action of pylance. The number of rows is the result.

    Attributes:
        columns: The columns to read; all if `None`.
        wheres: Filters, with a scan for each; one scan without a filter if empty.
        take: Whether the matching rows are taken by address.
        plan: Whether it only opens the table and lists the fragments.
        count: Whether it only counts rows.
    """

    columns: tuple[str, ...] | None = None
    wheres: tuple[str, ...] = ()
    take: bool = False
    plan: bool = False
    count: bool = False
