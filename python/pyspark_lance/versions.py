# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Versions of a table: what there is to know of them, tags, branches, restores and clones."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from pyspark_lance import refs
from pyspark_lance.base import TableBase
from pyspark_lance.exceptions import errors_translated
from pyspark_lance.progress import shown
from pyspark_lance.refs import Branches, Reference, Tags
from pyspark_lance.sql import PathOrName, TableReference, identifier, rows, run_sql, settled

if TYPE_CHECKING:
    from pyspark_lance.table import LanceTable


class Versions(TableBase):
    """The part of `LanceTable` that is about versions."""

    @property
    def version(self) -> int:
        """The number of the version at hand."""
        return self.latest_version if self.pin is None else self.pin

    @property
    def latest_version(self) -> int:
        """The number of the newest version of the branch at hand."""
        return int(self._detail()["version"])

    @property
    def data_storage_version(self) -> str:
        """The file version of the newest version, such as `2.2`."""
        return str(self._detail()["file_version"])

    @property
    def has_stable_row_ids(self) -> bool:
        """Whether rows keep their `_rowid` when an update or a compaction moves them."""
        return bool(self._detail()["stable_row_ids"])

    def _detail(self) -> dict[str, Any]:
        return rows(self.spark, f"DESCRIBE DETAIL {self.writable.sql}")[0].asDict()

    def checkout_version(self, version: Reference) -> "LanceTable":
        """The table at one of its versions, to be read.

        Args:
            version: A number; the name of a tag; or a branch with a number, `("dev", 3)`.
                `("dev", None)` is the newest version of the branch, which can also be written.

        Raises:
            NotFoundError: There is no such version.

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
                named = self.reference.part(str(part)).sql
                tagged = rows(self.spark, f"DESCRIBE DETAIL {named}")[0]
                branch = tagged["branch"]
                found = self._with(
                    branch=None if branch == "main" else branch, pin=int(tagged["version"])
                )
            case (branch, number):
                found = self._with(branch=None if branch in (None, "main") else branch, pin=number)
        with errors_translated():
            found.toDF().schema  # noqa: B018  looks it up
        return found

    def checkout_branch(self, branch: str) -> "LanceTable":
        """The newest version of a branch, which can be written.

        Args:
            branch: Its name; `main` for the main one.

        Raises:
            NotFoundError: There is no such branch.
        """
        return self.checkout_version((branch, None))

    def checkout_latest(self) -> "LanceTable":
        """The newest version of the branch at hand."""
        return self._with(pin=None)

    def history(self, limit: int | None = None) -> DataFrame:
        """A row for each version that is still there, the newest first.

        Args:
            limit: How many of them.
        """
        number = "" if limit is None else f" LIMIT {limit}"
        return run_sql(self.spark, f"DESCRIBE HISTORY {self.writable.sql}{number}")

    def detail(self) -> DataFrame:
        """One row on the newest version: where it is, its size, settings and more."""
        return run_sql(self.spark, f"DESCRIBE DETAIL {self.writable.sql}")

    def metadata_table(self, name: str) -> DataFrame:
        """What there is to know of the version at hand, see `docs/metadata-tables.md`.

        Args:
            name: Such as `files`.
        """
        return run_sql(self.spark, f"SELECT * FROM {self.writable.part(name).sql}{self._at}")

    def versions(self) -> DataFrame:
        """A row for each version that is still there, the oldest first."""
        return self.metadata_table("versions")

    def transactions(self) -> DataFrame:
        """A row for the transaction of each version, the newest first."""
        return self.metadata_table("transactions")

    def fragments(self) -> DataFrame:
        """A row for each fragment."""
        return self.metadata_table("fragments")

    def files(self) -> DataFrame:
        """A row for each data file."""
        return self.metadata_table("files")

    @property
    def tags(self) -> Tags:
        """The tags of the table."""
        return Tags(self)

    @property
    def branches(self) -> Branches:
        """The branches of the table."""
        return Branches(self)

    def create_branch(self, branch: str, reference: Reference | None = None) -> "LanceTable":
        """Starts a branch; answers with its newest version.

        Args:
            branch: Its name.
            reference: The version where it begins; the one at hand when left out.
        """
        self.branches.create(branch, reference)
        return self.checkout_branch(branch)

    def restore(self) -> DataFrame:
        """Makes the version at hand the newest one.

        Returns:
            One row: `previous_version`, `restored_version`, `version`.
        """
        return self.restoreToVersion(self.version)

    def restoreToVersion(self, version: int | str) -> DataFrame:
        """Makes an earlier version the newest one.

        Args:
            version: Its number, or the name of a tag.

        Returns:
            One row: `previous_version`, `restored_version`, `version`.

        Raises:
            NotFoundError: There is no such version or tag.
        """
        point = (
            f"TAG {identifier(version)}"
            if isinstance(version, str)
            else (f"VERSION AS OF {version}")
        )
        return run_sql(self.spark, f"RESTORE TABLE {self.writable.sql} TO {point}")

    def restoreToTimestamp(self, timestamp: str | datetime) -> DataFrame:
        """Makes what was there at a time the newest version.

        Args:
            timestamp: A datetime, in the zone of this process unless it names one, as those that
                `history()` has; or text as SQL has it, in the session's zone unless it names one.

        Returns:
            One row: `previous_version`, `restored_version`, `version`.
        """
        point = f"TIMESTAMP AS OF {refs.time(timestamp)}"
        return run_sql(self.spark, f"RESTORE TABLE {self.writable.sql} TO {point}")

    def shallow_clone(
        self, target_path: PathOrName, reference: Reference | None = None, *, replace: bool = False
    ) -> "LanceTable":
        """Makes a table that names the files of a version of this one, which must stay.

        Args:
            target_path: Path or name of the new table.
            reference: The version; the one at hand when left out.
            replace: Whether a table of that name is replaced.
        """
        return self._clone("SHALLOW", target_path, reference, replace)

    def deep_clone(
        self, target_path: PathOrName, reference: Reference | None = None, *, replace: bool = False
    ) -> "LanceTable":
        """Makes a table with copies of all files of a version of this one.

        Args:
            target_path: As for `shallow_clone`.
            reference: As for `shallow_clone`.
            replace: As for `shallow_clone`.
        """
        return self._clone("DEEP", target_path, reference, replace)

    def clone(
        self, target: PathOrName, isShallow: bool = False, replace: bool = False
    ) -> "LanceTable":
        """Clones the version at hand, as Delta Lake has it.

        Args:
            target: Path or name of the new table.
            isShallow: Whether it names the files of this one, which must stay, or has copies.
            replace: Whether a table of that name is replaced.

        Returns:
            The new table.

        Raises:
            AnalysisException: There is such a table, and it is not to be replaced.

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
    ) -> "LanceTable":
        """Clones a version, as Delta Lake has it.

        Args:
            version: Its number.
            target: As for `clone`.
            isShallow: As for `clone`.
            replace: As for `clone`.
        """
        return self._clone("SHALLOW" if isShallow else "DEEP", target, version, replace)

    def cloneAtTimestamp(
        self,
        timestamp: str | datetime,
        target: PathOrName,
        isShallow: bool = False,
        replace: bool = False,
    ) -> "LanceTable":
        """Clones what was there at a time, as Delta Lake has it.

        Args:
            timestamp: As for `restoreToTimestamp`.
            target: As for `clone`.
            isShallow: As for `clone`.
            replace: As for `clone`.
        """
        point = f" TIMESTAMP AS OF {refs.time(timestamp)}"
        kind = "SHALLOW" if isShallow else "DEEP"
        return self._made(kind, settled(self.spark, target), self.writable.sql + point, replace)

    def _clone(
        self, kind: str, target: PathOrName, reference: Reference | None, replace: bool
    ) -> "LanceTable":
        part, at = refs.travel(self.pin if reference is None else reference)
        origin = self.writable if part is None else self.reference.part(part)
        return self._made(kind, settled(self.spark, target), origin.sql + at, replace)

    def _made(self, kind: str, target: TableReference, origin: str, replace: bool) -> "LanceTable":
        verb = "CREATE OR REPLACE" if replace else "CREATE"
        with shown(self.spark, f"clone {self.reference}"):
            run_sql(self.spark, f"{verb} TABLE {target.sql} {kind} CLONE {origin}")
        return self._of(target)

    @property
    def uri(self) -> str:
        """Where the table is."""
        return str(self.detail().first()["location"])  # type: ignore[index]
