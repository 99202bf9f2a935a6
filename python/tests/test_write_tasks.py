# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Writes in a separate process: retried tasks, little memory."""

import socket
import subprocess
from pathlib import Path

import lance
import pyspark
import pytest
from kit.processes import run

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

SPECULATION = """
import time
from pathlib import Path
from pyspark import TaskContext
spark = pyspark_lance.configure(
    builder.master(sys.argv[2])
    .config("spark.executor.memory", "512m")
    .config("spark.speculation", "true")
    .config("spark.speculation.interval", "50ms")
    .config("spark.speculation.quantile", "0.5")
    .config("spark.speculation.multiplier", "1.1")
    .config("spark.speculation.minTaskRuntime", "50ms")
).getOrCreate()

def first_is_stuck(batches):
    context = TaskContext.get()
    yield from batches
    if context.partitionId() == 3:
        Path(f"{path}.attempt{context.attemptNumber()}").touch()
        if context.attemptNumber() == 0:
            time.sleep(600)

rows = spark.range(0, 4000, 1, 4)
for mode in ("error", "append"):
    stuck = rows.mapInPandas(first_is_stuck, "id long")
    pyspark_lance.write(stuck, path, mode=mode, max_rows_per_file=100)
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


@pytest.fixture
def cluster(tmp_path):
    """Two hosts of a core each: Spark starts no copy of a task on the host that has it already."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    url = f"spark://127.0.0.1:{port}"
    start = [Path(pyspark.__file__).parent / "bin" / "spark-class"]
    web = ["--webui-port", "0"]
    worker = ["org.apache.spark.deploy.worker.Worker", *web, "--cores", "1", "--memory", "512m"]
    commands = [
        ["org.apache.spark.deploy.master.Master", *web, "--host", "127.0.0.1", "--port", str(port)],
        [*worker, "--host", "127.0.0.2", "--work-dir", tmp_path / "work2", url],
        [*worker, "--host", "127.0.0.3", "--work-dir", tmp_path / "work3", url],
    ]
    running = [subprocess.Popen([*start, *c], stderr=subprocess.DEVNULL) for c in commands]
    yield url
    for process in reversed(running):
        process.terminate()
        process.wait()


def files(path):
    """The existing data files, and the data files of the latest version."""
    there = {f.name for f in (path / "data").iterdir()}
    named = {d.path for f in lance.dataset(str(path)).get_fragments() for d in f.data_files()}
    return there, named


def test_repeated_tasks_write_their_rows_once(tmp_path):
    path = tmp_path / "t.lance"

    run(START + RETRY, path, folder=tmp_path)

    dataset = lance.dataset(str(path))
    assert dataset.version == 2
    ids = dataset.to_table()["id"].to_pylist()
    assert sorted(ids) == sorted([*range(40_000)] * 2)
    there, named = files(path)
    assert there == named
    assert len(there) == 80


@pytest.mark.long
def test_speculative_tasks_write_their_rows_once(cluster, tmp_path):
    path = tmp_path / "t.lance"

    run(START + SPECULATION, path, cluster, folder=tmp_path)

    assert (tmp_path / "t.lance.attempt0").exists()
    assert (tmp_path / "t.lance.attempt1").exists()
    dataset = lance.dataset(str(path))
    assert dataset.version == 2
    assert sorted(dataset.to_table()["id"].to_pylist()) == sorted([*range(4000)] * 2)
    there, named = files(path)
    assert named <= there


@pytest.mark.long
def test_wide_rows_need_little_memory(tmp_path):
    path, rows = tmp_path / "t.lance", 30_000

    run(START + MEMORY.replace("ROWS", str(rows)), path, folder=tmp_path)

    dataset = lance.dataset(str(path))
    assert dataset.count_rows() == rows
    last = dataset.take([rows - 1]).to_pylist()[0]
    assert last == {
        f"c{i}": f"column {i} {(rows - 1) * (i + 7)}{'x' * (i % 40)}" for i in range(300)
    }
