# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`LanceTable`: references, versions, reads, and changes, compared with pylance."""

import datetime
import time
from pathlib import Path

import lance
import pandas as pd
import pyarrow as pa
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType

from pyspark_lance import (
    CommitConflictError,
    CorruptFileError,
    InvalidRequestError,
    LanceTable,
    NotFoundError,
    blob_field,
    lance_table,
    read,
    write,
)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "table.lance")


@pytest.fixture
def table(any_spark, path):
    """Rows (0, 'n0') to (9, 'n9') in two fragments."""
    rows = any_spark.range(0, 10, 1, 2).selectExpr("id", "concat('n', id) AS name", "0 AS n")
    write(rows, path)
    return LanceTable.forPath(any_spark, path)


def column(frame, name="id"):
    return [row[name] for row in frame.collect()]


def ids(path, **at):
    return sorted(lance.dataset(path, **at).to_table(columns=["id"])["id"].to_pylist())


def counts(frame):
    row = frame.first()
    return row["num_updated_rows"], row["num_deleted_rows"], row["num_inserted_rows"]


def test_by_path_and_name(any_spark, table, path):
    assert not LanceTable.isLanceTable(any_spark, path + "x")
    assert LanceTable.isLanceTable(any_spark, path)
    assert LanceTable.forName(any_spark, f"lance.`{path}`").count_rows() == 10
    assert lance_table(any_spark, path).uri.endswith("table.lance")
    LanceTable.drop(any_spark, path + "x", ignore_not_found=True)
    with pytest.raises(NotFoundError):
        LanceTable.drop(any_spark, path + "x")
    for missing in (path + "x", "lance.nowhere"):
        with pytest.raises(NotFoundError):
            lance_table(any_spark, missing)
    with pytest.raises(TypeError, match="is a SparkSession, not str"):
        LanceTable.forPath(path, any_spark)
    with pytest.raises(TypeError, match="is a path or a name"):
        lance_table(any_spark, 3)


@pytest.mark.on("connect")
def test_rows(table, path):
    assert table.to_table(["id"], "id > 3", limit=2, offset=1).collect() == [(5,), (6,)]
    assert table.to_table({"x": "id * 2"}, F.col("id") == 4).collect() == [(8,)]
    extra = table.to_table(["id"], with_row_id=True, with_row_address=True).columns
    assert extra == ["id", "_rowid", "_rowaddr"]
    assert column(table.head(3)) == [0, 1, 2]
    assert (table.count_rows(), table.count_rows("id < 3")) == (10, 3)
    assert table.to_table([]).count() == 10
    assert table.to_table([]).columns == table.take([1], []).columns == []
    table.delete("id = 2")
    assert column(table.take([7, 2, 7], ["id"])) == [8, 3, 8]
    theirs = lance.dataset(path).take([7, 2, 7], columns=["id"])["id"].to_pylist()
    assert theirs == [8, 3, 8]
    address = column(table.toDF().where("id = 9").select("_rowaddr"), "_rowaddr")
    assert column(table.take(addresses=address)) == [9]
    assert table.take([]).collect() == []
    with pytest.raises(NotFoundError, match="has 9 rows, but none at the positions 9, -1,"):
        table.take([2, 9, -1])
    drawn = column(table.sample(4, seed=1))
    assert len(set(drawn)) == 4
    assert drawn == column(table.sample(4, seed=1))
    assert len(table.sample(100).collect()) == 9
    assert table.slice(2, 4, ["id"]).collect() == [(3,), (4,)]
    assert table.slice(3, 3).collect() == []
    with pytest.raises(ValueError, match="not a range"):
        table.slice(4, 3)
    with pytest.raises(ValueError, match="one of indices, ids and addresses"):
        table.take([1], ids=[2])
    assert isinstance(table.to_pandas(columns=["id"]), pd.DataFrame)
    assert table.to_arrow(limit=1).equals(lance.dataset(path).to_table(limit=1))


