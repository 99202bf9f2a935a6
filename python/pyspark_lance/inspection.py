# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Describes the storage of a table: pages, encodings, and compression by column."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from pyspark_lance.exceptions import errors_translated
from pyspark_lance.plain_size import FieldNode, PlainSize, field_tree, plain_sizes


class TableParts(Protocol):
    """The interface of a table for the functions of this module. `LanceTable` implements it."""

    @property
    def name(self) -> str:
        """The path or name."""
        ...

    def toDF(self) -> DataFrame:
        """Returns the rows."""
        ...

    def metadata_table(self, name: str) -> DataFrame:
        """Returns a metadata table of the same version, such as `pages`."""
        ...


SCHEMA: Final = """
    column STRING NOT NULL, type STRING NOT NULL, pages BIGINT NOT NULL, bytes BIGINT NOT NULL,
    plain_bytes BIGINT, compression_ratio DOUBLE, is_estimate BOOLEAN NOT NULL,
    layouts ARRAY<STRING> NOT NULL, encodings ARRAY<STRING> NOT NULL
"""
OLD_VERSIONS: Final = {"0.1", "2.0"}


def inspect(table: TableParts, sample_rows: int | None = 10_000) -> DataFrame:
    """Describes the storage of each column of a table.

    Reads the footer of every data file, and a sample of the rows for columns of variable width.

    Args:
        table: The table at a version.
        sample_rows: Approximate number of rows to read for the size of strings and lists; all rows
            if `None`.

    Returns:
        A row for each column or field with pages, in the order of the schema:

        - `column`, `type`: the path of names, and the Lance type;
        - `pages`, `bytes`: the number of pages in all data files, and their size;
        - `plain_bytes`: the size of the values without encoding: the width of the type, or the
          contents plus 4 bytes for strings and lists. Null if unknown, as for blobs, and for lists
          in file versions 0.1 and 2.0;
        - `compression_ratio`: `plain_bytes` divided by `bytes`;
        - `is_estimate`: whether `plain_bytes` is computed from a sample;
        - `layouts`, `encodings`: layouts and encodings of the pages, ordered by size, see the
          metadata table `pages`.

    Raises:
        ValueError: `sample_rows` is less than 1.
        LanceError: An error of the connector, such as a corrupt file.
    """
    if sample_rows is not None and sample_rows < 1:
        raise ValueError(f"sample_rows={sample_rows}: at least 1, or None to read all rows")
    with errors_translated():
        pages = table.metadata_table("pages")
        stored = _stored(pages)
        nodes = field_tree(table.metadata_table("columns").collect())
        plain = plain_sizes(table.toDF(), nodes, set(stored), sample_rows)
        versions = table.metadata_table("files").select("file_version").distinct().collect()
        is_old = any(row.file_version in OLD_VERSIONS for row in versions)
        rows = [
            _row(node, stored[node.field_id], plain.get(node.field_id), is_old)
            for node in _depth_first(nodes)
            if node.field_id in stored
        ]
    return pages.sparkSession.createDataFrame(rows, SCHEMA)


@dataclass
class _Stored:
    """The pages of one field."""

    pages: int = 0
    rows: int = 0
    bytes: int = 0
    layouts: dict[str, int] = field(default_factory=dict)
    encodings: dict[str, int] = field(default_factory=dict)

    def add(self, group: Row) -> None:
        self.pages += group.pages
        self.rows += group.rows
        self.bytes += group.bytes
        for sizes, name in ((self.layouts, group.layout), (self.encodings, group.encoding)):
            sizes[name] = sizes.get(name, 0) + group.bytes


def _stored(pages: DataFrame) -> dict[int, _Stored]:
    """Returns the pages of each field by field id."""
    groups = (
        pages.where("field_id IS NOT NULL")
        .groupBy("field_id", "layout", "encoding")
        .agg(
            F.count("*").alias("pages"),
            F.sum("rows").alias("rows"),
            F.sum("bytes").alias("bytes"),
        )
    )
    found: dict[int, _Stored] = {}
    for group in groups.collect():
        found.setdefault(group.field_id, _Stored()).add(group)
    return found


def _row(
    node: FieldNode, stored: _Stored, plain: PlainSize | None, is_old: bool
) -> tuple[object, ...]:
    if plain and is_old and plain.is_repeated:
        plain = None  # pages of lists count items instead of rows
    plain_bytes = round(plain.bytes_per_row * stored.rows / plain.slots) if plain else None
    ratio = plain_bytes / stored.bytes if plain_bytes is not None and stored.bytes else None
    return (
        node.path,
        node.type,
        stored.pages,
        stored.bytes,
        plain_bytes,
        ratio,
        bool(plain and plain.is_estimate),
        _largest_first(stored.layouts),
        _largest_first(stored.encodings),
    )


def _largest_first(sizes: dict[str, int]) -> list[str]:
    return sorted(sizes, key=lambda name: (-sizes[name], name))


def _depth_first(nodes: Iterable[FieldNode]) -> Iterable[FieldNode]:
    for node in nodes:
        yield node
        yield from _depth_first(node.children)
