# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Queries of all shapes on a Lance table, compared with the same rows in Parquet."""

import lance
import pytest
from kit.lines import LINE
from pyspark.sql import functions as F

ROWS = 60


@pytest.fixture(scope="module")
def session(spark, tmp_path_factory):
    """A Lance table of several fragments with deleted rows; `p` has its rows in Parquet."""
    session = spark.newSession()
    folder = tmp_path_factory.mktemp("queries")
    frame = session.range(0, ROWS + 20, 1, 4).selectExpr(
        "id",
        "IF(id % 7 = 0, NULL, concat('n', id % 5)) AS name",
        "CAST(id * 1.5 AS DECIMAL(10, 2)) AS price",
        "date_add(DATE '2024-01-01', CAST(id AS INT)) AS day",
        "TIMESTAMP '2024-01-01 00:00:00' + make_interval(0, 0, 0, 0, id) AS at",
        "named_struct('level', named_struct('scores', array(id, 100 - id, NULL)), "
        "'pair', array(CAST(id AS FLOAT), 0.5F), 'tag', IF(id % 3 = 0, NULL, 't')) AS data",
        "IF(id % 4 = 0, NULL, map('k', id)) AS extra",
    )
    frame.write.format("lance").option("column.data.pair.arrow.fixed-size-list.size", "2").save(
        f"{folder}/t.lance"
    )
    lance.dataset(folder / "t.lance").delete(f"id >= {ROWS}")
    table = session.read.format("lance").load(f"{folder}/t.lance")
    table.selectExpr("*", "_rowid", "_rowaddr", "_fragid").coalesce(1).write.parquet(f"{folder}/p")
    session.lance = f"lance.`{folder}/t.lance`"
    session.read.parquet(f"{folder}/p").createOrReplaceTempView("p")
    return session


def answers(session, query, **configuration):
    """The rows of a query on both tables, and the plan on Lance."""
    found = session.sql(query.replace("{t}", session.lance), **configuration)
    expected = session.sql(query.replace("{t}", "p"), **configuration)
    assert found.schema == expected.schema
    return found.collect(), expected.collect(), plan(found)


def plan(frame):
    return frame._jdf.queryExecution().executedPlan().toString()


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM {t}",
        "SELECT count(*), count(*) + 1 AS more FROM {t} WHERE id > 10",
        "SELECT count(name), count(DISTINCT name), count(*), max(id), min(price) FROM {t}",
        "SELECT name, count(*) AS n, sum(price) AS s FROM {t} GROUP BY name ORDER BY name",
        "SELECT count(*) FROM {t} WHERE name IS NULL OR NOT name <=> 'n1'",
        "SELECT max(day), min(at), max(name), min(data.tag) FROM {t} WHERE id BETWEEN 20 AND 30",
        "SELECT count(*) FROM (SELECT * FROM {t} LIMIT 7)",
        "SELECT id FROM {t} ORDER BY price DESC LIMIT 3",
        "SELECT id, name FROM {t} ORDER BY name NULLS FIRST, id DESC LIMIT 5 OFFSET 2",
        "SELECT count(*) FROM {t} WHERE id IN (1, 5, 500, NULL)",
        "SELECT id FROM {t} WHERE id NOT IN (SELECT id + 1 FROM {t}) ORDER BY id",
        "SELECT array_max(data.level.scores) AS top FROM {t} WHERE id < 4 ORDER BY top",
        "SELECT x.s FROM (SELECT d.level.scores[0] AS s FROM (SELECT data AS d FROM {t})) x "
        "WHERE x.s > 55 ORDER BY 1",
        "SELECT data.pair FROM {t} WHERE data.pair[0] > 57 ORDER BY id",
        "SELECT extra['k'] FROM {t} WHERE extra['k'] > 50 ORDER BY 1",
        "SELECT id FROM {t} WHERE day IN (DATE '2024-01-03', DATE '2024-02-20') ORDER BY id",
        "SELECT id FROM {t} WHERE at > TIMESTAMP '2024-01-03 05:00:00' ORDER BY id",
        "SELECT id FROM {t} WHERE price IN (1.5, 3.00, 4.501) OR price = 60 ORDER BY id",
        "SELECT id FROM {t} WHERE cast(id AS STRING) LIKE '%3' AND name LIKE 'n%' ORDER BY id",
        "SELECT a.id, b.id FROM {t} a JOIN {t} b ON a.id = b.id + 1 AND a.name = 'n1' ORDER BY 1",
        "SELECT /*+ BROADCAST(b) */ a.id FROM {t} a JOIN {t} b ON a.price = b.price ORDER BY 1",
        "SELECT /*+ MERGE(b) */ a.id FROM {t} a LEFT ANTI JOIN {t} b ON a.id = b.id * 2 ORDER BY 1",
        "SELECT a.id, b.name FROM {t} a JOIN {t} b ON a._rowid = b._rowid ORDER BY a.id",
        "SELECT a.id FROM {t} a JOIN (SELECT _rowaddr AS r FROM {t} WHERE name = 'n2') b "
        "ON a._rowaddr = b.r ORDER BY a.id",
        "SELECT id, (SELECT max(id) FROM {t} b WHERE b.name = a.name) AS m FROM {t} a ORDER BY id",
        "WITH c AS (SELECT name, max(id) AS m FROM {t} GROUP BY name) "
        "SELECT a.id FROM {t} AS a JOIN c ON a.id = c.m ORDER BY 1",
        "SELECT id, sum(price) OVER (PARTITION BY name ORDER BY id) AS s FROM {t} ORDER BY id",
        "SELECT id FROM {t} WHERE id < 3 UNION ALL SELECT id FROM {t} WHERE id > 57 ORDER BY id",
        "SELECT s FROM {t} LATERAL VIEW explode(data.level.scores) AS s WHERE s > 95 ORDER BY s",
    ],
)
def test_queries(session, query):
    found, expected, _ = answers(session, query)
    assert found == expected
    assert expected


