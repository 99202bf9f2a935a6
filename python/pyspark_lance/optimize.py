# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Upkeep: fewer and sorted fragments, and what is removed of old versions."""

from collections.abc import Iterable, Mapping
from datetime import timedelta

from pyspark.sql import DataFrame

from pyspark_lance.base import TableBase
from pyspark_lance.progress import shown
from pyspark_lance.settings import Settings
from pyspark_lance.sql import identifier, run_sql, settings

Setting = str | int | float | bool | Iterable[int] | None
_AUTO_CLEANUP = "lance.auto_cleanup."
_DEFAULT_AGE = "14days"  # without an age and a number, all versions but the newest go


class TableOptimizer:
    """Puts small fragments together, or sorts. `LanceTable.optimize`, which is also called.

    Examples:
        >>> from pyspark_lance import LanceTable, write
        >>> write(spark.range(0, 100, 1, 4), path, mode="overwrite")
        >>> table = LanceTable.forPath(spark, path)
        >>> row = table.optimize().executeCompaction().first()
        >>> row["fragments_removed"], row["fragments_added"]
        (4, 1)
    """

    def __init__(self, table: Settings, condition: str | None = None) -> None:
        """Users take `LanceTable.optimize`."""
        self._table = table
        self._condition = condition

    def __call__(self) -> "TableOptimizer":
        """The same, as users of Delta Lake write it: `table.optimize().executeCompaction()`."""
        return TableOptimizer(self._table)

    def where(self, condition: str) -> "TableOptimizer":
        """Takes only fragments that have a row for which a condition is true.

        Args:
            condition: SQL.
        """
        return TableOptimizer(self._table, condition)

    def executeCompaction(self) -> DataFrame:
        """Puts small fragments together and leaves out deleted rows.

        Returns:
            One row: `fragments_removed`, `fragments_added`, `files_removed`, `files_added`.
        """
        return self.compact_files()

    def executeZOrderBy(self, *columns: str | Iterable[str]) -> DataFrame:
        """Writes the rows anew so that those near to each other in all columns lie together.

        Args:
            *columns: Their names.

        Returns:
            One row, as `executeCompaction` gives it.

        Raises:
            ValueError: No columns are given.
        """
        names = [name for c in columns for name in ([c] if isinstance(c, str) else c)]
        if not names:
            raise ValueError("no columns are given: executeZOrderBy('country', 'day')")
        return self._run(f" ZORDER BY ({', '.join(map(identifier, names))})", {})

    def compact_files(
        self,
        *,
        target_rows_per_fragment: int | None = None,
        max_bytes_per_file: int | None = None,
        materialize_deletions: bool | None = None,
        materialize_deletions_threshold: float | None = None,
        batch_size: int | None = None,
        compaction_mode: str | None = None,
        max_source_fragments: int | None = None,
        max_source_rows: int | None = None,
        max_source_bytes: int | None = None,
        excluded_fragment_ids: Iterable[int] | None = None,
        data_storage_version: str | None = None,
        **others: Setting,
    ) -> DataFrame:
        """Puts small fragments together and leaves out deleted rows.

        What is left out comes from the table's settings `lance.compaction.…`.

        Args:
            target_rows_per_fragment: Fragments with fewer rows join their neighbours.
            max_bytes_per_file: Bytes of a new file, about.
            materialize_deletions: Whether fragments with many deleted rows are written anew.
            materialize_deletions_threshold: Many: a larger part of the rows than this, 0 to 1.
            batch_size: Rows read at a time.
            compaction_mode: `reencode`, `try_binary_copy` or `force_binary_copy`.
            max_source_fragments: Fragments rewritten at most.
            max_source_rows: Rows rewritten at most.
            max_source_bytes: Bytes rewritten at most.
            excluded_fragment_ids: Ids of fragments that stay as they are.
            data_storage_version: File version of the new files.
            **others: Further arguments of the procedure `compact`, see `docs/sql.md`.

        Returns:
            One row: `fragments_removed`, `fragments_added`, `files_removed`, `files_added`.
        """
        given: dict[str, Setting] = {
            "target_rows_per_fragment": target_rows_per_fragment,
            "max_bytes_per_file": max_bytes_per_file,
            "materialize_deletions": materialize_deletions,
            "materialize_deletions_threshold": materialize_deletions_threshold,
            "batch_size": batch_size,
            "compaction_mode": compaction_mode,
            "max_source_fragments": max_source_fragments,
            "max_source_rows": max_source_rows,
            "max_source_bytes": max_source_bytes,
            "excluded_fragment_ids": _listed(excluded_fragment_ids),
            "data_storage_version": data_storage_version,
        }
        return self._run("", given | others)

    def enable_auto_cleanup(
        self, interval: int, older_than: timedelta | None = None, retain_versions: int | None = None
    ) -> None:
        """Lets commits remove old versions on their way.

        With both `older_than` and `retain_versions`, a version goes when both let it go.

        Args:
            interval: Every how many versions.
            older_than: Age of the versions that go; two weeks when neither this nor
                `retain_versions` is given.
            retain_versions: Newest versions that stay.
        """
        values = {"interval": str(interval)}
        if older_than is not None:
            values["older_than"] = f"{int(older_than.total_seconds())}s"
        elif retain_versions is None:
            values["older_than"] = _DEFAULT_AGE
        if retain_versions is not None:
            values["retain_versions"] = str(retain_versions)
        self._table.update_config({_AUTO_CLEANUP + k: v for k, v in values.items()})

    def disable_auto_cleanup(self) -> None:
        """Leaves old versions to `vacuum`."""
        names = [key for key in self._table.config() if key.startswith(_AUTO_CLEANUP)]
        self._table.delete_config_keys(names)

    def _run(self, order: str, options: Mapping[str, Setting]) -> DataFrame:
        table = self._table
        where = "" if self._condition is None else f" WHERE {self._condition}"
        text = f"OPTIMIZE {table.target.sql}{where}{order}{settings(options)}"
        with shown(table.spark, f"optimize {table.reference}"):
            return run_sql(table.spark, text)


