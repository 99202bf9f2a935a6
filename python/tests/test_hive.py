# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Lance tables in Hive's metastore, next to Parquet and Hive tables.

The sessions need separate processes, because a session has only one metastore. The metastore is a
database in the process of Spark, or a service.
"""

import json
import os
import socket
import subprocess
import time
from contextlib import closing
from pathlib import Path

import lance
import pyarrow as pa
import pytest
from kit.installed import SPARK_HOME
from kit.lines import LINE
from kit.processes import run

import pyspark_lance

SESSION = """
import json, sys
from pyspark.sql import SparkSession
folder, jar, out, metastore = sys.argv[1:]
spark = (
    SparkSession.builder.master("local[2]").enableHiveSupport()
    .config("spark.jars", jar)
    .config("spark.driver.host", "localhost")
    .config("spark.driver.extraJavaOptions", f"-Dderby.system.home={folder}/derby")
    .config("spark.local.dir", f"{folder}/local")
    .config(*metastore.split("=", 1))
    .config("spark.sql.warehouse.dir", f"{folder}/warehouse")
    .config("spark.sql.catalog.spark_catalog", "io.github.pysparklance.spark.LanceSessionCatalog")
    .config("spark.sql.extensions", "io.github.pysparklance.spark.LanceSparkSessionExtensions")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.log.level", "ERROR")
    .config("spark.ui.enabled", "false")
    .getOrCreate()
)
results = {}
def sql(text):
    return [list(r) for r in spark.sql(text).collect()]
def location(table):
    return spark.sql(f"DESCRIBE TABLE EXTENDED {table}").where("col_name = 'Location'").first()[1]
"""

EMBEDDED = """
sql("CREATE DATABASE d")
sql(
    "CREATE TABLE d.t (id INT NOT NULL COMMENT 'key', s STRUCT<a: INT>) "
    "USING lance COMMENT 'things'"
)
sql("INSERT INTO d.t VALUES (1, struct(1)), (2, NULL)")
sql("CREATE TABLE d.p USING parquet AS SELECT 1 AS id, 'p' AS v")
sql("CREATE TABLE d.h (id INT, w STRING) STORED AS ORC")
sql("INSERT INTO d.h VALUES (2, 'h')")
results["joined"] = sql(
    "SELECT t.id, v, w FROM d.t LEFT JOIN d.p USING (id) LEFT JOIN d.h USING (id) ORDER BY t.id"
)
sql("ALTER TABLE d.t ADD COLUMN (n DOUBLE COMMENT 'new')")
sql("ALTER TABLE d.t ADD COLUMN s.b STRING")
sql("ALTER TABLE d.t RENAME COLUMN n TO m")
sql("ALTER TABLE d.t ALTER COLUMN id TYPE BIGINT")
sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'v')")
sql("ALTER TABLE d.t ADD CONSTRAINT positive CHECK (id > 0)")
results["altered"] = sql("SELECT * FROM d.t ORDER BY id")
record = spark._jsparkSession.sessionState().catalog().externalCatalog().getTable("d", "t")
results["record"] = record.schema().simpleString()
results["property"] = record.properties().get("k").get()
results["path"] = location("d.t")
try:
    sql("INSERT INTO d.t VALUES (-1, NULL, NULL)")
except Exception as e:
    results["rejected"] = "CHECK_CONSTRAINT_VIOLATION" in str(e)
sql("ALTER TABLE d.t RENAME TO d.u")
results["renamed"] = sql("SELECT count(*) FROM d.u")
results["moved"] = location("d.u")
sql("CREATE OR REPLACE TABLE d.c USING lance AS SELECT 1 AS a")
sql("CREATE OR REPLACE TABLE d.c USING lance AS SELECT 'x' AS b")
results["versions"] = sql("SHOW TBLPROPERTIES d.c ('lance.version')")[0][1]
results["replaced"] = sql("SELECT * FROM d.c")
recorded = spark._jsparkSession.sessionState().catalog().externalCatalog().getTable("d", "c")
results["replaced record"] = recorded.schema().simpleString()
try:
    sql("CREATE TABLE d.failed USING lance AS SELECT raise_error('stop') AS a")
except Exception:
    pass
