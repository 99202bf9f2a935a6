# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Zone maps that writes update: no result changes, for any writer, and pylance uses them."""

import json
import os
import random
import subprocess

import lance
import pytest
from kit.conditions import evaluated, filtered
from kit.releases import Release
from pyspark.sql import functions as F

pytestmark = pytest.mark.one_case

COLUMNS = ("k", "d", "t", "dec", "day", "at", "s.a", "s.`b c`")

TYPES = """k BIGINT, d DOUBLE, t STRING, dec DECIMAL(12, 2), day DATE, at TIMESTAMP,
  s STRUCT<a: INT, `b c`: STRING>"""

#: Spark's SQL for rows of `range` as `id`: nulls, NaN, both zeros, and null structs.
ROWS = """IF(id % 11 = 4, NULL, id) AS k,
  CASE id % 6 WHEN 0 THEN double('NaN') WHEN 1 THEN -0.0D WHEN 2 THEN 0.0D WHEN 3 THEN NULL
    ELSE CAST(id AS DOUBLE) / 8 END AS d,
  IF(id % 7 = 5, NULL, lpad(CAST(id AS STRING), 5, '0')) AS t,
  IF(id % 5 = 3, NULL, CAST(id - 100 AS DECIMAL(12, 2)) / 4) AS dec,
  DATE'2020-01-01' + CAST(id / 10 AS INT) AS day,
  timestamp_seconds(id * 3600) AS at,
  IF(id % 13 = 2, NULL,
    named_struct('a', CAST(id / 3 AS INT), 'b c', concat('ß', id % 100))) AS s"""

#: For Spark, and for pylance where its SQL differs.
QUESTIONS = (
    ("k = 77", None),
    ("k BETWEEN 150 AND 190", None),
    ("k IS NULL", None),
    ("k < 0", None),
    ("d = 0.0", None),
    ("d > 20", "d > 20 OR isnan(d)"),  # NaN is the greatest value in Spark
    ("d = double('NaN')", "isnan(d)"),
    ("t LIKE '001%'", None),
    ("t >= '00200' AND day < DATE'2020-03-01'", "t >= '00200' AND day < date '2020-03-01'"),
    ("dec <= -3.25", "dec <= arrow_cast('-3.25', 'Decimal128(12, 2)')"),
    ("day = DATE'2020-01-12'", "day = date '2020-01-12'"),
    ("at > TIMESTAMP'1970-01-10 00:00:00'", "at > timestamp '1970-01-10 00:00:00'"),
    ("s.a = 50", None),
    ("s.a IS NULL", None),
    ("NOT (k > 100)", None),
)


class History:
    """Random changes of one table."""

    def __init__(self, warehouse, seed, stable):
        self.warehouse = warehouse
        self.random = random.Random(seed)
        self.path = str(warehouse.path("zoned"))
        self.steps = []
        columns = ", ".join(COLUMNS)
        warehouse.sql(
            f"CREATE TABLE zoned ({TYPES}) TBLPROPERTIES ('fileVersion' = '2.1', "
            f"'enableStableRowIds' = '{str(stable).lower()}', "
            f"'lance.spark.write.zonemap' = '{columns}')",
            *(
                f"CREATE INDEX `zones of {c.replace('`', '')}` ON zoned USING zonemap ({c}) "
                "OPTIONS (rows_per_zone = 16)"
                for c in COLUMNS
            ),
        )

    @property
    def dataset(self):
        return lance.dataset(self.path)

    def sql(self, *statements):
        return self.warehouse.sql(*statements)

    def insert(self):
        start = self.random.randrange(400)
        count = self.random.choice((1, 10, 60))
        self.sql(f"INSERT INTO zoned SELECT {ROWS} FROM range({start}, {start + count})")

    def update(self, mode):
        low = self.random.randrange(400)
        self.sql(
            f"SET spark.lance.write.updateMode = {mode}",
            f"UPDATE zoned SET k = k + 40, t = '00111' WHERE k BETWEEN {low} AND {low + 30}",
            "SET spark.lance.write.updateMode = auto",
        )

    def merge(self):
        low = self.random.randrange(400)
        self.sql(
            f"""MERGE INTO zoned USING (SELECT DISTINCT id FROM range({low}, {low + 20})) AS n
            ON zoned.k = -n.id
            WHEN NOT MATCHED THEN INSERT (k, t) VALUES (-n.id, 'merged')"""
        )

    def pylance_append(self):
        rows = self.dataset.to_table(limit=20, offset=self.random.randrange(5))
        lance.write_dataset(rows, self.path, mode="append")

    def pylance_optimize(self):
        self.dataset.optimize.optimize_indices()

    def step(self):
        low = self.random.randrange(400)
        changes = {
            "insert": self.insert,
            "update rows": lambda: self.update("rows"),
            "update columns": lambda: self.update("columns"),
            "merge": self.merge,
            "delete": lambda: self.sql(f"DELETE FROM zoned WHERE k BETWEEN {low} AND {low + 9}"),
            "optimize": lambda: self.sql("OPTIMIZE zoned"),
            "z-order": lambda: self.sql("OPTIMIZE zoned ZORDER BY (day, k)"),
            "pylance append": self.pylance_append,
            "pylance delete": lambda: self.dataset.delete(f"k = {low}"),
            "pylance update": lambda: self.dataset.update({"k": "k + 7"}, where=f"k > {low}"),
            "pylance compact": lambda: self.dataset.optimize.compact_files(),
            "pylance optimize": self.pylance_optimize,
        }
        name = self.random.choice((*changes, "insert", "insert"))
        self.steps.append(name)
        changes[name]()

    def check(self):
        """Fails if a zone map changes a result of Spark or pylance."""
        dataset = self.dataset
        theirs = [dataset.count_rows(filter=other or question) for question, other in QUESTIONS]
        conditions = [question for question, _ in QUESTIONS]
        reader = self.warehouse.session.read.format("lance")
        one = F.lit(1)
        found = filtered(reader.load(self.path), conditions, one)
        scan = reader.option("useScalarIndex", "false").load(self.path)
        wanted = evaluated(scan, conditions, one)
        for condition, count, *rows in zip(conditions, theirs, found, wanted, strict=True):
            assert [len(r) for r in rows] == [count, count], (condition, self.steps)

    def uncovered(self):
        """Fragments that a zone map does not cover, by its name."""
        everything = {f.fragment_id for f in self.dataset.get_fragments()}
        return {
            i.name: everything - set().union(*(set(s.fragment_ids) for s in i.segments))
            for i in self.dataset.describe_indices()
        }