ADDRESSES = [
    "= {0}",
    "IN ({0}, {1}, {2})",
    "= {0} OR {c} = {1}",
    "= {0} AND {c} = {1}",
    "= {0} AND {c} IN ({0}, {1})",
    "IN ({0}, {1}) AND {c} IN ({1}, {2})",
    "IN ({0}, {1}) AND {c} IN ({2}, 77)",
    "= {0} AND id = 3",
    "IN ({0}, {1}) AND name IS NOT NULL",
    "= {0} OR id = 3",
    "= {0} OR ({c} = {1} AND id > 30)",
    "IN ({0}) OR {c} IN ({1}) OR {c} IN ({2})",
    "<> {0}",
    "NOT IN ({0}, {1})",
    "> {0}",
    ">= {0} AND {c} <= {1}",
    "BETWEEN {0} AND {1}",
    "< 0",
    "= -1",
    "IN (-1, {1})",
    "= 123456789012345",
    "IS NULL",
    "IS NOT NULL AND id = 8",
    "<=> {0}",
    "<=> NULL",
    "= NULL",
    "IN ({0}, NULL)",
    "NOT IN ({0}, NULL)",
    "+ 1 = {0} + 1",
    "= {0} + 0",
    "= '{0}'",
    "% 2 = 0",
    "IN (SELECT {c} FROM p WHERE id IN (4, 44))",
]


@pytest.mark.parametrize("column", ["_rowaddr", "_rowid"])
def test_conditions_on_addresses(session, column):
    rows = session.sql(f"SELECT {column} FROM p WHERE id IN (3, 25, 52) ORDER BY id").collect()
    known = [row[0] for row in rows]
    conditions = [f"{column} {a}".format(*known, c=column) for a in ADDRESSES]
    conditions += [f"NOT ({c})" for c in conditions]
    wanted = session.table("p").selectExpr(
        "id", *(f"({c}) AS `{i}`" for i, c in enumerate(conditions))
    )
    wanted = wanted.collect()
    for i, condition in enumerate(conditions):
        found = session.sql(f"SELECT id FROM {session.lance} WHERE {condition}").collect()
        assert sorted(found) == [(row.id,) for row in wanted if row[str(i)]], condition


def test_one_address_reads_one_row(session):
    (address,) = session.sql("SELECT _rowaddr FROM p WHERE id = 25").first()
    frame = session.sql(f"SELECT id FROM {session.lance} WHERE _rowaddr = {address}")
    assert frame.collect() == [(25,)]
    assert "Filter (" not in plan(frame)


