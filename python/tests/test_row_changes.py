# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""DELETE, UPDATE, and MERGE in the forms of other connectors; pylance reads the result."""

import datetime

import lance
import pyarrow as pa
import pytest
from pyspark.sql import functions as F

from pyspark_lance.merge_writer import merge_writer

ROWS = 12
STABLE = pytest.mark.parametrize("stable", [False, True], ids=["addresses", "stable ids"])


def make(warehouse, stable=False, fragments=3):
    """People 0 to 11 in several fragments."""
    rows = pa.Table.from_pylist(people(*range(ROWS)))
    lance.write_dataset(
        rows,
        warehouse.path("people"),
        max_rows_per_file=ROWS // fragments,
        enable_stable_row_ids=stable,
    )
    assert len(warehouse.fragments("people")) == fragments


def person(number, **changed):
    row = {
        "id": number,
        "name": f"n{number}",
        "home": {"city": f"c{number % 3}", "zip": number * 10},
        "marks": [number, number + 1],
    }
    return {**row, **changed}


def people(*numbers):
    return [person(number) for number in numbers]


@pytest.mark.parametrize(
    ("condition", "left"),
    [
        ("id < 0", range(ROWS)),
        ("id = 5", [n for n in range(ROWS) if n != 5]),
        ("id % 2 = 0", range(1, ROWS, 2)),
        ("name IN ('n1', 'n7', NULL)", [n for n in range(ROWS) if n not in (1, 7)]),
        ("home.city = 'c1' AND array_contains(marks, 5)", [n for n in range(ROWS) if n != 4]),
        ("id >= 4 AND id < 8", [0, 1, 2, 3, 8, 9, 10, 11]),
        ("true", []),
        ("CAST(NULL AS BOOLEAN)", range(ROWS)),
        ("id IN (SELECT id + 1 FROM people WHERE name = 'n3')", [n for n in range(12) if n != 4]),
        (
            "EXISTS (SELECT 1 FROM people p WHERE p.id = people.id * 2 AND p.id > 10)",
            range(ROWS),
        ),
    ],
)
def test_delete(warehouse, condition, left):
    make(warehouse)
    warehouse.sql(f"DELETE FROM people WHERE {condition}")
    assert warehouse.in_both("people") == people(*left)


def test_delete_again_and_again(warehouse):
    make(warehouse)
    warehouse.sql("DELETE FROM people WHERE id = 1")
    version = warehouse.dataset("people").version
    warehouse.sql("DELETE FROM people WHERE id = 1")
    assert warehouse.dataset("people").version == version  # nothing to do, nothing written
    warehouse.sql("DELETE FROM people WHERE id IN (2, 6, 10)", "DELETE FROM people p WHERE p.id=3")
    assert warehouse.in_both("people") == people(0, 4, 5, 7, 8, 9, 11)
    warehouse.sql("DELETE FROM people")
    assert warehouse.in_both("people") == []
    warehouse.sql("INSERT INTO people SELECT * FROM people VERSION AS OF 1 WHERE id = 0")
    assert warehouse.in_both("people") == people(0)


def test_delete_by_address_touches_one_fragment(warehouse):
    make(warehouse)
    before = {f.fragment_id: f.metadata for f in warehouse.dataset("people").get_fragments()}
    (address,) = warehouse.sql("SELECT _rowaddr FROM people WHERE id = 6")[0]
    warehouse.sql(f"DELETE FROM people WHERE _rowaddr = {address}")
    assert warehouse.in_both("people") == people(*(n for n in range(ROWS) if n != 6))
    after = {f.fragment_id: f.metadata for f in warehouse.dataset("people").get_fragments()}
    changed = [number for number, metadata in after.items() if metadata != before[number]]
    assert changed == [address >> 32]