@pytest.mark.on("connect")
def test_delete_and_update(table, path):
    assert counts(table.delete("id = 1")) == (0, 1, 0)
    assert counts(table.delete(F.col("id").isin(2, 3))) == (0, 2, 0)
    assert counts(table.delete("id = 1")) == (0, 0, 0)
    assert counts(table.alias("t").delete("t.id = 4 AND t.name = 'n4'")) == (0, 1, 0)
    assert counts(table.update("id = 5", {"name": "upper(name)"})) == (1, 0, 0)
    assert counts(table.update({"n": "n + 1"}, where=F.col("id") > 7)) == (2, 0, 0)
    assert counts(table.update(set={"n": F.col("n") + 10})) == (6, 0, 0)
    rows = {r["id"]: (r["name"], r["n"]) for r in lance.dataset(path).to_table().to_pylist()}
    assert rows[5] == ("N5", 10)
    assert [rows[i][1] for i in sorted(rows)] == [10, 10, 10, 10, 11, 11]
    assert counts(table.delete("_rowoffset = 0")) == (0, 1, 0)  # found without reading rows
    assert counts(table.delete())[1] == 5
    for wrong in (lambda: table.update("id = 1"), lambda: table.update("id = 1", {})):
        with pytest.raises(ValueError, match="no columns"):
            wrong()
    with pytest.raises(TypeError, match="lit"):
        table.update(set={"n": 3})
    with pytest.raises(AnalysisException, match="nosuch"):
        table.delete("nosuch = 1")


def test_update_by_columns(any_spark, table, path):
    any_spark.conf.set("spark.lance.write.updateMode", "columns")
    try:
        assert counts(table.update("id < 4", {"n": "n + 2"})) == (4, 0, 0)
    finally:
        any_spark.conf.unset("spark.lance.write.updateMode")
    assert sorted(lance.dataset(path).to_table()["n"].to_pylist()) == [0] * 6 + [2] * 4


def test_merge_like_delta(any_spark, table, path):
    news = any_spark.range(8, 12).selectExpr("id", "concat('m', id) AS name", "7 AS n")
    done = (
        table.alias("t")
        .merge(news.alias("s"), "t.id = s.id")
        .whenMatchedDelete("s.id = 8")
        .whenMatchedUpdate(set={"n": F.col("t.n") + F.col("s.n"), "name": "s.name"})
        .whenNotMatchedInsert("s.id < 11", {"id": "s.id", "n": F.lit(1)})
        .whenNotMatchedInsertAll()
        .whenNotMatchedBySourceUpdate("t.id < 2", {"n": "-1"})
        .whenNotMatchedBySourceDelete(F.col("t.id") == 5)
        .execute()
    )
    assert counts(done) == (3, 2, 2)
    rows = {r["id"]: (r["name"], r["n"]) for r in lance.dataset(path).to_table().to_pylist()}
    assert rows == {
        0: ("n0", -1),
        1: ("n1", -1),
        2: ("n2", 0),
        3: ("n3", 0),
        4: ("n4", 0),
        6: ("n6", 0),
        7: ("n7", 0),
        9: ("m9", 7),
        10: (None, 1),
        11: ("m11", 7),
    }
    with pytest.raises(TypeError, match="expression"):
        table.merge(news, 3)


def test_merge_adds_columns_of_the_source(table, path):
    wider = pa.table({"id": [2, 20], "name": ["x", "y"], "n": pa.array([2, 3], pa.int32())})
    wider = wider.append_column("more", pa.array([1.5, 19.0]))
    done = (
        table.alias("t")
        .merge(wider, "t.id = more + 0.5")
        .whenMatchedUpdateAll()
        .whenNotMatchedInsertAll()
        .withSchemaEvolution()
        .execute()
    )
    assert counts(done) == (1, 0, 1)
    assert lance.dataset(path).schema.names == ["id", "name", "n", "more"]
    rows = {r["id"]: r["more"] for r in lance.dataset(path).to_table().to_pylist()}
    assert (rows[2], rows[20], rows[1]) == (1.5, 19.0, None)


