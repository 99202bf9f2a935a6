# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""k-nearest-neighbor joins and batches, compared with single searches, brute force, and pylance."""

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

from pyspark_lance import LanceTable
from pyspark_lance.exceptions import InvalidRequestError

pytestmark = pytest.mark.one_case

DIMENSION = 12


def vectors(values, mask=None):
    flat = pa.array(np.asarray(values, "float32").reshape(-1))
    return pa.FixedSizeListArray.from_arrays(flat, DIMENSION, mask=mask)


def write(path, n=600, seed=1, **options):
    random = np.random.default_rng(seed)
    values = random.normal(size=(n, DIMENSION)).round(2)
    mask = pa.array(random.random(n) < 0.05)
    table = pa.table(
        {"id": range(n), "v": vectors(values, mask), "g": random.integers(0, 9, n).tolist()}
    )
    return lance.write_dataset(table, str(path), max_rows_per_file=170, **options)


def queries(n, seed=2):
    return np.random.default_rng(seed).normal(size=(n, DIMENSION)).round(2).astype("float32")


def frame(spark, values):
    rows = [(i, None if v is None else [float(e) for e in v]) for i, v in enumerate(values)]
    return spark.createDataFrame(rows, "q int, vec array<float>").repartition(2)


def pairs(rows, key="q"):
    """Query, id, and distance of each row, nearest first."""
    found = [(r[key], r["id"], round(r["_distance"], 4)) for r in rows.collect()]
    return sorted(found, key=lambda t: (t[0], t[2], t[1]))


def singles(table, values, k, **options):
    return [
        (i, r["id"], round(r["_distance"], 4))
        for i, v in enumerate(values)
        if v is not None
        for r in sorted(
            table.nearest("v", v, k, **options).collect(), key=lambda r: (r["_distance"], r["id"])
        )
    ]


@pytest.mark.parametrize("kind", [None, "IVF_FLAT", "IVF_SQ", "IVF_PQ", "IVF_HNSW_SQ"])
def test_a_join_finds_the_same_rows_as_separate_searches(any_spark, tmp_path, kind):
    dataset = write(tmp_path / "t")
    if kind:
        sub = {"num_sub_vectors": 4} if "PQ" in kind else {}
        dataset.create_index("v", kind, num_partitions=4, **sub)
    table = LanceTable.forPath(any_spark, str(tmp_path / "t"))
    values = [*queries(6), None]
    left = frame(any_spark, values)
    for options in ({}, {"nprobes": 2, "refine_factor": 5}, {"filter": "g > 5 AND id < 500"}):
        near = table.nearest_join(left, "v", 7, query_column="vec", columns=["id"], **options)
        assert near.columns == ["q", "vec", "id", "_distance"]
        assert pairs(near) == singles(table, values, 7, **options)
    assert table.nearest_join(left, "v", 2, query_column="vec", how="left").count() == 13


def test_columns_of_a_join(any_spark, tmp_path):
    write(tmp_path / "t")
    table = LanceTable.forPath(any_spark, str(tmp_path / "t"))
    left = frame(any_spark, queries(3)).withColumnRenamed("vec", "v")
    near = table.nearest_join(
        left,
        "v",
        2,
        columns={"twice": "id * 2", "{g}": "g"},
        with_row_id=True,
        filter="'{x}' <> 'y'",
    )
    assert near.columns == ["q", "v", "twice", "{g}", "_distance", "_rowid"]
    assert near.count() == 6
    assert near.groupBy("q").count().count() == 3
    with pytest.raises(ValueError, match="has no column w"):
        table.nearest_join(left, "v", query_column="w")
    with pytest.raises(ValueError, match="how is 'inner' or 'left'"):
        table.nearest_join(left, "v", how="right")
    with pytest.raises(InvalidRequestError, match="arrays of numbers are expected"):
        table.nearest_join(left, "v", query_column="q")


@pytest.mark.parametrize("how", ["inner", "left"])
def test_columns_of_a_join_are_those_of_the_table(any_spark, tmp_path, how):
    write(tmp_path / "t")
    table = LanceTable.forPath(any_spark, str(tmp_path / "t"))
    left = frame(any_spark, queries(3)).withColumn("name", F.lit("left")).withColumn("g", F.lit(-1))
    for columns in (["id", "name"], ["q"], {"n": "name"}, {"n": "id + q"}, {"n": "upper(q.name)"}):
        with pytest.raises(AnalysisException, match="UNRESOLVED_COLUMN"):
            table.nearest_join(left, "v", 2, query_column="vec", columns=columns, how=how)
    found = table.nearest_join(
        left, "v", 2, query_column="vec", columns=["g", "_distance"], how=how, with_row_id=True
    )
    assert found.columns == ["q", "vec", "name", "g", "g", "_distance", "_rowid"]
    assert all(row[3] == -1 and row[4] >= 0 for row in found.collect())
    twice = {"d": "_distance * 2", "r": "_rowid"}
    found = table.nearest_join(
        left, "v", 2, query_column="vec", columns=twice, how=how, with_row_id=True
    )
    assert all(r["d"] == 2 * r["_distance"] and r["r"] == r["_rowid"] for r in found.collect())


