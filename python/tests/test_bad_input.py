# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Rejected requests: the message names path and cause, and the table does not change."""

import random

import lance
import pyarrow as pa
import pytest
from kit.lines import LINE
from pyspark.errors import PySparkException

import pyspark_lance


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.lance"


@pytest.fixture
def table(path):
    """A table of one fragment that pylance wrote."""
    return lance.write_dataset(pa.table({"id": range(5000), "s": ["text"] * 5000}), path)


def refused(action, *words, sparks=()):
    """Runs an action that must fail, with all the words in its message.

    `sparks` are internal errors that Spark itself raises.
    """
    with pytest.raises(Exception) as error:
        action()
    message = str(error.value)
    for word in words:
        assert str(word) in message, f"{word!r} is not in:\n{message}"
    for internal in ("NullPointerException", "IndexOutOfBounds", "NoSuchElement", "MatchError"):
        assert internal in sparks or internal not in message
    return message


def data_file(path):
    (file,) = (path / "data").iterdir()
    return file


def files(path):
    return {f.relative_to(path): f.read_bytes() for f in path.rglob("*") if f.is_file()}


def test_a_missing_folder(spark, path):
    refused(lambda: pyspark_lance.read(spark, path), path)


def test_a_folder_without_a_table(spark, path):
    path.mkdir()
    (path / "notes.txt").write_text("not a table")
    refused(lambda: pyspark_lance.read(spark, path), path)


def test_a_file_instead_of_a_table(spark, path):
    path.write_text("not a table")
    refused(lambda: pyspark_lance.read(spark, path), path)


def test_a_folder_of_parquet(spark, path):
    spark.range(3).write.parquet(str(path))
    refused(lambda: pyspark_lance.read(spark, path), path)


def test_no_path(spark):
    refused(lambda: spark.read.format("lance").load(), "path")


def test_a_missing_version(spark, path, table):
    refused(lambda: pyspark_lance.read(spark, path, version=9), path, "9")


@pytest.mark.parametrize("version", ["latest", "-1", "1.5"])
def test_a_version_that_is_not_a_number(spark, path, table, version):
    refused(lambda: pyspark_lance.read(spark, path, version=version), "version", version)


@pytest.mark.parametrize("keep", [0, 1, 7, 0.3, 0.9, -1], ids=str)
def test_a_truncated_data_file(spark, path, table, keep):
    file = data_file(path)
    content = file.read_bytes()
    file.write_bytes(content[: keep if isinstance(keep, int) else int(len(content) * keep)])
    refused(lambda: pyspark_lance.read(spark, path).collect(), file.name)


def test_a_missing_data_file(spark, path, table):
    file = data_file(path)
    file.unlink()
    refused(lambda: pyspark_lance.read(spark, path).collect(), file.name)


def test_a_foreign_file_instead_of_a_data_file(spark, path, table):
    file = data_file(path)
    file.write_bytes(b"PAR1" + bytes(1000) + b"PAR1")
    refused(lambda: pyspark_lance.read(spark, path).collect(), file.name)


@pytest.mark.parametrize("seed", range(20))
def test_a_data_file_with_flipped_bytes_returns_rows_or_a_clear_error(spark, path, table, seed):
    file = data_file(path)
    content = bytearray(file.read_bytes())
    draw = random.Random(seed)
    for _ in range(3):
        # the tail holds the metadata, where damage can do most
        content[-draw.randrange(1, min(len(content), 1200))] ^= draw.randrange(1, 256)
    file.write_bytes(content)
    try:
        assert len(pyspark_lance.read(spark, path).collect()) >= 0
    except Exception as error:
        message = str(error)
        assert file.name in message
        assert "OutOfMemory" not in message
        assert "IndexOutOfBounds" not in message