def test_merge_insert_like_pylance(any_spark, table, path):
    news = pa.table({"id": [1, 2, 20], "name": ["a", "b", "c"]})
    done = (
        table.merge_insert("id")
        .when_matched_update_all("source.name != 'a'")
        .when_not_matched_insert_all()
        .when_not_matched_by_source_delete("id >= 5")
        .conflict_retries(3)
        .execute(news)
    )
    assert (done["num_updated_rows"], done["num_inserted_rows"]) == (1, 1)
    assert done["num_deleted_rows"] == 5
    rows = {r["id"]: (r["name"], r["n"]) for r in lance.dataset(path).to_table().to_pylist()}
    assert rows[1] == ("n1", 0)
    assert (rows[2], rows[20]) == (("b", 0), ("c", None))
    gone = table.merge_insert(["id"]).when_matched_delete().execute(any_spark.range(3))
    assert gone["num_deleted_rows"] == 3
    added = table.merge_insert("id").when_not_matched_insert_all().execute(any_spark.range(4))
    assert (added["num_inserted_rows"], added["num_affected_rows"]) == (3, 3)
    version = table.version
    # An error of Spark's SQL comes as such since PySpark 4.0.
    failed = (PySparkException, Py4JJavaError)
    with pytest.raises(failed, match="a row with the same id is in the table"):
        table.merge_insert("id").when_matched_fail().when_not_matched_insert_all().execute(news)
    assert table.version == version
    with pytest.raises(ValueError, match="primary key"):
        table.merge_insert()


def test_row_counts_are_stored_with_the_version(any_spark, table, path):
    table.update("id < 3", {"n": "1"})
    notes = any_spark.sql(f"SELECT properties FROM lance.`{path}`.history LIMIT 1").first()[0]
    assert notes["lance.spark.updatedRows"] == "3"


def test_insert(any_spark, table, path):
    table.insert(any_spark.range(10, 12).selectExpr("id", "'x' AS name", "1 AS n"))
    assert ids(path) == list(range(12))
    frame = pa.table({"id": [1], "name": ["y"], "n": pa.array([3], pa.int32())})
    table.insert(frame, mode="overwrite")
    assert ids(path) == [1]
    assert table.version == 3
    table.truncate_table()
    assert (ids(path), table.version) == ([], 4)


def test_schema_fragments_and_files(table, path):
    table.validate()
    assert table.data_storage_version == lance.dataset(path).data_storage_version
    assert table.has_stable_row_ids is False
    file = next(Path(path, "data").iterdir())
    file.write_bytes(file.read_bytes()[:20])
    with pytest.raises(CorruptFileError, match=file.name):
        table.validate()


def test_blobs(any_spark, path):
    values = [b"one", None, b"", b"x" * 5000]
    fields = [StructField("id", LongType()), blob_field("photo")]
    frame = any_spark.createDataFrame(list(enumerate(values)), StructType(fields)).coalesce(1)
    write(frame, path)
    table = LanceTable.forPath(any_spark, path)
    files = table.take_blobs("photo", indices=[3, 1, 0, 3])
    assert [file and file.read() for file in files] == [values[3], None, b"one", values[3]]
    theirs = lance.dataset(path).take_blobs("photo", indices=[3, 0])
    assert [file.readall() for file in theirs] == [values[3], b"one"]
    ids = column(table.to_table(["id"], "id IN (0, 2)", with_row_id=True), "_rowid")
    assert [file.getvalue() for file in table.take_blobs("photo", ids)] == [b"one", b""]
    blobs = table.read_blobs("photo", addresses=[2])
    assert (blobs.columns, blobs.collect()) == (["_rowaddr", "photo"], [(2, bytearray(b""))])
    with pytest.raises(ValueError, match="one of indices, ids and addresses"):
        table.read_blobs("photo")
    table.delete("id = 1")
    for wanted in ({"ids": [0, 1, 7]}, {"addresses": iter([1, 0, 7])}):
        with pytest.raises(NotFoundError, match=r"no rows with the _row(id|addr) 1, 7$"):
            table.take_blobs("photo", **wanted)
    with pytest.raises(NotFoundError, match="positions 3,"):
        table.take_blobs("photo", indices=[0, 3])
    with pytest.raises(AnalysisException, match="nosuch"):
        table.take_blobs("nosuch", indices=[0])


