# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Concurrent writers of a table."""

import random
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


def test_all_spark_appends_are_committed(spark, path):
    pyspark_lance.write(spark.range(1), path)

    def append(n):
        frame = spark.range(n * 100, n * 100 + 10)
        return lambda: pyspark_lance.write(frame, path, mode="append")

    errors = together([append(n) for n in range(1, WRITERS + 1)])

    assert errors == [None] * WRITERS
    assert ids(path) == [0] + [n * 100 + i for n in range(1, WRITERS + 1) for i in range(10)]
    assert lance.dataset(path).version == 1 + WRITERS


def test_all_appends_of_spark_and_pylance_are_committed(spark, path):
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


def test_one_of_two_first_writers_succeeds(spark, path):
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


def until_done(session, statement):
    """Repeats a statement after conflicts. Returns the number of conflicts."""
    for lost in range(50):
        try:
            session.sql(statement).collect()
        except Exception as error:
            if "not committed" not in str(error):
                raise
        else:
            return lost
    raise AssertionError(f"never done: {statement}")


@pytest.mark.parametrize("stable", [False, True], ids=["addresses", "stable ids"])
def test_conflicting_statements(spark, path, stable):
    """No row is lost or duplicated, and each UPDATE is applied once."""
    counters, rounds = 3, 3
    t = f"lance.`{path}`"
    rows = pa.table({"id": range(40), "n": [0] * 40})
    lance.write_dataset(rows, path, max_rows_per_file=10, enable_stable_row_ids=stable)
    statements = [
        [f"INSERT INTO {t} VALUES ({100 + i}, 0)" for i in range(rounds)],
        [f"DELETE FROM {t} WHERE id = {10 + i}" for i in range(rounds)],
        [f"UPDATE {t} SET n = n + 1 WHERE id = {i % counters}" for i in range(rounds)],
        [f"UPDATE {t} SET n = n + 1 WHERE id < {counters}" for _ in range(rounds)],
        [
            f"MERGE INTO {t} AS t USING (SELECT id FROM range({200 + i}, {202 + i})) s "
            "ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = t.n + 1 "
            "WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, 1)"
            for i in range(rounds)
        ],
        [f"OPTIMIZE {t}"] * rounds,
    ]
    draw = random.Random(5)
    for todo in statements:
        draw.shuffle(todo)

    def run(todo):
        return lambda: [until_done(spark, statement) for statement in todo]

    errors = together([run(todo) for todo in statements])
    assert [str(e) for e in errors if e is not None] == []

    dataset = lance.dataset(path)
    dataset.validate()
    found = {row["id"]: row["n"] for row in dataset.to_table().to_pylist()}
    assert len(found) == dataset.count_rows()
    expected = {n: 0 for n in range(40) if not 10 <= n < 10 + rounds}
    expected |= {100 + i: 0 for i in range(rounds)}
    expected |= dict.fromkeys(range(counters), rounds + 1)
    expected |= {200: 1, 203: 1, 201: 2, 202: 2}
    assert found == expected
    if stable:
        assert len(set(dataset.scanner(columns=[], with_row_id=True).to_table()["_rowid"])) == len(
            found
        )


def test_two_deletes_of_the_same_row(spark, path):
    """Both succeed, or one fails with a conflict. The row is deleted once."""
    pyspark_lance.write(spark.range(0, 10, 1, 1), path)
    statement = f"DELETE FROM lance.`{path}` WHERE id = 3"
    errors = together([lambda: spark.sql(statement).collect()] * 3)
    assert all("not committed" in str(error) for error in errors if error is not None), errors
    assert errors.count(None) >= 1
    assert ids(path) == [n for n in range(10) if n != 3]
    deleted = [f.num_deletions for f in lance.dataset(path).get_fragments()]
    assert deleted == [1]
