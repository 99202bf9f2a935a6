# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Exact vector search: rows and distances compared with pylance's."""

import json
import math

import lance
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.ml.linalg import DenseVector

from pyspark_lance import LanceTable, lance_table
from pyspark_lance.exceptions import InvalidRequestError, UnsupportedFeatureError

DIMENSION = 19
TYPES = {
    "float16": pa.float16(),
    "float32": pa.float32(),
    "float64": pa.float64(),
    "int8": pa.int8(),
    "uint8": pa.uint8(),
}


def vectors(kind, n, seed=3):
    """Random vectors with nulls among them, as Arrow has them."""
    random = np.random.default_rng(seed)
    if kind in ("int8", "uint8"):
        low = -128 if kind == "int8" else 0
        values = random.integers(low, low + 256, (n, DIMENSION)).astype(kind)
    else:
        values = random.normal(size=(n, DIMENSION)).astype(kind)
    mask = random.random(n) < 0.1
    return pa.FixedSizeListArray.from_arrays(
        pa.array(values.reshape(-1), TYPES[kind]), DIMENSION, mask=pa.array(mask)
    )


def query(kind, seed=5):
    random = np.random.default_rng(seed)
    if kind in ("int8", "uint8"):
        low = -128 if kind == "int8" else 0
        return random.integers(low, low + 256, DIMENSION).astype(kind)
    return random.normal(size=DIMENSION).astype(kind)


def write(path, kind, n=400, **options):
    table = pa.table({"id": range(n), "v": vectors(kind, n), "g": [i % 7 for i in range(n)]})
    return lance.write_dataset(table, str(path), max_rows_per_file=150, **options)


def same(ours, theirs):
    """Whether rows have the same ids in the same order, and distances to 1e-4."""
    ours = [(row["id"], row["_distance"]) for row in ours.collect()]
    theirs = [(row["id"], row["_distance"]) for row in theirs.to_pylist()]
    assert len(ours) == len(theirs)
    for (_, d), (_, e) in zip(ours, theirs, strict=True):
        assert d == pytest.approx(e, rel=1e-4, abs=1e-5)
    # Rounding may swap neighbors.
    assert sorted(i for i, _ in ours) == sorted(i for i, _ in theirs)


@pytest.mark.parametrize(
    ("kind", "metric"),
    [(k, m) for k in ("float16", "float32", "float64") for m in ("l2", "cosine", "dot")]
    + [("uint8", "hamming"), ("uint8", None), ("float32", None)],
)
def test_distances_equal_those_of_pylance(spark, tmp_path, kind, metric):
    dataset = write(tmp_path / "t", kind)
    table = LanceTable.forPath(spark, tmp_path / "t")
    q = query(kind)
    asked = {"column": "v", "q": q, "k": 12} | ({"metric": metric} if metric else {})
    same(table.nearest("v", q, 12, metric=metric), dataset.to_table(nearest=asked))
    filtered = dataset.to_table(nearest=asked, filter="g > 3 AND id < 300", prefilter=True)
    same(table.nearest("v", q, 12, metric=metric, filter="g > 3 AND id < 300"), filtered)
    after = dataset.to_table(nearest=asked, filter="g > 3")
    same(table.nearest("v", q, 12, metric=metric, filter="g > 3", prefilter=False), after)


@pytest.mark.parametrize("metric", ["l2", "cosine", "dot"])
def test_int8_vectors(spark, tmp_path, metric):
    """pylance searches them from Rust only."""
    dataset = write(tmp_path / "t", "int8")
    q = query("int8").astype("int64")
    ids, values = _columns(dataset)
    rows = [(i, np.array(v, "int64")) for i, v in zip(ids, values, strict=True) if v]
    distance = {
        "l2": lambda v: float(((v - q) ** 2).sum()),
        "cosine": lambda v: 1 - (v @ q) / math.sqrt((v @ v) * (q @ q)),
        "dot": lambda v: 1.0 - float(v @ q),
    }[metric]
    wanted = sorted((distance(v), i) for i, v in rows)[:9]
    table = LanceTable.forPath(spark, tmp_path / "t")
    found = table.nearest("v", q, 9, metric=metric).collect()
    assert [r._distance for r in found] == pytest.approx([d for d, _ in wanted], rel=1e-5)
    assert sorted(r.id for r in found) == sorted(i for _, i in wanted)


