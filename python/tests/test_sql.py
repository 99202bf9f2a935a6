# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""SQL on the catalog `lance`, on a LanceSessionCatalog, and on Spark's own catalog."""

import lance
import pyarrow as pa
import pytest
from kit.lines import LINE
from pyspark.errors import AnalysisException

LANCE_CATALOG = "io.github.pysparklance.spark.LanceCatalog"
SESSION_CATALOG = "io.github.pysparklance.spark.LanceSessionCatalog"


@pytest.fixture(params=["LanceCatalog", "LanceSessionCatalog", "spark_catalog"])
def catalog(request):
    """Lance tables in a folder, beside others, and in Spark's own catalog as it is."""
    if request.param == "spark_catalog" and LINE < (4, 0):
        pytest.skip("Spark 3.5 cannot read tables of sources like ours in its own catalog")
    return request.param


@pytest.fixture
def sql(catalog, spark, tmp_path):
    """Runs SQL in a separate namespace in one of the catalogs."""
    session = spark.newSession()
    if catalog == "LanceCatalog":
        session.conf.set("spark.sql.catalog.work", LANCE_CATALOG)
        session.conf.set("spark.sql.catalog.work.root", str(tmp_path / "warehouse"))
        session.sql("USE work")
    elif catalog == "LanceSessionCatalog":
        session.conf.set("spark.sql.catalog.spark_catalog", SESSION_CATALOG)
    session.sql("CREATE NAMESPACE test_sql")
    session.sql("USE test_sql")
    yield session.sql
    session.catalog.setCurrentCatalog("spark_catalog")
    home = "work" if catalog == "LanceCatalog" else "spark_catalog"
    session.sql(f"DROP NAMESPACE {home}.test_sql CASCADE")


def test_create_insert_select(sql):
    sql("CREATE TABLE t (id BIGINT, name STRING) USING lance")
    sql("INSERT INTO t VALUES (1, 'a'), (2, NULL)")
    sql("INSERT INTO t SELECT 3, 'c'")
    assert sql("SELECT * FROM t ORDER BY id").collect() == [(1, "a"), (2, None), (3, "c")]
    assert sql("SELECT count(*) FROM t WHERE name IS NOT NULL").collect() == [(2,)]


def test_an_empty_table_can_be_read(sql):
    sql("CREATE TABLE t (id BIGINT, tags ARRAY<STRING>) USING lance")
    assert sql("SELECT * FROM t").collect() == []
    assert sql("SELECT * FROM t").dtypes == [("id", "bigint"), ("tags", "array<string>")]


def test_create_at_a_location(sql, tmp_path, catalog):
    if catalog == "LanceCatalog":
        with pytest.raises(AnalysisException, match="tables of this catalog lie in its warehouse"):
            sql(f"CREATE TABLE t (id BIGINT) USING lance LOCATION '{tmp_path}/x'")
        return
    path = tmp_path / "elsewhere.lance"
    sql(f"CREATE TABLE t (id BIGINT) USING lance LOCATION '{path}'")
    sql("INSERT INTO t VALUES (7)")
    assert lance.dataset(path).to_table().to_pylist() == [{"id": 7}]


def test_create_over_a_table_of_pylance(sql, tmp_path, catalog):
    if catalog == "LanceCatalog":
        pytest.skip("takes no LOCATION")
    path = tmp_path / "theirs.lance"
    lance.write_dataset(pa.table({"id": [1, 2], "v": pa.array([[1.0], [2.0]])}), path)
    sql(f"CREATE TABLE t USING lance LOCATION '{path}'")
    assert sql("SELECT id, v FROM t ORDER BY id").collect() == [(1, [1.0]), (2, [2.0])]


def test_create_as_select(sql):
    sql("CREATE TABLE t USING lance AS SELECT id, id * 2 AS twice FROM range(5)")
    assert sql("SELECT sum(twice) FROM t").collect() == [(20,)]


def test_insert_overwrite(sql):
    sql("CREATE TABLE t USING lance AS SELECT 1 AS id")
    sql("INSERT OVERWRITE t VALUES (5)")
    assert sql("SELECT * FROM t").collect() == [(5,)]


def test_insert_by_name(sql):
    sql("CREATE TABLE t (id BIGINT, name STRING) USING lance")
    sql("INSERT INTO t (name, id) VALUES ('a', 1)")
    assert sql("SELECT * FROM t").collect() == [(1, "a")]


