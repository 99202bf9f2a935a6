# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Errors have Python classes with the fields of the JVM, on classic Spark and Connect."""

import pickle

import lance
import numpy as np
import pyarrow as pa
import pytest
from kit.lines import LINE
from pyspark.errors import AnalysisException, PySparkException
from pyspark.errors.exceptions import connect as exceptions

import pyspark_lance
from pyspark_lance import (
    CommitConflictError,
    ConnectorNotLoadedError,
    CorruptFileError,
    InvalidRequestError,
    JarMismatchError,
    LanceError,
    LanceTable,
    NotFoundError,
    StorageError,
    UnsupportedFeatureError,
    errors_translated,
)
from pyspark_lance.exceptions import translate
from pyspark_lance.progress import is_connect


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.lance"


@pytest.fixture
def table(path):
    return lance.write_dataset(pa.table({"id": range(5000)}), str(path))


def test_a_missing_table_by_path(any_spark, path):
    path.mkdir()
    with pytest.raises(NotFoundError, match="there is no Lance table at") as caught:
        pyspark_lance.read(any_spark, path)
    error = caught.value
    assert (error.path, error.what, error.condition) == (str(path), "table", "PATH_NOT_FOUND")
    assert isinstance(error, AnalysisException) and isinstance(error, LanceError)
    assert f'pyspark_lance.write(df, "{path}")' in error.message
    assert error.getCondition() == "PATH_NOT_FOUND"


def test_other_formats_keep_spark_messages(any_spark, path):
    with pytest.raises(NotFoundError, match="PATH_NOT_FOUND") as caught, errors_translated():
        _ = any_spark.read.parquet(str(path)).schema
    assert caught.value.what == "path"
    assert "Lance table" not in caught.value.message
    with pytest.raises(Exception, match="nosuchformat") as unknown, errors_translated():
        _ = any_spark.read.format("nosuchformat").load(str(path)).schema
    assert not isinstance(unknown.value, LanceError)


def test_a_missing_table_by_name(any_spark):
    with pytest.raises(NotFoundError, match="TABLE_OR_VIEW_NOT_FOUND"):
        pyspark_lance.read(any_spark, "lance.nowhere.people")


def test_a_missing_version_or_tag(any_spark, path, table):
    with pytest.raises(NotFoundError, match="version 9") as caught:
        pyspark_lance.read(any_spark, path, version=9)
    assert str(path) in caught.value.path
    assert caught.value.condition == "LANCE_NOT_FOUND"
    with pytest.raises(NotFoundError, match="nightly"):
        pyspark_lance.read(any_spark, path, tag="nightly")


def test_an_invalid_request(any_spark, path):
    with pytest.raises(InvalidRequestError, match="maxRowsPerFile") as caught:
        pyspark_lance.write(any_spark.range(1), path, max_rows_per_fil=1)
    assert caught.value.getCondition() == "LANCE_INVALID_REQUEST"


@pytest.mark.skipif(LINE < (4, 0), reason="PySpark 3.5 calls it getErrorClass")
def test_spark_errors_have_conditions_without_this_package(any_spark, path, table):
    with pytest.raises(AnalysisException) as caught:
        any_spark.read.format("lance").option("version", 9).load(str(path)).count()
    assert caught.value.getCondition() == "LANCE_NOT_FOUND"
    assert str(path) in caught.value.getMessageParameters()["path"]


def test_a_damaged_manifest(any_spark, path, table):
    (manifest,) = (path / "_versions").glob("*.manifest")
    manifest.write_bytes(manifest.read_bytes()[:-20])
    with pytest.raises(CorruptFileError, match=manifest.name) as caught:
        pyspark_lance.read(any_spark, path)
    assert caught.value.path.endswith(manifest.name)


def test_a_damaged_file_in_a_task(any_spark, path, table):
    (file,) = (path / "data").iterdir()
    file.write_bytes(file.read_bytes()[:100])
    rows = pyspark_lance.read(any_spark, path)
    with pytest.raises(CorruptFileError, match=file.name) as caught:
        pyspark_lance.to_arrow(rows)
    assert caught.value.path.endswith(file.name)
    assert "\n" not in caught.value.message
    with pytest.raises(CorruptFileError), errors_translated():
        rows.collect()


def test_failing_storage(any_spark, tmp_path):
    (tmp_path / "file").write_bytes(b"1")
    paths = {
        str(tmp_path / "file" / "t.lance"): "a file exists where a folder is expected",
        str(tmp_path / ("x" * 300 + ".lance")): "at most 255 bytes",
        "s3://bucket/t.lance": "org.apache.hadoop:hadoop-aws:3",
    }
    for path, advice in paths.items():
        with pytest.raises(StorageError, match=f"(?i){advice}") as caught:
            pyspark_lance.write(any_spark.range(1), path)
        assert caught.value.condition == "LANCE_STORAGE"
        assert "\n" not in caught.value.message


def test_a_vector_of_the_wrong_length(any_spark, path):
    pyspark_lance.write({"v": np.zeros((1, 2), np.float32)}, path, spark=any_spark)
    rows = any_spark.sql("SELECT array(1f, 2f, 3f) AS v")
    with pytest.raises(InvalidRequestError, match=r"3 items in a vector column.*have 2") as caught:
        pyspark_lance.write(rows, path, "append")
    assert caught.value.column == "v"


def test_columns_that_the_table_lacks(any_spark, path, table):
    rows = any_spark.sql("SELECT 1L AS id, 2 AS extra")
    with pytest.raises(InvalidRequestError, match=r"extra.*mergeSchema") as caught:
        pyspark_lance.write(rows, path, "append")
    assert caught.value.condition == "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS"
    pyspark_lance.write(rows, path, "append", merge_schema=True)


