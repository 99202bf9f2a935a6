# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Writers that meet at one table."""

from concurrent.futures import ThreadPoolExecutor

import lance
import pyarrow as pa
import pytest

import pyspark_lance

WRITERS = 4


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.lance"


def together(actions):
    """Runs the actions at the same time; returns what each raised, or None."""

    def attempt(action):
        try:
            action()
        except Exception as error:
            return error
        return None

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(attempt, actions))


def ids(path):
    return sorted(lance.dataset(path).to_table()["id"].to_pylist())


def test_appends_of_spark_all_arrive(spark, path):
    pyspark_lance.write(spark.range(1), path)

    def append(n):
        frame = spark.range(n * 100, n * 100 + 10)
        return lambda: pyspark_lance.write(frame, path, mode="append")

    errors = together([append(n) for n in range(1, WRITERS + 1)])

    assert errors == [None] * WRITERS
    assert ids(path) == [0] + [n * 100 + i for n in range(1, WRITERS + 1) for i in range(10)]
    assert lance.dataset(path).version == 1 + WRITERS


def test_appends_of_spark_and_pylance_all_arrive(spark, path):
    pyspark_lance.write(spark.range(1), path)

    def ours():
        for n in range(1, 4):
            pyspark_lance.write(spark.range(n * 100, n * 100 + 1), path, mode="append")

    def theirs():
        for n in range(4, 12):
            lance.write_dataset(pa.table({"id": [n * 100]}), path, mode="append")

    assert together([ours, theirs]) == [None, None]
    assert ids(path) == [n * 100 for n in range(12)]
    assert pyspark_lance.read(spark, path).count() == 12


def test_one_of_two_first_writers_wins(spark, path):
    frames = [spark.range(0, 10), spark.range(100, 110)]
    errors = together([lambda f=f: pyspark_lance.write(f, path) for f in frames])

    won = [i for i, error in enumerate(errors) if error is None]
    assert len(won) == 1
    assert ids(path) == list(range(won[0] * 100, won[0] * 100 + 10))
    assert lance.dataset(path).version == 1
    (lost,) = [str(error) for error in errors if error is not None]
    assert path.name in lost


def test_a_reader_keeps_its_version(spark, path):
    pyspark_lance.write(spark.range(10), path)
    frame = pyspark_lance.read(spark, path, version=1)
    pyspark_lance.write(spark.range(5), path, mode="overwrite")
    assert frame.count() == 10
    assert sorted(r.id for r in frame.collect()) == list(range(10))