@pytest.mark.parametrize("stable", [False, True])
@pytest.mark.parametrize("version", ["legacy", "2.0", "2.1", "2.2"])
def test_searches_of_changed_tables_equal_pylance(spark, tmp_path, version, stable):
    if version == "legacy" and stable:
        pytest.skip("pylance writes no such table")
    dataset = write(
        tmp_path / "t", "float32", data_storage_version=version, enable_stable_row_ids=stable
    )
    dataset.delete("id % 5 = 2")
    more = pa.table({"id": range(400, 500), "v": vectors("float32", 100, 9), "g": [1] * 100})
    dataset = lance.write_dataset(more, str(tmp_path / "t"), mode="append")
    dataset.update({"g": "6"}, where="id % 11 = 0")
    table = LanceTable.forPath(spark, tmp_path / "t")
    q = query("float32")
    asked = {"column": "v", "q": q, "k": 25}
    same(table.nearest("v", q, 25), dataset.to_table(nearest=asked))
    found = dataset.to_table(nearest=asked, filter="g = 6", prefilter=True)
    same(table.nearest("v", q, 25, filter="g = 6"), found)
    same(table.nearest("v", q, 1000), dataset.to_table(nearest=asked | {"k": 1000}))
    old = lance.dataset(str(tmp_path / "t"), version=1)
    same(
        lance_table(spark, str(tmp_path / "t"), version=1).nearest("v", q, 25),
        old.to_table(nearest=asked),
    )


def test_vectors_without_a_distance_are_not_found(spark, tmp_path):
    nan = float("nan")
    rows = [[1.0, 2.0], [0.0, 0.0], [3.0, nan], [5.0, 5.0], None, [1.0, 2.0]]
    table = pa.table({"id": range(6), "v": pa.array(rows, pa.list_(pa.float32(), 2))})
    dataset = lance.write_dataset(table, str(tmp_path / "t"))
    ours = LanceTable.forPath(spark, tmp_path / "t")
    for metric in ("l2", "cosine", "dot"):
        asked = {"column": "v", "q": [1.0, 1.0], "k": 9, "metric": metric}
        theirs = dataset.to_table(nearest=asked)
        same(ours.nearest("v", [1.0, 1.0], 9, metric=metric), theirs)
        found = ours.nearest("v", [1.0, 1.0], 9, metric=metric).collect()
        assert [r.id for r in found] == theirs["id"].to_pylist()


def test_a_batch_has_the_rows_of_each_query(any_spark, tmp_path):
    dataset = write(tmp_path / "t", "float32")
    table = LanceTable.forPath(any_spark, str(tmp_path / "t"))
    queries = np.stack([query("float32", seed) for seed in range(4)])
    theirs = dataset.to_table(nearest={"column": "v", "q": queries, "k": 6})
    arrow = pa.FixedSizeListArray.from_arrays(pa.array(queries.reshape(-1)), DIMENSION)
    for q in (queries, arrow, queries.tolist(), list(queries)):
        ours = table.nearest("v", q, 6).collect()
        assert ours[0].__fields__[0] == "query_index"
        assert [(r.query_index, r.id) for r in ours] == list(
            zip(theirs["query_index"].to_pylist(), theirs["id"].to_pylist(), strict=True)
        )


def test_one_query_in_all_forms(any_spark, tmp_path):
    write(tmp_path / "t", "float32")
    table = LanceTable.forPath(any_spark, str(tmp_path / "t"))
    q = query("float32")
    wanted = [r.id for r in table.nearest("v", q, 5).collect()]
    arrow = pa.FixedSizeListArray.from_arrays(pa.array(q), len(q))
    forms = [
        *(q.tolist(), tuple(q), pa.array(q), pa.chunked_array([pa.array(q)])),
        *(arrow[0], arrow.cast(pa.list_(pa.float32()))[0], list(pa.array(q)), list(q)),
        *(pd.Series(q), DenseVector(q.tolist()), q.astype(np.longdouble)),
    ]
    for form in forms:
        assert [r.id for r in table.nearest("v", form, 5).collect()] == wanted
    batch = table.nearest("v", np.stack([q, q]), 5).collect()
    for batches in ([arrow[0], arrow[0]], [pa.array(q), DenseVector(q.tolist())], [q, list(q)]):
        assert table.nearest("v", batches, 5).collect() == batch
    with pytest.raises(TypeError, match="not null"):
        table.nearest("v", pa.scalar(None, arrow.type), 5)
    near = table.nearest(
        "v", q, 5, columns={"twice": "id * 2"}, with_row_id=True, distance_range=(0.0, None)
    )
    assert near.columns == ["twice", "_distance", "_rowid"]
    assert [r.twice for r in near.collect()] == [2 * i for i in wanted]
    option = json.dumps({"column": "v", "key": q.tolist(), "k": 5, "distanceType": "L2"})
    read = any_spark.read.format("lance").option("nearest", option).load(str(tmp_path / "t"))
    assert [r.id for r in read.select("id").collect()] == wanted


