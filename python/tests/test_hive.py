# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Lance tables in Hive's metastore, next to Parquet and Hive tables.

They need a separate process, because a session has only one metastore.
"""

import json

import lance
import pytest
from kit.lines import LINE
from kit.processes import run

import pyspark_lance

SCRIPT = """
import json, sys
from pyspark.sql import SparkSession
folder, jar, out = sys.argv[1:]
spark = (
    SparkSession.builder.master("local[2]").enableHiveSupport()
    .config("spark.jars", jar)
    .config("spark.driver.host", "localhost")
    .config("spark.driver.extraJavaOptions", f"-Dderby.system.home={folder}/derby")
    .config("spark.local.dir", f"{folder}/local")
    .config(
        "spark.hadoop.javax.jdo.option.ConnectionURL",
        f"jdbc:derby:{folder}/metastore;create=true",
    )
    .config("spark.sql.warehouse.dir", f"{folder}/warehouse")
    .config("spark.sql.catalog.spark_catalog", "io.github.pysparklance.spark.LanceSessionCatalog")
    .config("spark.sql.extensions", "io.github.pysparklance.spark.LanceSparkSessionExtensions")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.log.level", "ERROR")
    .config("spark.ui.enabled", "false")
    .getOrCreate()
)
answers = {}
def sql(text):
    return [list(r) for r in spark.sql(text).collect()]
def location(table):
    return spark.sql(f"DESCRIBE TABLE EXTENDED {table}").where("col_name = 'Location'").first()[1]
sql("CREATE DATABASE d")
sql(
    "CREATE TABLE d.t (id INT NOT NULL COMMENT 'key', s STRUCT<a: INT>) "
    "USING lance COMMENT 'things'"
)
sql("INSERT INTO d.t VALUES (1, struct(1)), (2, NULL)")
sql("CREATE TABLE d.p USING parquet AS SELECT 1 AS id, 'p' AS v")
sql("CREATE TABLE d.h (id INT, w STRING) STORED AS ORC")
sql("INSERT INTO d.h VALUES (2, 'h')")
answers["joined"] = sql(
    "SELECT t.id, v, w FROM d.t LEFT JOIN d.p USING (id) LEFT JOIN d.h USING (id) ORDER BY t.id"
)
sql("ALTER TABLE d.t ADD COLUMN (n DOUBLE COMMENT 'new')")
sql("ALTER TABLE d.t ADD COLUMN s.b STRING")
sql("ALTER TABLE d.t RENAME COLUMN n TO m")
sql("ALTER TABLE d.t ALTER COLUMN id TYPE BIGINT")
sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'v')")
sql("ALTER TABLE d.t ADD CONSTRAINT positive CHECK (id > 0)")
answers["altered"] = sql("SELECT * FROM d.t ORDER BY id")
record = spark._jsparkSession.sessionState().catalog().externalCatalog().getTable("d", "t")
answers["record"] = record.schema().simpleString()
answers["property"] = record.properties().get("k").get()
answers["path"] = location("d.t")
try:
    sql("INSERT INTO d.t VALUES (-1, NULL, NULL)")
except Exception as e:
    answers["refused"] = "CHECK_CONSTRAINT_VIOLATION" in str(e)
sql("ALTER TABLE d.t RENAME TO d.u")
answers["renamed"] = sql("SELECT count(*) FROM d.u")
answers["moved"] = location("d.u")
sql("CREATE OR REPLACE TABLE d.c USING lance AS SELECT 1 AS a")
sql("CREATE OR REPLACE TABLE d.c USING lance AS SELECT 'x' AS b")
answers["versions"] = sql("SHOW TBLPROPERTIES d.c ('lance.version')")[0][1]
answers["replaced"] = sql("SELECT * FROM d.c")
recorded = spark._jsparkSession.sessionState().catalog().externalCatalog().getTable("d", "c")
answers["replaced record"] = recorded.schema().simpleString()
try:
    sql("CREATE TABLE d.failed USING lance AS SELECT raise_error('stop') AS a")
except Exception:
    pass
answers["tables"] = sorted(r[1] for r in sql("SHOW TABLES IN d"))
sql("TRUNCATE TABLE d.u")
answers["truncated"] = sql("SELECT count(*) FROM d.u")
sql(f"CREATE TABLE d.x (a INT) USING lance LOCATION '{folder}/x'")
sql("INSERT INTO d.x VALUES (4)")
sql("DROP TABLE d.x")
answers["external"] = [r.a for r in spark.read.format("lance").load(f"{folder}/x").collect()]
sql("DROP TABLE d.c PURGE")
sql("DROP DATABASE d CASCADE")
answers["left"] = spark._jvm.java.io.File(answers["moved"].replace("file:", "")).exists()
json.dump(answers, open(out, "w"))
spark.stop()
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """The results of the statements of the script."""
    folder = tmp_path_factory.mktemp("hive")
    out = folder / "answers.json"
    run(SCRIPT, folder, pyspark_lance.jar_paths()[0], out, folder=folder, seconds=300)
    return {**json.loads(out.read_text()), "folder": folder}


def test_lance_tables_next_to_other_tables(answers):
    assert answers["joined"] == [[1, "p", None], [2, None, "h"]]


def test_alter_changes_the_table_and_the_record(answers):
    assert answers["altered"] == [[1, [1, None], None], [2, None, None]]
    if LINE >= (4, 1):  # before, Spark's record of a table in Hive keeps its first columns
        assert answers["record"] == "struct<id:bigint,s:struct<a:int,b:string>,m:double>"
    assert answers["property"] == "v"
    assert answers["refused"]


def test_rename_moves_a_managed_table(answers):
    assert answers["renamed"] == [[2]]
    assert answers["moved"] != answers["path"] and answers["moved"].endswith("/u")
    assert answers["truncated"] == [[0]]


def test_replace_commits_one_version_and_a_failure_leaves_no_record(answers):
    assert answers["versions"] == "2"
    assert answers["replaced"] == [["x"]]
    if LINE >= (4, 1):
        assert answers["replaced record"] == "struct<b:string>"
    assert answers["tables"] == ["c", "h", "p", "u"]


def test_drop_keeps_external_tables(answers):
    assert answers["external"] == [4]
    assert answers["left"] is False
    assert lance.dataset(answers["folder"] / "x").count_rows() == 1