@pytest.mark.parametrize("keep", [0, 3, 0.5], ids=str)
def test_a_truncated_manifest(spark, path, table, keep):
    (manifest,) = (path / "_versions").glob("*.manifest")
    content = manifest.read_bytes()
    manifest.write_bytes(content[: keep if isinstance(keep, int) else int(len(content) * keep)])
    refused(lambda: pyspark_lance.read(spark, path).count(), manifest.name)


def test_an_unknown_feature_flag(spark, path, table):
    set_reader_flag(path, 1 << 40)
    refused(lambda: pyspark_lance.read(spark, path), path, "feature", str(1 << 40))


def test_a_missing_column(spark, path):
    pyspark_lance.write(spark.range(3), path)
    before = files(path)
    more = spark.range(3).selectExpr("id", "'x' as surprise")
    refused(lambda: pyspark_lance.write(more, path, mode="append"), "surprise")
    assert files(path) == before


def test_a_column_of_another_type(spark, path):
    pyspark_lance.write(spark.range(3), path)
    before = files(path)
    other = spark.sql("select array(1, 2) as id")
    refused(lambda: pyspark_lance.write(other, path, mode="append"), "id")
    assert files(path) == before


def test_a_null_in_a_not_null_column(spark, path):
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False)])
    lance.write_dataset(pa.table({"id": [1, 2]}, schema=schema), path)
    nulls = spark.sql("select cast(null as bigint) as id")
    before_40 = ("NullPointerException",) if LINE < (4, 0) else ()
    refused(lambda: pyspark_lance.write(nulls, path, mode="append"), "id", sparks=before_40)
    assert lance.dataset(path).version == 1


@pytest.mark.parametrize("version", ["9.9", "parquet", ""])
def test_an_unknown_file_version(spark, path, version):
    refused(lambda: pyspark_lance.write(spark.range(1), path, fileVersion=version), "ersion")
    assert not path.exists()


def test_an_unknown_mode(spark, path):
    with pytest.raises(PySparkException, match="sideways"):
        pyspark_lance.write(spark.range(1), path, mode="sideways")
    assert not path.exists()


@pytest.mark.parametrize("sql", ["make_interval(1, 2)", "named_struct('m', make_interval(1, 2))"])
def test_an_unsupported_type_of_column(spark, path, sql):
    problem = '"INTERVAL" type' if LINE >= (4, 0) else "interval type in the table schema"
    refused(lambda: pyspark_lance.write(spark.sql(f"select {sql} as c"), path), problem)
    assert not path.exists()


def test_a_failed_task_leaves_nothing_visible(spark, path):
    pyspark_lance.write(spark.range(3), path)
    failing = spark.range(0, 50_000, 1, 4).selectExpr(
        "if(id = 49000, raise_error('planned failure'), id) as id"
    )
    refused(lambda: pyspark_lance.write(failing, path, mode="append"), "planned failure")
    dataset = lance.dataset(path)
    assert dataset.version == 1
    assert dataset.count_rows() == 3


def test_a_failed_first_write_leaves_no_table(spark, path):
    failing = spark.range(10).selectExpr("raise_error('planned failure') as id")
    refused(lambda: pyspark_lance.write(failing, path), "planned failure")
    refused(lambda: pyspark_lance.read(spark, path), path)
    pyspark_lance.write(spark.range(2), path)
    assert pyspark_lance.read(spark, path).count() == 2


def set_reader_flag(path, flag):
    """Rewrites the manifest with one more reader feature flag.

    A manifest ends with the message, the position of its length, two version numbers and "LANC".
    """
    (manifest,) = (path / "_versions").glob("*.manifest")
    content = manifest.read_bytes()
    position = int.from_bytes(content[-16:-8], "little")
    size = int.from_bytes(content[position : position + 4], "little")
    message = content[position + 4 : position + 4 + size]
    message += varint(9 << 3) + varint(flag)  # Manifest.reader_feature_flags; the last one counts
    body = len(message).to_bytes(4, "little") + message
    manifest.write_bytes(content[:position] + body + content[-16:])


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
