# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Changes of a table by pylance, as Spark reads them, and appends by both."""

from decimal import Decimal

import lance
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from kit.exchange import assert_same_rows, to_spark
from kit.values import Draw

import pyspark_lance

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("name", pa.string()),
        ("tags", pa.list_(pa.string())),
        ("point", pa.struct([("x", pa.float64()), ("y", pa.float64())])),
    ]
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.lance"


def rows(start, count):
    """Rows with ids from `start`; the other columns are drawn, with nulls."""
    table = Draw(start).table(SCHEMA, count)
    return table.set_column(0, "id", pa.array(range(start, start + count), pa.int64()))


def assert_read_alike(spark, dataset, **options):
    """Spark's rows are pylance's rows, in the same order."""
    found = pyspark_lance.read(spark, dataset.uri, **options)
    assert_same_rows(dataset.to_table(), found)
    assert found.count() == dataset.count_rows()


def test_several_fragments(spark, path, file_version):
    dataset = lance.write_dataset(
        rows(0, 2500), path, max_rows_per_file=700, data_storage_version=file_version
    )
    assert len(dataset.get_fragments()) == 4
    assert_read_alike(spark, dataset)


@pytest.mark.parametrize("predicate", ["id < 3", "id % 2 = 0", "id = 1999", "id >= 1000"])
def test_deleted_rows(spark, path, file_version, predicate):
    dataset = lance.write_dataset(
        rows(0, 2000), path, max_rows_per_file=1000, data_storage_version=file_version
    )
    dataset.delete(predicate)
    assert_read_alike(spark, dataset)


def test_deletions_stored_as_a_roaring_bitmap(spark, path):
    dataset = lance.write_dataset(pa.table({"id": range(30_000)}), path)
    dataset.delete("id % 3 = 1 or (id > 20000 and id < 24000)")
    assert [f.suffix for f in (path / "_deletions").iterdir()] == [".bin"]
    assert_read_alike(spark, dataset)


def test_deletions_stored_as_an_arrow_array(spark, path):
    dataset = lance.write_dataset(pa.table({"id": range(30_000)}), path)
    dataset.delete("id % 1000 = 7")
    assert [f.suffix for f in (path / "_deletions").iterdir()] == [".arrow"]
    assert_read_alike(spark, dataset)


def test_every_row_deleted(spark, path):
    dataset = lance.write_dataset(rows(0, 100), path)
    dataset.delete("true")
    assert_read_alike(spark, dataset)


def test_columns_added_later_are_in_separate_files(spark, path, file_version):
    dataset = lance.write_dataset(
        rows(0, 1000), path, max_rows_per_file=400, data_storage_version=file_version
    )
    dataset.add_columns({"twice": "id * 2"})
    dataset.delete("id % 5 = 0")
    dataset.add_columns({"label": "cast(id as string)"})
    assert {len(f.data_files()) for f in dataset.get_fragments()} == {3}
    assert_read_alike(spark, dataset)
    sums = pyspark_lance.read(spark, path).selectExpr("sum(twice)", "max(label)").first()
    table = dataset.to_table()
    assert sums == (pc.sum(table["twice"]).as_py(), pc.max(table["label"]).as_py())


def test_a_column_missing_in_a_fragment_is_null(spark, path):
    dataset = lance.write_dataset(rows(0, 50), path)
    dataset = lance.write_dataset(rows(50, 50).drop(["name", "point"]), path, mode="append")
    assert_read_alike(spark, dataset)
    assert pyspark_lance.read(spark, path).where("name is null and id >= 50").count() == 50


def test_a_column_added_without_data_is_null(spark, path):
    dataset = lance.write_dataset(rows(0, 20), path)
    dataset.add_columns(pa.field("later", pa.list_(pa.int32())))
    assert_read_alike(spark, dataset)


def test_columns_dropped_and_renamed(spark, path):
    dataset = lance.write_dataset(rows(0, 100), path)
    dataset.drop_columns(["tags"])
    dataset.alter_columns({"path": "name", "name": "title"})
    dataset.add_columns({"tags": "id + 1"})
    assert_read_alike(spark, dataset)


def test_rows_updated_and_merged(spark, path):
    dataset = lance.write_dataset(rows(0, 500), path, max_rows_per_file=200)
    dataset.update({"name": "'changed'"}, where="id % 7 = 0")
    dataset.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(
        rows(490, 20)
    )
    found = pyspark_lance.read(spark, path)
    assert_same_rows(dataset.to_table(), found, sort_by="id")
    assert found.count() == 510


def test_every_version_can_be_read(spark, path):
    dataset = lance.write_dataset(rows(0, 100), path)
    dataset.delete("id < 10")
    dataset = lance.write_dataset(rows(100, 50), path, mode="append")
    dataset = lance.write_dataset(rows(0, 5).select(["id"]), path, mode="overwrite")
    assert dataset.version == 4
    for version in range(1, 5):
        assert_read_alike(spark, dataset.checkout_version(version), version=version)
    assert_read_alike(spark, dataset)


def test_manifests_with_old_names(spark, path):
    dataset = lance.write_dataset(rows(0, 10), path, enable_v2_manifest_paths=False)
    for start in range(10, 110, 10):
        dataset = lance.write_dataset(rows(start, 10), path, mode="append")
    assert (path / "_versions" / "11.manifest").is_file()
    assert_read_alike(spark, dataset)
    assert_read_alike(spark, dataset.checkout_version(9), version=9)

    pyspark_lance.write(to_spark(spark, rows(110, 10), path.parent), path, mode="append")

    assert (path / "_versions" / "12.manifest").is_file()
    assert lance.dataset(path).count_rows() == 120


