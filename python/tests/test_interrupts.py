# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Ctrl-C ends the jobs of the call, and the session continues."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from pyspark import SparkContext

import pyspark_lance


def interrupt_once_running(spark, before):
    """Sends SIGINT to this process as soon as a job runs."""

    def wait():
        tracker = spark.sparkContext.statusTracker()
        for _ in range(600):
            if set(tracker.getActiveJobsIds()) - before:
                time.sleep(1)
                os.kill(os.getpid(), signal.SIGINT)
                return
            time.sleep(0.05)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


@pytest.fixture
def pyspark_handler(spark):
    """PySpark's handler of SIGINT, which it installs where the session is made."""
    before = signal.getsignal(signal.SIGINT)
    if getattr(before, "__qualname__", "") != "SparkContext._do_init.<locals>.signal_handler":
        pytest.skip("the session was not made on the main thread")
    yield before
    signal.signal(signal.SIGINT, before)


def large(spark):
    rows = spark.range(0, 200_000_000, 1, 16)
    return rows.selectExpr("id", "sha2(cast(id AS STRING), 512) AS s")


@pytest.mark.parametrize("by", ["write", "block"])
def test_the_next_write_succeeds(spark, tmp_path, pyspark_handler, by):
    assert SparkContext._active_spark_context is not None
    thread = interrupt_once_running(
        spark, set(spark.sparkContext.statusTracker().getActiveJobsIds())
    )

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        if by == "write":
            pyspark_lance.write(large(spark), tmp_path / "large.lance")
        else:
            with pyspark_lance.errors_translated():
                large(spark).write.format("lance").save(str(tmp_path / "large.lance"))
    thread.join()
    interrupted = time.monotonic()

    pyspark_lance.write(spark.range(10), tmp_path / "next.lance")
    assert time.monotonic() - interrupted < 30
    assert interrupted - started < 60
    assert pyspark_lance.read(spark, tmp_path / "next.lance").count() == 10
    assert not list(tmp_path.glob("large.lance/_versions/*"))
    assert signal.getsignal(signal.SIGINT) is pyspark_handler
    # Killed tasks remove their files asynchronously.
    for _ in range(300):
        if not list(tmp_path.glob("large.lance/data/*")):
            break
        time.sleep(0.1)
    assert not list(tmp_path.glob("large.lance/data/*"))
    assert not spark.sparkContext.statusTracker().getActiveJobsIds()


def test_import_without_a_spark_context():
    """PySpark's package for Spark Connect has no `SparkContext`."""
    environment = {**os.environ, "SPARK_SKIP_CONNECT_COMPAT_TESTS": "1"}
    subprocess.run([sys.executable, "-c", "import pyspark_lance"], env=environment, check=True)