@STABLE
@pytest.mark.every_case
def test_statements_that_use_metadata_columns(warehouse, stable):
    make(warehouse, stable)

    def ids(column="_rowid"):
        return dict(warehouse.sql(f"SELECT id, {column} FROM people"))

    changes = f"SELECT {ids()[7]}L AS r UNION ALL SELECT {ids()[8]}L UNION ALL SELECT -1L"
    warehouse.sql(
        f"MERGE INTO people t USING ({changes}) s ON t._ROWID = s.r "
        "WHEN MATCHED AND t.id = 7 THEN UPDATE SET name = concat('merged ', t._rowid = s.r) "
        "WHEN MATCHED THEN DELETE "
        "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.r + 21, 'inserted')",
        f"UPDATE people SET name = 'by id' WHERE _rowid = {ids()[2]}",
        f"MERGE INTO people USING (SELECT {ids('_rowaddr')[3]}L AS a) s ON _rowaddr = s.a "
        "WHEN MATCHED THEN UPDATE SET name = 'by address'",
        "MERGE INTO people t USING people s ON t._rowid = s._rowid AND t._rowaddr = s._rowaddr "
        "WHEN MATCHED AND s.id = 4 THEN UPDATE SET name = concat('self ', s._rowid = t._rowid)",
        "MERGE INTO people t USING (SELECT -1L AS r) s ON t._rowid = s.r "
        "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (21, 'only inserted')",
        "UPDATE people SET name = concat('row ', _rowid = (SELECT p._rowid FROM people p "
        "WHERE p.id = 5)) WHERE id = 5",
        "UPDATE people SET name = 'in' WHERE EXISTS "
        "(SELECT 1 FROM people p WHERE p._rowid = people._rowid AND p.id = 6)",
    )
    names = {2: "by id", 3: "by address", 4: "self true", 5: "row true", 6: "in"}
    names[7] = "merged true"
    expected = [person(n, name=names.get(n, f"n{n}")) for n in range(ROWS) if n != 8]
    added = {20: "inserted", 21: "only inserted"}
    expected += [{"id": n, "name": name, "home": None, "marks": None} for n, name in added.items()]
    assert warehouse.in_both("people") == expected


@pytest.mark.parametrize("cast", ["", "INT"])
def test_merge_of_a_table_into_itself_by_row_ids(warehouse, cast):
    make(warehouse, fragments=1)
    key = f"CAST(s._rowid AS {cast})" if cast else "s._rowid"
    warehouse.sql(
        f"MERGE INTO people t USING people s ON t._rowid = {key} + 6 "
        "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id + 20, s.name)"
    )
    assert [row["id"] for row in warehouse.in_both("people")] == [*range(12), *range(26, 32)]


@STABLE
@pytest.mark.parametrize("mode", ["rows", "columns", "auto"])
def test_conditions_on_char_values_without_padding(warehouse, stable, mode):
    """Other programs write them. Spark pads them when it reads the table."""
    warehouse.sql(
        "CREATE TABLE codes (id BIGINT, c CHAR(4), s STRUCT<c: CHAR(2)>, n BIGINT) "
        f"TBLPROPERTIES ('enable_stable_row_ids' = '{str(stable).lower()}')",
        "INSERT INTO codes VALUES (0, 'a', named_struct('c', 'x'), 0)",
        f"SET spark.lance.write.updateMode = {mode}",
    )
    rows = [{"id": i, "c": c, "s": {"c": "x"}, "n": 0} for i, c in ((1, "a"), (2, "b"), (3, "d"))]
    rows = pa.Table.from_pylist(rows, schema=warehouse.dataset("codes").schema)
    lance.write_dataset(rows, warehouse.path("codes"), mode="append")
    try:
        warehouse.sql(
            "UPDATE codes SET n = n + 1 WHERE c = 'a'",
            "UPDATE codes SET n = length(c) * 10 + n WHERE s.c = 'x ' AND c IN ('a', 'b')",
            "MERGE INTO codes t USING (SELECT 'd   ' AS k UNION ALL SELECT 'new') s ON t.c = s.k "
            "WHEN MATCHED THEN UPDATE SET n = length(t.c) "
            "WHEN NOT MATCHED THEN INSERT (id, c, n) VALUES (4, s.k, 1)",
            "MERGE INTO codes t USING (SELECT 'b   ' AS k) s ON t.c = s.k "
            "WHEN NOT MATCHED THEN INSERT (id) VALUES (5)",
            "MERGE INTO codes t USING (SELECT 1) s ON t.c = 'b' WHEN MATCHED THEN DELETE",
        )
    finally:
        warehouse.sql("RESET spark.lance.write.updateMode")
    found = warehouse.sql("SELECT id, c, s.c, n FROM codes ORDER BY id")
    assert found == [
        (0, "a   ", "x ", 41),
        (1, "a   ", "x ", 41),
        (3, "d   ", "x ", 4),
        (4, "new ", None, 1),
    ]


