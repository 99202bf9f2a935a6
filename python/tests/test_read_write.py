# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`read` and `write` by path: save modes, options, versions, partitions."""

import lance
import pyarrow as pa
import pytest
from kit.exchange import assert_same_rows
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

import pyspark_lance


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.lance"


def ids(frame):
    return sorted(row.id for row in frame.collect())


def test_the_default_mode_creates_a_table(spark, path):
    pyspark_lance.write(spark.range(5), path)
    assert ids(pyspark_lance.read(spark, path)) == [0, 1, 2, 3, 4]


def test_the_default_mode_rejects_an_existing_table(spark, path):
    pyspark_lance.write(spark.range(5), path)

    with pytest.raises(Exception, match="already exists") as error:
        pyspark_lance.write(spark.range(7), path)

    assert path.name in str(error.value)
    assert lance.dataset(str(path)).version == 1


def test_append_adds_a_version_with_more_rows(spark, path):
    pyspark_lance.write(spark.range(5), path)
    pyspark_lance.write(spark.range(5, 8), path, mode="append")
    assert ids(pyspark_lance.read(spark, path)) == list(range(8))
    assert lance.dataset(str(path)).version == 2


def test_append_creates_a_missing_table(spark, path):
    pyspark_lance.write(spark.range(3), path, mode="append")
    assert ids(pyspark_lance.read(spark, path)) == [0, 1, 2]


def test_overwrite_replaces_the_rows(spark, path):
    pyspark_lance.write(spark.range(5), path)
    pyspark_lance.write(spark.range(7, 9), path, mode="overwrite")
    assert ids(pyspark_lance.read(spark, path)) == [7, 8]
    assert ids(pyspark_lance.read(spark, path, version=1)) == [0, 1, 2, 3, 4]
    assert lance.dataset(str(path)).to_table()["id"].to_pylist() == [7, 8]


def test_overwrite_replaces_the_columns_only_on_request(spark, path):
    pyspark_lance.write(spark.range(5), path)
    other = spark.createDataFrame([("a",)], "name string")

    with pytest.raises(AnalysisException):
        pyspark_lance.write(other, path, mode="overwrite")
    pyspark_lance.write(other, path, mode="overwrite", overwrite_schema=True)

    assert pyspark_lance.read(spark, path).collect() == [("a",)]
    assert lance.dataset(str(path)).to_table().to_pylist() == [{"name": "a"}]
    assert ids(pyspark_lance.read(spark, path, version=1)) == [0, 1, 2, 3, 4]


def test_a_table_may_be_overwritten_with_its_own_rows(spark, path):
    pyspark_lance.write(spark.range(5), path)
    pyspark_lance.write(pyspark_lance.read(spark, path).where("id > 2"), path, mode="overwrite")
    assert ids(pyspark_lance.read(spark, path)) == [3, 4]


def test_ignore_keeps_an_existing_table(spark, path):
    pyspark_lance.write(spark.range(2), path, mode="ignore")
    pyspark_lance.write(spark.range(9), path, mode="ignore")
    assert ids(pyspark_lance.read(spark, path)) == [0, 1]
    assert lance.dataset(str(path)).version == 1


def test_versions_can_be_read_by_both_option_names(spark, path):
    pyspark_lance.write(spark.range(1), path)
    pyspark_lance.write(spark.range(1, 2), path, mode="append")
    assert pyspark_lance.read(spark, path, version=1).count() == 1
    assert pyspark_lance.read(spark, path, version_as_of=1).count() == 1
    assert pyspark_lance.read(spark, path).count() == 2


def test_the_option_sets_the_file_version(spark, path, file_version):
    pyspark_lance.write(spark.range(1), path, data_storage_version=file_version)
    assert lance.dataset(str(path)).data_storage_version == file_version


def test_the_option_limits_the_rows_of_a_file(spark, path):
    pyspark_lance.write(spark.range(1000).coalesce(1), path, max_rows_per_file=300)
    fragments = lance.dataset(str(path)).get_fragments()
    assert [f.count_rows() for f in fragments] == [300, 300, 300, 100]


def test_splits_follow_the_options(spark, path):
    numbers = spark.range(1_000_000).selectExpr("hash(id) AS id")  # which do not shrink
    pyspark_lance.write(numbers.coalesce(1), path)
    whole = pyspark_lance.read(spark, path, min_partition_num=1)
    parts = pyspark_lance.read(spark, path, split_size=500_000)
    assert whole.rdd.getNumPartitions() == 1
    assert parts.rdd.getNumPartitions() > 3
    assert parts.agg(F.sum("id")).first() == whole.agg(F.sum("id")).first()


def test_the_default_file_version_is_that_of_pylance(spark, path, tmp_path):
    theirs = lance.write_dataset(pa.table({"id": [1]}), str(tmp_path / "theirs.lance"))
    pyspark_lance.write(spark.range(1), path)
    assert lance.dataset(str(path)).data_storage_version == theirs.data_storage_version


