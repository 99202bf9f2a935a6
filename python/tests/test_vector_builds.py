# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Vector indices that Spark builds: pylance searches, extends, and merges them, and vice versa."""

import lance
import numpy as np
import pyarrow as pa
import pytest
from kit.vectors import (
    DIMENSION,
    KINDS,
    PARTITIONS,
    ROWS,
    SLOW,
    clusters,
    mean_recall,
    neighbors,
    rows,
    write,
)

from pyspark_lance import LanceTable
from pyspark_lance.exceptions import InvalidRequestError, LanceError, UnsupportedFeatureError

pytestmark = pytest.mark.one_case


def cases(first, *others):
    """Each kind of index with each value."""
    return [
        pytest.param(
            kind, value, marks=pytest.mark.long if kind in SLOW and value in others else ()
        )
        for kind in KINDS
        for value in (first, *others)
    ]


def theirs(path, q, k=10, **parameters):
    """The result of pylance with the index: ids and distances."""
    scanner = lance.dataset(str(path)).scanner(
        columns=["id", "_distance"], nearest={"column": "v", "q": q, "k": k, **parameters}
    )
    assert "ANN" in scanner.explain_plan(True), "pylance does not use the index"
    table = scanner.to_table()
    return table["id"].to_pylist(), table["_distance"].to_pylist()


def ours(table, q, k=10, **parameters):
    found = table.nearest("v", q, k, **parameters).collect()
    return [r.id for r in found], [r._distance for r in found]


def ours_in_turn(table, queries, k=10, **parameters):
    """The same for each query of a batch."""
    found = [([], []) for _ in queries]
    near = table.nearest("v", queries, k, columns=["id"], **parameters).collect()
    for row in sorted(near, key=lambda r: (r.query_index, r._distance)):
        ids, distances = found[row.query_index]
        ids.append(row.id)
        distances.append(row._distance)
    return found


def exact(path, q, k=10, metric="l2"):
    nearest = {"column": "v", "q": q, "k": k, "metric": metric, "use_index": False}
    return lance.dataset(str(path)).to_table(columns=["id"], nearest=nearest)["id"].to_pylist()


def recall(found, wanted):
    return len(set(found) & set(wanted)) / len(wanted)


def compared(spark, path, kind, metric, queries, partitions=PARTITIONS):
    """Checks that both find the same by all partitions. Returns the recall of pylance's search."""
    table = LanceTable.forPath(spark, str(path))
    asked = {"metric": metric, "nprobes": partitions} | ({"ef": 100} if "HNSW" in kind else {})
    found = ours_in_turn(table, queries, refine_factor=None, **asked)
    refined = ours_in_turn(table, queries, refine_factor=10, **asked)
    assert ours(table, queries[0], refine_factor=None, **asked)[1] == found[0][1]
    recalls = []
    for q, (our_ids, our_distances), (our_refined, _) in zip(queries, found, refined, strict=True):
        their_ids, their_distances = theirs(path, q, **asked)
        if kind == "IVF_RQ":  # pylance rounds its tables
            assert recall(our_ids, their_ids) >= 0.7
        else:
            assert our_distances == pytest.approx(their_distances, rel=1e-3, abs=1e-4)
            assert recall(our_ids, their_ids) >= 0.9  # the order of equal distances
        their_refined = theirs(path, q, refine_factor=10, **asked)[0]
        recalls.append(recall(their_refined, exact(path, q, metric=metric)))
        assert recall(our_refined, their_refined) >= 0.9
    return sum(recalls) / len(recalls)


