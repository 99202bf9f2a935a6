# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""SQL statements on namespaces and tables of LanceCatalog."""

import pytest
from kit.lines import LINE
from pyspark.errors import AnalysisException


def rows(warehouse, statement):
    return [tuple(row) for row in warehouse.sql(statement)]


def test_namespaces(warehouse):
    w = warehouse
    w.sql(
        "CREATE NAMESPACE work.a COMMENT 'first' WITH DBPROPERTIES ('team' = 'x', 'gone' = '1')",
        "CREATE NAMESPACE work.a.b",
        "CREATE NAMESPACE IF NOT EXISTS work.a.b",
    )
    with pytest.raises(AnalysisException, match="SCHEMA_ALREADY_EXISTS"):
        w.sql("CREATE NAMESPACE work.a")
    with pytest.raises(AnalysisException, match="SCHEMA_NOT_FOUND"):
        w.sql("DESCRIBE NAMESPACE work.nothing")
    assert rows(w, "SHOW NAMESPACES IN work") == [("a",), ("shop",)]
    assert rows(w, "SHOW NAMESPACES IN work.a") == [("a.b",)]
    w.sql("ALTER NAMESPACE work.a SET PROPERTIES ('team' = 'y')")
    if LINE >= (4, 0):
        w.sql("ALTER NAMESPACE work.a UNSET PROPERTIES ('gone')")
    w.sql("COMMENT ON NAMESPACE work.a IS 'second'")
    shown = dict(rows(w, "DESCRIBE NAMESPACE EXTENDED work.a"))
    assert shown["Comment"] == "second"
    assert "team,y" in shown["Properties"].replace(" ", "")
    assert ("gone" in shown["Properties"]) == (LINE < (4, 0))
    w.sql("CREATE TABLE work.a.b.t AS SELECT 1 AS id", "CREATE TABLE work.a.t AS SELECT 2 AS id")
    assert rows(w, "SHOW TABLES IN work.a.b") == [("a.b", "t", False)]
    assert rows(w, "SHOW TABLES IN work.a") == [("a", "t", False)]
    with pytest.raises(AnalysisException, match="SCHEMA_NOT_EMPTY"):
        w.sql("DROP NAMESPACE work.a")
    w.sql("DROP NAMESPACE work.a CASCADE", "DROP NAMESPACE IF EXISTS work.a")
    assert rows(w, "SHOW NAMESPACES IN work") == [("shop",)]
    assert not (w.folder.parent / "a").exists()


def test_tables(warehouse):
    w = warehouse
    w.sql("CREATE TABLE t (id BIGINT COMMENT 'key', v STRING) COMMENT 'mine'")
    w.sql("INSERT INTO t VALUES (1, 'a')")
    w.sql("ALTER TABLE t RENAME TO u")
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        w.sql("SELECT * FROM t")
    assert w.in_both("u") == [{"id": 1, "v": "a"}]
    w.sql("CREATE TABLE like_u LIKE u")
    assert w.session.table("like_u").columns == ["id", "v"]
    shown = w.sql("SHOW CREATE TABLE u")[0][0]
    assert "COMMENT 'key'" in shown
    assert "COMMENT 'mine'" in shown
    schema = w.session.table("u").schema
    w.sql("DROP TABLE like_u", "DROP TABLE u", shown, "ALTER TABLE u RENAME TO t")
    assert w.session.table("t").schema == schema
    w.sql("INSERT INTO t VALUES (2, 'b')")
    described = {row[0]: row[1] for row in w.sql("DESCRIBE TABLE EXTENDED t")}
    assert described["Comment"] == "mine"
    assert described["Provider"] == "lance"
    if LINE >= (4, 0):  # Spark 3.5 has the statement for its own tables alone
        assert rows(w, "SHOW COLUMNS IN t") == [("id",), ("v",)]
    w.sql("TRUNCATE TABLE t")
    assert w.in_both("t") == []
    assert [row.tableName for row in w.sql("SHOW TABLES LIKE 't*'")] == ["t"]
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        w.sql("DROP TABLE nobody")
    w.sql("DROP TABLE IF EXISTS nobody", "DROP TABLE t PURGE")
    assert not w.path("t").exists()


def test_columns_of_every_depth(warehouse):
    w = warehouse
    w.sql(
        "CREATE TABLE t AS SELECT 1L AS id, 'x' AS name, "
        "named_struct('a', 1, 'list', array(named_struct('b', 2.5F))) AS s"
    )
    version = w.dataset("t").version
    changes = [
        "ADD COLUMNS (first INT FIRST, s.c STRING COMMENT 'deep', s.list.element.d INT AFTER b)",
        "RENAME COLUMN s.list.element.b TO e",
        "ALTER COLUMN s.a TYPE BIGINT",
        "ALTER COLUMN s.list.element.e TYPE DOUBLE",
        "ALTER COLUMN name COMMENT 'called'",
        "ALTER COLUMN name AFTER s",
        "ALTER COLUMN s.c FIRST",
        "DROP COLUMN first",
        "DROP COLUMNS (s.list.element.d, s.c)",
    ]
    for n, change in enumerate(changes, 1):
        w.sql(f"ALTER TABLE t {change}")
        assert w.dataset("t").version == version + n, change
        w.in_both("t")
    assert w.in_both("t") == [{"id": 1, "s": {"a": 1, "list": [{"e": 2.5}]}, "name": "x"}]
    w.sql("INSERT INTO t VALUES (2, named_struct('a', 5000000000L, 'list', array()), NULL)")
    assert w.session.table("t").schema["name"].metadata["comment"] == "called"
    version = w.dataset("t").version
    for change, words in [
        ("DROP COLUMN nothing", "COLUMN_NOT_FOUND|UNRESOLVED_COLUMN|FIELD_NOT_FOUND|Missing field"),
        ("RENAME COLUMN id TO name", "FIELD_ALREADY_EXISTS|FIELDS_ALREADY_EXISTS"),
        ("ADD COLUMN s.a INT", "FIELD_ALREADY_EXISTS|FIELDS_ALREADY_EXISTS"),
        ("ALTER COLUMN id TYPE INT", "NOT_SUPPORTED_CHANGE_COLUMN"),
        ("ALTER COLUMN name SET NOT NULL", "null|NULL"),
        ("ADD COLUMN `a.b` INT", "a.b"),
    ]:
        with pytest.raises(AnalysisException, match=words):
            w.sql(f"ALTER TABLE t {change}")
    assert w.dataset("t").version == version
