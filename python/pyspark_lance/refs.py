# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Tags, branches, and version references of a table."""

from datetime import datetime, timezone
from typing import Literal, TypeAlias

from pyspark.sql import DataFrame

from pyspark_lance.exceptions import InvalidRequestError
from pyspark_lance.handle import TableHandle
from pyspark_lance.sql import TableReference, identifier, literal, rows, run_sql

Reference: TypeAlias = int | str | tuple[str | None, int | None]
"""A version number of the current branch, a tag name, or a branch with a version. `(None, None)` is
the latest version of the main branch."""


Order: TypeAlias = Literal["asc", "desc"]


def check_version(number: int | str) -> int:
    """Returns the number of a version.

    Args:
        number: A number, or its digits.

    Raises:
        TypeError: It is a truth value.
        InvalidRequestError: It is not a whole number, or less than 1.
    """
    if isinstance(number, bool):
        raise TypeError(_wrong(number))
    try:
        version = int(str(number))
    except ValueError:
        raise InvalidRequestError(f"the version {number!r} is not a whole number") from None
    if version < 1:
        raise InvalidRequestError(f"there is no version {version}: the first is 1")
    return version


def as_of(reference: Reference | None) -> str:
    """Returns the clause `AS OF …` of CREATE TAG and CREATE BRANCH."""
    match reference:
        case None:
            return ""
        case int():
            return f" AS OF VERSION {check_version(reference)}"
        case str():
            return f" AS OF TAG {identifier(reference)}"
        case (branch, version):
            at = "" if version is None else f" VERSION {check_version(version)}"
            return f" AS OF BRANCH {identifier(branch or 'main')}{at}"
    raise TypeError(_wrong(reference))


def travel(reference: Reference | None) -> tuple[str | None, str]:
    """Returns the branch to read (`None` for the current branch), and the clause after its name.

    A tag is part of the table name, so it is returned as a branch named `tag_…`.
    """
    match reference:
        case None:
            return None, ""
        case int():
            return None, f" VERSION AS OF {check_version(reference)}"
        case str():
            return f"tag_{reference}", ""
        case (branch, version):
            at = "" if version is None else f" VERSION AS OF {check_version(version)}"
            return f"branch_{branch or 'main'}", at
    raise TypeError(_wrong(reference))


def time(moment: str | datetime) -> str:
    """Returns a time as a SQL expression.

    A datetime without a zone has the time zone of this process, like PySpark's datetimes.
    """
    if isinstance(moment, datetime):
        return literal(moment.astimezone(timezone.utc))
    if isinstance(moment, str):
        return f"CAST({literal(moment)} AS TIMESTAMP)"
    raise TypeError(f"a time is a datetime or a str, not {type(moment).__name__}")


def _ordered(refs: DataFrame, by: str, order: Order) -> DataFrame:
    if order not in ("asc", "desc"):
        raise ValueError(f"order={order!r}: give 'asc' or 'desc'")
    return refs.orderBy(by, "name", ascending=order == "asc")


def _wrong(reference: object) -> str:
    return (
        f"{reference!r} names no version: give a number, the name of a tag, "
        "or a branch and a number, ('dev', 3) or ('dev', None)"
    )


