# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Indices of a table: creating, dropping, and describing them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any

from pyspark.sql import Row

from pyspark_lance.base import TableBase
from pyspark_lance.exceptions import NotFoundError, UnsupportedFeatureError
from pyspark_lance.progress import shown
from pyspark_lance.sql import call_procedure, dotted, identifier, parts, run_sql, with_clause

# Parameters that do not change the index.
_WITHOUT_EFFECT = frozenset(
    {
        "accelerator",
        "index_cache_size",
        "shuffle_partition_batches",
        "shuffle_partition_concurrency",
    }
)
_WITH_PYLANCE = "leave it out to train a model, or create the index with pylance"
_UNSUPPORTED = {
    "ivf_centroids": _WITH_PYLANCE,
    "ivf_centroids_file": _WITH_PYLANCE,
    "pq_codebook": _WITH_PYLANCE,
    "precomputed_partition_dataset": _WITH_PYLANCE,
    "storage_options": "set the options of the storage on the catalog or the Spark session",
    "progress_callback": "the Spark UI and the progress line show the progress",
}

OptionValue = str | int | float | bool | Iterable[int] | Iterable[str] | None


@dataclass(frozen=True)
class IndexSegmentDescription:
    """A segment of an index.

    Attributes:
        uuid: The name of its folder in `_indices`.
        fragment_ids: The fragments of the version that it covers; `None` if not recorded.
        index_version: The version of the format of its files.
        dataset_version_at_last_update: The version of the table that it was built from.
        created_at: When it was built; `None` if not recorded.
        size_bytes: The size of its files; `None` if not recorded.
    """

    uuid: str
    fragment_ids: set[int] | None
    index_version: int
    dataset_version_at_last_update: int
    created_at: datetime | None
    size_bytes: int | None


@dataclass(frozen=True)
class IndexDescription:
    """An index, with the attribute names of pylance.

    Attributes:
        name: Its name.
        index_type: The kind, such as `BTree`.
        type_url: The type of the message that describes the index in the manifest.
        field_names: The indexed columns.
        fields: The ids of these columns.
        num_rows_indexed: Rows of the fragments that it covers; `None` if not recorded.
        segments: Its segments.
    """

    name: str
    index_type: str
    type_url: str
    field_names: list[str]
    fields: list[int]
    num_rows_indexed: int | None
    segments: list[IndexSegmentDescription] = field(default_factory=list)

    @property
    def total_size_bytes(self) -> int | None:
        """The size of all files; `None` if not recorded."""
        sizes = [segment.size_bytes for segment in self.segments]
        return None if None in sizes else sum(size for size in sizes if size is not None)


