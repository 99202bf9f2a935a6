# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The tables of tasks: the source of their rows, and the options of each copy.

Workers on any PySpark import this module, so it imports only the standard library.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

VECTOR_SIZE: Final = 384

WORD_SIZES: Final[Mapping[str, int]] = {"words_100": 100, "words_96": 96}
"""Dimension of the vectors of the tables of words."""


@dataclass(frozen=True)
class Table:
    """A table. Every system has a copy.

    Attributes:
        name: Name in queries.
        source: The data set with its rows, see `datasets`.
        column_metadata: Column configuration of the connector by column, as DataFrame metadata.
            Spark's Parquet stores and ignores them.
        rows_per_file: Rows of each file, written by one task; by default Spark's tasks decide.
        indices: Kind of index by column. Copies of other formats have none.
        zone_maps: Columns with a zone map that the writing tasks compute.
    """

    name: str
    source: str
    column_metadata: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    rows_per_file: int | None = None
    indices: Mapping[str, str] = field(default_factory=dict)
    zone_maps: Sequence[str] = ()


TPCH: Final = (
    "region",
    "nation",
    "supplier",
    "customer",
    "part",
    "partsupp",
    "orders",
    "lineitem",
)

TABLES: Final[Mapping[str, Table]] = {
    table.name: table
    for table in (
        *(Table(name, name) for name in TPCH),
        Table("embeddings", "embeddings", {"vector": {"arrow.fixed-size-list.size": VECTOR_SIZE}}),
        *(  # one file, so that the address of a row is its id
            Table(
                name, name, {"vector": {"arrow.fixed-size-list.size": size}}, rows_per_file=1 << 24
            )
            for name, size in WORD_SIZES.items()
        ),
        Table("documents", "documents"),
        Table("document_blobs", "documents", {"body": {"lance-encoding:blob": "true"}}),
        Table("files_1000", "files_1000", rows_per_file=100),
        Table("files_10000", "files_10000", rows_per_file=100),
        Table("columns_300", "columns_300"),
        Table("lineitem_indexed", "lineitem", indices={"l_orderkey": "BTREE"}),
        Table("lineitem_zoned", "lineitem", zone_maps=("l_orderkey",)),
    )
}


def source_file(data: Path, scale: float, source: str) -> Path:
    """Returns the Parquet file of a data set."""
    if source in TPCH:
        return data / f"tpch-{scale:g}" / f"{source}.parquet"
    return data / f"{source}-{scale:g}.parquet"


def copy_path(data: Path, scale: float, table: str, system: str) -> Path:
    """Returns the path of a system's copy of a table."""
    return data / f"copies-{scale:g}" / f"{table}.{system}"


def indexed_path(data: Path, scale: float, table: str, kind: str) -> Path:
    """Returns the path of the connector's copy of a table with an index for searches."""
    return copy_path(data, scale, f"{table}_{kind.lower()}", "lance")


def clone(table: Path, path: Path) -> None:
    """Replaces `path` with a clone of a table. The files are hard links: no writer changes them."""
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(table, path, copy_function=os.link)


def size_of(folder: Path) -> int:
    """Returns the size of all files of a copy in bytes, without Hadoop's checksum files."""
    return sum(
        file.stat().st_size
        for file in folder.rglob("*")
        if file.is_file() and not (file.name.startswith(".") and file.suffix == ".crc")
    )
