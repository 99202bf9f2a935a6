# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Our statements in many forms, and on unsupported targets."""

import pytest
from kit.lines import LINE

import pyspark_lance


@pytest.fixture
def t(warehouse):
    """Three versions, each with one row more."""
    warehouse.sql("CREATE TABLE t AS SELECT 1L AS id", "INSERT INTO t VALUES (2)")
    warehouse.sql("INSERT INTO t VALUES (3)")
    return warehouse


def ids(warehouse, table="t"):
    return sorted(row[0] for row in warehouse.sql(f"SELECT id FROM {table}"))


def tags(warehouse, table="t"):
    return {row.name: row.version for row in warehouse.sql(f"SHOW TAGS IN {table}")}


def test_case_comments_blanks_and_semicolons(t):
    t.sql("alter table t create tag One as of version 1")
    t.sql("\n  ALTER /* the */ TABLE t -- this one\n CREATE\tTAG `2`\r\nAS OF VERSION 2 ; ;")
    t.sql("-- first\n/* nested /* comment */ ; */ Alter Table work.shop.t Create Tag '3-x';")
    assert tags(t) == {"One": 1, "2": 2, "3-x": 3}
    assert t.dataset("t").tags.get_version("One") == 1
    t.sql("show tags from `work`.`shop`.`t`;", "DESC HISTORY t", "describe detail t ;")
    t.sql("Restore t To Version As Of 'One'")
    assert ids(t) == [1]


@pytest.mark.parametrize(
    "name", ["a.b", "with `quote`", "Größe", "select", "t.branch_x", "1", "ü n"]
)
def test_names_in_quotes(warehouse, name):
    quoted = "`" + name.replace("`", "``") + "`"
    warehouse.sql(f"CREATE TABLE {quoted} (id BIGINT, `Mixed Case` INT)")
    warehouse.sql(f"INSERT INTO {quoted} VALUES (1, 2)", f"INSERT INTO {quoted} VALUES (3, 4)")
    warehouse.sql(f"ALTER TABLE work.shop.{quoted} CREATE TAG `1-2`")
    warehouse.sql(f"DELETE FROM {quoted} WHERE `mixed CASE` = 2")
    warehouse.sql(f"RESTORE {quoted} TO TAG `1-2`")
    assert ids(warehouse, quoted) == [1, 3]
    assert warehouse.sql(f"DESCRIBE HISTORY {quoted} LIMIT 1")[0].version == 5
    assert [row.tableName for row in warehouse.sql("SHOW TABLES")] == [name]
    warehouse.sql(f"DROP TABLE {quoted}")


def test_parameters(t):
    t.sql("ALTER TABLE IDENTIFIER(:t) CREATE TAG one AS OF VERSION :v", args={"t": "t", "v": 1})
    t.sql("ALTER TABLE t CREATE TAG two AS OF VERSION ?", args=[2])
    assert tags(t) == {"one": 1, "two": 2}
    assert len(t.sql("DESCRIBE HISTORY IDENTIFIER(?) LIMIT ?", args=["work.shop.t", 2])) == 2
    t.sql("RESTORE TABLE t TO VERSION AS OF :v", args={"v": 1})
    assert ids(t) == [1]
    t.sql("CALL work.system.restore(table => :t, version => :v)", args={"t": "shop.t", "v": 2})
    assert ids(t) == [1, 2]
    t.sql("RESTORE t TO TIMESTAMP AS OF :at", args={"at": "2999-01-01"})
    t.session.sql("SET tag=three")
    t.sql("ALTER TABLE t CREATE TAG ${tag}")
    assert "three" in tags(t)
    if LINE >= (4, 0):  # Spark has EXECUTE IMMEDIATE since then
        t.sql("EXECUTE IMMEDIATE 'ALTER TABLE t DROP TAG three'")
        assert "three" not in tags(t)


def test_a_statement_runs_once(t):
    frame = t.session.sql("RESTORE TABLE t TO VERSION AS OF 1")
    assert frame.collect() == frame.collect()
    assert frame.where("version = 4").count() == 1
    assert t.dataset("t").version == 4


def test_results_are_dataframes(t):
    history = t.session.sql("DESCRIBE HISTORY t")
    history.createOrReplaceTempView("past")
    assert t.sql("SELECT max(version), sum(rows_added) FROM past") == [(3, 3)]
    assert history.select("version").orderBy("version").collect() == [(1,), (2,), (3,)]
    assert len(t.session.sql("DESCRIBE DETAIL t").toPandas()) == 1


IS_VIEW = "EXPECT_TABLE_NOT_VIEW" if LINE >= (4, 0) else "is a temp view"