@pytest.mark.parametrize(("kind", "metric"), cases("cosine", "l2", "dot"))
def test_pylance_finds_the_same_rows(spark, tmp_path, kind, metric):
    path = tmp_path / "t"
    values = clusters(ROWS)
    write(path, values)
    table = LanceTable.forPath(spark, str(path))
    table.create_index("v", kind, metric=metric, num_partitions=PARTITIONS, **KINDS[kind])
    (index,) = lance.dataset(str(path)).describe_indices()
    assert index.index_type == kind
    assert index.num_rows_indexed == ROWS
    queries = clusters(8, seed=2)
    assert compared(spark, path, kind, metric, queries) >= (0.8 if "PQ" in kind else 0.95)
    statistics = lance.dataset(str(path)).stats.index_stats("v_idx")
    assert statistics["num_unindexed_rows"] == 0
    assert sum(p["size"] for p in statistics["indices"][0]["partitions"]) == ROWS - len(
        [i for i in range(ROWS) if i % 97 == 5]
    )


@pytest.mark.parametrize(("kind", "metric"), cases("l2", "cosine", "dot"))
def test_recall_equals_pylance(spark, tmp_path, kind, metric):
    values = clusters(8000)
    queries = clusters(2000, seed=3)
    wanted = neighbors(values, queries, metric)
    options = {"metric": metric, "num_partitions": 16, **KINDS[kind]}
    asked = {"nprobes": 6}
    asked |= {"ef": 150} if "HNSW" in kind else {}
    asked |= {"refine_factor": 10} if "PQ" in kind else {}  # the default of searches by Spark

    def by_pylance(path):
        nearest = {"column": "v", "q": queries, "k": 10, "metric": metric, **asked}
        columns = ["query_index", "id", "_distance"]
        found = lance.dataset(str(path)).to_table(columns=columns, nearest=nearest)
        rows = zip(found["query_index"].to_pylist(), found["id"].to_pylist(), strict=True)
        return mean_recall(rows, wanted)

    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for path in (ours, theirs):
        write(path, values)
    table = LanceTable.forPath(spark, str(ours))
    table.create_index("v", kind, **options)
    lance.dataset(str(theirs)).create_index("v", kind, **options)
    on_ours, on_theirs = by_pylance(ours), by_pylance(theirs)
    # With this number of queries, two builds of pylance differ by less than 0.005.
    assert on_ours >= on_theirs - 0.01
    near = table.nearest("v", queries, 10, columns=["id"], **asked)
    by_us = mean_recall([(row.query_index, row.id) for row in near.collect()], wanted)
    assert by_us >= on_ours - 0.01


@pytest.mark.parametrize("kind", ["IVF_FLAT", "IVF_SQ", "IVF_PQ", "IVF_RQ", "IVF_HNSW_SQ"])
@pytest.mark.parametrize("element", ["float16", "float64"])
def test_other_types_of_vectors(spark, tmp_path, kind, element):
    path = tmp_path / "t"
    write(path, clusters(ROWS, kind=element))
    table = LanceTable.forPath(spark, str(path))
    table.create_index("v", kind, num_partitions=PARTITIONS, **KINDS[kind])
    queries = clusters(4, seed=2, kind=element)
    assert compared(spark, path, kind, "l2", queries) >= (0.8 if "PQ" in kind else 0.95)


@pytest.mark.parametrize("kind", ["IVF_FLAT", "IVF_HNSW_FLAT"])
def test_bit_vectors(spark, tmp_path, kind):
    path = tmp_path / "t"
    write(path, clusters(ROWS, kind="uint8"))
    table = LanceTable.forPath(spark, str(path))
    table.create_index("v", kind, num_partitions=PARTITIONS, **KINDS[kind])
    for q in clusters(6, seed=2, kind="uint8"):
        asked = {"metric": "hamming", "nprobes": PARTITIONS}
        asked |= {"ef": 200} if "HNSW" in kind else {}
        found = theirs(path, q, **asked)[1]
        assert found == ours(table, q, **asked)[1]
        wanted = (
            lance.dataset(str(path))
            .to_table(
                columns=["id"], nearest={"column": "v", "q": q, "k": 10, "metric": "hamming"}
            )["_distance"]
            .to_pylist()
        )
        assert np.mean(found) <= np.mean(wanted) * (1.05 if "HNSW" in kind else 1)