@pytest.mark.parametrize(
    ("assignment", "condition", "expected"),
    [
        ("name = 'x'", "id < 0", {}),
        ("name = upper(name)", "id = 5", {5: {"name": "N5"}}),
        ("name = NULL, id = id + 100", "id IN (0, 11)", {0: (100,), 11: (111,)}),
        ("home = named_struct('city', name, 'zip', 7L)", "id = 2", {2: {"home": ("n2", 7)}}),
        ("home.zip = home.zip + id", "id = 3", {3: {"home": ("c0", 33)}}),
        ("marks = array(9, 8, 7)", "id = 4", {4: {"marks": [9, 8, 7]}}),
        ("marks = transform(marks, m -> m * 2)", "id = 6", {6: {"marks": [12, 14]}}),
        (
            "name = (SELECT max(name) FROM people)",
            "id = (SELECT min(id) FROM people)",
            {0: {"name": "n9"}},
        ),
    ],
)
@STABLE
def test_update(warehouse, stable, assignment, condition, expected):
    make(warehouse, stable)
    ids = dict(warehouse.sql("SELECT name, _rowid FROM people"))
    warehouse.sql(f"UPDATE people SET {assignment} WHERE {condition}")
    rows = people(*range(ROWS))
    for number, changed in expected.items():
        if isinstance(changed, tuple):
            rows[number] = person(number, name=None, id=changed[0])
        else:
            if "home" in changed:
                changed = {"home": dict(zip(("city", "zip"), changed["home"], strict=True))}
            rows[number] = person(number, **changed)
    assert warehouse.in_both("people") == sorted(rows, key=lambda row: row["id"])
    if stable:
        where = [row["id"] if isinstance(row["id"], int) else 0 for row in rows]
        found = dict(warehouse.sql("SELECT id, _rowid FROM people"))
        assert [found[n] for n in where] == [ids[f"n{number}"] for number in range(ROWS)]


@STABLE
def test_update_all_again_and_after_deletes(warehouse, stable):
    make(warehouse, stable)
    warehouse.sql(
        "UPDATE people SET name = concat(name, '!')",
        "DELETE FROM people WHERE id % 3 = 0",
        "UPDATE people SET name = concat(name, '?') WHERE id < 6",
        "UPDATE people AS p SET p.name = concat(p.name, '.') WHERE p.name LIKE '%?'",
    )
    left = [n for n in range(ROWS) if n % 3]
    expected = [person(n, name=f"n{n}!?." if n < 6 else f"n{n}!") for n in left]
    assert warehouse.in_both("people") == expected


@STABLE
def test_merge_with_every_clause(warehouse, stable):
    make(warehouse, stable)
    warehouse.session.createDataFrame(
        [(1, "gone"), (2, "new name"), (3, "keep"), (20, "twenty"), (21, "skipped")],
        "key BIGINT, word STRING",
    ).createOrReplaceTempView("changes")
    before = dict(warehouse.sql("SELECT id, _rowid FROM people"))
    warehouse.sql(
        """
        MERGE INTO people AS p USING changes c ON p.id = c.key
        WHEN MATCHED AND c.word = 'gone' THEN DELETE
        WHEN MATCHED AND c.word <> 'keep' THEN UPDATE SET p.name = c.word, p.home.zip = NULL
        WHEN NOT MATCHED AND c.word <> 'skipped' THEN INSERT (id, name) VALUES (c.key, c.word)
        WHEN NOT MATCHED BY SOURCE AND p.id > 9 THEN DELETE
        WHEN NOT MATCHED BY SOURCE AND p.id > 7 THEN UPDATE SET marks = array()
        """
    )
    expected = [
        person(0),
        person(2, name="new name", home={"city": "c2", "zip": None}),
        *people(3, 4, 5, 6, 7),
        person(8, marks=[]),
        person(9, marks=[]),
        {"id": 20, "name": "twenty", "home": None, "marks": None},
    ]
    assert warehouse.in_both("people") == expected
    if stable:
        after = dict(warehouse.sql("SELECT id, _rowid FROM people"))
        assert {n: i for n, i in after.items() if n < 20} == {n: before[n] for n in after if n < 20}
        assert after[20] not in before.values()


def test_merge_with_rows_that_match_twice_fails_without_effect(warehouse):
    make(warehouse)
    version = warehouse.dataset("people").version
    with pytest.raises(Exception, match="MERGE_CARDINALITY_VIOLATION"):
        warehouse.sql(
            "MERGE INTO people p USING (SELECT id, explode(array(1, 2)) n FROM range(3)) s "
            "ON p.id = s.id WHEN MATCHED THEN UPDATE SET name = 'twice'"
        )
    assert warehouse.dataset("people").version == version
    assert warehouse.in_both("people") == people(*range(ROWS))


