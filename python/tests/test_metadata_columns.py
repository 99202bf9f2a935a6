# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Metadata columns, takes, limits, and time travel, compared with pylance."""

import random

import lance
import pyarrow as pa
import pytest
from kit.exchange import assert_same_rows

import pyspark_lance

COLUMNS = [
    "_rowid",
    "_rowaddr",
    "_rowoffset",
    "_row_created_at_version",
    "_row_last_updated_at_version",
]

HISTORIES = {
    "addresses": {},
    "stable ids": {"enable_stable_row_ids": True},
    "stable ids in files": {"enable_stable_row_ids": True, "spill": True},
}


def numbers(start, count):
    ids = range(start, start + count)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "name": pa.array([f"n{i % 7}" for i in ids], pa.string()),
        }
    )


TABLES = [
    ("addresses", "0.1"),
    ("addresses", "2.2"),
    ("stable ids", "0.1"),
    ("stable ids", "2.0"),
    ("stable ids", "2.2"),
    ("stable ids in files", "2.1"),
    ("stable ids in files", "2.3"),
]


@pytest.fixture(params=TABLES, ids=", ".join)
def dataset(request, tmp_path):
    """A table with appends, deletes, updates, and compactions in random order."""
    name, version = request.param
    options = dict(HISTORIES[name])
    spill = options.pop("spill", False)
    draw = random.Random(f"{name} {version}")
    path = tmp_path / "t.lance"
    ds = lance.write_dataset(
        numbers(0, 900), path, max_rows_per_file=400, data_storage_version=version, **options
    )
    if spill:
        ds.update_config(
            {"lance.row_lineage.spill": "true", "lance.row_lineage.inline_max_bytes": "0"}
        )
    for step in range(12):
        what = draw.choice(["append", "delete", "delete", "update", "compact"])
        if what == "append":
            ds = lance.write_dataset(numbers(1000 * (step + 1), 300), path, mode="append")
        elif what == "delete":
            ds.delete(f"id % {draw.randint(5, 40)} = {draw.randint(0, 4)}")
        elif what == "update":
            ds.update({"name": f"'step {step}'"}, where=f"id % {draw.randint(5, 30)} = 1")
        else:
            ds.optimize.compact_files(target_rows_per_fragment=draw.choice([100, 500, 5000]))
        ds = lance.dataset(path)
    return ds


def test_metadata_columns(spark, dataset):
    columns = ["id", *COLUMNS]
    expected = dataset.scanner(columns=columns).to_table()
    assert_same_rows(expected, pyspark_lance.read(spark, dataset.uri).select(columns))
    alone = pyspark_lance.read(spark, dataset.uri).select("_rowoffset", "_rowid")
    assert_same_rows(expected.select(["_rowoffset", "_rowid"]), alone)


def test_takes(spark, dataset):
    columns = ["id", "_rowid", "_rowaddr"]
    everything = dataset.scanner(columns=columns).to_table().to_pylist()
    draw = random.Random(dataset.uri)
    for count in [1, 3, 200]:
        picked = draw.sample(everything, count)
        for column in ["_rowid", "_rowaddr"]:
            wanted = ", ".join(str(row[column]) for row in picked)
            found = pyspark_lance.read(spark, dataset.uri).where(f"{column} IN ({wanted})")
            expected = [row for row in everything if row in picked]
            assert_same_rows(pa.Table.from_pylist(expected), found.select(columns))


def test_takes_by_index(spark, dataset):
    indices = sorted(random.Random(dataset.uri).sample(range(dataset.count_rows()), 50))
    wanted = ", ".join(map(str, indices))
    found = pyspark_lance.read(spark, dataset.uri).where(f"_rowoffset IN ({wanted})")
    assert_same_rows(dataset.take(indices), found)


def test_limit_and_offset(spark, dataset):
    for offset, limit in [(0, 5), (7, 1), (390, 30), (850, 2000), (9999, 3)]:
        found = pyspark_lance.read(spark, dataset.uri).offset(offset).limit(limit)
        assert_same_rows(dataset.to_table(limit=limit, offset=offset), found)


def test_time_travel(spark, dataset):
    path = dataset.uri
    dataset.tags.create("first", 1)
    dataset.create_branch("team/fix", 2)
    branch = dataset.checkout_version(("team/fix", None))
    branch.delete("id < 100")
    branch = dataset.checkout_version(("team/fix", None))
    columns = ["id", "name", *COLUMNS]
    cases = [
        ("VERSION AS OF 1", lance.dataset(path, version=1)),
        (f"VERSION AS OF {dataset.version - 1}", lance.dataset(path, version=dataset.version - 1)),
        ("VERSION AS OF 'first'", lance.dataset(path, version="first")),
        ("VERSION AS OF 'team/fix'", branch),
    ]
    for clause, expected in cases:
        found = spark.sql(f"SELECT {', '.join(columns)} FROM lance.`{path}` {clause}")
        assert_same_rows(expected.scanner(columns=columns).to_table(), found)


def test_shallow_clone(spark, dataset, tmp_path):
    clone = dataset.shallow_clone(tmp_path / "clone.lance", dataset.version)
    clone.delete("id % 11 = 3")
    clone = lance.dataset(tmp_path / "clone.lance")
    columns = ["id", "name", *COLUMNS]
    expected = clone.scanner(columns=columns).to_table()
    assert_same_rows(expected, pyspark_lance.read(spark, clone.uri).select(columns))
    last = expected.to_pylist()[-1]
    found = pyspark_lance.read(spark, clone.uri).where(f"_rowid = {last['_rowid']}")
    assert_same_rows(expected.slice(len(expected) - 1), found.select(columns))
