# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Aggregates by indices that pylance built and maintains, after random histories."""

import datetime
import decimal
import os
import random

import lance
import pyarrow as pa
import pytest

pytestmark = pytest.mark.one_case

KINDS = ["BTREE", "BITMAP", "ZONEMAP"]

#: A value of each column from a whole number.
VALUES = {
    "number": lambda n: n * 7 - 900,
    "text": lambda n: f"v{n % 60:03d}é",
    "day": lambda n: datetime.date(1969, 1, 1) + datetime.timedelta(days=n * 3),
    "time": lambda n: datetime.datetime(1969, 12, 31, 23) + datetime.timedelta(seconds=n * 61),
    "money": lambda n: decimal.Decimal(n - 200) / 4,
    "flag": lambda n: n % 3 == 0,
    "bytes": lambda n: bytes([n % 256, n % 7]),
}

SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64()),
        pa.field("number", pa.int32()),
        pa.field("text", pa.string()),
        pa.field("day", pa.date32()),
        pa.field("time", pa.timestamp("us", "UTC")),
        pa.field("money", pa.decimal128(12, 2)),
        pa.field("flag", pa.bool_()),
        pa.field("bytes", pa.binary()),
    ]
)


def rows(chosen, first, count):
    """Rows with random values, some of them null."""
    made = []
    for i in range(first, first + count):
        row = {"id": i}
        for name, value in VALUES.items():
            row[name] = None if chosen.random() < 0.15 else value(chosen.randrange(500))
        made.append(row)
    return pa.Table.from_pylist(made, SCHEMA)


class History:
    """A table that pylance changes at random, with an index of a random kind on each column."""

    def __init__(self, path, stable, seed):
        self.path, self.chosen = path, random.Random(seed)
        self.next = 300
        data = rows(self.chosen, 0, self.next)
        dataset = lance.write_dataset(
            data, path, max_rows_per_file=100, enable_stable_row_ids=stable
        )
        self.kinds = {}
        for name in VALUES:
            kind = self.chosen.choice(KINDS)
            options = {"rows_per_zone": 32} if kind == "ZONEMAP" else {}
            dataset.create_scalar_index(name, kind, **options)
            self.kinds[name] = kind

    def step(self):
        """Changes the table, and returns the name of the change."""
        dataset = lance.dataset(self.path)
        done = self.chosen.choice(
            ["delete", "outermost", "append", "update", "merge", "compact", "optimize"]
        )
        name = self.chosen.choice(list(VALUES))
        if done == "delete":
            dataset.delete(f"id % 7 = {self.chosen.randrange(7)}")
        elif done == "outermost":
            column = dataset.to_table(columns=["id", name]).sort_by(name)
            ids = column.column("id").to_pylist()
            ids = ids[: len(ids) // 20] + ids[-len(ids) // 5 :]
            dataset.delete(f"id IN ({', '.join(map(str, ids))})")
        elif done == "append":
            count = 1 + self.chosen.randrange(40)
            lance.write_dataset(rows(self.chosen, self.next, count), self.path, mode="append")
            self.next += count
        elif done == "update":
            dataset.update({"number": str(self.chosen.randrange(-2000, 4000))}, "id % 11 = 3")
        elif done == "merge":
            changed = rows(self.chosen, self.chosen.randrange(self.next), 20)
            merge = dataset.merge_insert("id").when_matched_update_all()
            merge.when_not_matched_insert_all().execute(changed)
            self.next += 20
        elif done == "compact":
            dataset.optimize.compact_files(target_rows_per_fragment=150)
        if done == "optimize" or self.chosen.random() < 0.6:
            lance.dataset(self.path).optimize.optimize_indices()
        return done


@pytest.mark.parametrize("stable", [False, True], ids=["plain", "stable"])
@pytest.mark.parametrize("seed", range(int(os.environ.get("PYSPARK_LANCE_HISTORIES", "2"))))
def test_min_and_max_by_indices_of_pylance(spark, tmp_path, stable, seed):
    """The results equal a scan, and come from the index if it covers all fragments."""
    path = str(tmp_path / "t")
    history = History(path, stable, f"{os.environ.get('PYSPARK_LANCE_SEED', '')}{seed}")
    by_index, done = 0, []
    for _ in range(7):
        reader = spark.read.format("lance")
        frame = reader.load(path)
        plain = reader.option("useScalarIndex", "false").load(path)
        for name in history.chosen.sample(list(VALUES), 4):
            wanted = [f"min({name})", f"max({name})", f"count({name})"]
            assert frame.selectExpr(*wanted).collect() == plain.selectExpr(*wanted).collect(), (
                seed,
                stable,
                done,
                name,
                history.kinds,
            )
            plan = frame.selectExpr(*wanted[:2])._jdf.queryExecution().toString()
            by_index += "by index" in plan
            first = f"SELECT {name} FROM {{t}} ORDER BY {name} DESC LIMIT 3"
            assert spark.sql(first, t=frame).collect() == spark.sql(first, t=plain).collect(), (
                seed,
                stable,
                done,
                name,
                history.kinds,
            )
        done.append(history.step())
    assert by_index > 2