def test_nested_vectors_and_distance_ranges(spark, tmp_path):
    inner = vectors("float32", 100)
    nested = pa.StructArray.from_arrays([inner, pa.array(range(100))], ["vec", "n"])
    dataset = lance.write_dataset(pa.table({"id": range(100), "s": nested}), str(tmp_path / "t"))
    table = LanceTable.forPath(spark, tmp_path / "t")
    q = query("float32")
    asked = {"column": "s.vec", "q": q, "k": 20}
    same(table.nearest("s.vec", q, 20), dataset.to_table(nearest=asked))
    same(table.nearest(None, q, 20), dataset.to_table(nearest=asked))
    asked["distance_range"] = (20.0, 40.0)
    same(
        table.nearest("s.vec", q, 20, distance_range=(20.0, 40.0)),
        dataset.to_table(nearest=asked),
    )


def test_the_same_rows_in_sql(spark, tmp_path):
    dataset = write(tmp_path / "t", "uint8")
    q = query("uint8").tolist()
    text = ", ".join(map(str, q))
    for function, metric in (("l2_distance", None), ("hamming_distance", "hamming")):
        rows = spark.sql(
            f"SELECT id, {function}(v, array({text})) AS _distance FROM lance.`{tmp_path}/t` "
            "WHERE v IS NOT NULL ORDER BY _distance, id LIMIT 9"
        )
        if metric:
            q_ = np.array(q, "uint8")
            same(rows, dataset.to_table(nearest={"column": "v", "q": q_, "k": 9}))
        else:
            values = [(i, v) for i, v in zip(*map(list, _columns(dataset)), strict=True) if v]
            wanted = sorted(
                (sum((a - b) ** 2 for a, b in zip(v, q, strict=True)), i) for i, v in values
            )
            assert [(r._distance, r.id) for r in rows.collect()] == wanted[:9]


def _columns(dataset):
    table = dataset.to_table()
    return table["id"].to_pylist(), table["v"].to_pylist()


def test_errors_explain_the_problem(any_spark, tmp_path):
    write(tmp_path / "t", "float32")
    table = LanceTable.forPath(any_spark, str(tmp_path / "t"))
    q = query("float32")
    with pytest.raises(InvalidRequestError, match=r"has 2 elements.*column v have 19"):
        table.nearest("v", [1, 2])
    with pytest.raises(InvalidRequestError, match="null at position 1"):
        table.nearest("v", [1, None])
    with pytest.raises(InvalidRequestError, match="NaN at position 0"):
        table.nearest("v", [math.nan, 1])
    with pytest.raises(InvalidRequestError, match="no column w"):
        table.nearest("w", q)
    not_a_vector = "column id is not a vector column: its type is int64"
    with pytest.raises(InvalidRequestError, match=not_a_vector):
        table.nearest("id", q)
    with pytest.raises(InvalidRequestError, match="unknown metric 'manhattan'"):
        table.nearest("v", q, metric="manhattan")
    with pytest.raises(UnsupportedFeatureError, match="metric hamming for column v"):
        table.nearest("v", q, metric="hamming")
    with pytest.raises(InvalidRequestError, match="k must be"):
        table.nearest("v", q, 0)
    with pytest.raises(InvalidRequestError, match="fast_search requires a vector index"):
        table.nearest("v", q, fast_search=True)
    with pytest.raises(TypeError, match="a list, a NumPy array, or an Arrow array, not str"):
        table.nearest("v", "1, 2")


@pytest.mark.parametrize("stable", [False, True])
@pytest.mark.parametrize(("kind", "metric"), [("IVF_FLAT", "cosine"), ("IVF_SQ", "l2")])
def test_indices_of_pylance_are_searched(spark, tmp_path, kind, metric, stable):
    """With the metric of the index, in which rows that were appended later have no entries."""
    dataset = write(tmp_path / "t", "float32", n=900, enable_stable_row_ids=stable)
    dataset = dataset.create_index("v", kind, metric=metric, num_partitions=4)
    table = LanceTable.forPath(spark, tmp_path / "t")
    q = query("float32")
    asked = {"column": "v", "q": q, "k": 15, "nprobes": 4}

    def compare(**filters):
        theirs = dataset.to_table(nearest=asked, prefilter=True, **filters)
        same(table.nearest("v", q, 15, nprobes=4, **filters), theirs)

    compare()
    compare(filter="g = 2 AND id > 100")
    dataset.delete("id % 4 = 1")
    compare()
    more = pa.table({"id": range(900, 1000), "v": vectors("float32", 100, 9), "g": [2] * 100})
    dataset = lance.write_dataset(more, str(tmp_path / "t"), mode="append")
    exact = dataset.to_table(nearest=asked | {"use_index": False, "metric": metric})
    same(table.nearest("v", q, 15, nprobes=4, refine_factor=20), exact)
    same(table.nearest("v", q, 15, metric=metric, use_index=False), exact)
    indexed = table.nearest("v", q, 200, nprobes=4, fast_search=True)
    assert max(r.id for r in indexed.collect()) < 900


