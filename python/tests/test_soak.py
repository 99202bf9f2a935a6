# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Concurrent writers, streams, maintenance, and readers of one table, see `kit.soak`.

The long run takes `PYSPARK_LANCE_SOAK_MINUTES` minutes. `PYSPARK_LANCE_SEED` is its seed.
"""

import os
import time

import pytest
from kit.soak import Soak, growth, is_conflict
from pyspark.errors import AnalysisException

from pyspark_lance.exceptions import CommitConflictError, CorruptFileError


@pytest.fixture
def session(spark):
    """A session with small shuffles."""
    session = spark.newSession()
    session.conf.set("spark.sql.shuffle.partitions", "1")
    return session


@pytest.mark.long
def test_one_round(session, tmp_path):
    soak = Soak(session, tmp_path, 1)
    soak.round(5)
    soak.finish()


def test_only_conflicts_are_lost_races():
    assert is_conflict(CommitConflictError("version 7 was committed concurrently"))
    assert is_conflict(OSError("Retryable commit conflict for version 7: preempted"))
    assert is_conflict(OSError("Too many concurrent writers. Attempted 10 times"))
    stack = "\n\tat java.base/java.util.concurrent.ThreadPoolExecutor.runWorker(Unknown Source)"
    for error in (
        Exception(f"java.lang.NullPointerException{stack}"),
        Exception(f"java.util.ConcurrentModificationException{stack}"),
        AnalysisException("retry the operation, not committed"),
        CorruptFileError("conflict"),
        OSError("Not found: _transactions/1.txn, Retryable commit conflict for version 7: a"),
    ):
        assert not is_conflict(error), error


def test_growth():
    def measured(*heaps):
        return [{"heap": heap, "JVM files": 100} for heap in heaps]

    assert not growth(measured(10, 200, 200, 100, 150, 180, 140, 500, 120))
    assert growth(measured(10, 200, 200, 100, 150, 180, 142, 500, 160)) == ["heap: 100, later 142"]


@pytest.mark.long
def test_many_rounds(session, tmp_path):
    seed = int(os.environ.get("PYSPARK_LANCE_SEED") or time.time_ns() // 1000)
    minutes = float(os.environ.get("PYSPARK_LANCE_SOAK_MINUTES", "120"))
    end = time.monotonic() + 60 * minutes
    soak = Soak(session, tmp_path, seed)
    try:
        while not soak.checkpoints or time.monotonic() < end:
            soak.round(40)
        soak.finish()
    finally:
        counts = ", ".join(f"{number} {what}" for what, number in sorted(soak.counts.items()))
        print(f"\nresult: seed {seed}, {minutes:g} minutes, {len(soak.checkpoints)} rounds")
        print(*(f"result: {part}" for part in counts.split(", ")), sep="\n")
        for checkpoint in soak.checkpoints[:1] + soak.checkpoints[-1:]:
            print(f"result: {checkpoint}")
    missing = [name for name in soak.maintenance if not soak.counts[name]]
    assert not missing, f"never committed: {missing}"
    if len(soak.checkpoints) >= 9:
        assert not growth(soak.checkpoints), f"{growth(soak.checkpoints)}: {soak.checkpoints}"