@pytest.mark.parametrize("kind", ["IVF_FLAT", "IVF_PQ", "IVF_HNSW_SQ"])
def test_lists_of_vectors(spark, tmp_path, kind):
    path = tmp_path / "t"
    values = clusters(3 * 1200)
    lists = pa.ListArray.from_arrays(
        np.arange(0, len(values) + 1, 3, dtype="int32"),
        pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), DIMENSION),
    )
    lance.write_dataset(pa.table({"id": range(1200), "v": lists}), str(path), max_rows_per_file=500)
    table = LanceTable.forPath(spark, str(path))
    with pytest.raises(LanceError, match="cosine"):
        table.create_index("v", kind)
    table.create_index("v", kind, metric="cosine", num_partitions=4, **KINDS[kind])
    for number in (3, 500):
        q = values[3 * number : 3 * number + 2] + 0.01
        asked = {"metric": "cosine", "nprobes": 4} | ({"ef": 200} if "HNSW" in kind else {})
        assert theirs(path, q, **asked)[0][0] == number
        assert ours(table, q, **asked)[0][0] == number


@pytest.mark.parametrize(("kind", "stable"), cases(True, False))
def test_both_extend_and_merge_indices_of_each_other(spark, tmp_path, kind, stable):
    path = tmp_path / "t"
    write(path, clusters(ROWS), enable_stable_row_ids=stable)
    table = LanceTable.forPath(spark, str(path))
    table.create_index("v", kind, num_partitions=PARTITIONS, **KINDS[kind])
    queries = clusters(4, seed=2)
    least = 0.8 if "PQ" in kind else 0.9

    def append(first):
        lance.write_dataset(rows(first, clusters(500, seed=first)), str(path), mode="append")

    def check(segments):
        assert compared(spark, path, kind, "l2", queries) >= least
        (index,) = lance.dataset(str(path)).describe_indices()
        assert len(index.segments) == segments
        assert index.num_rows_indexed == lance.dataset(str(path)).count_rows()

    # pylance adds a segment to ours, and merges both
    append(10_000)
    lance.dataset(str(path)).optimize.optimize_indices(num_indices_to_merge=0)
    check(2)
    append(20_000)
    lance.dataset(str(path)).optimize.optimize_indices(num_indices_to_merge=2)
    check(1)
    # we add a segment to that of pylance, and merge both
    append(30_000)
    lance.dataset(str(path)).delete("id % 13 = 4")
    table = LanceTable.forPath(spark, str(path))
    table.optimize.optimize_indices(num_indices_to_merge=0)
    check(1 if stable else 2)
    append(40_000)
    table = LanceTable.forPath(spark, str(path))
    table.optimize.optimize_indices()
    check(1)
    lance.dataset(str(path)).update({"g": "9"}, where="id % 11 = 0")
    # compaction by us, then by pylance
    table = LanceTable.forPath(spark, str(path))
    table.optimize.compact_files(target_rows_per_fragment=3000)
    assert compared(spark, path, kind, "l2", queries) >= least
    LanceTable.forPath(spark, str(path)).optimize.optimize_indices()
    check(1)
    append(50_000)
    lance.dataset(str(path)).optimize.compact_files()
    assert compared(spark, path, kind, "l2", queries) >= least
    table = LanceTable.forPath(spark, str(path))
    table.optimize.optimize_indices(retrain=True)
    check(1)


def test_training_reads_a_sample(spark, tmp_path):
    path = tmp_path / "t"
    write(path, clusters(ROWS))
    lance.dataset(str(path)).delete("id % 5 = 0 OR id BETWEEN 100 AND 400")
    table = LanceTable.forPath(spark, str(path))
    table.create_index("v", "IVF_FLAT", num_partitions=PARTITIONS, sample_rate=20)
    assert compared(spark, path, "IVF_FLAT", "l2", clusters(4, seed=2)) >= 0.95
    (index,) = lance.dataset(str(path)).stats.index_stats("v_idx")["indices"]
    sizes = [partition["size"] for partition in index["partitions"]]
    assert sum(sizes) == lance.dataset(str(path)).count_rows("v IS NOT NULL")
    assert len(sizes) == PARTITIONS
    assert max(sizes) < 3 * sum(sizes) / PARTITIONS