@pytest.mark.parametrize("stable", [False, True])
@pytest.mark.parametrize("seed", range(int(os.environ.get("PYSPARK_LANCE_HISTORIES", "1"))))
def test_random_histories(warehouse, seed, stable):
    history = History(warehouse, f"{os.environ.get('PYSPARK_LANCE_SEED', '')}{seed}", stable)
    for _ in range(3):
        history.insert()
    for _ in range(6):
        for _ in range(2):
            history.step()
        history.check()
    history.insert()
    assert len(history.dataset.describe_indices()) == len(COLUMNS)


def test_writes_of_spark_leave_no_fragment_uncovered(warehouse):
    history = History(warehouse, 1, stable=False)
    for change in ("insert", "insert", "merge"):
        getattr(history, change)()
    history.update("rows")
    history.sql("DELETE FROM zoned WHERE k % 2 = 0", "OPTIMIZE zoned")
    history.insert()
    assert set(map(len, history.uncovered().values())) == {0}
    assert {len(i.segments) for i in history.dataset.describe_indices()} == {1}
    plan = history.dataset.scanner(filter="k = 77").explain_plan()
    assert "ScalarIndexQuery" in plan
    history.pylance_append()
    history.pylance_optimize()
    assert set(map(len, history.uncovered().values())) == {0}
    history.insert()
    assert set(map(len, history.uncovered().values())) == {0}
    history.check()


#: Reads and maintains a table; each time the counts with the indices and without them.
OLD = """
import json, sys, lance
path, questions = sys.argv[1], json.loads(sys.argv[2])
def counts():
    dataset = lance.dataset(path)
    return [
        [dataset.scanner(filter=q, use_scalar_index=used).count_rows() for q in questions]
        for used in (True, False)
    ]
found = [counts()]
plan = lance.dataset(path).scanner(filter="k = 77").explain_plan(True)
rows = lance.dataset(path).to_table(limit=5)
lance.write_dataset(rows, path, mode="append")
found.append(counts())
lance.dataset(path).optimize.optimize_indices()
found.append(counts())
lance.dataset(path).optimize.compact_files()
found.append(counts())
print(json.dumps([found, "ScalarIndexQuery" in plan]))
"""


@pytest.mark.parametrize("release", ["9.0.1", "6.1.0"])
def test_old_releases_read_and_maintain_zone_maps(warehouse, release):
    history = History(warehouse, 2, stable=False)
    for _ in range(4):
        history.insert()
    history.update("rows")
    history.sql("DELETE FROM zoned WHERE k % 5 = 0")
    # Without an index, 9.0.1 leaves out rows whose struct is null.
    questions = [other or q for q, other in QUESTIONS if q != "s.a IS NULL"]
    command = [Release(release).python, "-c", OLD, history.path, json.dumps(questions)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found, used = json.loads(done.stdout.splitlines()[-1])
    assert used
    for with_index, without in found:
        assert with_index == without
    history.check()
    history.insert()
    history.sql("OPTIMIZE zoned")
    history.check()