def test_a_concurrently_overwritten_table(any_spark, table, path):
    """pylance replaces the matching rows while the merged rows are read."""

    def late(batches):
        import lance

        theirs = lance.dataset(path)
        if theirs.version == 1:
            lance.write_dataset(theirs.to_table(limit=3), path, mode="overwrite")
        yield from batches

    rows = any_spark.range(0, 3, 1, 1).selectExpr("id", "CAST(5 AS INT) AS n")
    merging = table.merge_insert("id").when_matched_update_all().conflict_retries(3)
    with pytest.raises(CommitConflictError) as caught:
        merging.execute(rows.mapInPandas(late, rows.schema))
    error = caught.value
    assert error.getCondition() == "LANCE_COMMIT_CONFLICT"
    assert (error.path, error.retryable) == (path, False)
    assert error.conflicting_version == 2
    assert isinstance(error, AnalysisException)
    assert lance.dataset(path).to_table()["n"].to_pylist() == [0, 0, 0]


@pytest.mark.on("connect")
def test_versions(any_spark, table, path):
    table.delete("id = 0")
    assert (table.version, table.latest_version) == (2, 2)
    old = table.checkout_version(1)
    assert (old.version, old.latest_version, old.count_rows()) == (1, 2, 10)
    assert old.fragments().count() == 2
    assert column(table.history(1), "version") == [2]
    assert column(table.versions(), "version") == [1, 2]
    assert column(table.transactions(), "operation") == ["Delete", "Overwrite"]
    assert table.files().count() == 2
    with pytest.raises(InvalidRequestError, match="checkout_latest"):
        old.delete()
    assert lance_table(any_spark, path, version=1).count_rows() == 10
    assert old.restore().first()["version"] == 3
    assert ids(path) == list(range(10))
    table.restoreToVersion(2)
    before = table.history().where("version = 3").first()["timestamp"]
    table.restoreToTimestamp(before.strftime("%Y-%m-%d %H:%M:%S.%f"))
    assert table.count_rows() == 10
    table.restoreToTimestamp(datetime.datetime(2100, 1, 1, tzinfo=datetime.timezone.utc))
    for missing in (99, "nosuch", ("nosuch", None), ("main", 99)):
        with pytest.raises(NotFoundError):
            table.checkout_version(missing)
    with pytest.raises(TypeError, match="names no version"):
        table.checkout_version(1.5)


