# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Vector indices on lists of vectors, and on columns with few vectors."""

import lance
import numpy as np
import pyarrow as pa
import pytest

from pyspark_lance import LanceTable
from pyspark_lance.exceptions import InvalidRequestError

pytestmark = pytest.mark.one_case

LIST = pa.list_(pa.list_(pa.float32(), 8))


def lists(first, n, most):
    """Rows of 1 to `most` random vectors."""
    random = np.random.default_rng(first + 12)
    rows = [random.normal(size=(1 + i % most, 8)).astype("float32").tolist() for i in range(n)]
    return pa.table({"id": range(first, first + n), "m": pa.array(rows, LIST)})


def assert_found(table, path, rows):
    """Checks that an index finds rows by their own vectors, in Spark and in pylance."""
    for row in rows.to_pylist():
        near = table.nearest("m", row["m"], 3, fast_search=True, nprobes=3, refine_factor=5)
        assert near.collect()[0].id == row["id"]
        nearest = {"column": "m", "q": row["m"], "k": 3, "nprobes": 3, "refine_factor": 5}
        found = lance.dataset(path).to_table(["id"], nearest=nearest, fast_search=True)
        assert found["id"][0].as_py() == row["id"]


@pytest.mark.parametrize(
    ("writer", "most", "kind"),
    [("spark", 4, "IVF_FLAT"), ("pylance", 30, "IVF_SQ"), ("spark", 4, "IVF_HNSW_SQ")],
)
def test_row_ids_of_an_index_may_have_a_dictionary(spark, tmp_path, writer, most, kind):
    path = str(tmp_path / "t")
    rows = lists(0, 150, most)
    dataset = lance.write_dataset(rows, path, max_rows_per_file=60, data_storage_version="2.2")
    table = LanceTable.forPath(spark, path)
    index = {"name": "ix", "metric": "cosine", "num_partitions": 3}
    if writer == "spark":
        table.create_index("m", kind, **index)
    else:
        dataset.create_index("m", kind, **index)
    assert_found(table, path, rows.slice(70, 2))

    table.delete("id % 3 = 0")
    spark.sql(f"OPTIMIZE lance.`{path}`").collect()
    assert len(lance.dataset(path).get_fragments()) == 1
    assert_found(table, path, rows.slice(70, 2))

    more = lists(150, 120, most)
    lance.write_dataset(more, path, mode="append")
    table.optimize.optimize_indices()
    assert_found(table, path, pa.concat_tables([rows.slice(70, 2), more.slice(100, 2)]))


@pytest.mark.parametrize("count", [200, 0])
def test_an_index_on_few_vectors_among_many_nulls(spark, tmp_path, count):
    path = str(tmp_path / "t")
    vectors = np.random.default_rng(5).normal(size=(count, 8)).astype("float32").tolist()
    rows = [None] * 1000 + vectors + [None] * (20000 - count)
    table = pa.table({"id": range(len(rows)), "v": pa.array(rows, pa.list_(pa.float32(), 8))})
    lance.write_dataset(table, path)
    table = LanceTable.forPath(spark, path)
    options = {"num_partitions": 4, "sample_rate": 2}
    if count == 0:
        with pytest.raises(InvalidRequestError, match="has no vectors to train the index"):
            table.create_index("v", "IVF_FLAT", **options)
        return
    table.create_index("v", "IVF_FLAT", **options)
    (partitions,) = (
        i["partitions"] for i in lance.dataset(path).stats.index_stats("v_idx")["indices"]
    )
    assert sum(p["size"] for p in partitions) == count
    assert len(partitions) == 4
    near = table.nearest("v", vectors[30], 1, fast_search=True)
    assert near.collect()[0].id == 1030