def test_a_dataframe_of_queries_is_a_batch(any_spark, tmp_path):
    dataset = write(tmp_path / "t")
    dataset.create_index("v", "IVF_FLAT", num_partitions=4)
    table = LanceTable.forPath(any_spark, str(tmp_path / "t"))
    values = queries(5)
    batch = table.nearest("v", values, 4, nprobes=4)
    rows = [(i, [float(e) for e in v]) for i, v in enumerate(values)]
    left = any_spark.createDataFrame(rows, "n int, vec array<float>").coalesce(1)
    ours = table.nearest("v", left.select("vec"), 4, nprobes=4)
    assert ours.columns == batch.columns
    assert pairs(ours, "query_index") == pairs(batch, "query_index")
    theirs = dataset.to_table(nearest={"column": "v", "q": values, "k": 4, "nprobes": 4})
    assert [t[:2] for t in pairs(ours, "query_index")] == list(
        zip(theirs["query_index"].to_pylist(), theirs["id"].to_pylist(), strict=True)
    )
    with pytest.raises(ValueError, match="2 columns with arrays"):
        table.nearest("v", left.selectExpr("vec", "vec AS w"))


def test_the_table_has_columns_with_the_names_of_a_batch(any_spark, tmp_path):
    table = pa.table({"query_vector": ["a", "b"], "v": vectors(queries(2)), "n": [1, 2]})
    lance.write_dataset(table, str(tmp_path / "vector"))
    near = LanceTable.forPath(any_spark, str(tmp_path / "vector"))
    values = [([float(e) for e in v],) for v in queries(2)]
    batch = any_spark.createDataFrame(values, "vec array<float>").coalesce(1)
    found = near.nearest("v", batch, 1)
    assert found.columns == ["query_index", "query_vector", "v", "n", "_distance"]
    assert sorted((r["query_index"], r["query_vector"]) for r in found.collect()) == [
        (0, "a"),
        (1, "b"),
    ]

    lance.write_dataset(
        table.rename_columns(["query_index", "v", "n"]), str(tmp_path / "index"), mode="create"
    )
    near = LanceTable.forPath(any_spark, str(tmp_path / "index"))
    with pytest.raises(InvalidRequestError, match="has a column query_index"):
        near.nearest("v", batch, 1)
    with pytest.raises(InvalidRequestError, match="has a column query_index"):
        near.nearest("v", queries(2), 1).collect()
    assert near.nearest("v", batch, 1, columns=["n"]).columns == ["query_index", "n", "_distance"]
    single = near.nearest("v", queries(2)[0], 1, columns=["n"])
    assert single.columns == ["n", "_distance"]
    assert single.collect()[0]["n"] == 1


def test_a_left_join_computes_columns(any_spark, tmp_path):
    write(tmp_path / "t")
    table = LanceTable.forPath(any_spark, str(tmp_path / "t"))
    left = frame(any_spark, [queries(1)[0], None])
    near = table.nearest_join(
        left, "v", 2, query_column="vec", how="left", columns={"twice": "id * 2", "one": "1"}
    )
    rows = [(r["q"], r["one"], r["twice"] is None) for r in near.collect()]
    assert sorted(rows, key=str) == [(0, 1, False), (0, 1, False), (1, None, True)]


def test_the_left_side_remains_cached(spark, tmp_path):
    write(tmp_path / "t")
    table = LanceTable.forPath(spark, str(tmp_path / "t"))
    left = frame(spark, queries(3)).cache()
    try:
        assert left.count() == 3
        assert table.nearest_join(left, "v", 2, query_column="vec").count() == 6
        assert left.storageLevel.useMemory
        names = [t.name for t in spark.catalog.listTables()]
        assert not any(name.startswith("pyspark_lance_") for name in names)
    finally:
        left.unpersist()


@pytest.mark.parametrize("seed", range(4))
def test_an_index_with_exact_codes_equals_brute_force(spark, tmp_path, seed):
    """All partitions of IVF_FLAT on a table with deletions, updates, appends, and compaction."""
    random = np.random.default_rng(seed)
    stable = bool(seed % 2)
    dataset = write(tmp_path / "t", seed=seed, enable_stable_row_ids=stable)
    dataset = dataset.create_index("v", "IVF_FLAT", num_partitions=5)
    next_id = 600
    for step in random.permutation(["delete", "update", "append", "compact", "append", "delete"]):
        if step == "delete":
            dataset.delete(f"id % 11 = {random.integers(11)}")
        elif step == "update":
            dataset.update({"g": "3"}, where=f"id % 13 = {random.integers(13)}")
        elif step == "append":
            more = random.normal(size=(90, DIMENSION)).round(2)
            rows = {"id": range(next_id, next_id + 90), "v": vectors(more), "g": [3] * 90}
            dataset = lance.write_dataset(pa.table(rows), str(tmp_path / "t"), mode="append")
            next_id += 90
        else:
            dataset.optimize.compact_files(target_rows_per_fragment=1000)
        dataset = lance.dataset(str(tmp_path / "t"))
    table = LanceTable.forPath(spark, tmp_path / "t")
    values = queries(4, seed)
    options = {"nprobes": 5, "metric": "l2"}
    for filters in ({}, {"filter": "g = 3"}, {"filter": "g = 3", "prefilter": False}):
        wanted = singles(table, values, 15, use_index=False, **options, **filters)
        assert singles(table, values, 15, **options, **filters) == wanted, (seed, filters)
        near = table.nearest_join(
            frame(spark, values), "v", 15, query_column="vec", columns=["id"], **options, **filters
        )
        assert pairs(near) == wanted, (seed, filters)
    exact = brute_force(dataset, values, 15)
    assert [t[:2] for t in singles(table, values, 15, **options)] == exact


def brute_force(dataset, values, k):
    """Rows in order of distance and id; distances are rounded, because several rows are near."""
    rows = [r for r in dataset.to_table().to_pylist() if r["v"] is not None]
    stored = np.array([r["v"] for r in rows], "float32")
    found = []
    for i, q in enumerate(values):
        distances = ((stored - q) ** 2).sum(axis=1)
        order = sorted(range(len(rows)), key=lambda n: (round(distances[n], 4), rows[n]["id"]))
        found += [(i, rows[n]["id"]) for n in order[:k]]
    return found
