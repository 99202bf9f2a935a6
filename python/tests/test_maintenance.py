# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""OPTIMIZE, VACUUM, clones, and import keep all rows."""

import pytest

from pyspark_lance import read


@pytest.fixture
def t(warehouse):
    """Ten versions: eight small fragments, and deletions in two of them."""
    warehouse.sql("CREATE TABLE t (id BIGINT, name STRING, at INT)")
    for n in range(8):
        warehouse.session.range(n * 10, n * 10 + 10, 1, 1).selectExpr(
            "id", "concat('n', id) AS name", "CAST(id % 4 AS INT) AS at"
        ).writeTo("t").append()
    warehouse.sql("DELETE FROM t WHERE id IN (3, 5, 71)")
    return warehouse


IDS = [n for n in range(80) if n not in (3, 5, 71)]


def ids(warehouse, table="t"):
    return [row["id"] for row in warehouse.in_both(table)]


def size(path):
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


@pytest.mark.parametrize(
    ("arguments", "fragments"),
    [
        ("", 1),
        ("WITH (target_rows_per_fragment = 40)", 1),
        ("WITH (targetRowsPerFragment = 10, materialize_deletions = false)", 8),
        (
            "WITH (target_rows_per_fragment=1000, max_rows_per_group=100, num_threads=2, "
            "materialize_deletions_threshold=0.05, batch_size=7, defer_index_remap=false)",
            1,
        ),
    ],
)
def test_optimize(t, arguments, fragments):
    t.sql(f"OPTIMIZE t {arguments}")
    assert ids(t) == IDS
    assert len(t.fragments("t")) == fragments
    version = t.dataset("t").version
    t.sql(f"OPTIMIZE t {arguments}")
    assert t.dataset("t").version == version  # nothing left to do


def test_optimize_sorts(t):
    t.sql("OPTIMIZE t ZORDER BY (at)")
    assert ids(t) == IDS
    assert len(t.fragments("t")) == 1
    rows = t.sql("SELECT at FROM t ORDER BY _rowaddr")
    assert rows == sorted(rows)
    t.sql("OPTIMIZE t ZORDER BY (at, id)")
    assert ids(t) == IDS


def test_optimize_where(t):
    before = set(t.fragments("t"))
    t.sql("OPTIMIZE t WHERE id < 30")
    assert ids(t) == IDS
    assert len(set(t.fragments("t")) & before) == 5


def test_vacuum_by_version_frees_bytes(t):
    t.sql("OPTIMIZE t")
    before = size(t.path("t"))
    dry = t.sql("VACUUM t RETAIN 0 HOURS DRY RUN")
    assert size(t.path("t")) == before
    assert dry
    t.sql("VACUUM t WITH (before_version = 11, delete_unverified = true)")
    assert size(t.path("t")) < before
    assert ids(t) == IDS
    assert t.sql("SELECT count(*) FROM t VERSION AS OF 11") == [(77,)]
    with pytest.raises(Exception, match="9"):
        t.sql("SELECT count(*) FROM t VERSION AS OF 9")


def test_vacuum_keeps_tagged_versions_and_branches(t):
    t.sql("ALTER TABLE t CREATE TAG four AS OF VERSION 4", "ALTER TABLE t CREATE BRANCH dev")
    t.sql("OPTIMIZE t", "VACUUM t RETAIN 0 HOURS WITH (error_if_tagged_old_versions = false)")
    assert t.sql("SELECT count(*) FROM t VERSION AS OF 'four'") == [(30,)]
    assert t.sql("SELECT count(*) FROM t.branch_dev") == [(77,)]
    assert ids(t) == IDS


@pytest.mark.parametrize("kind", ["SHALLOW", "DEEP"])
def test_clones(t, kind, tmp_path):
    t.sql(f"CREATE TABLE copy {kind} CLONE t VERSION AS OF 3")
    assert ids(t, "copy") == list(range(20))
    t.sql("DELETE FROM copy WHERE id < 15", "INSERT INTO copy VALUES (100, 'x', 1)")
    assert ids(t, "copy") == [15, 16, 17, 18, 19, 100]
    assert ids(t) == IDS
    with pytest.raises(Exception, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        t.sql(f"CREATE TABLE copy {kind} CLONE t")
    t.sql(f"CREATE TABLE IF NOT EXISTS copy {kind} CLONE t")
    t.sql(f"CREATE OR REPLACE TABLE copy {kind} CLONE t")
    assert ids(t, "copy") == IDS
    t.sql(f"CREATE TABLE lance.`{tmp_path}/c.lance` {kind} CLONE t")
    assert read(t.session, tmp_path / "c.lance").count() == len(IDS)


def test_import_of_parquet(t, tmp_path):
    t.session.table("t").write.parquet(f"{tmp_path}/p")
    t.sql(f"CALL work.system.import(source => 'parquet.`{tmp_path}/p`', table => 'shop.u')")
    assert ids(t, "u") == IDS


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("OPTIMIZE t WITH (target_row_per_fragment = 5)", "target_rows_per_fragment"),
        ("OPTIMIZE t WITH (target_rows_per_fragment = 'many')", "many"),
        ("OPTIMIZE t WITH (target_rows_per_fragment = -1)", "-1"),
        ("OPTIMIZE t ZORDER BY (nothing)", "nothing"),
        ("OPTIMIZE t WHERE nothing = 1", "nothing"),
        ("OPTIMIZE nobody", "TABLE_OR_VIEW_NOT_FOUND"),
        ("VACUUM t RETAIN -1 HOURS", "PARSE_SYNTAX_ERROR|-1"),
        ("VACUUM t WITH (before_versions = 3)", "before_version"),
        ("CREATE TABLE copy SHALLOW CLONE nobody", "TABLE_OR_VIEW_NOT_FOUND"),
        ("CREATE TABLE copy SHALLOW CLONE t VERSION AS OF 99", "99"),
        ("CALL work.system.compact(tabel => 't')", "table"),
    ],
)
def test_invalid_statements(t, statement, words):
    version = t.dataset("t").version
    with pytest.raises(Exception, match=words):
        t.sql(statement)
    assert t.dataset("t").version == version
    assert [row.tableName for row in t.sql("SHOW TABLES")] == ["t"]