results["tables"] = sorted(r[1] for r in sql("SHOW TABLES IN d"))
sql("TRUNCATE TABLE d.u")
results["truncated"] = sql("SELECT count(*) FROM d.u")
sql(f"CREATE TABLE d.x (a INT) USING lance LOCATION '{folder}/x'")
sql("INSERT INTO d.x VALUES (4)")
sql("DROP TABLE d.x")
results["external"] = [r.a for r in spark.read.format("lance").load(f"{folder}/x").collect()]
sql("DROP TABLE d.c PURGE")
sql("DROP DATABASE d CASCADE")
results["left"] = spark._jvm.java.io.File(results["moved"].replace("file:", "")).exists()
json.dump(results, open(out, "w"))
spark.stop()
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The results of the statements of the script."""
    folder = tmp_path_factory.mktemp("hive")
    url = f"spark.hadoop.javax.jdo.option.ConnectionURL=jdbc:derby:{folder}/metastore;create=true"
    return results_of(EMBEDDED, folder, url)


def results_of(script, folder, metastore):
    """Runs a script in a session with a metastore; returns its results."""
    out = folder / "results.json"
    jar = pyspark_lance.jar_paths()[0]
    run(SESSION + script, folder, jar, out, metastore, folder=folder, seconds=300)
    return {**json.loads(out.read_text()), "folder": folder}


def test_lance_tables_next_to_other_tables(results):
    assert results["joined"] == [[1, "p", None], [2, None, "h"]]


def test_alter_changes_the_table_and_the_record(results):
    assert results["altered"] == [[1, [1, None], None], [2, None, None]]
    if LINE >= (4, 1):  # before, Spark's record of a table in Hive keeps its first columns
        assert results["record"] == "struct<id:bigint,s:struct<a:int,b:string>,m:double>"
    assert results["property"] == "v"
    assert results["rejected"]


def test_rename_moves_a_managed_table(results):
    assert results["renamed"] == [[2]]
    assert results["moved"] != results["path"] and results["moved"].endswith("/u")
    assert results["truncated"] == [[0]]


def test_replace_commits_one_version_and_a_failure_leaves_no_record(results):
    assert results["versions"] == "2"
    assert results["replaced"] == [["x"]]
    if LINE >= (4, 1):
        assert results["replaced record"] == "struct<b:string>"
    assert results["tables"] == ["c", "h", "p", "u"]


def test_drop_keeps_external_tables(results):
    assert results["external"] == [4]
    assert results["left"] is False
    assert lance.dataset(results["folder"] / "x").count_rows() == 1


SERVICE = """
theirs = f"{folder}/theirs.lance"
sql("CREATE DATABASE d")
sql(f"CREATE TABLE d.theirs USING lance LOCATION '{theirs}'")
rows = "SELECT id, id % 3 AS k FROM range(9)"
sql(f"CREATE TABLE d.made USING lance LOCATION '{folder}/made.lance' AS {rows}")
sql(f"CREATE TABLE d.managed USING lance PARTITIONED BY (k) AS {rows} WHERE id < 4")
sql("CREATE TABLE d.p USING parquet AS SELECT 1L AS id")
results["theirs"] = sql("SELECT * FROM d.theirs ORDER BY id")
results["tables"] = sorted(r[1] for r in sql("SHOW TABLES IN d"))
results["columns"] = spark.table("d.theirs").columns
results["statement"] = sql("SHOW CREATE TABLE d.made")[0][0]
results["managed"] = location("d.managed").replace("file:", "")
results["errors"] = []
for statement in (
    "ALTER TABLE d.managed ADD PARTITION (k = 7)",
    "SHOW PARTITIONS d.managed",
    "MSCK REPAIR TABLE d.managed",
    f"ALTER TABLE d.made SET LOCATION '{folder}/other'",
    "CREATE TABLE d.made (a INT) USING lance",
):
    try:
        sql(statement)
        results["errors"].append(None)
    except Exception as e:
        results["errors"].append(str(e).splitlines()[0])
