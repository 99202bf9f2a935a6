# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Every type, nesting and null pattern, in both directions and both file versions."""

import lance
import pyarrow as pa
import pytest
from kit.exchange import assert_same_rows, to_spark
from kit.values import LEAVES, NESTED, PYLANCE_LEAVES, Draw, patterns_table

import pyspark_lance
from pyspark_lance.arrow_tables import to_arrow

ROWS = 1500  # more than a chunk of a thousand, so that chunks meet inside a column


@pytest.mark.parametrize("name", LEAVES | NESTED)
def test_pylance_reads_what_spark_wrote(spark, tmp_path, file_version, name):
    source = patterns_table((LEAVES | NESTED)[name], ROWS, seed=name)
    path = tmp_path / "table.lance"
    rows = to_spark(spark, source, tmp_path)

    pyspark_lance.write(rows, path, fileVersion=file_version)

    dataset = lance.dataset(str(path))
    dataset.validate()
    assert dataset.data_storage_version == file_version
    assert_same_rows(source, dataset.to_table())
    assert_same_rows(source, pyspark_lance.read(spark, path))


@pytest.mark.parametrize("name", LEAVES | NESTED | PYLANCE_LEAVES)
def test_spark_reads_what_pylance_wrote(spark, tmp_path, file_version, name):
    source = patterns_table((LEAVES | NESTED | PYLANCE_LEAVES)[name], ROWS, seed=name)
    path = tmp_path / "table.lance"
    dataset = lance.write_dataset(source, str(path), data_storage_version=file_version)

    found = pyspark_lance.read(spark, path)

    assert_same_rows(dataset.to_table(), found)


@pytest.mark.parametrize("rows", [0, 1, 2, 63, 64, 65, 1023, 1024, 1025])
def test_any_number_of_rows(spark, tmp_path, file_version, rows):
    kinds = LEAVES | NESTED
    source = pa.table({n: Draw(n).column(k, rows) for n, k in kinds.items()})
    ours, theirs = tmp_path / "ours.lance", tmp_path / "theirs.lance"
    lance.write_dataset(source, str(theirs), data_storage_version=file_version)

    pyspark_lance.write(to_spark(spark, source, tmp_path), ours, fileVersion=file_version)

    assert_same_rows(source, lance.dataset(str(ours)).to_table())
    assert_same_rows(source, pyspark_lance.read(spark, theirs))


@pytest.mark.parametrize(
    ("arrow", "sql"),
    [
        (pa.uint8(), "smallint"),
        (pa.uint16(), "int"),
        (pa.uint32(), "bigint"),
        (pa.uint64(), "decimal(20,0)"),
        (pa.int8(), "tinyint"),
        (pa.float32(), "float"),
        (pa.decimal128(12, 3), "decimal(12,3)"),
        (pa.large_string(), "string"),
        (pa.binary(4), "binary"),
        (pa.date64(), "date"),
        (pa.timestamp("ms", "UTC"), "timestamp"),
        (pa.timestamp("ns"), "timestamp_ntz"),
        (pa.list_(pa.float32(), 4), "array<float>"),
        (pa.struct([("a", pa.int16())]), "struct<a:smallint>"),
    ],
    ids=str,
)
def test_types_have_a_counterpart_in_spark(spark, tmp_path, arrow, sql):
    path = tmp_path / "table.lance"
    lance.write_dataset(pa.table({"c": pa.nulls(3, arrow)}), str(path))

    assert dict(pyspark_lance.read(spark, path).dtypes) == {"c": sql}


def test_nanoseconds_are_truncated_to_microseconds(spark, tmp_path, file_version):
    nanoseconds = pa.array([-1, 0, 1, 999, 1000, 1_600_000_000_123_456_789, None], pa.int64())
    path = tmp_path / "table.lance"
    table = pa.table({"t": nanoseconds.cast(pa.timestamp("ns"))})
    lance.write_dataset(table, str(path), data_storage_version=file_version)

    micros = to_arrow(pyspark_lance.read(spark, path))["t"].cast(pa.int64()).to_pylist()

    assert micros == [-1, 0, 0, 0, 1, 1_600_000_000_123_456, None]