def test_show_describe_drop(sql):
    sql("CREATE TABLE t (id BIGINT) USING lance")
    assert [r.tableName for r in sql("SHOW TABLES").collect()] == ["t"]
    assert ("id", "bigint") in [(r[0], r[1]) for r in sql("DESCRIBE t").collect()]
    sql("DROP TABLE t")
    assert sql("SHOW TABLES").collect() == []
    with pytest.raises(AnalysisException, match="cannot be found"):
        sql("SELECT * FROM t")


def test_an_existing_name(sql):
    sql("CREATE TABLE t (id BIGINT) USING lance")
    with pytest.raises(AnalysisException, match="already exists"):
        sql("CREATE TABLE t (id BIGINT) USING lance")
    sql("CREATE TABLE IF NOT EXISTS t (other STRING) USING lance")
    assert sql("SELECT * FROM t").columns == ["id"]


def test_spark_handles_other_formats(spark):
    session = spark.newSession()
    session.conf.set("spark.sql.catalog.spark_catalog", SESSION_CATALOG)
    session.sql("CREATE TABLE plain (id BIGINT) USING parquet")
    try:
        session.sql("INSERT INTO plain VALUES (1)")
        assert session.sql("SELECT * FROM plain").collect() == [(1,)]
    finally:
        session.sql("DROP TABLE plain")


def test_a_table_of_the_catalog_is_a_table_of_pylance(spark, tmp_path):
    session = spark.newSession()
    session.conf.set("spark.sql.catalog.work", LANCE_CATALOG)
    session.conf.set("spark.sql.catalog.work.root", str(tmp_path))
    session.sql("CREATE NAMESPACE work.db")
    session.sql("CREATE TABLE work.db.t USING lance AS SELECT 42 AS answer")
    (path,) = [p.parent for p in tmp_path.rglob("_versions")]
    assert lance.dataset(path).to_table().to_pylist() == [{"answer": 42}]


def test_tables_of_the_catalog_join_views_and_paths(spark, tmp_path):
    path = tmp_path / "names.lance"
    lance.write_dataset(pa.table({"id": [1, 2], "name": ["one", "two"]}), path)
    spark.read.format("lance").load(str(path)).createOrReplaceTempView("names")
    found = spark.sql("SELECT name FROM names JOIN range(2, 5) r ON names.id = r.id").collect()
    assert found == [("two",)]


def test_tables_of_sparks_own_catalog_need_spark_4_0(spark, tmp_path):
    if LINE >= (4, 0):
        pytest.skip("for Spark 3.5")
    for statement in (
        f"CREATE TABLE own (id BIGINT) USING lance LOCATION '{tmp_path}/own'",
        "CREATE TABLE own USING lance AS SELECT 1 AS id",
    ):
        with pytest.raises(AnalysisException, match=r"need Spark 4\.0 .*LanceSessionCatalog"):
            spark.sql(statement)
    assert "own" not in [t.name for t in spark.catalog.listTables("spark_catalog.default")]


@pytest.mark.skipif(LINE < (4, 2), reason="CHANGES FROM is in Spark since 4.2")
def test_change_queries_of_spark_return_the_rows_of_lance_changes(warehouse):
    """Both pad CHAR values, which pylance does not."""
    warehouse.sql(
        "CREATE TABLE codes (id BIGINT, c CHAR(4), v VARCHAR(4), s STRUCT<c: CHAR(2)>)"
        " TBLPROPERTIES ('enableStableRowIds' = 'true')",
        "INSERT INTO codes VALUES (1, 'a', 'a', named_struct('c', 'x'))",
    )
    row = {"id": 2, "c": "a", "v": "a", "s": {"c": "x"}}
    schema = warehouse.dataset("codes").schema
    lance.write_dataset(pa.Table.from_pylist([row], schema), warehouse.path("codes"), mode="append")
    warehouse.sql("UPDATE codes SET v = 'b' WHERE id = 2")
    columns = "id, c, v, s.c, _change_type, _commit_version"
    expected = [
        (1, "a   ", "a", "x ", "insert", 2),
        (2, "a   ", "a", "x ", "insert", 3),
        (2, "a   ", "a", "x ", "update_preimage", 4),
        (2, "a   ", "b", "x ", "update_postimage", 4),
    ]
    for changes in ("lance_changes('codes', 2)", "codes CHANGES FROM VERSION 2"):
        for condition in ("true", "c = 'a'", "c = 'a   '", "s.c = 'x '"):
            rows = warehouse.sql(f"SELECT {columns} FROM {changes} WHERE {condition}")
            assert sorted(rows, key=lambda r: (r[0], r[5], r[2])) == expected, (changes, condition)
        whole = warehouse.sql(f"SELECT c, s FROM {changes} WHERE _change_type = 'insert'")
        assert sorted(whole) == [("a   ", ("x ",))] * 2
    read = warehouse.session.read.option("startingVersion", 2).changes("codes")
    rows = read.where("c = 'a'").selectExpr(*columns.split(", ")).collect()
    assert sorted(rows, key=lambda r: (r[0], r[5], r[2])) == expected