def _vacuum(
    table: TableBase,
    retention_hours: float | None,
    dry_run: bool,
    options: Mapping[str, Setting],
) -> DataFrame:
    """Removes old versions and the files that only they need."""
    retain = ""
    given = dict(options)
    if retention_hours is not None:
        if retention_hours < 0:
            raise ValueError(f"retentionHours is {retention_hours}: give 0 or more")
        if float(retention_hours).is_integer():
            retain = f" RETAIN {int(retention_hours)} HOURS"
        else:
            given["older_than"] = str(int(retention_hours * 3600))
    dry = " DRY RUN" if dry_run else ""
    with shown(table.spark, f"vacuum {table.reference}"):
        return run_sql(table.spark, f"VACUUM {table.target.sql}{retain}{dry}{settings(given)}")


def _cleanup_options(
    older_than: timedelta | None, versions: Iterable[int] | None, **others: Setting
) -> dict[str, Setting]:
    """Options of VACUUM by the names that pylance has."""
    age = None if older_than is None else str(int(older_than.total_seconds()))
    return {"older_than": age, "versions": _listed(versions), **others}


def _listed(numbers: Iterable[int] | None) -> list[int] | None:
    return None if numbers is None else list(numbers)


class Upkeep(Settings):
    """The part of `LanceTable` that keeps it fast and small."""

    @property
    def optimize(self) -> TableOptimizer:
        """Compaction and sorting: `optimize().executeCompaction()`, `optimize.compact_files()`."""
        return TableOptimizer(self)

    def compact(self, **options: Setting) -> DataFrame:
        """The same as `optimize.compact_files`.

        Args:
            **options: Its arguments.
        """
        return self.optimize.compact_files(**options)  # type: ignore[arg-type]

    def vacuum(
        self, retentionHours: float | None = None, dry_run: bool = False, **options: Setting
    ) -> DataFrame:
        """Removes old versions and the files that only they need.

        Args:
            retentionHours: Age of the versions that go; two weeks if nothing else is said.
            dry_run: Whether files are listed and not removed.
            **options: Further arguments of the procedure `cleanup`, see `docs/sql.md`.

        Returns:
            One row with what was removed: `bytes_removed`, `old_versions` and more; in a dry run a
            row for each file.
        """
        return _vacuum(self, retentionHours, dry_run, options)

    def cleanup_old_versions(
        self,
        older_than: timedelta | None = None,
        retain_versions: int | None = None,
        *,
        delete_unverified: bool = False,
        error_if_tagged_old_versions: bool = True,
        delete_rate_limit: int | None = None,
        versions: Iterable[int] | None = None,
        **others: Setting,
    ) -> DataFrame:
        """The same by pylance's names. A version goes when all conditions that are given hold.

        Args:
            older_than: Age of the versions that go; two weeks if nothing else is said.
            retain_versions: Newest versions that stay.
            delete_unverified: Also files younger than a week that no version names; only when
                nobody writes.
            error_if_tagged_old_versions: Whether tagged versions that would go are an error.
            delete_rate_limit: Requests a second, at most.
            versions: Numbers of the versions that go.
            **others: Further arguments of the procedure `cleanup`.
        """
        given = _cleanup_options(
            older_than,
            versions,
            retain_versions=retain_versions,
            delete_unverified=delete_unverified or None,
            error_if_tagged_old_versions=error_if_tagged_old_versions,
            delete_rate_limit=delete_rate_limit,
            **others,
        )
        return _vacuum(self, None, False, given)

    def migrate_manifest_paths_v2(self) -> None:
        """Gives manifests of a table of an early release the names that new tables have.

        Nobody may write meanwhile.
        """
        self._call("migrate_manifest_paths_v2")

    def cleanup(self, **options: Setting) -> DataFrame:
        """The same by the names of the procedure `cleanup`: `cleanup(before_version=7)`.

        Args:
            **options: Its arguments, see `docs/sql.md`.
        """
        return _vacuum(self, None, bool(options.pop("dry_run", False)), options)