class Tags:
    """The tags of a table: names for versions. Clean-up keeps tagged versions.

    Examples:
        >>> from pyspark_lance import LanceTable, write
        >>> write(spark.range(3), path, mode="overwrite")
        >>> table = LanceTable.forPath(spark, path)
        >>> table.tags.create("first", 1)
        >>> table.tags.get_version("first")
        1
        >>> table.tags.delete("first")
    """

    def __init__(self, table: TableHandle) -> None:
        """Use `LanceTable.tags`."""
        self._table = table

    def create(self, tag: str, reference: Reference | None = None) -> None:
        """Creates a tag.

        Args:
            tag: The name.
            reference: The version; the current one if omitted.

        Raises:
            AnalysisException: The tag exists, or the version does not.
        """
        self._create("CREATE", tag, reference)

    def update(self, tag: str, reference: Reference | None = None) -> None:
        """Moves a tag to another version.

        Args:
            tag: Its name.
            reference: The version; the current one if omitted.

        Raises:
            NotFoundError: The tag does not exist.
        """
        self.get_version(tag)
        self._create("CREATE OR REPLACE", tag, reference)

    def _create(self, verb: str, tag: str, reference: Reference | None) -> None:
        table = self._table
        at = table.pin if reference is None else reference
        run_sql(
            table.spark,
            f"ALTER TABLE {table.writable.sql} {verb} TAG {identifier(tag)}{as_of(at)}",
        )

    def delete(self, tag: str) -> None:
        """Drops a tag.

        Args:
            tag: Its name.

        Raises:
            NotFoundError: The tag does not exist.
        """
        run_sql(self._table.spark, f"ALTER TABLE {self._root.sql} DROP TAG {identifier(tag)}")

    def list(self) -> DataFrame:
        """Returns a row for each tag.

        Columns: `name`, `branch`, `version`, `created_at`, `updated_at`, `metadata`.
        """
        return run_sql(self._table.spark, f"SHOW TAGS IN {self._root.sql}")

    def list_ordered(self, order: Order = "desc") -> DataFrame:
        """Returns the same rows as `list`, ordered by version number.

        Args:
            order: `desc`, latest first, or `asc`.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(3), path, mode="overwrite")
            >>> table = LanceTable.forPath(spark, path)
            >>> table.tags.create("only", 1)
            >>> [tag["name"] for tag in table.tags.list_ordered().collect()]
            ['only']
            >>> table.tags.delete("only")
        """
        return _ordered(self.list(), "version", order)

    def get_version(self, tag: str) -> int:
        """Returns the version number of a tag, on its branch.

        Args:
            tag: Its name.

        Raises:
            NotFoundError: The tag does not exist.
        """
        named = self._root.part(f"tag_{tag}")
        return int(rows(self._table.spark, f"DESCRIBE DETAIL {named.sql}")[0]["version"])

    @property
    def _root(self) -> TableReference:
        return self._table.reference


class Branches:
    """The branches of a table other than the main one.

    Examples:
        >>> from pyspark_lance import LanceTable, write
        >>> write(spark.range(3), path, mode="overwrite")
        >>> table = LanceTable.forPath(spark, path)
        >>> dev = table.create_branch("dev")
        >>> dev.insert(spark.range(3, 5))
        >>> dev.count_rows(), table.count_rows()
        (5, 3)
        >>> table.branches.delete("dev")
    """

    def __init__(self, table: TableHandle) -> None:
        """Use `LanceTable.branches`."""
        self._table = table

    def create(self, branch: str, reference: Reference | None = None) -> None:
        """Creates a branch.

        Args:
            branch: Its name.
            reference: The version where it starts; the current one if omitted.

        Raises:
            AnalysisException: The branch exists, or the version does not.
        """
        table = self._table
        at = table.pin if reference is None else reference
        run_sql(
            table.spark,
            f"ALTER TABLE {table.writable.sql} CREATE BRANCH {identifier(branch)}{as_of(at)}",
        )

    def delete(self, branch: str) -> None:
        """Drops a branch with its versions.

        Args:
            branch: Its name.

        Raises:
            NotFoundError: The branch does not exist.
        """
        table = self._table
        run_sql(table.spark, f"ALTER TABLE {table.reference.sql} DROP BRANCH {identifier(branch)}")

    def list(self) -> DataFrame:
        """Returns a row for each branch.

        Columns: `name`, `parent_branch`, `parent_version`, `created_at`, `metadata`.
        """
        return run_sql(self._table.spark, f"SHOW BRANCHES IN {self._table.reference.sql}")

    def list_ordered(self, order: Order = "desc") -> DataFrame:
        """Returns the same rows as `list`, ordered by the version where they start.

        Args:
            order: `desc`, latest first, or `asc`.
        """
        return _ordered(self.list(), "parent_version", order)