def test_compacted_table(spark, path):
    dataset = lance.write_dataset(rows(0, 1000), path, max_rows_per_file=100)
    dataset.delete("id % 4 = 0")
    dataset.optimize.compact_files(target_rows_per_fragment=600)
    assert_read_alike(spark, dataset)


def test_compressed_text(spark, path, file_version):
    words = Draw("text")
    text = [" ".join(words._string() for _ in range(6)) for _ in range(20_000)]
    few = [f"category {i % 9}" for i in range(20_000)]
    table = pa.table({"fsst": text, "dictionary": few, "constant": ["same"] * 20_000})
    dataset = lance.write_dataset(table, path, data_storage_version=file_version)
    assert_read_alike(spark, dataset)


def test_compressible_numbers(spark, path, file_version):
    count = 50_000
    index = np.arange(count)
    table = pa.table(
        {
            "sorted": index,
            "runs": (index // 1000).astype(np.int32),
            "small": (index % 13).astype(np.int64),
            "negative": (index % 13 - 6).astype(np.int16),
            "smooth": np.sin(index / 1000),
            "constant": np.full(count, 7, np.int64),
            "mostly_null": pa.array(index, mask=index % 100 != 0),
            "price": pa.array([Decimal(int(i) % 997) for i in index], pa.decimal128(15, 2)),
            "day": pa.array((index % 2500).astype(np.int32)).cast(pa.date32()),
        }
    )
    dataset = lance.write_dataset(table, path, data_storage_version=file_version)
    assert_read_alike(spark, dataset)


@pytest.mark.parametrize("null_every", [0, 5])
def test_embeddings(spark, path, file_version, null_every):
    count, size = 3000, 96
    values = np.random.default_rng(1).standard_normal(count * size).astype(np.float32)
    mask = pa.array(np.arange(count) % null_every == 0) if null_every else None
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(values), size, mask=mask)
    table = pa.table({"id": range(count), "vector": vectors})
    dataset = lance.write_dataset(table, path, data_storage_version=file_version)
    assert_read_alike(spark, dataset)


def test_large_values(spark, path, file_version):
    blobs = [bytes([i % 251]) * (i * 9973 % 300_000) for i in range(60)] + [None, b""]
    dataset = lance.write_dataset(
        pa.table({"id": range(62), "blob": blobs}), path, data_storage_version=file_version
    )
    assert_read_alike(spark, dataset)


def test_many_columns(spark, path):
    table = pa.table({f"c{i}": pa.array([i, None, i + 1], pa.int32()) for i in range(300)})
    dataset = lance.write_dataset(table, path)
    assert_read_alike(spark, dataset)
    assert pyspark_lance.read(spark, path).select("c250").collect() == [(250,), (None,), (251,)]


def test_spark_appends_to_a_table_of_pylance(spark, path, file_version, tmp_path):
    lance.write_dataset(rows(0, 100), path, data_storage_version=file_version)

    pyspark_lance.write(to_spark(spark, rows(100, 40), tmp_path), path, mode="append")

    dataset = lance.dataset(path)
    dataset.validate()
    assert dataset.version == 2
    assert dataset.data_storage_version == file_version
    assert dataset.schema == SCHEMA
    assert_same_rows(pa.concat_tables([rows(0, 100), rows(100, 40)]), dataset.to_table())
    assert_read_alike(spark, dataset)


def test_pylance_appends_to_a_table_of_spark(spark, path, file_version, tmp_path):
    first = to_spark(spark, rows(0, 100), tmp_path)
    pyspark_lance.write(first, path, fileVersion=file_version)

    dataset = lance.write_dataset(rows(100, 40), path, mode="append")

    dataset.validate()
    assert dataset.version == 2
    assert_same_rows(pa.concat_tables([rows(0, 100), rows(100, 40)]), dataset.to_table())
    assert_read_alike(spark, dataset)


def test_pylance_works_on_a_table_of_spark(spark, path, tmp_path):
    pyspark_lance.write(to_spark(spark, rows(0, 500), tmp_path), path)

    dataset = lance.dataset(path)
    dataset.delete("id % 3 = 0")
    dataset.add_columns({"more": "id * 10"})
    dataset.update({"name": "'new'"}, where="id = 1")
    dataset.create_scalar_index("id", "BTREE")

    assert dataset.to_table(filter="id = 100")["more"].to_pylist() == [1000]
    assert_read_alike(spark, dataset)


def test_appends_keep_the_types_of_the_table(spark, path):
    schema = pa.schema(
        [
            ("u", pa.uint32()),
            ("vector", pa.list_(pa.float32(), 2)),
            ("fixed", pa.binary(3)),
            ("large", pa.large_string()),
            ("ms", pa.timestamp("ms")),
        ]
    )
    row = {"u": 2**32 - 1, "vector": [1.5, 2.5], "fixed": b"abc", "large": "x", "ms": 5}
    lance.write_dataset(pa.Table.from_pylist([row], schema), path)

    pyspark_lance.write(pyspark_lance.read(spark, path), path, mode="append")

    dataset = lance.dataset(path)
    assert dataset.schema == schema
    first, second = dataset.to_table().to_pylist()
    assert first == second


def test_a_fixed_size_list_by_metadata(spark, path, file_version):
    frame = spark.createDataFrame([([1.0, 2.0, 3.0],), (None,)], "vector array<float>")
    frame = frame.withMetadata("vector", {"arrow.fixed-size-list.size": 3})

    pyspark_lance.write(frame.coalesce(1), path, fileVersion=file_version)

    dataset = lance.dataset(path)
    dataset.validate()
    assert dataset.schema.field("vector").type == pa.list_(pa.float32(), 3)
    assert dataset.to_table()["vector"].to_pylist() == [[1.0, 2.0, 3.0], None]
    assert_read_alike(spark, dataset)
