# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""What a task does, as data: every system carries it out in its own way.

Imported by workers on any PySpark: nothing but the standard library is imported here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True)
class Query:
    """Statements run one after the other; their rows are the answer.

    Attributes:
        statements: SQL.
        instead: Statements of systems that say it in another way.
        ordered: Whether the order of the rows is part of the answer.
    """

    statements: tuple[str, ...]
    instead: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ordered: bool = True

    def of(self, family: str) -> tuple[str, ...]:
        """The statements for systems of a family."""
        return self.instead.get(family, self.statements)


@dataclass(frozen=True)
class Take:
    """Rows by their addresses, which are looked up once and not measured; the rows are the answer.

    Attributes:
        where: What the rows are, for systems without addresses and for the look-up.
    """

    where: str


@dataclass(frozen=True)
class Sink:
    """Reads whole columns into Spark's no-op sink; a hash of all values is the answer.

    Attributes:
        columns: All of the table when empty.
    """

    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """Opens the table and plans a scan of it, up to its tasks; the number of rows is the answer."""


@dataclass(frozen=True)
class Write:
    """Writes the table anew from its source; a hash of what was written is the answer.

    The floor of it is to read the source, without writing.
    """


@dataclass(frozen=True)
class Build:
    """Builds an index on a new clone of the table; the number of indexed rows is the answer.

    Attributes:
        kind: The kind of the index, such as `BTREE`.
        column: The indexed column.
    """

    kind: str
    column: str


@dataclass(frozen=True)
class Change:
    """Changes a new clone of the table; a hash of the changed table is the answer.

    Attributes:
        statement: SQL; `{table}` stands for the clone.
    """

    statement: str


Action: TypeAlias = Query | Take | Sink | Plan | Write | Build | Change


@dataclass(frozen=True)
class Native:
    """What pylance does in the place of an action; it answers with the number of rows.

    Attributes:
        columns: Those it reads; all when None.
        wheres: Conditions, one scan each; one scan of everything when empty.
        take: Whether rows are taken by their addresses, those of the condition.
        plan: Whether it opens the table and looks at the fragments, and no more.
        count: Whether rows are counted only.
    """

    columns: tuple[str, ...] | None = None
    wheres: tuple[str, ...] = ()
    take: bool = False
    plan: bool = False
    count: bool = False