class Indices(TableBase):
    """Index operations of `LanceTable`."""

    def create_scalar_index(
        self,
        column: str,
        index_type: str,
        name: str | None = None,
        *,
        replace: bool = True,
        train: bool = True,
        fragment_ids: Iterable[int] | None = None,
        **options: OptionValue,
    ) -> None:
        """Creates an index on a column with a Spark job.

        Args:
            column: The column, or a field of a struct: `s.a`.
            index_type: `BTREE`, `BITMAP`, `LABEL_LIST`, `NGRAM`, `ZONEMAP`, `BLOOMFILTER`, or
                `INVERTED` (`FTS`).
            name: The name; `<column>_idx` by default.
            replace: Whether to replace an existing index. Otherwise, an existing index is an error.
            train: Whether to index the rows now. Otherwise the index is empty until
                `optimize.optimize_indices`.
            fragment_ids: Fragments to index; all by default.
            **options: Parameters of the kind: `rows_per_zone` of a ZONEMAP, `number_of_items` and
                `probability` of a BLOOMFILTER, and for INVERTED the parameters of pylance,
                such as `with_position`, `language`, or `custom_stop_words`.

        Raises:
            InvalidRequestError: The index exists, or the column or option does not.
            UnsupportedFeatureError: The kind, or the type of the column for it, is not supported.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> write(spark.range(1000), path, mode="overwrite")
            >>> table = LanceTable.forPath(spark, path)
            >>> table.create_scalar_index("id", "BTREE")
            >>> [(i.name, i.index_type, i.num_rows_indexed) for i in table.describe_indices()]
            [('id_idx', 'BTree', 1000)]
        """
        name = name if name is not None else f"{'.'.join(parts(column))}_idx"
        given: dict[str, OptionValue] = {
            "train": None if train else False,
            "fragment_ids": None if fragment_ids is None else list(fragment_ids),
        }
        verb = "CREATE OR REPLACE" if replace else "CREATE"
        table = self._handle
        with shown(table.spark, f"create index {name} of {table.reference}"):
            run_sql(
                table.spark,
                f"ALTER TABLE {table.target.sql} {verb} INDEX {identifier(name)} "
                f"USING {identifier(index_type)} ({dotted(column)})"
                f"{with_clause({**given, **_texts(options)})}",
            )

    def create_index(
        self,
        column: str,
        index_type: str,
        name: str | None = None,
        metric: str | None = None,
        replace: bool = False,
        num_partitions: int | None = None,
        *,
        num_sub_vectors: int | None = None,
        target_partition_size: int | None = None,
        sample_rate: int | None = None,
        max_iters: int | None = None,
        num_bits: int | None = None,
        m: int | None = None,
        ef_construction: int | None = None,
        max_level: int | None = None,
        **options: Any,  # noqa: ANN401
    ) -> None:
        """Creates a vector index on a column with a Spark job.

        Parameters have the names and defaults of pylance. Scalar kinds are created as by
        `create_scalar_index`. Parameters that only make pylance's own build faster are ignored:
        `accelerator`, `index_cache_size`, `shuffle_partition_batches`, and
        `shuffle_partition_concurrency`.

        Args:
            column: The column of vectors, or a field of a struct: `s.a`.
            index_type: `IVF_FLAT`, `IVF_SQ`, `IVF_RQ`, `IVF_PQ`, `IVF_HNSW_FLAT`, `IVF_HNSW_SQ`,
                or `IVF_HNSW_PQ`.
            name: The name; `<column>_idx` by default.
            metric: `L2`, `cosine`, `dot`, or `hamming`; `L2` by default, for `uint8` `hamming`.
            replace: Whether to replace an existing index. Otherwise, an existing index is an error.
            num_partitions: The number of partitions; by default the number of rows divided by
                `target_partition_size`, at most 4096.
            num_sub_vectors: Of `PQ`, the number of codes of a vector. It divides the dimension. By
                default, a sub-vector has about 8 dimensions.
            target_partition_size: Vectors in a partition.
            sample_rate: Vectors for each partition that the training reads; 256 by default.
            max_iters: Iterations of the training, at most; 50 by default.
            num_bits: Bits of a code: 8 or 4 for `PQ`, 1 to 9 for `RQ`, where 5 is the default.
            m: Neighbors of a node in a graph; 20 by default.
            ef_construction: Candidates for these neighbors; 150 by default.
            max_level: Levels of a graph, at most; 7 by default.
            **options: Other arguments of `create_scalar_index`.

        Raises:
            InvalidRequestError: The index exists, or the column or option does not, or a value is
                not valid.
            UnsupportedFeatureError: The kind, the type of the column for it, or a parameter of
                pylance is not supported.

        Examples:
            >>> from pyspark_lance import LanceTable, write
            >>> import numpy as np
            >>> rows = {"id": np.arange(1000), "v": np.random.rand(1000, 8).astype("float32")}
            >>> write(rows, path, mode="overwrite", spark=spark)
            >>> table = LanceTable.forPath(spark, path)
            >>> table.create_index("v", "IVF_SQ", num_partitions=4)
            >>> [(i.name, i.index_type, i.num_rows_indexed) for i in table.describe_indices()]
            [('v_idx', 'IVF_SQ', 1000)]
        """
        given: dict[str, Any] = {
            "metric": metric,
            "num_partitions": num_partitions,
            "num_sub_vectors": num_sub_vectors,
            "target_partition_size": target_partition_size,
            "sample_rate": sample_rate,
            "max_iters": max_iters,
            "num_bits": num_bits,
            "m": m,
            "ef_construction": ef_construction,
            "max_level": max_level,
        }
        for option, reason in _UNSUPPORTED.items():
            if options.get(option) is not None:
                raise UnsupportedFeatureError(f"the parameter {option} of pylance: {reason}")
        given.update({k: v for k, v in options.items() if k not in _WITHOUT_EFFECT})
        self.create_scalar_index(column, index_type, name, replace=replace, **given)

    def drop_index(self, name: str) -> None:
        """Drops an index. `vacuum` removes its files with the versions that have it.

        Args:
            name: The index.

        Raises:
            NotFoundError: There is no such index.
        """
        table = self._handle
        run_sql(table.spark, f"ALTER TABLE {table.target.sql} DROP INDEX {identifier(name)}")

    def prewarm_index(self, name: str) -> None:
        """Loads an index into the cache of the driver, as far as memory allows.

        Lookups then read no index files. Otherwise, the first lookups fill the cache.

        Args:
            name: The index.

        Raises:
            NotFoundError: There is no such index.
            CorruptFileError: A file of the index is damaged or missing.
        """
        table = self._handle
        call_procedure(table.spark, "prewarm_index", table=table.target.sql, name=name)

    def describe_indices(self) -> list[IndexDescription]:
        """Returns the indices of the current version, by name."""
        found: dict[str, list[Row]] = {}
        for row in self._handle.metadata_table("indices").collect():
            if not row["is_system"]:
                found.setdefault(row["name"], []).append(row)
        return [_described(found[name]) for name in sorted(found)]

    def list_indices(self) -> list[dict[str, Any]]:
        """Returns the segments of all indices, with the keys of pylance."""
        return [
            {
                "name": index.name,
                "type": index.index_type,
                "uuid": segment.uuid,
                "fields": index.field_names,
                "version": segment.dataset_version_at_last_update,
                "fragment_ids": segment.fragment_ids,
            }
            for index in self.describe_indices()
            for segment in index.segments
        ]

    def index_statistics(self, name: str) -> dict[str, Any]:
        """Returns statistics of an index at the current version, with the keys of pylance.

        Args:
            name: The index.

        Raises:
            NotFoundError: There is no such index.
            CorruptFileError: A file of a scalar index is damaged or missing.
        """
        table = self._handle
        rows = [r for r in table.metadata_table("indices").collect() if r["name"] == name]
        if not rows:
            raise NotFoundError(f"there is no index {name} in {table.description}")
        if not rows[0]["is_system"]:
            # Also opens the files.
            call_procedure(table.spark, "index_statistics", table=table.target.sql, name=name)
        index = _described(rows)
        total = table.toDF().count()
        fragments = table.metadata_table("fragments").count()
        covered = _union(segment.fragment_ids for segment in index.segments)
        indexed = None if covered is None else len(covered)
        return {
            "name": name,
            "index_type": index.index_type,
            "num_segments": len(index.segments),
            "num_indices": len(index.segments),
            "num_indexed_fragments": indexed,
            "num_unindexed_fragments": None if indexed is None else fragments - indexed,
            "num_indexed_rows": index.num_rows_indexed,
            "num_unindexed_rows": (
                None if index.num_rows_indexed is None else total - index.num_rows_indexed
            ),
            "total_size_bytes": index.total_size_bytes,
        }


def _texts(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns options of pylance in the form of SQL."""
    texts = {k: v.value if isinstance(v, Enum) else v for k, v in options.items()}
    if "max_token_length" in texts and texts["max_token_length"] is None:
        texts["max_token_length"] = "none"  # None is no limit, not the default
    words = texts.get("custom_stop_words")
    if words is not None and not isinstance(words, str):
        texts["custom_stop_words"] = json.dumps(list(words))
    return texts


def _described(rows: list[Row]) -> IndexDescription:
    segments = [
        IndexSegmentDescription(
            row["uuid"],
            None if row["fragment_ids"] is None else set(row["fragment_ids"]),
            row["index_version"],
            row["built_at_version"],
            row["created_at"],
            row["size_bytes"],
        )
        for row in rows
    ]
    counts = [row["num_indexed_rows"] for row in rows]
    return IndexDescription(
        rows[0]["name"],
        rows[0]["type"] or "",
        rows[0]["type_url"],
        list(rows[0]["fields"]),
        list(rows[0]["field_ids"]),
        None if None in counts else sum(counts),
        segments,
    )


def _union(sets: Iterable[set[int] | None]) -> set[int] | None:
    found: set[int] = set()
    for some in sets:
        if some is None:
            return None
        found |= some
    return found
