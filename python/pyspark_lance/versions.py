# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Versions of a table: history, tags, branches, restores, and clones."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from pyspark_lance import refs
from pyspark_lance.base import TableBase
from pyspark_lance.exceptions import errors_translated
from pyspark_lance.progress import shown
from pyspark_lance.refs import Branches, Reference, Tags
from pyspark_lance.sql import PathOrName, TableReference, identifier, qualified, rows, run_sql

if TYPE_CHECKING:
    from typing_extensions import Self


class Versions(TableBase):
    """Version operations of `LanceTable`."""

    @property
    def version(self) -> int:
        """Number of the current version."""
        return self.latest_version if self._handle.pin is None else self._handle.pin

    @property
    def latest_version(self) -> int:
        """Number of the latest version of the current branch."""
        return int(self._detail()["version"])

    @property
    def data_storage_version(self) -> str:
        """The file version of the latest version, such as `2.2`."""
        return str(self._detail()["file_version"])

    @property
    def has_stable_row_ids(self) -> bool:
        """Whether rows keep their `_rowid` when an update or a compaction moves them."""
        return bool(self._detail()["stable_row_ids"])

    def _detail(self) -> dict[str, Any]:
        return rows(self._handle.spark, f"DESCRIBE DETAIL {self._handle.writable.sql}")[0].asDict()

    def checkout_version(self, version: Reference) -> "Self":
        """Returns the table at one of its versions, for reading.

        Args:
            version: A number; the name of a tag; or a branch with a number, `("dev", 3)`.
                `("dev", None)` is the latest version of the branch, which can also be written.

        Raises:
            NotFoundError: The version does not exist.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(3), path, mode="overwrite")
            >>> table = LanceTable.forPath(spark, path)
            >>> table.insert(spark.range(1))
            >>> table.checkout_version(1).count_rows()
            3
        """
        part, _ = refs.travel(version)
        match version:
            case int():
                found = self._with(pin=version)
            case str():
                named = self._handle.reference.part(str(part)).sql
                tagged = rows(self._handle.spark, f"DESCRIBE DETAIL {named}")[0]
                branch = tagged["branch"]
                found = self._with(
                    branch=None if branch == "main" else branch, pin=int(tagged["version"])
                )
            case (branch, number):
                found = self._with(branch=None if branch in (None, "main") else branch, pin=number)
        with errors_translated():
            found.toDF().schema  # noqa: B018  looks it up
        return found

    def checkout_branch(self, branch: str) -> "Self":
        """Returns the latest version of a branch, which can be written.

        Args:
            branch: Its name; `main` for the main one.

        Raises:
            NotFoundError: The branch does not exist.
        """
        return self.checkout_version((branch, None))

    def checkout_latest(self) -> "Self":
        """Returns the latest version of the current branch."""
        return self._with(pin=None)

    def history(self, limit: int | None = None) -> DataFrame:
        """Returns a row for each existing version, latest first.

        Args:
            limit: Maximum number of versions.
        """
        number = "" if limit is None else f" LIMIT {limit}"
        return run_sql(self._handle.spark, f"DESCRIBE HISTORY {self._handle.writable.sql}{number}")

    def detail(self) -> DataFrame:
        """Returns one row about the latest version: location, size, properties, and more."""
        return run_sql(self._handle.spark, f"DESCRIBE DETAIL {self._handle.writable.sql}")

    def metadata_table(self, name: str) -> DataFrame:
        """Returns a metadata table of the current version, see `docs/metadata-tables.md`.

        Args:
            name: A name such as `files`.
        """
        return self._handle.metadata_table(name)

    def versions(self) -> DataFrame:
        """Returns a row for each existing version, oldest first."""
        return self.metadata_table("versions")

    def transactions(self) -> DataFrame:
        """Returns a row for the transaction of each version, latest first."""
        return self.metadata_table("transactions")

    def fragments(self) -> DataFrame:
        """Returns a row for each fragment."""
        return self.metadata_table("fragments")

    def files(self) -> DataFrame:
        """Returns a row for each data file."""
        return self.metadata_table("files")

    @property
    def tags(self) -> Tags:
        """The tags of the table."""
        return Tags(self._handle)

    @property
    def branches(self) -> Branches:
        """The branches of the table."""
        return Branches(self._handle)

    def create_branch(self, branch: str, reference: Reference | None = None) -> "Self":
        """Creates a branch, and returns its latest version.

        Args:
            branch: Its name.
            reference: The version where it starts; the current one if omitted.

        Returns:
            The branch.
        """
        self.branches.create(branch, reference)
        return self.checkout_branch(branch)

    def restore(self) -> DataFrame:
        """Commits the current version as the latest.

        Returns:
            One row: `previous_version`, `restored_version`, `version`.
        """
        return self.restoreToVersion(self.version)

    def restoreToVersion(self, version: int | str) -> DataFrame:
        """Commits an earlier version as the latest.

        Args:
            version: Its number, or the name of a tag.

        Returns:
            One row: `previous_version`, `restored_version`, `version`.

        Raises:
            NotFoundError: The version or tag does not exist.
        """
        point = (
            f"TAG {identifier(version)}"
            if isinstance(version, str)
            else f"VERSION AS OF {refs.check_version(version)}"
        )
        return run_sql(self._handle.spark, f"RESTORE TABLE {self._handle.writable.sql} TO {point}")

    def restoreToTimestamp(self, timestamp: str | datetime) -> DataFrame:
        """Commits the version of a time as the latest.

        Args:
            timestamp: A datetime, by default in the time zone of this process, as in `history()`;
                or a string as in SQL, by default in the session time zone.

        Returns:
            One row: `previous_version`, `restored_version`, `version`.
        """
        point = f"TIMESTAMP AS OF {refs.time(timestamp)}"
        return run_sql(self._handle.spark, f"RESTORE TABLE {self._handle.writable.sql} TO {point}")

    def shallow_clone(
        self, target_path: PathOrName, reference: Reference | None = None, *, replace: bool = False
    ) -> "Self":
        """Creates a table that references the files of a version of this one, which must be kept.

        Args:
            target_path: Path or name of the new table.
            reference: The version; the current one if omitted.
            replace: Whether to replace an existing table.

        Returns:
            The new table.
        """
        return self._clone("SHALLOW", target_path, reference, replace)

    def deep_clone(
        self, target_path: PathOrName, reference: Reference | None = None, *, replace: bool = False
    ) -> "Self":
        """Creates a table with copies of all files of a version of this one.

        Args:
            target_path: As for `shallow_clone`.
            reference: As for `shallow_clone`.
            replace: As for `shallow_clone`.

        Returns:
            The new table.
        """
        return self._clone("DEEP", target_path, reference, replace)

    def clone(self, target: PathOrName, isShallow: bool = False, replace: bool = False) -> "Self":
        """Clones the current version, like Delta Lake.

        Args:
            target: Path or name of the new table.
            isShallow: Whether it references the files of this table, which must be kept, instead of
                copying them.
            replace: Whether to replace an existing table.

        Returns:
            The new table.

        Raises:
            AnalysisException: The table exists, and `replace` is false.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(3), path, mode="overwrite")
            >>> table = LanceTable.forPath(spark, path)
            >>> table.clone(f"{path}.copy", isShallow=True, replace=True).count_rows()
            3
        """
        return self._clone("SHALLOW" if isShallow else "DEEP", target, None, replace)

    def cloneAtVersion(
        self, version: int, target: PathOrName, isShallow: bool = False, replace: bool = False
    ) -> "Self":
        """Clones a version, like Delta Lake.

        Args:
            version: Its number.
            target: As for `clone`.
            isShallow: As for `clone`.
            replace: As for `clone`.

        Returns:
            The new table.
        """
        return self._clone("SHALLOW" if isShallow else "DEEP", target, version, replace)

    def cloneAtTimestamp(
        self,
        timestamp: str | datetime,
        target: PathOrName,
        isShallow: bool = False,
        replace: bool = False,
    ) -> "Self":
        """Clones the version of a time, like Delta Lake.

        Args:
            timestamp: As for `restoreToTimestamp`.
            target: As for `clone`.
            isShallow: As for `clone`.
            replace: As for `clone`.

        Returns:
            The new table.
        """
        origin = f"{self._handle.writable.sql} TIMESTAMP AS OF {refs.time(timestamp)}"
        kind = "SHALLOW" if isShallow else "DEEP"
        return self._made(kind, qualified(self._handle.spark, target), origin, replace)

    def _clone(
        self, kind: str, target: PathOrName, reference: Reference | None, replace: bool
    ) -> "Self":
        part, at = refs.travel(self._handle.pin if reference is None else reference)
        origin = self._handle.writable if part is None else self._handle.reference.part(part)
        return self._made(kind, qualified(self._handle.spark, target), origin.sql + at, replace)

    def _made(self, kind: str, target: TableReference, origin: str, replace: bool) -> "Self":
        verb = "CREATE OR REPLACE" if replace else "CREATE"
        with shown(self._handle.spark, f"clone {self._handle.reference}"):
            run_sql(self._handle.spark, f"{verb} TABLE {target.sql} {kind} CLONE {origin}")
        return self._of(target)

    @property
    def uri(self) -> str:
        """Location of the table."""
        return str(self.detail().first()["location"])  # type: ignore[index]