def test_a_wrong_path_has_the_same_message_everywhere(any_spark, path):
    for call in (pyspark_lance.read, LanceTable.forPath, pyspark_lance.lance_table):
        with pytest.raises(NotFoundError, match="there is no Lance table at") as caught:
            call(any_spark, str(path))
        assert (caught.value.path, caught.value.condition) == (str(path), "PATH_NOT_FOUND")


def test_invalid_versions(any_spark, path, table):
    with pytest.raises(InvalidRequestError, match="the first is 1"):
        pyspark_lance.read(any_spark, path, version=0)
    with (
        pytest.raises(InvalidRequestError, match="versions are counted from 1"),
        errors_translated(),
    ):
        any_spark.sql(f"SELECT * FROM lance.`{path}` VERSION AS OF 0").collect()
    ours = pyspark_lance.LanceTable.forPath(any_spark, path)
    for call in (
        lambda n: pyspark_lance.read(any_spark, f"lance.`{path}`", version=n),
        lambda n: pyspark_lance.lance_table(any_spark, path, version=n),
        ours.restoreToVersion,
        lambda n: ours.tags.create("t", n),
    ):
        with pytest.raises(InvalidRequestError, match="no version -1: the first is 1"):
            call(-1)
        with pytest.raises(TypeError, match="True names no version"):
            call(True)
    with pytest.raises(NotFoundError, match="the earliest remaining one is version 1 of 20"):
        pyspark_lance.read(any_spark, path, timestamp_as_of="2001-01-01")


def test_invalid_names(any_spark):
    for name, words in (("a\\b", "slash, backslash"), ("x" * 300, "255 at most")):
        with pytest.raises(InvalidRequestError, match=words):
            pyspark_lance.write(any_spark.range(1), f"lance.`{name}`")


def test_vacuum_of_tagged_versions_suggests_a_remedy(any_spark, path, table):
    tagged = LanceTable.forPath(any_spark, path)
    tagged.tags.create("kept", 1)
    tagged.delete("id > 3")
    with pytest.raises(InvalidRequestError, match=r"kept \(version 1\).*DROP TAG"):
        tagged.vacuum(retentionHours=0)


def test_an_unsupported_type(any_spark, path):
    rows = any_spark.sql("SELECT make_interval(1, 2) AS i")
    with pytest.raises((UnsupportedFeatureError, AnalysisException), match=r"INTERVAL|interval"):
        pyspark_lance.write(rows, path)


def test_other_errors_are_unchanged(any_spark):
    with pytest.raises(PySparkException) as caught, errors_translated():
        any_spark.sql("SELECT nothing").collect()
    assert not isinstance(caught.value, LanceError)
    with pytest.raises(ZeroDivisionError), errors_translated():
        print(1 / 0)


def test_a_session_without_the_connector(any_spark, path, monkeypatch):
    monkeypatch.setattr("pyspark_lance.handle.EXTENSIONS_CLASS", "of.another.Connector")
    there = "Spark Connect server has no Lance connector. Start it with\n    --jars"
    here = "pyspark_lance.configure(SparkSession.builder)"
    with pytest.raises(ConnectorNotLoadedError) as caught:
        LanceTable.forPath(any_spark, path)
    assert (there if is_connect(any_spark) else here) in caught.value.message
    # PySpark 3.5 has the class of its base alone.
    kind = getattr(exceptions, "UnknownException", exceptions.SparkConnectGrpcException)
    unknown = kind("[DATA_SOURCE_NOT_FOUND] Failed to find the data source: lance.")
    assert there in str(translate(unknown))


def test_a_failed_task_is_recognized_by_its_message():
    text = (
        "Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times, most recent "
        "failure: Lost task 0.0 (TID 1): io.github.pysparklance.core.CorruptFileException: "
        '/d/t/x.lance: column "a.b", page 2, byte 81920: corrupt file: odd\n\tat a.B.c(B.scala:1)'
    )
    error = translate(PySparkException(text))
    assert isinstance(error, CorruptFileError)
    assert (error.path, error.column, error.page) == ("/d/t/x.lance", "a.b", 2)
    assert error.parameters["offsetBytes"] == "81920"
    assert error.message.endswith("corrupt file: odd")


def test_a_driver_error_on_connect_is_recognized_by_its_message():
    text = "(io.github.pysparklance.core.CommitConflictException) version 7: others came first"
    error = translate(PySparkException(text))
    assert isinstance(error, CommitConflictError)
    assert error.version == 7
    assert not error.retryable


def test_a_conflict_has_its_fields_and_can_be_pickled():
    fields = {"path": "/t", "conflictingVersion": "8", "retryable": "true"}
    error = pickle.loads(pickle.dumps(CommitConflictError("late", parameters=fields)))
    assert (error.path, error.conflicting_version, error.retryable) == ("/t", 8, True)
    assert str(error) == error.getMessage() == error.message == "late"
    assert error.getMessageParameters() == fields
    assert error.getCondition() == "LANCE_COMMIT_CONFLICT"


def test_a_jar_of_another_spark_is_named():
    text = (
        "java.lang.NoSuchMethodError: 'void org.apache.spark.X.y()'\n"
        "\tat io.github.pysparklance.spark.LanceDataSource.z"
    )
    error = translate(PySparkException(text))
    assert isinstance(error, JarMismatchError)
    assert "void org.apache.spark.X.y()" in str(error)
    assert "pyspark_lance.configure(SparkSession.builder)" in str(error)
