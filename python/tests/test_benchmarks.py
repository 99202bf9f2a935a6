# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""A tiny run of the size benchmark, which checks the contents of all files."""

from benchmarks import datasets, sizes


def test_sizes_of_every_data_set_by_every_writer(spark, tmp_path):
    made = datasets.make(tmp_path / "data", 0.001)
    out = tmp_path / "sizes-results.txt"

    results = sizes.run(made, tmp_path / "work", out, 0.001)

    assert [result.dataset for result in results] == [dataset.name for dataset in made]
    assert len(made) == 14
    for result in results:
        assert set(result.bytes) == set(sizes.SYSTEMS)
        assert all(size > 0 for size in result.bytes.values())
        assert any(line.startswith(result.dataset) for line in out.read_text().splitlines())
