# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Random histories of tables that Spark and pylance change in turn, see `kit.fuzz`.

`PYSPARK_LANCE_SEED` is the first seed; without it, long runs choose one. Long runs take
`PYSPARK_LANCE_FUZZ_MINUTES` minutes, with `PYSPARK_LANCE_FUZZ_STEPS` steps in each history.
`PYSPARK_LANCE_FUZZ` repeats the history of a single seed.

Long runs write shortened histories that failed to `target/fuzz/`. Once the cause is fixed, add the
file to `kit/fuzz/cases/`. All tests repeat the histories there.
"""

import itertools
import json
import os
import time
from collections import Counter
from pathlib import Path

import pytest
from kit.fuzz import rejections
from kit.fuzz.history import HistoryError, random_history, replay, shortened

CASES = sorted((Path(__file__).parent / "kit" / "fuzz" / "cases").glob("*.json"))
FAILED = Path(__file__).parents[2] / "target" / "fuzz"
FIRST = int(os.environ.get("PYSPARK_LANCE_SEED", "20261126"))
MAX_FAILURES = 10


@pytest.fixture(scope="module")
def session(spark):
    """A session without code generation, because the queries have only a few rows."""
    session = spark.newSession()
    session.conf.set("spark.sql.codegen.wholeStage", "false")
    session.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    session.conf.set("spark.sql.adaptive.enabled", "false")
    session.conf.set("spark.sql.shuffle.partitions", "1")
    return session


@pytest.fixture
def new_folder(session, tmp_path):
    """Creates a folder for each table."""
    session._jvm.SparkSession.setActiveSession(session._jsparkSession)
    numbers = itertools.count()

    def make():
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        return folder

    return make


@pytest.mark.parametrize("seed", [FIRST, FIRST + 1])
def test_random_histories(session, new_folder, seed):
    history = random_history(session, new_folder(), seed, 6)
    assert len(history.steps) == 6


@pytest.mark.parametrize("case", CASES, ids=[case.stem for case in CASES])
def test_fixed_histories(session, new_folder, case):
    record = json.loads(case.read_text())
    history = replay(session, new_folder(), record)
    assert len(history.steps) == len(record["steps"]), "a step is not possible any more"


def test_unexpected_errors_of_pylance_fail_a_history():
    expected = [rejections.Rejection(("Tag",), r"no tag t\d", "tags have limits")]
    assert rejections.reason_for("Tag", OSError("no tag t1\nbacktrace"), expected)
    for action, error in (("Tag", OSError("corrupt: no tag t1")), ("Merge", OSError("no tag t1"))):
        with pytest.raises(AssertionError, match=f"pylance rejects {action}: OSError: .*no tag t1"):
            rejections.reason_for(action, error, expected)


@pytest.mark.long
def test_many_random_histories(session, new_folder):
    number = int(os.environ.get("PYSPARK_LANCE_FUZZ_STEPS", "25"))
    only = os.environ.get("PYSPARK_LANCE_FUZZ")
    first = int(only or os.environ.get("PYSPARK_LANCE_SEED") or time.time_ns() // 1000)
    end = time.monotonic() + 60 * float(os.environ.get("PYSPARK_LANCE_FUZZ_MINUTES", "60"))
    done, rejected, failures = Counter(), Counter(), {}
    for seed in [first] if only else itertools.count(first):
        if time.monotonic() > end or len(failures) == MAX_FAILURES:
            break
        try:
            history = random_history(session, new_folder(), seed, number)
        except HistoryError as failure:
            print(f"seed {seed}: {failure.text}", flush=True)
            done["failed histories"] += 1
            if failure.cause not in failures:
                short = shortened(session, new_folder, failure, 120)
                failures[failure.cause] = short
                FAILED.mkdir(parents=True, exist_ok=True)
                record = json.dumps({**short.history, "cause": short.text}, indent=1)
                (FAILED / f"{seed}.json").write_text(record + "\n")
        else:
            done["histories"] += 1
            done.update(f"{step['do']} by {step['by']}" for step in history.steps)
            rejected.update(history.checks.rejected)
    steps = sum(number for name, number in done.items() if " by " in name)
    print(
        f"\nresult: seeds from {first}: {done['histories']} histories with {steps} steps passed,"
        f" {done['failed histories']} histories failed"
    )
    for (action, reason), count in rejected.most_common():
        print(f"result: {count} of {action} rejected by pylance: {reason}")
    print(json.dumps(done, indent=1))
    assert not failures, "\n\n".join(str(failure) for failure in failures.values())
