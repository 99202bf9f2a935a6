# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`benchmarks.scale` on tables of a few rows, whose data files do not exist."""

import re
import shutil
import sys
from pathlib import Path

import lance
import pyarrow as pa
import pytest

from benchmarks import scale

SCALA = Path(__file__).parents[2] / "benchmarks/src/main/scala"
BENCHMARK = SCALA / "io/github/pysparklance/benchmarks/scale/ScaleBenchmark.scala"


def write(path, rows=20, **options):
    table = pa.table({"c0": range(rows), "c1": range(rows)})
    return lance.write_dataset(table, path, **options)


@pytest.fixture
def tables(tmp_path):
    """A table of each kind."""
    paths = {kind: tmp_path / kind for kind in scale.KINDS}
    write(paths["fragments"], max_rows_per_file=5)
    columns = {f"c{i}": [i] * 10 for i in range(20)}
    lance.write_dataset(pa.table(columns), paths["columns"])
    write(paths["versions"])
    for _ in range(5):
        write(paths["versions"], rows=10, mode="append")
    refs = write(paths["tags and branches"])
    for i in range(3):
        refs.tags.create(f"tag-{i:05}", 1)
        refs.create_branch(f"branch-{i:05}")
    write(paths["deleted rows"], rows=100).delete("c0 % 2 = 0")
    for path in paths.values():
        shutil.rmtree(path / "data")
    return paths


def test_all_tasks_run_without_data_files(tables):
    names = set()
    for kind, tasks in scale.KINDS.items():
        before = lance.dataset(tables[kind]).version
        for name, run in tasks(str(tables[kind])):
            run()
            run()
            names.add(name)
        # Two appends, two deletions of their fragments, and deletions of two rows.
        changes = 6 if kind == "deleted rows" else 4
        assert lance.dataset(tables[kind]).version == before + changes
    assert lance.dataset(tables["deleted rows"]).count_rows() == 50 - 2

    text = BENCHMARK.read_text()
    assert set(re.findall(r'"([a-z -]+)" -> (?:\(|\{ )\(\) =>', text)) == names
    assert re.findall(r'Subject\("([a-z ]+)"', text) == list(scale.KINDS)


def test_lines_have_the_peak_and_the_times(tables, monkeypatch, capsys):
    monkeypatch.setattr("benchmarks.measure.settle", lambda: None)
    (tables["deleted rows"] / "_deletions").rename(tables["deleted rows"] / "gone")
    monkeypatch.setattr(sys, "argv", ["scale", str(tables["deleted rows"]), "deleted rows", "2"])
    scale.main()
    lines = dict(line.split("\t", 1) for line in capsys.readouterr().out.splitlines())
    assert re.fullmatch(r"\d+\t[\d.]+ [\d.]+", lines["open"])
    failed = [name for name, result in lines.items() if result.startswith("failed\t")]
    assert failed == ["read the deleted rows", "delete a row"]