sql("INSERT INTO d.theirs SELECT 3L AS id, 'spark' AS v")
sql(
    "MERGE INTO d.theirs t USING (SELECT 1L AS id) s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET v = 'merged'"
)
sql("DELETE FROM d.theirs WHERE id = 2")
sql("ALTER TABLE d.theirs CREATE INDEX by_id USING btree (id)")
sql("ALTER TABLE d.theirs CREATE TAG kept")
sql("OPTIMIZE d.theirs")
sql("ALTER TABLE d.made ADD COLUMN (more STRING)")
sql("ALTER TABLE d.made RENAME TO d.renamed")
other = spark.newSession()
results["renamed"] = other.sql("SELECT count(more), count(*) FROM d.renamed").first().asDict()
results["tag"] = other.sql("SELECT count(*) AS n FROM d.theirs VERSION AS OF 'kept'").first().n
results["joined"] = sql("SELECT v FROM d.theirs JOIN d.p USING (id)")
results["location"] = location("d.renamed")
sql("DROP TABLE d.renamed")
sql("CREATE TABLE d.again USING lance AS SELECT 1 AS a")
results["dropped"] = location("d.again").replace("file:", "")
sql("DROP TABLE d.again")
results["left"] = sorted(r[1] for r in sql("SHOW TABLES IN d"))
json.dump(results, open(out, "w"))
spark.stop()
"""


@pytest.fixture(scope="module")
def metastore_service(tmp_path_factory):
    """The URI of a metastore service, which runs the jars of PySpark."""
    for attempt in range(5):
        process, port, log = started(tmp_path_factory.mktemp("metastore"))
        try:
            if is_listening(process, port):
                yield f"thrift://127.0.0.1:{port}"
                return
            # Another process may have taken the port.
            assert "ServerSocket" in log.read_text() and attempt < 4, log.read_text()[-3000:]
        finally:
            process.kill()
            process.wait()


def started(folder):
    """Starts a metastore service; returns its process, port, and log."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "javax.jdo.option.ConnectionURL": f"jdbc:derby:{folder}/metastore;create=true",
        "datanucleus.schema.autoCreateAll": "true",
        "hive.metastore.schema.verification": "false",
        "hive.metastore.warehouse.dir": str(folder / "warehouse"),
        "hive.metastore.event.db.notification.api.auth": "false",
        "hive.async.log.enabled": "false",  # requires a library that Spark does not include
    }
    java = f"{os.environ['JAVA_HOME']}/bin/java" if "JAVA_HOME" in os.environ else "java"
    command = [java, "-Xmx512m", f"-Dderby.system.home={folder}", "-cp", f"{SPARK_HOME}/jars/*"]
    command += ["org.apache.hadoop.hive.metastore.HiveMetaStore", "-p", str(port)]
    command += [word for pair in settings.items() for word in ("--hiveconf", "=".join(pair))]
    log = folder / "log.txt"
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT)
    return process, port, log


def is_listening(process, port):
    """Waits until a process accepts connections; returns whether it does, or has ended."""
    end = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < end:
        with closing(socket.socket()) as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.2)
    return False


@pytest.fixture(scope="module")
def results_of_service(tmp_path_factory, metastore_service):
    """The results of the statements of the script."""
    folder = tmp_path_factory.mktemp("hive")
    lance.write_dataset(pa.table({"id": [1, 2], "v": ["a", "b"]}), folder / "theirs.lance")
    return results_of(SERVICE, folder, f"spark.hadoop.hive.metastore.uris={metastore_service}")


@pytest.mark.long
def test_external_tables_of_a_metastore_service(results_of_service):
    results = results_of_service
    assert results["theirs"] == [[1, "a"], [2, "b"]]
    assert results["tables"] == ["made", "managed", "p", "theirs"]
    assert results["columns"] == ["id", "v"]
    assert "USING lance" in results["statement"] and "made.lance" in results["statement"]
    theirs = lance.dataset(results["folder"] / "theirs.lance")
    theirs.validate()
    rows = theirs.to_table(filter="id IN (1, 2, 3)").to_pylist()
    assert sorted(map(tuple, (r.values() for r in rows))) == [(1, "merged"), (3, "spark")]
    assert [i.name for i in theirs.describe_indices()] == ["by_id"]
    assert results["tag"] == 2 and results["joined"] == [["merged"]]


@pytest.mark.long
def test_an_external_table_is_renamed_and_dropped_without_its_files(results_of_service):
    results = results_of_service
    assert results["renamed"] == {"count(more)": 0, "count(1)": 9}
    assert results["location"].endswith("/made.lance")
    made = lance.dataset(results["folder"] / "made.lance")
    assert made.count_rows() == 9 and made.schema.names == ["id", "k", "more"]


@pytest.mark.long
def test_managed_tables_of_a_metastore_service(results_of_service):
    results = results_of_service
    assert lance.dataset(results["managed"]).count_rows() == 4
    assert not Path(results["dropped"]).exists()
    assert results["left"] == ["managed", "p", "theirs"]


@pytest.mark.long
def test_statements_of_partitions_and_locations_are_errors(results_of_service):
    expected = (
        "PARTITION_MANAGEMENT_IS_UNSUPPORTED",
        "PARTITION_MANAGEMENT_IS_UNSUPPORTED",
        "MSCK REPAIR TABLE is not supported",
        "DEEP CLONE copies it",
        "TABLE_OR_VIEW_ALREADY_EXISTS",
    )
    for part, found in zip(expected, results_of_service["errors"], strict=True):
        assert found and part in found, results_of_service["errors"]
