# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Operations on a local cluster with speculation, whose executors are killed at random.

The test takes `PYSPARK_LANCE_CLUSTER_MINUTES` minutes. `PYSPARK_LANCE_SEED` determines the
operations and kills.
"""

import json
import os
import sys
import time
from pathlib import Path

import pytest
from kit import processes

TESTS = str(Path(__file__).parent)
MINUTES = float(os.environ.get("PYSPARK_LANCE_CLUSTER_MINUTES", "30"))
SECONDS_FOR_KILL = 30
"""Executors are killed about every seven seconds, and more slowly on busy machines."""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="finds the executors in /proc")
def test_no_rows_are_lost_or_repeated_when_executors_are_killed(tmp_path):
    seed = int(os.environ.get("PYSPARK_LANCE_SEED") or time.time_ns() // 1000)
    print(f"PYSPARK_LANCE_SEED={seed}")
    seconds = 60 * MINUTES
    script = f"import sys; sys.path.insert(0, {TESTS!r}); from kit import cluster; cluster.main()"
    output = processes.run(
        script, tmp_path, seconds, seed, folder=tmp_path, seconds=2 * seconds + 900
    )
    done = json.loads(output.splitlines()[-1])
    print(f"result: seed {seed}, {MINUTES:g} minutes: {done}")
    assert done.pop("kills") >= max(1, seconds // SECONDS_FOR_KILL)
    assert min(done.values()) > 0