def centroids(path):
    return lance.dataset(str(path)).stats.index_stats("v_idx")["indices"][0]["centroids"]


@pytest.mark.parametrize("metric", ["l2", "cosine", "dot"])
@pytest.mark.parametrize("builder", ["ours", "theirs"])
def test_an_index_is_trained_again_if_the_data_has_changed(spark, tmp_path, metric, builder):
    path = tmp_path / "t"
    write(path, clusters(ROWS))
    options = {"metric": metric, "num_partitions": 64}
    if builder == "ours":
        LanceTable.forPath(spark, str(path)).create_index("v", "IVF_SQ", **options)
    else:
        lance.dataset(str(path)).create_index("v", "IVF_SQ", **options)

    def extended(values, factor):
        first = lance.dataset(str(path)).count_rows()
        lance.write_dataset(rows(first, values), str(path), mode="append")
        table = LanceTable.forPath(spark, str(path))
        table.optimize.optimize_indices(retrain_factor=factor)
        (index,) = lance.dataset(str(path)).describe_indices()
        assert index.num_rows_indexed == lance.dataset(str(path)).count_rows()

    before = centroids(path)
    extended(clusters(2000, seed=3), 1.2)  # of the same distribution
    assert centroids(path) == before
    # of another one: farther from all centroids, and with less inner products
    other = np.random.default_rng(5).normal(size=(6000, DIMENSION)).astype("float32")
    other *= 0.1 if metric == "dot" else 6
    extended(other, 100)
    assert centroids(path) == before
    extended(other[:100], 1.2)
    assert centroids(path) != before
    with pytest.raises(InvalidRequestError, match=r"retrain_factor is '0\.5'"):
        LanceTable.forPath(spark, str(path)).optimize.optimize_indices(retrain_factor=0.5)


def without_vectors(n):
    ids = pa.array(np.arange(n), pa.int64())
    vectors = pa.nulls(n, pa.list_(pa.float32(), DIMENSION))
    return pa.table({"id": ids, "g": ids, "v": vectors})


@pytest.mark.parametrize("delta", ["empty", "theirs"])
def test_a_later_segment_does_not_hide_the_record_of_distances(spark, tmp_path, delta):
    path = tmp_path / "t"
    write(path, clusters(ROWS))
    LanceTable.forPath(spark, str(path)).create_index("v", "IVF_SQ", num_partitions=64)
    before = centroids(path)

    def optimize(**options):
        LanceTable.forPath(spark, str(path)).optimize.optimize_indices(**options)
        (index,) = lance.dataset(str(path)).describe_indices()
        return len(index.segments)

    far = np.random.default_rng(5).normal(size=(6000, DIMENSION)).astype("float32") * 6
    if delta == "empty":
        lance.write_dataset(without_vectors(50), str(path), mode="append")
        assert optimize(num_indices_to_merge=0) == 2
        assert optimize(retrain_factor=1.2) == 1
    else:
        # pylance records the distances of the new rows
        lance.write_dataset(rows(ROWS, far[:100]), str(path), mode="append")
        lance.dataset(str(path)).optimize.optimize_indices(num_indices_to_merge=0)
        assert optimize(retrain_factor=100) == 1
    assert centroids(path) == before
    lance.write_dataset(rows(2 * ROWS, far), str(path), mode="append")
    assert optimize(retrain_factor=1.2, index_names=["v_idx"]) == 1
    assert centroids(path) != before


