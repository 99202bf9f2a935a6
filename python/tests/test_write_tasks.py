# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Writes in a process of their own: tasks that are run again, little memory."""

import os
import subprocess
import sys
from pathlib import Path

import lance
import pytest

import pyspark_lance

START = """
import sys
from pyspark.sql import SparkSession, functions as F
import pyspark_lance
path = sys.argv[1]
builder = (
    SparkSession.builder.config("spark.ui.enabled", "false")
    .config("spark.driver.host", "localhost")
    .config("spark.sql.shuffle.partitions", "2")
)
"""

RETRY = """
from pyspark import TaskContext
spark = pyspark_lance.configure(builder.master("local[2,3]")).getOrCreate()

def fails_at_first(batches):
    yield from batches
    context = TaskContext.get()
    if context.partitionId() % 2 == 1 and context.attemptNumber() < 2:
        raise RuntimeError("the first attempts fail with all rows written")

rows = spark.range(0, 40_000, 1, 4)
for mode in ("error", "append"):
    failing = rows.mapInPandas(fails_at_first, "id long")
    pyspark_lance.write(failing, path, mode=mode, max_rows_per_file=1000)
spark.stop()
"""

MEMORY = """
spark = pyspark_lance.configure(
    builder.master("local[1]").config("spark.driver.memory", "1g")
).getOrCreate()
assert spark._jvm.java.lang.Runtime.getRuntime().maxMemory() <= 1 << 30
text = [
    F.concat(
        F.lit(f"column {i} "), (F.col("id") * (i + 7)).cast("string"), F.repeat(F.lit("x"), i % 40)
    )
    for i in range(300)
]
rows = spark.range(0, ROWS, 1, 1).select(*(t.alias(f"c{i}") for i, t in enumerate(text)))
pyspark_lance.write(rows, path)
spark.stop()
"""


def run(script, path):
    """Runs a script in a Python and a JVM of its own."""
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(Path(pyspark_lance.__file__).parents[1]),
        "PYSPARK_LANCE_JAR": str(pyspark_lance.jar_path()),
    }
    done = subprocess.run(
        [sys.executable, "-c", START + script, str(path)],
        capture_output=True,
        text=True,
        cwd=path.parent,
        env=environment,
    )
    assert done.returncode == 0, done.stderr[-4000:]


def files(path):
    """The data files that are there, and those that the newest version names."""
    there = {f.name for f in (path / "data").iterdir()}
    named = {d.path for f in lance.dataset(str(path)).get_fragments() for d in f.data_files()}
    return there, named


def test_tasks_that_are_run_again_leave_their_rows_once(tmp_path):
    path = tmp_path / "t.lance"

    run(RETRY, path)

    dataset = lance.dataset(str(path))
    assert dataset.version == 2
    ids = dataset.to_table()["id"].to_pylist()
    assert sorted(ids) == sorted([*range(40_000)] * 2)
    there, named = files(path)
    assert there == named
    assert len(there) == 80


@pytest.mark.long
def test_wide_rows_take_little_memory(tmp_path):
    path, rows = tmp_path / "t.lance", 30_000

    run(MEMORY.replace("ROWS", str(rows)), path)

    dataset = lance.dataset(str(path))
    assert dataset.count_rows() == rows
    last = dataset.take([rows - 1]).to_pylist()[0]
    assert last == {
        f"c{i}": f"column {i} {(rows - 1) * (i + 7)}{'x' * (i % 40)}" for i in range(300)
    }
