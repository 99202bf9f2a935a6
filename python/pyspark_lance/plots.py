# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Plots of tables. They need matplotlib."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from pyspark_lance.display import byte_size
from pyspark_lance.exceptions import LanceError, errors_translated
from pyspark_lance.inspection import TableParts
from pyspark_lance.plain_size import FieldNode, field_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLOBS: Final = "blobs"


def plot_storage(table: TableParts, ax: "Axes | None" = None) -> "Axes":
    """Plots the size of each column: its pages by encoding, and its blobs.

    Blobs are the bytes outside of pages: side files, and the other bytes of data files with blob
    columns. If a table has several blob columns, they share a bar.

    Args:
        table: The table at a version.
        ax: The axes; a new figure if `None`.

    Returns:
        The axes, with a bar for each column, the largest on top, divided by encoding.

    Raises:
        LanceError: `ax` is `None`, and matplotlib is not installed.
    """
    axes = _new_axes() if ax is None else ax
    pages = table.metadata_table("pages").where("column IS NOT NULL")
    with errors_translated():
        groups = pages.groupBy("column", "encoding").agg(F.sum("bytes").alias("bytes")).collect()
        blobs = _blobs(table)
    by_column: dict[str, dict[str, int]] = {}
    by_encoding: dict[str, int] = {}
    for group in groups:
        by_column.setdefault(group.column, {})[group.encoding] = group.bytes
        by_encoding[group.encoding] = by_encoding.get(group.encoding, 0) + group.bytes
    if blobs:
        column, size = blobs
        by_column.setdefault(column, {})[BLOBS] = by_encoding[BLOBS] = size
    totals = {column: sum(sizes.values()) for column, sizes in by_column.items()}
    columns = sorted(totals, key=lambda column: (totals[column], column))
    starts = [0] * len(columns)
    for encoding in sorted(by_encoding, key=lambda e: (-by_encoding[e], e)):
        widths = [by_column[column].get(encoding, 0) for column in columns]
        axes.barh(columns, widths, left=starts, label=encoding)
        starts = [start + width for start, width in zip(starts, widths, strict=True)]
    axes.xaxis.set_major_formatter(lambda size, _position: byte_size(round(size)))
    outside = by_encoding.get(BLOBS, 0)
    title = f"{table.name}: {byte_size(sum(totals.values()) - outside)} in pages"
    axes.set_title(f"{title}, {byte_size(outside)} in blobs" if blobs else title)
    if columns:
        axes.legend(title="encoding", fontsize="small")
    return axes


def _blobs(table: TableParts) -> tuple[str, int] | None:
    """Returns the blob columns and the bytes outside of pages, or `None` without such bytes."""
    columns = [
        c for c in _below(field_tree(table.metadata_table("columns").collect())) if c.is_blob
    ]
    if not columns:
        return None
    ids = {node.field_id for column in columns for node in _below([column])}
    paged = {
        row.file: row.bytes
        for row in table.metadata_table("pages")
        .groupBy("file")
        .agg(F.sum("bytes").alias("bytes"))
        .collect()
    }
    files = table.metadata_table("files").select("path", "bytes", "field_ids").collect()
    in_files = sum(
        f.bytes - paged.get(f.path, 0) for f in files if f.bytes and ids.intersection(f.field_ids)
    )
    beside = table.metadata_table("fragments").agg(F.sum("blob_bytes")).head()
    size: int = in_files + int(beside[0] or 0 if beside else 0)
    return (", ".join(column.path for column in columns), size) if size else None


def _below(nodes: list[FieldNode]) -> Iterator[FieldNode]:
    """Returns fields and all their descendants."""
    for node in nodes:
        yield node
        yield from _below(node.children)


def _new_axes() -> "Axes":
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise LanceError(
            "plot_storage needs matplotlib, which is not installed: pip install matplotlib"
        ) from error
    _, axes = pyplot.subplots(layout="constrained")
    return axes