@pytest.mark.parametrize(
    "statement",
    [
        "RESTORE {t} TO VERSION AS OF 1",
        "ALTER TABLE {t} CREATE TAG x",
        "ALTER TABLE {t} CREATE BRANCH x",
        "ALTER TABLE {t} DROP TAG IF EXISTS x",
        "SHOW TAGS IN {t}",
        "SHOW BRANCHES IN {t}",
        "DESCRIBE HISTORY {t}",
        "DESCRIBE DETAIL {t}",
        "OPTIMIZE {t}",
        "VACUUM {t}",
        "ALTER TABLE {t} ADD COLUMNS (twice BIGINT AS (id * 2))",
        "ALTER TABLE {t} ADD COLUMNS twice FROM v",
        "ALTER TABLE {t} UPDATE COLUMNS id FROM v",
        "CREATE TABLE copy SHALLOW CLONE {t}",
        "CREATE TABLE copy DEEP CLONE {t}",
    ],
)
def test_other_tables(t, statement):
    t.session.range(3).createOrReplaceTempView("v")
    t.sql("CREATE TABLE spark_catalog.default.plain (id BIGINT) USING parquet")
    try:
        with pytest.raises(Exception, match=r"(?s)TABLE_OR_VIEW_NOT_FOUND.*nobody"):
            t.sql(statement.format(t="nobody"))
        with pytest.raises(Exception, match=IS_VIEW):
            t.sql(statement.format(t="v"))
        with pytest.raises(Exception, match=r"(?s)UNSUPPORTED_FEATURE.*plain"):
            t.sql(statement.format(t="spark_catalog.default.plain"))
        with pytest.raises(Exception, match=r"PARSE_SYNTAX_ERROR"):
            t.sql(statement.format(t="t") + " NONSENSE")
    finally:
        t.sql("DROP TABLE spark_catalog.default.plain")
    assert t.dataset("t").version == 3
    assert tags(t) == {}


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("RESTORE t TO VERSION AS OF 99", "99"),
        ("RESTORE t TO VERSION AS OF 'nothing'", "nothing"),
        ("RESTORE t TO TIMESTAMP AS OF '1999-01-01'", "1999"),
        ("RESTORE t TO TIMESTAMP AS OF 'yesterday or so'", "yesterday or so|timestamp"),
        ("ALTER TABLE t CREATE TAG x AS OF VERSION 99", "99"),
        ("ALTER TABLE t CREATE TAG `a b/..`", "a b/"),
        ("ALTER TABLE t DROP TAG x", "x"),
        ("ALTER TABLE t DROP BRANCH x", "x"),
        ("ALTER TABLE t CREATE BRANCH main", "main"),
        ("ALTER TABLE t CREATE BRANCH x AS OF BRANCH y", "y"),
        ("ALTER TABLE t CREATE TAG x AS OF VERSION -1", "whole number|PARSE_SYNTAX_ERROR"),
        ("ALTER TABLE t CREATE TAG x AS OF VERSION 1.5", "PARSE_SYNTAX_ERROR"),
        ("ALTER TABLE t CREATE TAG", "PARSE_SYNTAX_ERROR"),
        ("DESCRIBE HISTORY t LIMIT many", "PARSE_SYNTAX_ERROR"),
        ("CALL work.system.nothing('t')", "ROUTINE|nothing"),
        ("CALL work.system.restore(table => 't', vers => 1)", "vers"),
        ("CALL work.system.restore(table => 'nobody', version => 1)", "nobody"),
        ("CALL work.system.rollback_to_version('t', 'one')", "one|CAST|TYPE"),
    ],
)
def test_invalid_statements(t, statement, words):
    with pytest.raises(Exception, match=words):
        t.sql(statement)
    assert t.dataset("t").version == 3
    assert tags(t) == {}


def test_cached_tables_are_refreshed_after_changes(t):
    t.sql("CACHE TABLE t")
    t.session.table("t").where("id > 1").createOrReplaceTempView("large")
    assert ids(t) == [1, 2, 3]
    for change, expected in [
        ("INSERT INTO t VALUES (4)", [1, 2, 3, 4]),
        ("DELETE FROM t WHERE id = 1", [2, 3, 4]),
        ("UPDATE t SET id = 40 WHERE id = 4", [2, 3, 40]),
        ("RESTORE t TO VERSION AS OF 2", [1, 2]),
        ("MERGE INTO t USING (SELECT 1) ON true WHEN MATCHED THEN UPDATE SET id = id + 1", [2, 3]),
        ("TRUNCATE TABLE t", []),
    ]:
        t.sql(change)
        assert ids(t) == expected, change
        assert ids(t, "large") == [n for n in expected if n > 1], change
    t.sql("UNCACHE TABLE t")


def test_changes_of_other_writers_are_visible(t):
    """By pylance, by path, and in another session. An existing DataFrame keeps its rows."""
    frame = t.session.table("t")
    view = t.session.sql("CREATE OR REPLACE TEMPORARY VIEW w AS SELECT id FROM t")
    assert view.collect() == []
    t.dataset("t").delete("id = 1")
    assert ids(t) == ids(t, "w") == [2, 3]
    pyspark_lance.write(t.session.range(7, 8), t.path("t"), mode="append")
    assert ids(t) == ids(t, "w") == [2, 3, 7]
    assert frame.count() in (2, 3)  # as Spark does: another version with each action, or the same
    t.sql("REFRESH TABLE t")
    assert ids(t, f"lance.`{t.path('t')}`") == [2, 3, 7]
