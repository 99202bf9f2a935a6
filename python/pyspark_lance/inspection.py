# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""How a table is stored: pages, encodings and compression by column."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from pyspark_lance.exceptions import errors_translated
from pyspark_lance.plain_size import FieldNode, PlainSize, field_tree, plain_sizes


class TableParts(Protocol):
    """What the functions that describe a table ask of it; `LanceTable` has it."""

    @property
    def name(self) -> str:
        """Its path or name."""
        ...

    def toDF(self) -> DataFrame:
        """The rows."""
        ...

    def metadata_table(self, name: str) -> DataFrame:
        """A metadata table, such as `pages`, of the same version."""
        ...


SCHEMA: Final = """
    column STRING NOT NULL, type STRING NOT NULL, pages BIGINT NOT NULL, bytes BIGINT NOT NULL,
    plain_bytes BIGINT, compression_ratio DOUBLE, is_estimate BOOLEAN NOT NULL,
    layouts ARRAY<STRING> NOT NULL, encodings ARRAY<STRING> NOT NULL
"""
OLD_VERSIONS: Final = {"0.1", "2.0"}


def inspect(table: TableParts, sample_rows: int | None = 10_000) -> DataFrame:
    """How each column of a table is stored.

    Reads the end of every data file, and for columns without a fixed width some rows.

    Args:
        table: The table, at the version that is meant.
        sample_rows: Rows to read, about, to find out how large strings and lists are; all of them
            if None.

    Returns:
        A row for each column, or field in one, that has pages, in the order of the schema:

        - `column`, `type`: the path of names, the type in Lance;
        - `pages`, `bytes`: how many pages it has in all data files, and their bytes;
        - `plain_bytes`: bytes of the values without any encoding: the width of the type, for
          strings and lists 4 bytes more than what they hold; null where it is not known, as for
          blobs, which lie outside the pages, and for lists in files of versions 0.1 and 2.0;
        - `compression_ratio`: `plain_bytes` by `bytes`;
        - `is_estimate`: whether `plain_bytes` comes from a sample;
        - `layouts`, `encodings`: of the pages, those with most bytes first, see the metadata
          table `pages`.

    Raises:
        ValueError: `sample_rows` is less than 1.
        LanceError: What the connector found wrong, such as a corrupt file.
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
    """What there is of each field, by its id."""
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
        plain = None  # their pages count items instead of rows
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
