# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Updates of indexed vectors: a search of all partitions equals brute force after each of them."""

import lance
import numpy as np
import pyarrow as pa
import pytest
from kit.cases import IS_LONG

from pyspark_lance import LanceTable

DIMENSION = 12
ROWS = 600
PARTITIONS = 5
K = 15


def vectors(values, mask=None):
    flat = pa.array(np.asarray(values, "float32").reshape(-1))
    return pa.FixedSizeListArray.from_arrays(flat, DIMENSION, mask=mask)


class History:
    """A table with an index, and the statements that change it.

    Args:
        spark: The session.
        path: The path of the table.
        random: Chooses the rows and values of each statement.
        stable: Whether rows have stable ids.
    """

    def __init__(self, spark, path, random, stable):
        self.spark, self.path, self.random = spark, str(path), random
        self.name = f"lance.`{path}`"
        self.next_id = ROWS
        dataset = lance.write_dataset(
            self._rows(range(ROWS), nulls=0.05),
            self.path,
            max_rows_per_file=170,
            enable_stable_row_ids=stable,
        )
        dataset.create_index("v", "IVF_FLAT", num_partitions=PARTITIONS)

    def _rows(self, ids, nulls=0.0):
        mask = pa.array(self.random.random(len(ids)) < nulls)
        values = vectors(self.random.normal(size=(len(ids), DIMENSION)).round(2), mask)
        return pa.table({"id": pa.array(ids, pa.int64()), "g": [3] * len(ids), "v": values})

    def _some(self):
        """A condition on a part of the rows."""
        return f"id % 13 = {self.random.integers(13)}"

    def _vector(self):
        """An expression for vectors that differ from row to row."""
        factor = 1 + self.random.integers(50)
        values = (
            f"transform(sequence(1, {DIMENSION}), i -> float(round(sin(id * i + {factor}), 2)))"
        )
        return f"IF(id % 5 = 0, NULL, {values})" if self.random.integers(3) == 0 else values

    def update(self, mode):
        self.spark.conf.set("spark.lance.write.updateMode", mode)
        try:
            where = self._some()
            self.spark.sql(f"UPDATE {self.name} SET v = {self._vector()} WHERE {where}").collect()
        finally:
            self.spark.conf.unset("spark.lance.write.updateMode")

    def update_rows(self):
        self.update("rows")

    def update_columns_mode(self):
        self.update("columns")

    def update_columns(self):
        source = f"SELECT _rowid, {self._vector()} AS v FROM {self.name} WHERE {self._some()}"
        self.spark.sql(f"ALTER TABLE {self.name} UPDATE COLUMNS v FROM ({source})").collect()

    def merge(self):
        end = self.next_id + 20
        self.spark.sql(
            f"MERGE INTO {self.name} t USING (SELECT id, {self._vector()} AS v FROM "
            f"range({self.random.integers(400)}, {end}, 9)) s ON t.id = s.id "
            "WHEN MATCHED AND s.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v "
            "WHEN NOT MATCHED THEN INSERT (id, g, v) VALUES (s.id, 3, s.v)"
        ).collect()
        self.next_id = end

    def their_merge(self):
        ids = lance.dataset(self.path).to_table(columns=["id"], filter=self._some())["id"]
        rows = self._rows(ids.to_pylist(), nulls=0.1)
        lance.dataset(self.path).merge_insert("id").when_matched_update_all().execute(rows)

    def append(self):
        rows = self._rows(range(self.next_id, self.next_id + 60), nulls=0.1)
        lance.write_dataset(rows, self.path, mode="append")
        self.next_id += 60

    def delete(self):
        self.spark.sql(f"DELETE FROM {self.name} WHERE {self._some()}").collect()

    def compact(self):
        table = LanceTable.forPath(self.spark, self.path)
        table.optimize.compact_files(target_rows_per_fragment=1000)

    def optimize_index(self):
        table = LanceTable.forPath(self.spark, self.path)
        table.optimize.optimize_indices(num_indices_to_merge=int(self.random.integers(2)))

    def their_optimize_index(self):
        merged = int(self.random.integers(2))
        lance.dataset(self.path).optimize.optimize_indices(num_indices_to_merge=merged)

    STATEMENTS = (
        *("update_rows", "update_columns_mode", "update_columns", "merge", "their_merge"),
        *("append", "delete", "compact", "optimize_index", "their_optimize_index"),
    )

    def check(self, queries):
        """Compares all partitions with brute force."""
        rows = [r for r in lance.dataset(self.path).to_table().to_pylist() if r["v"] is not None]
        ids, stored = np.array([r["id"] for r in rows]), np.array([r["v"] for r in rows])
        table = LanceTable.forPath(self.spark, self.path)
        near = table.nearest("v", queries, K, metric="l2", nprobes=PARTITIONS, columns=["id"])
        found = near.collect()
        for number, query in enumerate(queries):
            distances = ((stored - query.astype("float64")) ** 2).sum(axis=1)
            order = np.argsort(distances, kind="stable")[:K]
            ours = [(r.id, r._distance) for r in found if r.query_index == number]
            assert sorted(d for _, d in ours) == pytest.approx(distances[order].tolist(), rel=1e-4)
            by_id = dict(zip(ids.tolist(), distances.tolist(), strict=True))
            assert len({i for i, _ in ours}) == K
            assert [d for _, d in ours] == pytest.approx([by_id[i] for i, _ in ours], rel=1e-4)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("stable", [False, True])
def test_updated_vectors_are_found_where_they_are_now(spark, tmp_path, stable, seed):
    random = np.random.default_rng(seed)
    history = History(spark, tmp_path / "t", random, stable)
    queries = random.normal(size=(3, DIMENSION)).round(2).astype("float32")
    done = []
    statements = [*random.permutation(History.STATEMENTS)]
    if IS_LONG:
        statements += [*random.choice(History.STATEMENTS, 10)]
    for statement in statements:
        getattr(history, statement)()
        done.append(str(statement))
        try:
            history.check(queries)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, after {', '.join(done)}") from error
    (index,) = lance.dataset(history.path).describe_indices()
    assert index.index_type == "IVF_FLAT"