def test_retrain_factor_needs_a_record_of_distances(spark, tmp_path):
    path = tmp_path / "t"
    write(path, clusters(ROWS))
    table = LanceTable.forPath(spark, str(path))
    table.create_index("v", "IVF_FLAT", num_partitions=4)
    table.create_scalar_index("id", "BTREE")
    # an index without vectors records no distance
    lance.dataset(str(path)).delete("true")
    lance.write_dataset(without_vectors(50), str(path), mode="append")
    LanceTable.forPath(spark, str(path)).optimize.optimize_indices()
    lance.write_dataset(rows(50, clusters(ROWS)), str(path), mode="append")
    table = LanceTable.forPath(spark, str(path))
    with pytest.raises(InvalidRequestError, match="does not record the mean distance"):
        table.optimize.optimize_indices(retrain_factor=1.2, index_names=["v_idx"])
    with pytest.raises(InvalidRequestError, match="id_idx has another kind"):
        table.optimize.optimize_indices(retrain_factor=1.2, index_names=["id_idx"])

    def unindexed():
        table = LanceTable.forPath(spark, str(path))
        return [table.index_statistics(i)["num_unindexed_rows"] for i in ("v_idx", "id_idx")]

    assert unindexed() == [ROWS, ROWS]
    table.optimize.optimize_indices(retrain_factor=1.2)  # skips the index without a record
    assert unindexed() == [ROWS, 0]
    table.optimize.optimize_indices(retrain=True)
    assert unindexed() == [0, 0]
    table.optimize.optimize_indices(retrain_factor=1.2, index_names=["v_idx"])


@pytest.mark.parametrize("kind", ["IVF_SQ", "IVF_HNSW_PQ"])
def test_segments_with_different_models_are_merged(spark, tmp_path, kind):
    path = tmp_path / "t"
    values = clusters(ROWS)
    write(path, values)
    dataset = lance.dataset(str(path))
    fragments = [f.fragment_id for f in dataset.get_fragments()]
    segments = [
        dataset.create_index_uncommitted(
            "v", kind, name="i", fragment_ids=some, num_partitions=4, **KINDS[kind]
        )
        for some in (fragments[:1], fragments[1:])
    ]
    dataset.commit_existing_index_segments("i", "v", segments)
    LanceTable.forPath(spark, str(path)).optimize.optimize_indices()
    (index,) = lance.dataset(str(path)).describe_indices()
    assert len(index.segments) == 1
    assert index.num_rows_indexed == ROWS
    assert compared(spark, path, kind, "l2", clusters(4, seed=2), 4) >= 0.8


@pytest.mark.on("connect")
@pytest.mark.parametrize("kind", ["IVF_FLAT", "IVF_PQ", "IVF_HNSW_SQ"])
def test_indices_are_built_and_extended_on_connect(any_spark, tmp_path, kind):
    path = tmp_path / "t"
    write(path, clusters(ROWS))
    table = LanceTable.forPath(any_spark, str(path))
    table.create_index("v", kind, metric="cosine", num_partitions=PARTITIONS, **KINDS[kind])
    (index,) = lance.dataset(str(path)).describe_indices()
    assert (index.index_type, index.num_rows_indexed) == (kind, ROWS)
    lance.write_dataset(rows(ROWS, clusters(500, seed=5)), str(path), mode="append")
    table = LanceTable.forPath(any_spark, str(path))
    table.optimize.optimize_indices(num_indices_to_merge=0)
    table.optimize.optimize_indices()
    (index,) = lance.dataset(str(path)).describe_indices()
    assert (len(index.segments), index.num_rows_indexed) == (1, ROWS + 500)
    least = 0.8 if "PQ" in kind else 0.95
    assert compared(any_spark, path, kind, "cosine", clusters(4, seed=2)) >= least
    table.create_index("v", "IVF_SQ", replace=True, num_partitions=4)
    assert [i.index_type for i in table.describe_indices()] == ["IVF_SQ"]
    with pytest.raises(InvalidRequestError, match="already"):
        table.create_index("v", "IVF_FLAT")


