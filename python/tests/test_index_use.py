# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Lookups by index: options and results compared with pylance's."""

from pathlib import Path

import lance
import pyarrow as pa
import pytest
from kit import indexed

from pyspark_lance import LanceTable
from pyspark_lance.exceptions import CorruptFileError, NotFoundError

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


def test_index_operations_on_every_session(any_spark, tmp_path):
    """Describing, optimizing, and dropping, on classic Spark and on Spark Connect."""
    path = str(tmp_path / "t")
    rows = any_spark.range(0, 300, 1, 1).selectExpr("id", "concat('v', id % 7) AS few")
    rows.write.format("lance").option("maxRowsPerFile", 100).save(path)
    table = LanceTable.forPath(any_spark, path)
    table.create_scalar_index("id", "BTREE")
    table.create_scalar_index("few", "BITMAP", "values")
    rows.write.format("lance").mode("append").save(path)
    dataset = lance.dataset(path)
    theirs = {i.name: i for i in dataset.describe_indices()}
    described = table.describe_indices()
    assert [(i.name, i.index_type, i.field_names) for i in described] == [
        (name, theirs[name].index_type, theirs[name].field_names) for name in ("id_idx", "values")
    ]
    assert [i.num_rows_indexed for i in described] == [300, 300]
    assert all(i.total_size_bytes and i.segments[0].created_at for i in described)
    listed = table.list_indices()
    assert [(i["name"], i["type"], i["fields"], i["fragment_ids"]) for i in listed] == [
        ("id_idx", "BTree", ["id"], {0, 1, 2}),
        ("values", "Bitmap", ["few"], {0, 1, 2}),
    ]
    assert {i["uuid"] for i in listed} == {s.uuid for i in theirs.values() for s in i.segments}

    def statistics(name):
        found = table.index_statistics(name)
        return found["num_segments"], found["num_indexed_rows"], found["num_unindexed_rows"]

    assert statistics("id_idx") == statistics("values") == (1, 300, 300)
    counts = ("num_indexed_fragments", "num_unindexed_fragments", "num_unindexed_rows")
    reference = dataset.stats.index_stats("values")
    assert all(table.index_statistics("values")[key] == reference[key] for key in counts)
    table.optimize.optimize_indices(index_names=["id_idx"], num_indices_to_merge=0)
    assert (statistics("id_idx"), statistics("values")) == ((2, 600, 0), (1, 300, 300))
    table.optimize.optimize_indices()
    assert statistics("id_idx") == statistics("values") == (1, 600, 0)
    lookups = any_spark.read.format("lance").option("fastSearch", "true").load(path)
    assert lookups.where("id = 7 AND few = 'v0'").count() == 2
    table.drop_index("id_idx")
    assert [i.name for i in table.describe_indices()] == ["values"]
    for call in (table.drop_index, table.index_statistics):
        with pytest.raises(NotFoundError, match="id_idx"):
            call("id_idx")
    damaged = [*Path(path, "_indices", table.list_indices()[0]["uuid"]).iterdir()]
    damaged[0].write_bytes(damaged[0].read_bytes()[:50])
    for call in (table.index_statistics, table.prewarm_index):
        with pytest.raises(CorruptFileError, match="the index values is damaged"):
            call("values")
    assert table.toDF().where("few = 'v3'").count() == 86


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
