# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Plots: the bars, and the error without matplotlib."""

import sys

import pytest

import pyspark_lance
from pyspark_lance.plots import plot_storage
from pyspark_lance.table import lance_table


class Axes:
    """Records the drawn bars."""

    def __init__(self):
        self.bars = {}
        self.title = ""
        self.xaxis = self

    def barh(self, columns, widths, left, label):
        self.bars[label] = dict(zip(columns, zip(left, widths, strict=True), strict=True))

    def set_major_formatter(self, formatter):
        self.tick = formatter(2048, 0)

    def set_title(self, title):
        self.title = title

    def legend(self, **_):
        pass


@pytest.fixture
def table(any_spark, tmp_path):
    path = str(tmp_path / "table.lance")
    rows = any_spark.range(2000).selectExpr("id", "id % 2 AS bit", "concat('row ', id) AS text")
    pyspark_lance.write(rows.coalesce(1), path)
    pyspark_lance.write(rows.limit(5).coalesce(1), path, mode="append")
    return lance_table(any_spark, path)


@pytest.mark.on("connect")
def test_bars_of_columns_are_divided_by_encoding(table):
    axes = Axes()
    assert plot_storage(table, axes) is axes

    pages = table.metadata_table("pages").collect()
    drawn = {
        (column, encoding): width
        for encoding, bars in axes.bars.items()
        for column, (_, width) in bars.items()
        if width
    }
    stored = {}
    for page in pages:
        key = (page.column, page.encoding)
        stored[key] = stored.get(key, 0) + page.bytes
    assert drawn == stored
    ends = {c: max(sum(bars[c]) for bars in axes.bars.values()) for c in ("id", "bit", "text")}
    assert ends == {c: sum(p.bytes for p in pages if p.column == c) for c in ends}
    assert list(next(iter(axes.bars.values()))) == sorted(ends, key=lambda c: (ends[c], c))
    assert axes.tick == "2.0 KiB"
    assert axes.title.startswith(f"{table.name}: ")


@pytest.mark.on("classic")
@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_blobs_count_as_bytes_outside_of_pages(any_spark, tmp_path, version):
    """In the data file, and in side files."""
    size = 300_000
    rows = any_spark.range(0, 12, 1, 1).selectExpr(
        "id", f"cast(repeat(chr(65 + id), {size}) AS binary) AS b"
    )
    options = {"column.b.lance-encoding:blob": "true", "fileVersion": version}
    pyspark_lance.write(rows, str(tmp_path / "t.lance"), **options)
    table = lance_table(any_spark, str(tmp_path / "t.lance"))
    axes = Axes()

    plot_storage(table, axes)

    assert 12 * size <= axes.bars["blobs"]["b"][1] < 12 * size + 20_000
    assert axes.bars["blobs"]["id"][1] == 0
    assert axes.title.endswith(" in pages, 3.4 MiB in blobs")


@pytest.mark.on("classic")
def test_matplotlib_draws_the_plot(table, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")

    axes = plot_storage(table)

    assert {t.get_text() for t in axes.get_yticklabels()} == {"id", "bit", "text"}
    axes.figure.savefig(tmp_path / "storage.png")
    assert (tmp_path / "storage.png").stat().st_size > 1000


@pytest.mark.on("classic")
def test_without_matplotlib(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(pyspark_lance.LanceError, match="pip install matplotlib"):
        plot_storage(table)
