# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Files of version 2.3, which is unstable: pylance reads what Spark writes and appends."""

from random import Random

import lance
import pyarrow as pa
import pytest
from kit.exchange import assert_same_rows, to_spark
from kit.values import LEAVES, NESTED, Draw, patterns_table

import pyspark_lance

KINDS = LEAVES | NESTED


@pytest.mark.parametrize("name", KINDS)
def test_pylance_reads_every_type_and_null_pattern(spark, tmp_path, name):
    source, path = patterns_table(KINDS[name], 1500, seed=name), tmp_path / "table.lance"

    pyspark_lance.write(to_spark(spark, source, tmp_path), path, fileVersion="next")

    dataset = lance.dataset(str(path))
    dataset.validate()
    assert dataset.data_storage_version == "2.3"
    assert_same_rows(source, dataset.to_table())
    assert_same_rows(source, pyspark_lance.read(spark, path))
    rows = [0, 7, 750, 1499]
    assert_same_rows(source.take(rows), dataset.take(rows))


def special_columns(rows):
    """Columns that get a page of each form."""
    numbers, random = range(rows), Random(rows)
    return pa.table(
        {
            "one_value": pa.array([7] * rows, pa.int32()),
            "one_value_or_null": pa.array([None if i == 50 else 7 for i in numbers], pa.int64()),
            "true_or_null": pa.array([None if i % 2 else True for i in numbers]),
            "one_decimal": pa.array([None] + [1] * (rows - 1), pa.decimal128(30, 2)),
            "one_text": pa.array(["the same"] * rows),
            "nulls": pa.array([None] * rows, pa.int32()),
            "null_lists": pa.array([None if i % 3 else [] for i in numbers], pa.list_(pa.int32())),
            "one_in_lists": pa.array(
                [None if i % 9 == 0 else [1] * (i % 4) for i in numbers], pa.list_(pa.int8())
            ),
            "few_lists": pa.array(
                [[i, None, i + 1] if i % 1000 == 3 else [] for i in numbers], pa.list_(pa.int64())
            ),
            "few_wide": pa.array(
                [f"{i}" * 100 if i % 97 == 0 else None for i in numbers], pa.string()
            ),
            "keys": pa.array([random.randbytes(10) for _ in numbers]),
            "codes": pa.array([random.randbytes(random.randrange(1, 30)) for _ in numbers]),
            "runs_of_nulls": pa.array([None if i // 900 % 2 else i for i in numbers]),
            "few_structs": pa.array(
                [{"a": [{"b": i}]} if i % 500 == 1 else None for i in numbers],
                pa.struct([("a", pa.list_(pa.struct([("b", pa.int32())])))]),
            ),
        }
    )


@pytest.mark.parametrize("rows", [1, 1000, 70_000])
def test_pages_of_every_layout(spark, tmp_path, rows):
    source, path = special_columns(rows), tmp_path / "table.lance"

    pyspark_lance.write(to_spark(spark, source, tmp_path), path, fileVersion="2.3")

    dataset = lance.dataset(str(path))
    dataset.validate()
    assert_same_rows(source, dataset.to_table())
    assert_same_rows(source, pyspark_lance.read(spark, path))
    some = sorted({0, rows // 3, rows - 1})
    assert_same_rows(source.take(some), dataset.take(some))


@pytest.mark.parametrize("name", ["int32", "string", "list_struct", "struct_list_struct"])
def test_columns_that_are_configured_as_sparse(spark, tmp_path, name):
    source, path = patterns_table(KINDS[name], 1500, seed=name), tmp_path / "table.lance"
    asked = {f"column.{c}.structural-encoding": "sparse" for c in source.column_names}

    to_spark(spark, source, tmp_path).write.format("lance").options(
        fileVersion="2.3", **asked
    ).save(str(path))

    dataset = lance.dataset(str(path))
    assert dataset.schema.field(0).metadata[b"lance-encoding:structural-encoding"] == b"sparse"
    assert_same_rows(source, dataset.to_table())
    assert_same_rows(source, pyspark_lance.read(spark, path))


def test_appends_to_tables_of_pylance_and_back(spark, tmp_path):
    first, second, third = (
        pa.table({n: Draw(f"{seed} {n}").column(k, 300) for n, k in KINDS.items()})
        for seed in "abc"
    )
    path = tmp_path / "table.lance"
    lance.write_dataset(first, str(path), data_storage_version="next")

    pyspark_lance.write(to_spark(spark, second, tmp_path), path, mode="append")
    lance.write_dataset(third, str(path), mode="append")

    dataset = lance.dataset(str(path))
    assert dataset.data_storage_version == "2.3"
    assert_same_rows(pa.concat_tables([first, second, third]), dataset.to_table())
    assert_same_rows(dataset.to_table(), pyspark_lance.read(spark, path))