def test_a_plain_count_runs_no_scan(session):
    assert "LocalTableScan" in plan(session.sql(f"SELECT count(*) FROM {session.lance}"))
    assert "LocalTableScan" not in plan(
        session.sql(f"SELECT count(DISTINCT name) FROM {session.lance}")
    )


@pytest.mark.skipif(LINE < (4, 2), reason="Spark has had vector functions since 4.2")
def test_orders_by_vector_functions_of_spark(session):
    """Each task returns the nearest rows only."""
    for function, direction in [
        ("vector_l2_distance", "ASC"),
        ("vector_l2_distance", "DESC"),
        ("vector_cosine_similarity", "DESC"),
        ("vector_inner_product", "DESC"),
    ]:
        distance = f"{function}(data.pair, array(7.2F, 1F))"
        for where in ("", "WHERE id BETWEEN 5 AND 40"):
            query = f"SELECT id, {distance} AS d FROM {{t}} {where} ORDER BY d {direction} LIMIT 5"
            found, expected, shown = answers(session, query)
            assert found == expected and len(found) == 5
            assert " in each task" in shown, shown
            query = f"SELECT name, id FROM {{t}} {where} ORDER BY {distance} {direction} LIMIT 5"
            found, expected, shown = answers(session, query)
            assert found == expected
            assert " in each task" in shown, shown


def test_parameters(session):
    """Named and unnamed parameters, parsed by the connector."""
    t = session.lance
    query = f"SELECT id FROM {t} WHERE name = :name AND id < :most ORDER BY id"
    assert session.sql(query, args={"name": "n1", "most": 12}).collect() == [(1,), (6,), (11,)]
    session.table(t).createOrReplaceTempView("v")
    query = "SELECT id FROM IDENTIFIER(?) WHERE id IN (?, ?) ORDER BY id"
    assert session.sql(query, args=["v", 4, 2]).collect() == [(2,), (4,)]
    query = "SELECT count(*) FROM {x} WHERE id < {n}"
    assert session.sql(query, x=session.table(t), n=5).first() == (5,)
    if LINE < (4, 0):
        return  # Spark 3.5 has no session variables
    session.sql("DECLARE OR REPLACE VARIABLE most INT DEFAULT 3")
    session.sql("SET VAR most = 2")
    assert session.sql(f"SELECT max(id) FROM {t} WHERE id < most").first() == (1,)


@pytest.mark.parametrize(
    "configuration",
    [
        {"spark.sql.adaptive.enabled": "false"},
        {"spark.sql.ansi.enabled": "false"},
        {"spark.sql.codegen.wholeStage": "false"},
        {"spark.sql.columnVector.offheap.enabled": "true"},
        {"spark.sql.caseSensitive": "true"},
        {"spark.sql.optimizer.dynamicPartitionPruning.reuseBroadcastOnly": "false"},
        {"spark.sql.session.timeZone": "America/St_Johns"},
    ],
    ids=lambda configuration: "=".join(next(iter(configuration.items()))),
)
def test_session_configuration(session, configuration):
    for key, value in configuration.items():
        session.conf.set(key, value)
    try:
        for query in (
            "SELECT id, at, CAST(name AS STRING) FROM {t} WHERE at >= '2024-01-02' AND price > '30'"
            " ORDER BY id",
            "SELECT a.id FROM {t} a JOIN {t} b ON a.id = b.id WHERE b.name = 'n3' ORDER BY 1",
        ):
            found, expected, _ = answers(session, query)
            assert found == expected
            assert expected
    finally:
        for key in configuration:
            session.conf.unset(key)


def test_cached_and_shared(session):
    frame = session.table(session.lance).cache()
    try:
        assert frame.where("id = 3").count() == 1
        both = frame.alias("a").join(session.table(session.lance).alias("b"), F.expr("a.id = b.id"))
        assert both.count() == ROWS
    finally:
        frame.unpersist()


@pytest.mark.parametrize("value", ["0", "-5", "many", "1.5", ""])
def test_invalid_batch_sizes(warehouse, value):
    warehouse.sql("CREATE TABLE u AS SELECT 1 AS id")
    with pytest.raises(Exception, match="batchSize"):
        warehouse.session.read.option("batchSize", value).table("u").collect()
