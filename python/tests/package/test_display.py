# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The display of tables in consoles and notebooks."""

import pytest

import pyspark_lance
from pyspark_lance.display import byte_size, grid, html, text
from pyspark_lance.table import lance_table


@pytest.fixture
def table(any_spark, tmp_path):
    path = str(tmp_path / "a<b.lance")
    pyspark_lance.write(any_spark.range(1200).selectExpr("id", "named_struct('x', id) AS s"), path)
    any_spark.sql(f"DELETE FROM lance.`{path}` WHERE id < 200")
    return lance_table(any_spark, path)


def test_text_has_version_rows_fragments_size_and_schema(table):
    lines = text(table).splitlines()

    assert lines[0] == f"LanceTable({table.name})"
    assert lines[1].startswith("  version: 2 (20") and lines[1].endswith(", DELETE)")
    assert lines[2] == "  rows: 1,000, 200 deleted ones kept"
    assert lines[3].startswith("  fragments: ")
    assert lines[4].startswith("  data files: ") and lines[4].endswith("KiB")
    assert lines[5] == "  columns:"
    required = [() if f.nullable else ("not", "null") for f in table.toDF().schema.fields]
    assert [line.split() for line in lines[6:]] == [
        ["id", "bigint", *required[0]],
        ["s", "struct<x:bigint>", *required[1]],
    ]


def test_vectors_and_blobs_are_shown_by_name(any_spark, tmp_path):
    path = str(tmp_path / "media.lance")
    rows = any_spark.sql(
        "SELECT array(1f, 2f) AS v, array(1D, 2D, 3D) AS w, X'00' AS b, array(1f) AS l"
    )
    column_options = {
        "column.v.arrow.fixed-size-list.size": 2,
        "column.w.arrow.fixed-size-list.size": 3,
        "column.b.lance-encoding:blob": True,
    }
    pyspark_lance.write(rows, path, **column_options)
    lines = text(lance_table(any_spark, path)).splitlines()
    shown = [line.split(maxsplit=1) for line in lines[lines.index("  columns:") + 1 :]]
    types = {name: kind.removesuffix("not null").strip() for name, kind in shown}
    assert types == {"v": "vector(2)", "w": "vector(3) of double", "b": "blob", "l": "array<float>"}


@pytest.mark.on("connect")
def test_html_has_the_same_content_and_is_escaped(table):
    shown = html(table)

    for part in ("a&lt;b.lance", "2 (20", "1,000, 200 deleted ones kept", "struct&lt;x:bigint&gt;"):
        assert part in shown
    assert "a<b" not in shown
    assert shown.count("<table>") == shown.count("</table>") == 2
    assert shown.count("<tr>") == shown.count("</tr>")


@pytest.mark.on("connect")
def test_an_earlier_version_and_a_dropped_table(any_spark, table, tmp_path):
    first = lance_table(any_spark, table.name, version=1)
    assert "rows: 1,200\n" in text(first)
    gone = lance_table(any_spark, table.name)
    any_spark.sql(f"DROP TABLE lance.`{table.name}`")

    assert text(gone).startswith(f"LanceTable({table.name}): ")
    assert len(text(gone).splitlines()) == 1
    assert "a&lt;b.lance" in html(gone)


@pytest.mark.on("connect")
def test_wide_tables_are_shortened(any_spark, tmp_path):
    path = str(tmp_path / "wide.lance")
    pyspark_lance.write(any_spark.range(1).selectExpr(*(f"id AS c{i}" for i in range(60))), path)
    table = lance_table(any_spark, path)
    assert text(table).endswith("    and 10 more")
    assert "and 10 more" in html(table) and "c50" not in html(table)


def test_sizes_and_grids():
    sizes = [0, 1023, 1024, 1536 * 1024, 5 << 40, 3000 << 40, None]
    assert [byte_size(s) for s in sizes] == [
        "0 bytes",
        "1023 bytes",
        "1.0 KiB",
        "1.5 MiB",
        "5.0 TiB",
        "3,000.0 TiB",
        "unknown size",
    ]
    assert grid(["a", "n"], [["xx", "1"], ["y", "10"]], left=1) == "a    n\nxx   1\ny   10"
    assert grid([], []) == ""


def test_names_and_values_cannot_control_a_terminal():
    shown = grid(["a\x1b]0;x\x07"], [["b\u202ec\r\nd"], ["Größe 高さ"]])
    assert shown.splitlines() == ["a\\u001b]0;x\\u0007", "b\\u202ec\\u000d\\u000ad", "Größe 高さ"]
