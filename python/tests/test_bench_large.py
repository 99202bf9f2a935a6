# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`benchmarks.large` with a few vectors."""

import lance
import numpy as np

from benchmarks.large import DIMENSION, Built, Vectors, build, render


def test_a_stopped_run_continues_and_the_index_is_searched(spark, tmp_path, capsys):
    rows = 5000
    # a run that stopped after two chunks
    begun = Vectors(tmp_path, 4000, 2000)
    begun.make()
    begun.path.rename(tmp_path / f"vectors-{rows}.lance")
    vectors = Vectors(tmp_path, rows, 2000)
    vectors.make()
    assert capsys.readouterr().out.splitlines()[-1] == "[large] 5,000 of 5,000 vectors"
    table = lance.dataset(str(vectors.path)).to_table()
    assert table["id"].to_pylist() == list(range(rows))
    stored = table["vector"].combine_chunks().flatten().to_numpy().reshape(-1, DIMENSION)
    assert np.array_equal(stored, Vectors.vectors(0, rows))
    built = build(spark, vectors, partitions=4)
    assert built.recall > 0.9
    (index,) = lance.dataset(str(vectors.path)).describe_indices()
    assert index.num_rows_indexed == rows
    assert render(built, vectors).splitlines()[-1].split()[-1] == f"{built.recall:.3f}"


def test_vectors_do_not_depend_on_chunks():
    whole = Vectors.vectors(49_000, 2000)  # in two blocks
    parts = [Vectors.vectors(49_000, 900), Vectors.vectors(49_900, 1100)]
    assert np.array_equal(np.concatenate(parts), whole)
    assert len(np.unique(whole[:, 0])) > 1900


def test_growth_compares_the_halves_of_a_build():
    assert Built(1.0, [10, 20, 30, 40, 60, 80], 1.0).growth == 3
    assert Built(1.0, [10], 1.0).growth == 1