def test_merge_into_of_data_frames(warehouse):
    make(warehouse)
    source = warehouse.session.createDataFrame([(0, "zero"), (50, "fifty")], "id BIGINT, w STRING")
    source = source.alias("s")
    (
        merge_writer(source, "people", F.expr("people.id = s.id"))
        .whenMatched()
        .update({"name": F.col("s.w")})
        .whenNotMatched(F.col("s.id") > 10)
        .insert({"id": F.col("s.id"), "name": F.col("s.w")})
        .whenNotMatchedBySource(F.expr("people.id > 1"))
        .delete()
        .merge()
    )
    fifty = {"id": 50, "name": "fifty", "home": None, "marks": None}
    assert warehouse.in_both("people") == [person(0, name="zero"), person(1), fifty]


def test_versions_of_rows(warehouse):
    """The version columns of rows that are inserted, updated, deleted, and inserted again."""
    make(warehouse, stable=True)
    warehouse.sql(
        "UPDATE people SET name = 'two' WHERE id = 2",
        "INSERT INTO people (id) VALUES (100)",
        "DELETE FROM people WHERE id = 3",
        "INSERT INTO people (id) VALUES (3)",
        "UPDATE people SET name = 'again' WHERE id IN (2, 100)",
    )
    columns = "_row_created_at_version AS c, _row_last_updated_at_version AS u"
    found = {row.id: (row.c, row.u) for row in warehouse.sql(f"SELECT id, {columns} FROM people")}
    assert found == {
        **dict.fromkeys(range(ROWS), (1, 1)),
        2: (1, 6),
        100: (3, 6),
        3: (5, 5),
    }
    since = "_row_last_updated_at_version BETWEEN 5 AND 6"
    assert {row.id for row in warehouse.sql(f"SELECT id FROM people WHERE {since}")} == {2, 3, 100}
    theirs = warehouse.dataset("people").to_table(
        columns=["id", "_row_created_at_version", "_row_last_updated_at_version"]
    )
    assert {row["id"]: tuple(row.values())[1:] for row in theirs.to_pylist()} == found


@pytest.mark.parametrize(
    ("statement", "word"),
    [
        ("DELETE FROM people WHERE age > 1", "UNRESOLVED_COLUMN"),
        ("UPDATE people SET age = 1", "UNRESOLVED_COLUMN"),
        ("UPDATE people SET id = 'word'", "CANNOT|INCOMPATIBLE|CAST_INVALID_INPUT"),
        ("DELETE FROM nobody", "TABLE_OR_VIEW_NOT_FOUND"),
        ("DELETE FROM people VERSION AS OF 1 WHERE id = 1", "PARSE_SYNTAX_ERROR"),
        ("MERGE INTO people p USING nobody n ON true WHEN MATCHED THEN DELETE", "NOT_FOUND"),
    ],
)
def test_invalid_statements(warehouse, statement, word):
    make(warehouse, fragments=1)
    with pytest.raises(Exception, match=word):
        warehouse.sql(statement)
    assert warehouse.dataset("people").version == 1


def test_arrow_types_are_kept(warehouse):
    """Changed rows are written with the types of the table."""
    day = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)
    rows = {
        "id": pa.array([1, 2, 3], pa.uint32()),
        "small": pa.array([1, None, 255], pa.uint8()),
        "vector": pa.array([[1, 2], None, [3, 4]], pa.list_(pa.float16(), 2)),
        "bytes": pa.array([b"abc", b"def", None], pa.binary(3)),
        "text": pa.array(["a", "b", None], pa.large_string()),
        "at": pa.array([day, None, day], pa.timestamp("ms", "UTC")),
        "day": pa.array([0, 86_400_000, None], pa.date64()),
        "tags": pa.array([["x"], [], None], pa.list_(pa.field("word", pa.string()))),
        "kind": pa.array(["k", "l", "k"]).dictionary_encode(),
    }
    source = pa.table(rows)
    lance.write_dataset(source, warehouse.path("t"))
    schema = warehouse.dataset("t").schema
    for statement in (
        "UPDATE t SET small = 7 WHERE id = 2",
        "DELETE FROM t WHERE id = 1",
        "MERGE INTO t USING (SELECT * FROM t VERSION AS OF 1) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        "INSERT OVERWRITE t SELECT * FROM t",
        "OPTIMIZE t ZORDER BY (small)",
    ):
        warehouse.sql(statement)
        assert warehouse.dataset("t").schema == schema, statement
    assert warehouse.dataset("t").to_table().sort_by("id").to_pylist() == source.to_pylist()
