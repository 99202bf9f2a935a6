# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The parameters of searches in vector indices, compared with pylance and brute force."""

import re

import lance
import pyarrow.parquet as pq
import pytest
from kit.vectors import (
    KINDS,
    PARTITIONS,
    ROWS,
    SLOW,
    clusters,
    mean_recall,
    neighbors,
    write,
)

from benchmarks import words
from benchmarks.tables import source_file
from pyspark_lance import LanceTable
from pyspark_lance.exceptions import InvalidRequestError

pytestmark = pytest.mark.one_case


def by_pylance(path, queries, wanted, **parameters):
    """The recall of pylance."""
    nearest = {"column": "v", "q": queries, "k": 10, **parameters}
    columns = ["query_index", "id", "_distance"]
    found = lance.dataset(str(path)).to_table(columns=columns, nearest=nearest)
    pairs = zip(found["query_index"].to_pylist(), found["id"].to_pylist(), strict=True)
    return mean_recall(pairs, wanted)


def by_us(spark, path, queries, wanted, **parameters):
    """The recall of Spark."""
    table = LanceTable.forPath(spark, str(path))
    near = table.nearest("v", queries, 10, columns=["id"], **parameters).collect()
    return mean_recall([(row.query_index, row.id) for row in near], wanted)


def metrics(frame):
    """The metrics of a search on the driver, after it has returned its rows."""
    frame.collect()
    found = frame._jdf.queryExecution().executedPlan().metrics()
    iterator, values = found.iterator(), {}
    while iterator.hasNext():
        metric = iterator.next()
        values[metric._1()] = metric._2().value()
    return values


def probes_of_pylance(path, q, **parameters):
    """The number of partitions that pylance probes."""
    nearest = {"column": "v", "q": q, "k": 10, **parameters}
    plan = lance.dataset(str(path)).scanner(columns=["_distance"], nearest=nearest).analyze_plan()
    return int(re.search(r"ANNSubIndex: .*partitions_searched=(\d+)", plan).group(1))


@pytest.mark.parametrize(
    ("kind", "metric", "size"),
    [
        *(
            pytest.param(kind, metric, 6000, marks=pytest.mark.long if kind in SLOW else ())
            for kind in KINDS
            for metric in ("l2", "cosine", "dot")
        ),
        pytest.param("IVF_FLAT", "l2", 20_000, marks=pytest.mark.long),
    ],
)
def test_recall_with_default_parameters_equals_pylance(spark, tmp_path, kind, metric, size):
    values = clusters(size, noise=2)
    queries = clusters(600, seed=3, noise=2)
    wanted = neighbors(values, queries, metric)
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for path in (ours, theirs):
        write(path, values)
    # By default, searches probe at least 144 partitions for dot, and at least 6 or 8 otherwise.
    options = {"num_partitions": 150 if metric == "dot" else 80, "max_iters": 8, **KINDS[kind]}
    options |= {"metric": metric, "sample_rate": 16}
    LanceTable.forPath(spark, str(ours)).create_index("v", kind, **options)
    lance.dataset(str(theirs)).create_index("v", kind, **options)
    on_ours, on_theirs = (by_pylance(p, queries, wanted, metric=metric) for p in (ours, theirs))
    assert on_ours >= on_theirs - 0.01
    # Spark refines the rows of PQ by default.
    assert by_us(spark, ours, queries, wanted) >= on_ours - 0.01
    assert by_us(spark, theirs, queries, wanted) >= on_theirs - 0.01
    table = LanceTable.forPath(spark, str(theirs))
    for q in queries[:5]:
        probed = metrics(table.nearest("v", q, columns=["id"]))["lancePartitionsProbed"]
        assert probed == probes_of_pylance(theirs, q, metric=metric)


@pytest.mark.parametrize("kind", ["IVF_PQ", "IVF_HNSW_PQ"])
def test_product_quantization_is_refined_by_default(spark, tmp_path, kind):
    path = tmp_path / "t"
    stored = clusters(1200)
    write(path, stored)
    table = LanceTable.forPath(spark, str(path))
    table.create_index("v", kind, num_partitions=PARTITIONS, max_iters=4, **KINDS[kind])
    parameters = {"nprobes": PARTITIONS} | ({"ef": 200} if "HNSW" in kind else {})
    given = "".join(f", {name} => {value}" for name, value in parameters.items())

    def python(q, **more):
        found = table.nearest("v", q, 10, columns=["id"], **parameters, **more)
        return [(r.id, r._distance) for r in found.collect()]

    def sql(q, more=""):
        found = spark.sql(
            f"SELECT id, _distance FROM vector_search('{path}', array({', '.join(map(str, q))}), "
            f"10{given}{more})"
        )
        return [(r.id, r._distance) for r in found.collect()]

    stored = stored.astype("float64")
    for q in clusters(3, seed=2):
        refined = python(q, refine_factor=10)
        assert python(q) == sql(q) == sql(q, ", refine_factor => 10") == refined
        true = [((stored[i] - q) ** 2).sum() for i, _ in refined]
        assert [d for _, d in refined] == pytest.approx(true, rel=1e-4)
        bare = python(q, refine_factor=None)
        assert bare == python(q, refine_factor=0) == sql(q, ", refine_factor => 0")
        theirs = lance.dataset(str(path)).to_table(
            columns=["id", "_distance"], nearest={"column": "v", "q": q, "k": 10, **parameters}
        )
        assert [d for _, d in bare] == pytest.approx(theirs["_distance"].to_pylist(), rel=1e-3)
        true = [((stored[i] - q) ** 2).sum() for i, _ in bare]
        assert [d for _, d in bare] != pytest.approx(true, rel=1e-4)
        frame = table.nearest("v", q, 10, **parameters)
        assert metrics(frame)["lanceRowsRefined"] == 100
        frame = table.nearest("v", q, 10, **parameters, refine_factor=None)
        assert metrics(frame)["lanceRowsRefined"] == 0


