# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Lookups by index: options and results compared with pylance's."""

import lance
import pyarrow as pa
import pytest
from kit import indexed

from pyspark_lance import LanceTable
from pyspark_lance.exceptions import NotFoundError

pytestmark = pytest.mark.one_case

WORDS = ["word3", "word13", "fresh"]
NUMBERS = [3, 13, 777]
#: Not lists in structs, whose indices pylance does not use.
PATHS = [*indexed.INTEGERS, "ngram", "label_list", "s.btree", "s.d.bitmap"]

STABLE = pytest.mark.parametrize("stable", [False, True], ids=["plain", "stable"])


@STABLE
def test_fast_search_finds_the_rows_that_pylance_finds(warehouse, stable):
    """Also with conditions on several columns, whose indices cover different fragments."""
    path = warehouse.path("t")
    indexed.build(path, stable, paths=PATHS)
    more = indexed.arrow()
    lance.write_dataset(more, str(path), mode="append")
    lance.dataset(str(path)).create_scalar_index("btree", "BTREE", name="btree", replace=True)
    few = pa.Table.from_pylist(more.slice(7, 50).to_pylist(), more.schema)
    lance.write_dataset(few, str(path), mode="append")
    dataset = indexed.opened(path)

    def read(**options):
        return warehouse.session.read.format("lance").options(**options).load(str(path))

    questions = indexed.questions(dataset, WORDS, NUMBERS, PATHS)
    questions += [
        "plain > 70",
        "btree = 3 AND bitmap = 3",
        "btree = 3 AND plain > 70",
        "btree = 3 OR bitmap = 13",
        "btree = 3 OR plain = 70",
        "NOT (btree = 3)",
        "label_list IS NULL OR btree > 15",
    ]
    found = indexed.fast_differences(dataset, read, questions)
    found += indexed.differences_in_spark(read, questions)
    assert not found, found[:3]


def test_prewarm_index(warehouse):
    """By path and by name; there must be such an index."""
    warehouse.sql(
        "CREATE TABLE t AS SELECT id, array(concat('x', id % 9)) AS l FROM range(5000)",
        "CREATE INDEX by_id ON t USING btree (id)",
        "CREATE INDEX labels ON t USING label_list (l)",
    )
    for table in (
        LanceTable.forPath(warehouse.session, str(warehouse.path("t"))),
        LanceTable.forName(warehouse.session, "work.shop.t"),
    ):
        table.prewarm_index("by_id")
        table.prewarm_index("labels")
        with pytest.raises(NotFoundError, match="an index none"):
            table.prewarm_index("none")
        assert table.toDF().where("id = 77").count() == 1
        assert table.toDF().where("array_contains(l, 'x5')").count() == 555


def test_prewarm_index_on_every_session(any_spark, tmp_path):
    """On classic Spark and on Spark Connect."""
    path = str(tmp_path / "t")
    any_spark.range(100).write.format("lance").save(path)
    table = LanceTable.forPath(any_spark, path)
    table.create_scalar_index("id", "BTREE")
    table.prewarm_index("id_idx")
    found = any_spark.read.format("lance").option("fastSearch", "true").load(path)
    assert [row.id for row in found.where("id = 7").collect()] == [7]


def test_statements_use_an_index_on_every_session(any_spark, tmp_path):
    """Joins, aggregates, and row-level statements, on classic Spark and on Spark Connect."""
    path = str(tmp_path / "t")
    numbers = any_spark.range(20_000).selectExpr("id", "id % 7 AS few", "0L AS v")
    numbers.write.format("lance").save(path)
    table = LanceTable.forPath(any_spark, path)
    table.create_scalar_index("id", "BTREE")
    table.create_scalar_index("few", "BITMAP")

    def rows(query):
        return [tuple(row) for row in any_spark.sql(query).collect()]

    name = f"lance.`{path}`"
    source = "(SELECT id * 1000 AS id, 1L AS v FROM range(30))"
    assert rows(f"SELECT count(*), sum(t.id) FROM {name} t JOIN {source} s ON t.id = s.id") == [
        (20, 190_000)
    ]
    assert sorted(rows(f"SELECT few, count(*) FROM {name} GROUP BY few")) == [
        (few, len(range(few, 20_000, 7))) for few in range(7)
    ]
    any_spark.sql(
        f"MERGE INTO {name} t USING {source} s ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET v = s.v"
        " WHEN NOT MATCHED THEN INSERT (id, few, v) VALUES (s.id, 0, 9)"
    )
    any_spark.sql(f"UPDATE {name} SET v = 5 WHERE id IN (7, 12000, 77777)")
    any_spark.sql(f"DELETE FROM {name} WHERE id = 3000 OR id = 29000")
    expected = sorted(
        [(i * 1000, 5 if i == 12 else 1) for i in range(20) if i != 3]
        + [(i * 1000, 9) for i in range(20, 29)]
        + [(7, 5)]
    )
    assert sorted(rows(f"SELECT id, v FROM {name} WHERE v <> 0")) == expected
    assert rows(f"SELECT count(*) FROM {name} WHERE few = 4") == [(len(range(4, 20_000, 7)) - 1,)]
