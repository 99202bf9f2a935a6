# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Pictures of tables; drawn by matplotlib, where it is installed."""

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from pyspark_lance.display import byte_size
from pyspark_lance.exceptions import LanceError, errors_translated
from pyspark_lance.inspection import TableParts

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_storage(table: TableParts, ax: "Axes | None" = None) -> "Axes":
    """Draws how many bytes the pages of each column take, by encoding.

    Args:
        table: The table, at the version that is meant.
        ax: The axes; a new figure if `None`.

    Returns:
        The axes: a bar for each column, the largest on top, in pieces for its encodings.

    Raises:
        LanceError: `ax` is None and matplotlib is not installed.
    """
    axes = _new_axes() if ax is None else ax
    pages = table.metadata_table("pages").where("column IS NOT NULL")
    with errors_translated():
        groups = pages.groupBy("column", "encoding").agg(F.sum("bytes").alias("bytes")).collect()
    by_column: dict[str, dict[str, int]] = {}
    by_encoding: dict[str, int] = {}
    for group in groups:
        by_column.setdefault(group.column, {})[group.encoding] = group.bytes
        by_encoding[group.encoding] = by_encoding.get(group.encoding, 0) + group.bytes
    totals = {column: sum(sizes.values()) for column, sizes in by_column.items()}
    columns = sorted(totals, key=lambda column: (totals[column], column))
    starts = [0] * len(columns)
    for encoding in sorted(by_encoding, key=lambda e: (-by_encoding[e], e)):
        widths = [by_column[column].get(encoding, 0) for column in columns]
        axes.barh(columns, widths, left=starts, label=encoding)
        starts = [start + width for start, width in zip(starts, widths, strict=True)]
    axes.xaxis.set_major_formatter(lambda size, _position: byte_size(round(size)))
    axes.set_title(f"{table.reference}: {byte_size(sum(totals.values()))} in pages")
    if columns:
        axes.legend(title="encoding", fontsize="small")
    return axes


def _new_axes() -> "Axes":
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise LanceError(
            "plot_storage draws with matplotlib, which is not installed: pip install matplotlib"
        ) from error
    _, axes = pyplot.subplots(layout="constrained")
    return axes