@pytest.mark.parametrize("metric", ["l2", "cosine", "dot"])
@pytest.mark.parametrize("kind", KINDS)
def test_segments_with_different_models_are_searched_together(spark, tmp_path, kind, metric):
    path = tmp_path / "t"
    values = clusters(ROWS)
    # The fragments have different distributions, so their models differ.
    values[1500:] *= 1.5
    dataset = write(path, values)
    fragments = [f.fragment_id for f in dataset.get_fragments()]
    segments = [
        dataset.create_index_uncommitted(
            "v",
            kind,
            name="i",
            metric=metric,
            fragment_ids=some,
            num_partitions=partitions,
            **KINDS[kind],
        )
        for some, partitions in ((fragments[:1], 3), (fragments[1:], 6))
    ]
    dataset.commit_existing_index_segments("i", "v", segments)
    queries = clusters(70, seed=2)
    wanted = neighbors(values, queries, metric)
    # Codes are not exact, so more rows are compared by their true distances.
    parameters = {"nprobes": 6, "refine_factor": 30 if "PQ" in kind else 10}
    parameters |= {"ef": 400} if "HNSW" in kind else {}
    least = 1 if kind == "IVF_FLAT" else 0.98
    assert by_us(spark, path, queries, wanted, **parameters) >= least
    few, nearest = queries[:8], wanted[:8]  # on the driver
    assert by_us(spark, path, few, nearest, **parameters) >= least
    table = LanceTable.forPath(spark, str(path))
    found = metrics(table.nearest("v", queries[0], 10, **parameters))
    assert found["lanceSegmentsSearched"] == 2
    assert found["lancePartitionsProbed"] == 9


@pytest.mark.parametrize("metric", ["l2", "cosine", "dot"])
def test_approximation_modes(spark, tmp_path, metric):
    path = tmp_path / "t"
    values = clusters(ROWS, noise=3)
    write(path, values)
    table = LanceTable.forPath(spark, str(path))
    table.create_index("v", "IVF_RQ", metric=metric, num_partitions=4)
    queries = clusters(200, seed=2, noise=3)
    wanted = neighbors(values, queries, metric)
    parameters = {"nprobes": 4, "metric": metric}
    ours = {}
    for mode in ("fast", "normal", "accurate"):
        ours[mode] = by_us(spark, path, queries, wanted, approx_mode=mode, **parameters)
        theirs = by_pylance(path, queries, wanted, approx_mode=mode, **parameters)
        assert ours[mode] >= theirs - 0.01
    assert ours["fast"] < ours["normal"] - 0.05
    assert ours["accurate"] >= ours["normal"]
    assert by_us(spark, path, queries, wanted, **parameters) == ours["normal"]
    assert by_us(spark, path, queries, wanted, approx_mode="FAST", **parameters) == ours["fast"]
    with pytest.raises(InvalidRequestError, match="unknown approx_mode 'slow'"):
        table.nearest("v", queries[0], approx_mode="slow").collect()


@pytest.mark.long
@pytest.mark.parametrize("kind", ["IVF_FLAT", "IVF_SQ", "IVF_RQ", "IVF_PQ"])
def test_word_vectors(spark, tmp_path_factory, tmp_path, kind):
    """Ten thousand words, with default parameters."""
    scale = 0.03
    data = tmp_path_factory.getbasetemp() / "words"
    if words.make(data, scale) == "generated":
        pytest.skip("npm cannot download the word vectors")
    name = "words_96"
    stored = pq.read_table(source_file(data, scale, name), columns=["id", "vector"])
    stored = stored.rename_columns(["id", "v"])
    asked = words.read_queries(data, scale, name, 300)
    wanted = [set(ids) for ids in asked.neighbors.tolist()]
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for path in (ours, theirs):
        lance.write_dataset(stored, str(path), max_rows_per_file=10_000)
    options = {"num_partitions": 64, "sample_rate": 32, "max_iters": 8}
    options |= {"num_sub_vectors": 24} if kind == "IVF_PQ" else {}
    LanceTable.forPath(spark, str(ours)).create_index("v", kind, **options)
    lance.dataset(str(theirs)).create_index("v", kind, **options)
    on_ours, on_theirs = (by_pylance(path, asked.vectors, wanted) for path in (ours, theirs))
    assert on_ours >= on_theirs - 0.01
    assert by_us(spark, ours, asked.vectors, wanted) >= on_ours - 0.01
    assert by_us(spark, theirs, asked.vectors, wanted) >= on_theirs - 0.01
    all_partitions = by_us(spark, ours, asked.vectors, wanted, nprobes=64, refine_factor=20)
    assert all_partitions >= (1 if kind == "IVF_FLAT" else 0.97)
