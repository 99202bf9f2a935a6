# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Threads of Python that are the first to use the connector in their process."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from kit.processes import run

pytestmark = pytest.mark.one_case

SCRIPT = """
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Thread

from pyspark.sql import SparkSession

import pyspark_lance

folder = sys.argv[1]
spark = pyspark_lance.configure(
    SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false"),
    root=f"{folder}/warehouse",
).getOrCreate()
first = sys.argv[2]


def save(n):
    spark.range(n).write.format("lance").save(f"{folder}/t{n}.lance")


def act():
    if first == "save":
        save(1)
    else:
        spark.range(1).write.saveAsTable("lance.t1")


found = []
thread = Thread(target=lambda: found.append(act()))
thread.start()
thread.join()
assert found == [None], "the thread failed"
with ThreadPoolExecutor(4) as pool:
    list(pool.map(save, range(2, 10)))
counts = [spark.read.format("lance").load(f"{folder}/t{n}.lance").count() for n in range(2, 10)]
assert counts == list(range(2, 10)), counts
other = spark.newSession()
other.range(1).write.saveAsTable("lance.other")
assert [t.name for t in other.catalog.listTables("lance") if t.name == "other"] == ["other"]
print("done", flush=True)
"""


@pytest.mark.on("classic")
@pytest.mark.parametrize("first", ["save", "saveAsTable"])
def test_any_thread_can_write_first(tmp_path, first):
    assert "done" in run(SCRIPT, tmp_path, first, folder=tmp_path)


def test_threads_with_sessions_of_spark_connect(connect_server, tmp_path):
    from pyspark.sql.connect.session import SparkSession

    def act(n):
        session = SparkSession.builder.remote(connect_server).create()
        try:
            path = f"{tmp_path}/t{n}.lance"
            session.range(n).write.format("lance").save(path)
            session.sql(f"DELETE FROM lance.`{path}` WHERE id = 0")
            return session.read.format("lance").load(path).count()
        finally:
            session.stop()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(act, range(1, 9))) == list(range(8))