def test_statements_and_procedure(warehouse):
    lance.write_dataset(rows(0, clusters(600)), str(warehouse.path("t")))
    warehouse.sql("CREATE INDEX a ON t USING ivf_flat (v) OPTIONS (num_partitions = 3)")
    warehouse.sql(
        "ALTER TABLE t CREATE OR REPLACE INDEX a USING IVF_SQ (v) "
        "WITH (metric = 'Cosine', numPartitions = 2)"
    )
    (done,) = warehouse.sql(
        "CALL work.system.create_index(table => 'shop.t', column => 'v', "
        "index_type => 'ivf_rq', name => 'b', "
        "options => map('num_bits', '3'))"
    )
    assert done["index_name"] == "b"
    found = {i.name: i for i in lance.dataset(str(warehouse.path("t"))).describe_indices()}
    assert found["a"].index_type == "IVF_SQ"
    assert found["a"].details["metric_type"] == "COSINE"
    assert found["b"].index_type == "IVF_RQ"
    assert found["b"].details["compression"]["num_bits"] == 3
    types = {r["name"]: r["index_type"] for r in warehouse.sql("SHOW INDEXES IN t")}
    assert types == {"a": "IVF_SQ", "b": "IVF_RQ"}
    warehouse.sql("DROP INDEX a ON t")
    assert len(lance.dataset(str(warehouse.path("t"))).describe_indices()) == 1


def test_errors_are_raised_before_the_build(spark, tmp_path):
    path = tmp_path / "t"
    table = rows(0, clusters(300, dimension=12))
    table = table.append_column("b", pa.array([[1, 2]] * 300, pa.list_(pa.int8(), 2)))
    lance.write_dataset(table, str(path))
    ours = LanceTable.forPath(spark, str(path))
    for column, kind, options, message in [
        ("v", "IVF_FLAT", {"num_partitons": 4}, "num_partitions"),
        ("v", "IVF_FLAT", {"num_bits": 4}, "num_bits"),
        ("v", "IVF_FLAT", {"metric": "hamming"}, "hamming"),
        ("v", "IVF_RQ", {}, "multiple of 8"),
        ("v", "IVF_PQ", {"num_sub_vectors": 5}, "not divisible"),
        ("v", "IVF_PQ", {"num_sub_vectors": 3, "num_bits": 4}, "even"),
        ("v", "IVF_SQ", {"train": False}, "train"),
        ("id", "IVF_FLAT", {}, "vectors are fixed-size lists"),
        ("b", "IVF_FLAT", {}, "int8"),
        ("v", "IVF_XX", {}, "IVF_XX"),
        ("nothing", "IVF_FLAT", {}, "nothing"),
        ("v", "IVF_FLAT", {"ivf_centroids": np.zeros((1, 12))}, "ivf_centroids.*with pylance"),
        ("v", "IVF_PQ", {"pq_codebook": np.zeros((1, 12))}, "pq_codebook.*with pylance"),
        ("v", "IVF_PQ", {"storage_options": {"a": "b"}}, "storage_options.*catalog"),
    ]:
        with pytest.raises((InvalidRequestError, UnsupportedFeatureError), match=message):
            ours.create_index(column, kind, **options)
    ours.create_index("v", "IVF_PQ")
    with pytest.raises(InvalidRequestError, match="already"):
        ours.create_index("v", "IVF_FLAT")
    with pytest.raises(TypeError, match="positional"):
        ours.create_index("v", "IVF_PQ", None, "L2", True, 4, 3)
    # Arguments in the order of pylance, and those that make its build faster.
    ours.create_index(
        "v",
        "IVF_PQ",
        "v_idx",
        "L2",
        True,
        1,
        num_sub_vectors=3,
        accelerator=None,
        shuffle_partition_batches=4,
        shuffle_partition_concurrency=2,
        index_cache_size=9,
    )
    ours.create_index("v", "ivf_flat", replace=True, num_partitions=1000)
    (index,) = lance.dataset(str(path)).describe_indices()
    assert index.index_type == "IVF_FLAT"
    empty = tmp_path / "empty"
    lance.write_dataset(rows(0, clusters(10))[:0], str(empty))
    with pytest.raises(InvalidRequestError, match="no vectors"):
        LanceTable.forPath(spark, str(empty)).create_index("v", "IVF_FLAT")