@pytest.mark.parametrize("kind", ["IVF_FLAT", "IVF_SQ", "IVF_PQ"])
def test_bounds_of_refined_distances(spark, tmp_path, kind):
    dataset = write(tmp_path / "t", "float32", 2000)
    options = {"num_sub_vectors": DIMENSION} if kind == "IVF_PQ" else {}
    dataset.create_index("v", kind, num_partitions=2, **options)
    table = LanceTable.forPath(spark, str(tmp_path / "t"))
    q = query("float32")
    distances = dataset.to_table(
        nearest={"column": "v", "q": q, "k": 2000, "use_index": False}, columns=["_distance"]
    )["_distance"].to_pylist()
    ranges = [(distances[150], None), (None, distances[40]), (distances[150], distances[170])]
    for bounds in ranges:
        for factor in (1, 10):
            asked = {"k": 8, "nprobes": 2, "refine_factor": factor, "distance_range": bounds}
            theirs = dataset.to_table(nearest={"column": "v", "q": q, **asked})["_distance"]
            theirs = theirs.to_pylist()
            ours = [r._distance for r in table.nearest("v", q, **asked).collect()]
            # The reference also compares the upper bound with the distances of the index.
            assert len(ours) >= len(theirs), (bounds, factor)
            assert all(o <= t * 1.0001 for o, t in zip(ours, theirs, strict=False)), bounds
            if bounds[1] is None:
                assert ours == pytest.approx(theirs, rel=1e-4), factor
    exact = table.nearest("v", q, 8, distance_range=ranges[0], use_index=False).collect()
    assert [r._distance for r in exact] == pytest.approx(distances[150:158], rel=1e-5)


def test_added_columns_of_a_search_can_be_selected(any_spark, tmp_path):
    write(tmp_path, "float32")
    table = LanceTable.forPath(any_spark, str(tmp_path))
    q = query("float32")
    found = table.nearest("v", q, columns=["_distance", "id", "_rowid"], with_row_id=True)
    assert found.columns == ["_distance", "id", "_rowid"]
    batch = table.nearest("v", np.stack([q, q]), columns=["id", "query_index"])
    assert batch.columns == ["id", "query_index", "_distance"]


@pytest.mark.parametrize("kind", ["IVF_HNSW_FLAT", "IVF_HNSW_SQ"])
def test_graphs_with_empty_partitions_are_searched(spark, tmp_path, kind):
    values = np.random.default_rng(7).normal(size=(600, 8)).astype("float32")
    table = pa.table(
        {"id": range(600), "v": pa.FixedSizeListArray.from_arrays(values.reshape(-1), 8)}
    )
    dataset = lance.write_dataset(table, str(tmp_path))
    centroids = np.stack([values[0], np.full(8, 1e4, "float32"), values[1]])
    dataset.create_index(
        "v",
        kind,
        num_partitions=3,
        ivf_centroids=pa.FixedSizeListArray.from_arrays(centroids.reshape(-1), 8),
    )
    found = LanceTable.forPath(spark, str(tmp_path)).nearest("v", values[5], k=5, nprobes=3)
    plan = found._jdf.queryExecution().executedPlan().toString()
    assert kind in plan
    assert found.first().id == 5 and found.count() == 5


def test_filters_use_columns_with_names_of_metadata_columns(spark, tmp_path):
    def rows(first):
        values = np.random.default_rng(first).normal(size=(300, 8)).astype("float32")
        columns = {
            "id": range(first, first + 300),
            "_fragid": [9] * 300,
            "v": pa.FixedSizeListArray.from_arrays(values.reshape(-1), 8),
        }
        return pa.table(columns), values

    table, values = rows(0)
    dataset = lance.write_dataset(table, str(tmp_path))
    dataset.create_index("v", "IVF_FLAT", num_partitions=2)
    more, others = rows(300)
    lance.write_dataset(more, str(tmp_path), mode="append")
    table = LanceTable.forPath(spark, str(tmp_path))
    for vector, wanted in ((values[4], 4), (others[4], 304)):
        found = table.nearest("v", vector, k=3, nprobes=2, filter="id > 2 AND _fragid = 9")
        assert found.count() == 3 and found.first().id == wanted