def streamed(frame, folder):
    """The rows that a stream reads until it has read all."""
    found = []
    query = (
        frame.writeStream.foreachBatch(lambda batch, _: found.extend(map(tuple, batch.collect())))
        .option("checkpointLocation", str(folder))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return found


@pytest.mark.skipif(LINE < (4, 2), reason="readers have changes since Spark 4.2")
def test_changes_of_spark_readers(warehouse, tmp_path):
    warehouse.sql(
        "CREATE TABLE t (id BIGINT, s STRING) TBLPROPERTIES ('enableStableRowIds' = 'true')",
        "INSERT INTO t VALUES (1, 'a'), (2, 'b')",
        "UPDATE t SET s = 'x' WHERE id = 2",
        "DELETE FROM t WHERE id = 1",
    )
    inserts = [(1, "a", "insert", 2), (2, "b", "insert", 2)]
    update = [(2, "b", "update_preimage", 3), (2, "x", "update_postimage", 3)]
    delete = [(1, "a", "delete", 4)]

    def reader(stream, **options):
        session = warehouse.session
        return (session.readStream if stream else session.read).options(**options)

    def read(**options):
        changes = reader(False, **options).changes("t").drop("_commit_timestamp")
        return [tuple(row) for row in changes.collect()]

    assert read(startingVersion=2) == inserts + update + delete
    assert read(startingVersion=2, endingVersion=3) == inserts + update
    assert read(startingVersion=2, endingVersion=3, startingBoundInclusive="false") == update
    assert read(startingTimestamp="2026-01-01") == inserts + update + delete
    net = read(startingVersion=2, deduplicationMode="netChanges")
    assert net == read(startingVersion=2, netChanges="true") == [(2, "x", "insert", 3)]
    with pytest.raises(AnalysisException, match="needs the first version"):
        read()
    with pytest.raises(AnalysisException, match="ignoreDeletes is for streams"):
        read(startingVersion=2, ignoreDeletes="true")

    def stream(name, **options):
        changes = reader(True, **options).changes("t").drop("_commit_timestamp")
        return streamed(changes, tmp_path / name)

    assert stream("first", startingVersion=2) == inserts + update + delete
    after = stream("after", startingVersion=2, startingBoundInclusive="false")
    assert after == update + delete
    assert stream("whole") == [(2, "x", "insert", 4)]
    clause = warehouse.session.sql("SELECT * FROM STREAM t CHANGES FROM VERSION 3")
    assert streamed(clause.drop("_commit_timestamp"), tmp_path / "sql") == update + delete
    warehouse.sql("INSERT INTO t VALUES (3, 'c')")
    for name in ("first", "whole"):
        assert stream(name, startingVersion=2) == [(3, "c", "insert", 5)]
    for option in ({"endingVersion": 3}, {"deduplicationMode": "netChanges"}):
        with pytest.raises(Exception, match="is for batch queries"):
            stream(str(option), startingVersion=2, **option)


def test_changes_and_a_stream_of_a_table(warehouse, tmp_path):
    warehouse.sql(
        "CREATE TABLE t (id BIGINT, s STRING) TBLPROPERTIES ('enableStableRowIds' = 'true')",
        "INSERT INTO t VALUES (1, 'a')",
        "INSERT INTO t VALUES (2, 'b')",
    )
    session = warehouse.session

    def run():
        copied = session.readStream.table("t").writeStream.format("lance")
        copied.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(
            availableNow=True
        ).toTable("work.shop.copy").awaitTermination()
        return sorted(row["id"] for row in warehouse.in_both("copy"))

    assert run() == [1, 2]
    warehouse.sql("INSERT INTO t VALUES (3, 'c')")
    assert run() == [1, 2, 3]
    warehouse.sql("UPDATE t SET s = 'x' WHERE id = 2")
    assert warehouse.sql("SELECT id, s, _change_type FROM lance_changes('t', 4)") == [
        (3, "c", "insert"),
        (2, "b", "update_preimage"),
        (2, "x", "update_postimage"),
    ]
    feed = session.readStream.option("readChangeFeed", "true").option("startingVersion", 5)
    changes = streamed(feed.table("t").select("id", "_change_type"), tmp_path / "feed")
    assert changes == [(2, "update_preimage"), (2, "update_postimage")]
