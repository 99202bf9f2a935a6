# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Columns that are added or changed from a view or expression, without changes of other columns."""

import pytest

ROWS = 9


@pytest.fixture
def t(warehouse):
    """Nine rows in three fragments; one row is deleted."""
    frame = warehouse.session.range(0, ROWS + 1, 1, 3).selectExpr("id", "concat('n', id) AS name")
    frame.writeTo("t").using("lance").create()
    warehouse.sql(f"DELETE FROM t WHERE id = {ROWS}")
    return warehouse


def places(warehouse):
    return warehouse.sql("SELECT id, _rowid, _rowaddr, _fragid FROM t ORDER BY id")


def data_files(warehouse):
    fragments = warehouse.dataset("t").get_fragments()
    return [[file.path for file in fragment.data_files()] for fragment in fragments]


def test_add_columns_from_a_view_in_another_order(t):
    before, files = places(t), data_files(t)
    t.session.sql(
        "SELECT _rowaddr, _fragid, id * 10 AS ten, named_struct('a', id, 'b', name) AS s "
        "FROM t ORDER BY id DESC"
    ).createOrReplaceTempView("v")
    t.sql("ALTER TABLE t ADD COLUMNS ten, s FROM v")
    expected = [
        {"id": n, "name": f"n{n}", "ten": 10 * n, "s": {"a": n, "b": f"n{n}"}} for n in range(ROWS)
    ]
    assert t.in_both("t") == expected
    assert places(t) == before
    assert [now[: len(old)] for now, old in zip(data_files(t), files, strict=True)] == files


def test_rows_that_the_view_lacks_are_null(t):
    t.session.sql("SELECT _rowaddr, 1 AS one FROM t WHERE id % 2 = 0").createOrReplaceTempView("v")
    t.sql("ALTER TABLE t ADD COLUMNS one FROM v")
    assert [row["one"] for row in t.in_both("t")] == [1, None] * (ROWS // 2) + [1]


def test_update_columns_from_a_view(t):
    before = places(t)
    t.session.sql(
        "SELECT _rowaddr, _fragid, upper(name) AS name FROM t WHERE id IN (8, 2, 3)"
    ).createOrReplaceTempView("v")
    t.sql("ALTER TABLE t UPDATE COLUMNS name FROM v")
    expected = [{"id": n, "name": f"{'N' if n in (2, 3, 8) else 'n'}{n}"} for n in range(ROWS)]
    assert t.in_both("t") == expected
    assert places(t) == before


def test_columns_by_expressions(t):
    before = places(t)
    t.sql("ALTER TABLE t ADD COLUMNS (twice BIGINT AS (id * 2), size INT AS (length(name)))")
    t.sql("ALTER TABLE t ADD COLUMNS (third STRING AS (concat(name, '-', twice)))")
    expected = [
        {"id": n, "name": f"n{n}", "twice": 2 * n, "size": 2, "third": f"n{n}-{2 * n}"}
        for n in range(ROWS)
    ]
    assert t.in_both("t") == expected
    assert places(t) == before
    assert t.dataset("t").version == 4


@pytest.mark.parametrize(
    ("view", "statement", "words"),
    [
        ("_rowaddr, 1 AS name FROM t", "ADD COLUMNS name FROM v", "name"),
        ("_rowaddr, 1 AS one FROM t", "ADD COLUMNS two FROM v", "two"),
        ("_rowaddr, 1 AS one FROM t", "UPDATE COLUMNS one FROM v", "one"),
        ("1 AS one FROM t", "ADD COLUMNS one FROM v", "_rowaddr"),
        ("999999999999L AS _rowaddr, 1 AS one", "ADD COLUMNS one FROM v", "999999999999"),
        ("_rowaddr, 1 AS one FROM t, (SELECT 1 UNION ALL SELECT 2)", "ADD COLUMNS one FROM v", ""),
        ("_rowaddr, array(1) AS name FROM t", "UPDATE COLUMNS name FROM v", "name"),
        ("1 AS one", "ADD COLUMNS one FROM nobody", "nobody"),
        ("1 AS one", "ADD COLUMNS (x INT AS (nothing + 1))", "nothing"),
        ("1 AS one", "ADD COLUMNS (name INT AS (1))", "name"),
        ("1 AS one", "ADD COLUMNS (x INT AS (raise_error('no')))", "no"),
    ],
)
def test_invalid_statements(t, view, statement, words):
    t.session.sql(f"SELECT {view}").createOrReplaceTempView("v")
    with pytest.raises(Exception, match=words):
        t.sql(f"ALTER TABLE t {statement}")
    assert t.dataset("t").version == 2
    assert t.session.table("t").columns == ["id", "name"]