def test_columns_are_returned_in_the_selected_order(spark, path):
    frame = spark.range(3).select("id", (F.col("id") * 2).alias("b"), F.lit("x").alias("c"))
    pyspark_lance.write(frame, path)
    picked = pyspark_lance.read(spark, path).select("c", "id")
    assert picked.orderBy("id").collect() == [("x", 0), ("x", 1), ("x", 2)]


def test_only_selected_columns_are_read(spark, path):
    frame = spark.range(3).select("id", F.lit(1).alias("other"))
    pyspark_lance.write(frame, path)
    plan = pyspark_lance.read(spark, path).select("id")._jdf.queryExecution().toString()
    scan = next(line for line in plan.splitlines() if "BatchScan" in line)
    assert "id#" in scan
    assert "other#" not in scan


def test_counting_reads_no_data_file(spark, path):
    pyspark_lance.write(spark.range(1000), path)
    for file in (path / "data").iterdir():
        file.unlink()
    assert pyspark_lance.read(spark, path).count() == 1000


def test_every_partition_becomes_rows_of_one_version(spark, path):
    pyspark_lance.write(spark.range(10_000).repartition(5), path)
    dataset = lance.dataset(str(path))
    assert dataset.version == 1
    assert_same_rows(spark.range(10_000), dataset.to_table(), sort_by="id")


def test_many_batches_and_pages(spark, path, file_version):
    frame = spark.range(300_000).select(
        "id",
        (F.col("id") % 7).cast("int").alias("few"),
        F.concat(F.lit("row "), "id").alias("text"),
        F.when(F.col("id") % 11 != 0, F.col("id") / 3).alias("third"),
    )
    pyspark_lance.write(frame, path, fileVersion=file_version)
    dataset = lance.dataset(str(path))
    dataset.validate()
    assert_same_rows(frame, dataset.to_table(), sort_by="id")
    assert_same_rows(frame, pyspark_lance.read(spark, path), sort_by="id")


def test_a_column_may_be_selected_twice_and_none_at_all(spark, path):
    pyspark_lance.write(spark.range(4), path)
    frame = pyspark_lance.read(spark, path)
    assert frame.select("id", F.col("id").alias("again")).orderBy("id").collect()[3] == (3, 3)
    assert len(frame.select(F.lit(1)).collect()) == 4


def test_spark_expressions_work_on_what_is_read(spark, path):
    pyspark_lance.write(spark.range(100), path)
    frame = pyspark_lance.read(spark, path)
    assert frame.where("id % 10 = 3").count() == 10
    assert frame.agg(F.sum("id")).collect() == [(4950,)]
    assert frame.join(frame.withColumnRenamed("id", "j"), F.col("id") == F.col("j")).count() == 100


@pytest.mark.parametrize("name", ["with space", "a.b", "naïve", "a'b", "percent%20"])
def test_any_name_of_a_folder(spark, tmp_path, name):
    path = tmp_path / name
    pyspark_lance.write(spark.range(2), path)
    assert ids(pyspark_lance.read(spark, path)) == [0, 1]
    assert lance.dataset(str(path)).count_rows() == 2


@pytest.mark.parametrize("name", ["with space", "UPPER", "naïve", "back`tick", "日本"])
def test_any_name_of_a_column(spark, path, name):
    pyspark_lance.write(spark.range(2).toDF(name), path)
    assert pyspark_lance.read(spark, path).columns == [name]
    assert sorted(r[0] for r in pyspark_lance.read(spark, path).collect()) == [0, 1]


def test_a_dot_in_the_name_of_a_column_is_rejected(spark, path):
    with pytest.raises(AnalysisException, match=r'"a\.b" contains a dot'):
        pyspark_lance.write(spark.range(2).toDF("a.b"), path)
    assert not path.exists() or not list(path.rglob("*.manifest"))


def test_an_empty_dataframe_keeps_its_schema(spark, path):
    pyspark_lance.write(spark.range(0).select("id", F.lit("x").alias("s")), path)
    assert pyspark_lance.read(spark, path).collect() == []
    assert lance.dataset(str(path)).schema.names == ["id", "s"]


def test_a_separate_session_reads_the_same(spark, path):
    pyspark_lance.write(spark.range(3), path)
    assert ids(pyspark_lance.read(spark.newSession(), path)) == [0, 1, 2]


def test_a_users_catalog_named_lance_does_not_capture_paths(spark, path):
    session = spark.newSession()
    session.conf.set("spark.sql.catalog.lance", "org.example.NoSuchCatalog")
    pyspark_lance.write(session.range(3), path)
    assert ids(pyspark_lance.read(session, path)) == [0, 1, 2]
