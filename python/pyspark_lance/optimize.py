# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Maintenance: compaction, sorting, and clean-up of old versions."""

from collections.abc import Iterable, Mapping
from datetime import timedelta

from pyspark.sql import DataFrame

from pyspark_lance.handle import TableHandle
from pyspark_lance.progress import shown
from pyspark_lance.properties import Properties
from pyspark_lance.sql import call_procedure, identifier, names, run_sql, with_clause

OptionValue = str | int | float | bool | Iterable[int] | None
_AUTO_CLEANUP = "lance.auto_cleanup."
_DEFAULT_AGE = "14days"  # without an age and a number, all versions but the latest are removed


class TableOptimizer:
    """Compacts or sorts a table: `LanceTable.optimize`, also as a call, `LanceTable.optimize()`.

    Examples:
        >>> from pyspark_lance import LanceTable, write
        >>> write(spark.range(0, 100, 1, 4), path, mode="overwrite")
        >>> table = LanceTable.forPath(spark, path)
        >>> row = table.optimize().executeCompaction().first()
        >>> row["fragments_removed"], row["fragments_added"]
        (4, 1)
    """

    def __init__(
        self, table: TableHandle, properties: Properties, condition: str | None = None
    ) -> None:
        """Use `LanceTable.optimize`."""
        self._table = table
        self._properties = properties
        self._condition = condition

    def __call__(self) -> "TableOptimizer":
        """Returns an optimizer, for Delta Lake's form: `table.optimize().executeCompaction()`."""
        return TableOptimizer(self._table, self._properties)

    def where(self, condition: str) -> "TableOptimizer":
        """Selects fragments with a row that matches a condition.

        Args:
            condition: SQL.

        Returns:
            This optimizer.
        """
        return TableOptimizer(self._table, self._properties, condition)

    def executeCompaction(self) -> DataFrame:
        """Compacts small fragments, and removes deleted rows from their files.

        Returns:
            One row: `fragments_removed`, `fragments_added`, `files_removed`, `files_added`.
        """
        return self.compact_files()

    def executeZOrderBy(self, *columns: str | Iterable[str]) -> DataFrame:
        """Sorts the rows along a Z-order curve of the columns.

        Args:
            *columns: Their names.

        Returns:
            One row, as for `executeCompaction`.

        Raises:
            ValueError: No columns are given.
        """
        chosen = [name for c in columns for name in ([c] if isinstance(c, str) else c)]
        if not chosen:
            raise ValueError("no columns are given: executeZOrderBy('country', 'day')")
        return self._run(f" ZORDER BY ({', '.join(map(identifier, chosen))})", {})

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
        **others: OptionValue,
    ) -> DataFrame:
        """Compacts small fragments, and removes deleted rows from their files.

        Omitted arguments default to the table properties `lance.compaction.…`.

        Args:
            target_rows_per_fragment: Fragments with fewer rows are combined with adjacent ones.
            max_bytes_per_file: Approximate maximum size of a new file.
            materialize_deletions: Whether to rewrite fragments with many deleted rows.
            materialize_deletions_threshold: Fraction of deleted rows above which a fragment is
                rewritten, 0 to 1.
            batch_size: Rows per batch of the read.
            compaction_mode: `reencode`, `try_binary_copy`, or `force_binary_copy`.
            max_source_fragments: Maximum number of rewritten fragments.
            max_source_rows: Maximum number of rewritten rows.
            max_source_bytes: Maximum number of rewritten bytes.
            excluded_fragment_ids: Ids of fragments that are not rewritten.
            data_storage_version: File version of the new files.
            **others: Other arguments of the procedure `compact`, see `docs/sql.md`.

        Returns:
            One row: `fragments_removed`, `fragments_added`, `files_removed`, `files_added`.
        """
        given: dict[str, OptionValue] = {
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

    def optimize_indices(
        self,
        *,
        num_indices_to_merge: int | None = None,
        index_names: Iterable[str] | None = None,
        retrain: bool = False,
        retrain_factor: float | None = None,
    ) -> None:
        """Indexes new rows, and merges segments.

        Args:
            num_indices_to_merge: Number of latest segments of an index that are merged with the new
                rows; all by default. With 0, the new rows become a separate segment.
            index_names: Names of the indices; all supported indices by default.
            retrain: Whether to index all rows again.
            retrain_factor: Trains a vector index again if its vectors are this many times as far
                from their centroids as at the last training. Without `index_names`, other indices
                ignore it, and a vector index that does not record this distance is skipped.

        Raises:
            NotFoundError: There is no such index.
            InvalidRequestError: `retrain_factor` is given, and a named index does not record the
                distance.
            UnsupportedFeatureError: A named index has a kind that is not supported.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(1000), path, mode="overwrite")
            >>> table = LanceTable.forPath(spark, path)
            >>> table.create_scalar_index("id", "BTREE")
            >>> write(spark.range(1000, 1500), path, mode="append")
            >>> table.optimize.optimize_indices()
            >>> table.index_statistics("id_idx")["num_unindexed_rows"]
            0
        """
        table = self._table
        given = {
            "num_indices_to_merge": num_indices_to_merge,
            "retrain": retrain or None,
            "retrain_factor": retrain_factor,
        }
        with shown(table.spark, f"optimize indices of {table.reference}"):
            if index_names is None:
                call_procedure(table.spark, "optimize_indices", table=table.target.sql, **given)
                return
            for name in names(index_names, "index_names"):
                run_sql(
                    table.spark,
                    f"OPTIMIZE INDEX {identifier(name)} ON {table.target.sql}{with_clause(given)}",
                )

    def enable_auto_cleanup(
        self, interval: int, older_than: timedelta | None = None, retain_versions: int | None = None
    ) -> None:
        """Sets table properties with which commits remove old versions.

        With both `older_than` and `retain_versions`, a version is removed if it meets both.

        Args:
            interval: Number of versions between two clean-ups.
            older_than: Minimum age of removed versions; two weeks if neither this nor
                `retain_versions` is given.
            retain_versions: Number of latest versions to keep.
        """
        values = {"interval": str(interval)}
        if older_than is not None:
            values["older_than"] = f"{int(older_than.total_seconds())}s"
        elif retain_versions is None:
            values["older_than"] = _DEFAULT_AGE
        if retain_versions is not None:
            values["retain_versions"] = str(retain_versions)
        self._properties.update_config({_AUTO_CLEANUP + k: v for k, v in values.items()})

    def disable_auto_cleanup(self) -> None:
        """Removes the table properties of `enable_auto_cleanup`."""
        keys = [key for key in self._properties.config() if key.startswith(_AUTO_CLEANUP)]
        self._properties.delete_config_keys(keys)

    def _run(self, order: str, options: Mapping[str, OptionValue]) -> DataFrame:
        table = self._table
        # The line break ends a comment in the condition.
        where = "" if self._condition is None else f" WHERE ({self._condition}\n)"
        text = f"OPTIMIZE {table.target.sql}{where}{order}{with_clause(options)}"
        with shown(table.spark, f"optimize {table.reference}"):
            return run_sql(table.spark, text)


def _vacuum(
    table: TableHandle,
    retention_hours: float | None,
    dry_run: bool,
    options: Mapping[str, OptionValue],
) -> DataFrame:
    """Removes old versions and the files that only they reference."""
    retain = ""
    given = dict(options)
    if retention_hours is not None:
        if retention_hours < 0:
            raise ValueError(f"retentionHours is {retention_hours}, but must be at least 0")
        if float(retention_hours).is_integer():
            retain = f" RETAIN {int(retention_hours)} HOURS"
        else:
            given["older_than"] = str(int(retention_hours * 3600))
    dry = " DRY RUN" if dry_run else ""
    with shown(table.spark, f"vacuum {table.reference}"):
        return run_sql(table.spark, f"VACUUM {table.target.sql}{retain}{dry}{with_clause(given)}")


def _cleanup_options(
    older_than: timedelta | None, versions: Iterable[int] | None, **others: OptionValue
) -> dict[str, OptionValue]:
    """Translates pylance's argument names to options of VACUUM."""
    age = None if older_than is None else str(int(older_than.total_seconds()))
    return {"older_than": age, "versions": _listed(versions), **others}


def _listed(numbers: Iterable[int] | None) -> list[int] | None:
    return None if numbers is None else list(numbers)


class Maintenance(Properties):
    """Maintenance operations of `LanceTable`."""

    @property
    def optimize(self) -> TableOptimizer:
        """Compaction and sorting: `optimize().executeCompaction()`, `optimize.compact_files()`."""
        return TableOptimizer(self._handle, self)

    def compact(self, **options: OptionValue) -> DataFrame:
        """Compacts small fragments, like `optimize.compact_files`.

        Args:
            **options: The arguments of `optimize.compact_files`.

        Returns:
            One row: `fragments_removed`, `fragments_added`, `files_removed`, `files_added`.
        """
        return self.optimize.compact_files(**options)  # type: ignore[arg-type]

    def vacuum(
        self, retentionHours: float | None = None, dry_run: bool = False, **options: OptionValue
    ) -> DataFrame:
        """Removes old versions and the files that only they reference.

        Args:
            retentionHours: Minimum age of removed versions; two weeks if no other condition is
                given.
            dry_run: Whether to list the files instead of removing them.
            **options: Other arguments of the procedure `cleanup`, see `docs/sql.md`.

        Returns:
            One row: `bytes_removed`, `old_versions`, and more; with `dry_run`, a row for each file.
        """
        return _vacuum(self._handle, retentionHours, dry_run, options)

    def cleanup_old_versions(
        self,
        older_than: timedelta | None = None,
        retain_versions: int | None = None,
        *,
        delete_unverified: bool = False,
        error_if_tagged_old_versions: bool = True,
        delete_rate_limit: int | None = None,
        versions: Iterable[int] | None = None,
        **others: OptionValue,
    ) -> DataFrame:
        """Removes versions that meet all given conditions, with pylance's argument names.

        Args:
            older_than: Minimum age of removed versions; two weeks if no other condition is given.
            retain_versions: Number of latest versions to keep.
            delete_unverified: Also removes unreferenced files younger than a week; only safe
                without concurrent writers.
            error_if_tagged_old_versions: Whether to fail if a tagged version would be removed.
            delete_rate_limit: Maximum number of requests per second.
            versions: Numbers of the versions to remove.
            **others: Other arguments of the procedure `cleanup`.

        Returns:
            One row, as for `vacuum`.
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
        return _vacuum(self._handle, None, False, given)

    def migrate_manifest_paths_v2(self) -> None:
        """Renames the manifests of a table of an early release to the current scheme.

        There must be no concurrent writers.
        """
        self._call("migrate_manifest_paths_v2")

    def cleanup(self, **options: OptionValue) -> DataFrame:
        """Removes versions with arguments of the procedure `cleanup`: `cleanup(before_version=7)`.

        Args:
            **options: Its arguments, see `docs/sql.md`.

        Returns:
            One row, as for `vacuum`.
        """
        return _vacuum(self._handle, None, bool(options.pop("dry_run", False)), options)