@pytest.fixture
def far_zone(monkeypatch):
    """The process and the session have different time zones."""
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_times_without_a_zone_use_the_local_zone(any_spark, table, path, far_zone):
    table.delete("id = 0")
    table.delete("id = 1")
    table.delete("id = 2")
    when = {row["version"]: row["timestamp"] for row in table.history().collect()}
    assert table.restoreToTimestamp(when[2]).first()["restored_version"] == 2
    copy = table.cloneAtTimestamp(when[3], f"{path}.copy")
    assert copy.count_rows() == 8
    said = when[1].astimezone(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f")
    assert table.restoreToTimestamp(said).first()["restored_version"] == 1


@pytest.mark.on("connect")
def test_tags_and_branches(any_spark, table, path):
    table.tags.create("first")
    table.delete("id < 5")
    table.tags.create("v1", 1)
    table.tags.update("first", 2)
    assert [(r["name"], r["version"]) for r in table.tags.list().collect()] == [
        ("first", 2),
        ("v1", 1),
    ]
    assert lance.dataset(path).tags.list()["first"]["version"] == 2
    assert column(table.tags.list_ordered(), "name") == ["first", "v1"]
    assert column(table.tags.list_ordered("asc"), "name") == ["v1", "first"]
    with pytest.raises(ValueError, match="'asc' or 'desc'"):
        table.tags.list_ordered("up")
    assert table.checkout_version("v1").count_rows() == 10
    assert lance_table(any_spark, path, tag="v1").version == 1
    table.tags.delete("first")
    with pytest.raises(NotFoundError):
        table.tags.get_version("first")
    with pytest.raises(NotFoundError):
        table.tags.update("first")

    dev = table.create_branch("dev", "v1")
    dev.update(set={"n": "5"})
    assert counts(dev.delete("id = 9")) == (0, 1, 0)
    dev.insert(any_spark.range(100, 101).selectExpr("id", "'d' AS name", "1 AS n"))
    assert ids(path) == [5, 6, 7, 8, 9]
    theirs = lance.dataset(path).checkout_version(("dev", None))
    assert sorted(theirs.to_table()["id"].to_pylist()) == [*range(9), 100]
    assert column(table.branches.list(), "name") == ["dev"]
    assert column(table.branches.list_ordered(), "parent_version") == [1]
    version = dev.version
    assert lance_table(any_spark, path, version, branch="dev").count_rows() == 10
    dev.tags.create("on_dev")
    assert table.checkout_version("on_dev").branch == "dev"
    table.tags.delete("on_dev")
    table.branches.delete("dev")
    with pytest.raises(NotFoundError):
        table.checkout_branch("dev")


@pytest.mark.on("connect")
def test_clones(any_spark, table, tmp_path):
    table.delete("id = 0")
    shallow = table.shallow_clone(tmp_path / "shallow.lance", 1)
    deep = table.deep_clone(str(tmp_path / "deep.lance"))
    assert (shallow.count_rows(), deep.count_rows()) == (10, 9)
    assert ids(str(tmp_path / "shallow.lance")) == list(range(10))
    again = table.cloneAtVersion(1, tmp_path / "deep.lance", replace=True)
    assert again.count_rows() == 10
    assert table.clone(tmp_path / "c.lance", isShallow=True).count_rows() == 9
    with pytest.raises(AnalysisException, match=r"exist"):
        table.clone(tmp_path / "c.lance")
    late = datetime.datetime(2100, 1, 1)
    assert table.cloneAtTimestamp(late, tmp_path / "t.lance").count_rows() == 9


def test_storage_options_apply_to_the_table(any_spark, table, path):
    options = {"fs.file.impl": "org.apache.hadoop.fs.LocalFileSystem"}
    same = LanceTable.forPath(any_spark, path, **options)
    assert same.name.startswith("lance_storage_")
    same.delete("id = 1")
    assert same.count_rows() == 9
    wrong = {"fs.file.impl": "no.such.FileSystem", "fs.file.impl.disable.cache": "true"}
    with pytest.raises(Exception, match=r"no\.such\.FileSystem"):
        LanceTable.forPath(any_spark, f"file:{path}", **wrong)


def test_storage_options_of_a_table_by_name_are_rejected(any_spark):
    options = {"fs.file.impl": "org.apache.hadoop.fs.LocalFileSystem"}
    for call in (
        lambda: read(any_spark, "lance.db.t", storage_options=options),
        lambda: write(any_spark.range(3), "lance.db.t", storage_options=options),
    ):
        with pytest.raises(InvalidRequestError, match="storage_options apply to paths"):
            call()


@pytest.mark.on("classic")
def test_storage_options_are_not_in_the_event_log(any_spark, table, path, tmp_path):
    jvm, context = any_spark._jvm, any_spark.sparkContext._jsc.sc()
    scheduler, none = jvm.org.apache.spark.scheduler, jvm.scala.Option.empty()
    conf = context.getConf().set("spark.eventLog.compress", "false")
    log = tmp_path / "log"
    log.mkdir()
    listener = scheduler.EventLoggingListener(
        "app", none, jvm.java.net.URI(log.as_uri()), conf, context.hadoopConfiguration()
    )
    listener.start()
    context.addSparkListener(listener)
    options = {"fs.s3a.secret.key": "s3cr3t-1", "fs.azure.account.key.x": "s3cr3t-2"}
    same = LanceTable.forPath(any_spark, path, **options)
    assert len(same.toDF().repartition(2).collect()) == 10
    context.listenerBus().waitUntilEmpty()
    context.removeSparkListener(listener)
    listener.stop()
    text = "".join(f.read_text() for f in log.rglob("*") if f.is_file())
    assert "SparkListenerJobStart" in text
    assert "SparkListenerSQLExecutionStart" in text
    assert "s3cr3t" not in text
