# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The change feed of tables that Spark and pylance write alternately."""

import random
import subprocess
import sys
from collections import Counter

import lance
import pyarrow as pa
import pytest
from kit.releases import Release

from pyspark_lance import LanceTable, write

ROW = ["id", "v", "s"]

REPLACE = """
import sys
from pathlib import Path

import lance
import pyarrow as pa
from lance.file import LanceFileWriter
from lance.fragment import DataFile

path, value = sys.argv[1], int(sys.argv[2])
dataset = lance.dataset(path)
fragment = dataset.get_fragments()[0]
rows = fragment.to_table()
rows = rows.set_column(1, "v", pa.array([value] * len(rows), pa.int64()))
old = fragment.metadata.files[0]
version = (old.file_major_version, old.file_minor_version)
new = DataFile(f"replaced-{value}.lance", old.fields, old.column_indices, *version)
file = str(Path(path, "data", new.path))
with LanceFileWriter(file, rows.schema, version="%d.%d" % version) as out:
    out.write_batch(rows)
group = lance.LanceOperation.DataReplacementGroup(fragment.fragment_id, new)
replacement = lance.LanceOperation.DataReplacement([group])
lance.LanceDataset.commit(path, replacement, read_version=dataset.version)
"""


def rows_at(path, version):
    """The rows of a version as pylance reads them, as a multiset."""
    table = lance.dataset(path, version=version).to_table(ROW)
    return Counter(zip(*(table[c].to_pylist() for c in ROW), strict=True))


def changed(spark, path, begin, end=None, **options):
    """The changes in order, each with kind, version, and row."""
    frame = LanceTable.forPath(spark, path).changes(begin, end, **options)
    return [
        (r["_change_type"], r["_commit_version"], tuple(r[c] for c in ROW)) for r in frame.collect()
    ]


def applied(rows, changes):
    """Applies changes to rows. Each change must match the rows."""
    rows = Counter(rows)
    before = ("delete", "update_preimage")
    for version in sorted({v for _, v, _ in changes}):
        of = [c for c in changes if c[1] == version]
        for kind, _, row in of:
            if kind in before:
                assert rows[row] > 0, (kind, version, row)
                rows[row] -= 1
        for kind, _, row in of:
            if kind not in before:
                rows[row] += 1
    return +rows


class History:
    """Random commits by pylance and by Spark to one table."""

    def __init__(self, spark, path, seed, stable):
        self.spark = spark
        self.path = path
        self.stable = stable
        self.random = random.Random(seed)
        self.next_id = 0
        self.steps = []
        rows = self.rows(12)
        if seed % 2:
            lance.write_dataset(rows, path, max_rows_per_file=5, enable_stable_row_ids=stable)
        else:
            write(
                rows,
                path,
                spark=spark,
                max_rows_per_file=5,
                enable_stable_row_ids=stable,
            )

    def rows(self, n):
        ids = range(self.next_id, self.next_id + n)
        self.next_id += n
        return pa.table(
            {
                "id": pa.array(ids, pa.int64()),
                "v": pa.array([self.random.randrange(99) for _ in ids], pa.int64()),
                "s": pa.array([self.random.choice(["a", "b", None]) for _ in ids]),
            }
        )

    def condition(self):
        modulus = self.random.randrange(2, 7)
        return f"id % {modulus} = {self.random.randrange(modulus)}"

    def step(self):
        kind = self.random.choice(
            [
                "append",
                "append",
                "delete",
                "update",
                "merge",
                "columns",
                "compact",
                "restore",
                "index",
            ]
            + ["overwrite"] * (self.random.random() < 0.3)
        )
        ours = self.random.random() < 0.5
        self.steps.append(f"{'spark' if ours else 'pylance'} {kind}")
        (self.by_spark if ours else self.by_pylance)(kind)

    def by_pylance(self, kind):
        dataset = lance.dataset(self.path)
        if kind == "append":
            lance.write_dataset(self.rows(4), self.path, mode="append")
        elif kind == "overwrite":
            lance.write_dataset(self.rows(6), self.path, mode="overwrite")
        elif kind == "delete":
            dataset.delete(self.condition())
        elif kind == "update":
            dataset.update({"v": "v + 1000"}, where=self.condition())
        elif kind == "merge":
            known = dataset.to_table(["id"])["id"].to_pylist()[:3]
            rows = pa.concat_tables(
                [
                    self.rows(2),
                    self.rows(len(known)).set_column(0, "id", pa.array(known, pa.int64())),
                ]
            )
            dataset.merge_insert(
                "id"
            ).when_matched_update_all().when_not_matched_insert_all().execute(rows)
        elif kind == "columns":
            fragment = (
                self.random.choice(dataset.get_fragments()) if dataset.get_fragments() else None
            )
            if fragment is not None:
                ids = fragment.to_table(["id"])["id"].to_pylist()[:2]
                new = pa.table(
                    {"id": pa.array(ids, pa.int64()), "v": pa.array([7] * len(ids), pa.int64())}
                )
                updated, fields = fragment.update_columns(new, left_on="id")
                operation = lance.LanceOperation.Update(
                    updated_fragments=[updated], fields_modified=fields
                )
                lance.LanceDataset.commit(self.path, operation, read_version=dataset.version)
        elif kind == "compact":
            dataset.optimize.compact_files()
        elif kind == "restore":
            versions = [v["version"] for v in dataset.versions()]
            lance.dataset(self.path, version=self.random.choice(versions)).restore()
        elif kind == "index":
            dataset.create_scalar_index("id", "BTREE", replace=True)

    def by_spark(self, kind):
        table = LanceTable.forPath(self.spark, self.path)
        if kind == "append":
            write(self.rows(4), self.path, mode="append", spark=self.spark)
        elif kind == "overwrite":
            write(self.rows(6), self.path, mode="overwrite", spark=self.spark)
        elif kind == "delete":
            table.delete(self.condition())
        elif kind == "update":
            table.update(self.condition(), {"v": "v + 1000"})
        elif kind == "merge":
            known = [r["id"] for r in table.toDF().select("id").limit(3).collect()]
            source = self.spark.createDataFrame(
                [(i, 5, "m") for i in known] + [(self.next_id, 6, "n")],
                "id BIGINT, v BIGINT, s STRING",
            )
            self.next_id += 1
            (
                table.alias("t")
                .merge(source.alias("u"), "t.id = u.id")
                .whenMatchedUpdateAll()
                .whenNotMatchedInsertAll()
                .execute()
            )
        elif kind == "columns":
            self.spark.conf.set("spark.lance.write.updateMode", "columns")
            try:
                table.update(self.condition(), {"v": "v + 1"})
            finally:
                self.spark.conf.unset("spark.lance.write.updateMode")
        elif kind == "compact":
            table.optimize().executeCompaction()
        elif kind == "restore":
            versions = [r["version"] for r in table.versions().collect()]
            table.restoreToVersion(self.random.choice(versions))
        elif kind == "index":
            table.create_scalar_index("id", "BTREE", replace=True)

    def check(self, a, b):
        start, end = rows_at(self.path, a), rows_at(self.path, b)
        # The values of s repeat.
        for options in (
            {},
            {"net": True},
            {"identifier_columns": ["id"]},
            {"identifier_columns": ["s"]},
            {"net": True, "identifier_columns": ["s"]},
        ):
            found = changed(self.spark, self.path, a + 1, b, **options)
            assert applied(start, found) == end, options
        net = changed(self.spark, self.path, a + 1, b, net=True, identifier_columns=["id"])
        assert applied(start, net) == end
        kinds = {}
        for kind, _, row in net:
            kinds.setdefault(row[0], []).append(kind)
        assert all(
            sorted(k) in (["insert"], ["delete"], ["update_postimage", "update_preimage"])
            for k in kinds.values()
        ), net


@pytest.mark.parametrize("stable", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_changes_turn_one_version_into_another(spark, tmp_path, seed, stable):
    history = History(spark, str(tmp_path / "t"), seed, stable)
    for _ in range(12):
        history.step()
    latest = lance.dataset(history.path).version
    for _ in range(4):
        a, b = sorted(history.random.sample(range(1, latest + 1), 2))
        try:
            history.check(a, b)
        except AssertionError as e:
            raise AssertionError(f"{a} to {b}: {e}\n{history.steps}") from e


def table_of_pylance(path, stable):
    """A table of ten rows. Five are deleted, so positions and offsets differ."""
    rows = {"id": pa.array(range(10), pa.int64()), "v": pa.array([0] * 10), "s": ["x"] * 10}
    lance.write_dataset(pa.table(rows), path, enable_stable_row_ids=stable)
    lance.dataset(path).delete("id < 4 OR id = 6")
    return lance.dataset(path)


@pytest.mark.parametrize("stable", [True, False])
@pytest.mark.parametrize("mode", ["rewrite_rows", "rewrite_columns"])
def test_merge_of_some_columns_by_pylance_after_deletions(spark, tmp_path, stable, mode):
    path = str(tmp_path / "t")
    dataset = table_of_pylance(path, stable)
    before = dataset.version
    new = pa.table({"id": pa.array([7, 9], pa.int64()), "v": [70, 90]})
    dataset.merge_insert("id").when_matched_update_all().write_mode(mode).execute(new)
    after = lance.dataset(path).version
    found = changed(spark, path, before + 1)
    assert applied(rows_at(path, before), found) == rows_at(path, after)
    pairs = [
        ("update_preimage", (7, 0, "x")),
        ("update_preimage", (9, 0, "x")),
        ("update_postimage", (7, 70, "x")),
        ("update_postimage", (9, 90, "x")),
    ]
    kept = [(k, (i, 0, "x")) for i in (4, 5, 8) for k in ("update_preimage", "update_postimage")]
    kinds = sorted((kind, row) for kind, _, row in found)
    if stable:
        assert kinds == sorted(pairs)
    elif mode == "rewrite_columns":
        # Without stable row ids, pylance does not record which rows of the fragment are new.
        assert kinds == sorted(pairs + kept)
    else:
        keyed = changed(spark, path, before + 1, identifier_columns=["id"])
        assert sorted((kind, row) for kind, _, row in keyed) == sorted(pairs)
        assert {kind for kind, _ in kinds} == {"delete", "insert"}


@pytest.mark.parametrize("stable", [True, False])
def test_merge_of_pylance_that_deletes_rows_without_a_match(spark, tmp_path, stable):
    path = str(tmp_path / "t")
    dataset = table_of_pylance(path, stable)
    before = dataset.version
    new = pa.table({"id": pa.array([7, 20], pa.int64()), "v": [70, 200], "s": ["x", "y"]})
    merge = dataset.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    merge.when_not_matched_by_source_delete("id > 7").execute(new)
    after = lance.dataset(path).version
    found = changed(spark, path, before + 1, identifier_columns=None if stable else ["id"])
    assert applied(rows_at(path, before), found) == rows_at(path, after)
    assert sorted((kind, row) for kind, _, row in found) == sorted(
        [
            ("delete", (8, 0, "x")),
            ("delete", (9, 0, "x")),
            ("insert", (20, 200, "y")),
            ("update_preimage", (7, 0, "x")),
            ("update_postimage", (7, 70, "x")),
        ]
    )


@pytest.mark.parametrize("stable", [True, False])
def test_columns_that_pylance_adds_are_null_in_earlier_changes(spark, tmp_path, stable):
    path = str(tmp_path / "t")
    before = table_of_pylance(path, stable).version
    new = {"id": pa.array([20], pa.int64()), "v": [1], "s": ["x"]}
    lance.write_dataset(pa.table(new), path, mode="append")
    lance.dataset(path).add_columns({"c": "id * 2"})
    added = lance.dataset(path).version
    lance.dataset(path).delete("id = 4")

    def rows(begin, **options):
        frame = LanceTable.forPath(spark, path).changes(begin, **options)
        return [(r["_change_type"], r["id"], r["c"]) for r in frame.collect()]

    assert rows(before + 1) == [("insert", 20, None), ("delete", 4, 8)]
    assert rows(added) == [("delete", 4, 8)]
    assert rows(added, end=added) == []
    net = rows(before + 1, net=True, identifier_columns=["id"])
    assert net == [("insert", 20, None), ("delete", 4, 8)]


@pytest.mark.parametrize("stable", [True, False])
@pytest.mark.parametrize("release", ["9.0.1", lance.__version__])
def test_files_that_pylance_replaces_and_restores_in_between(spark, tmp_path, release, stable):
    """Release 9 does not record the version of a replacement with the rows."""
    path = str(tmp_path / "t")
    rows = {"id": pa.array(range(5), pa.int64()), "v": pa.array([0] * 5), "s": ["x"] * 5}
    options = {"data_storage_version": "2.1", "enable_stable_row_ids": stable}
    lance.write_dataset(pa.table(rows), path, max_rows_per_file=3, **options)
    python = sys.executable if release == lance.__version__ else Release(release).python
    values = {1: 0, 2: 7, 3: 0, 4: 8, 5: 7}
    for version, value in list(values.items())[1:]:
        if version in (2, 4):
            arguments = [python, "-c", REPLACE, path, str(value)]
            done = subprocess.run(arguments, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
        else:
            restored = 1 if version == 3 else 2
            spark.sql(f"RESTORE TABLE lance.`{path}` TO VERSION AS OF {restored}")
        assert lance.dataset(path).version == version
        assert rows_at(path, version)[0, value, "x"] == 1
    found = Counter(changed(spark, path, 2))
    for version in range(2, 6):
        in_place = stable or version in (2, 4)
        kinds = ("update_preimage", "update_postimage") if in_place else ("delete", "insert")
        for kind, value in zip(kinds, (values[version - 1], values[version]), strict=True):
            for number in range(3):
                assert found.pop((kind, version, (number, value, "x"))) == 1
    assert not found
    frame = spark.sql(f"SELECT * FROM lance_changes('{path}', 3, 3)")
    assert frame.count() == 6
    for begin, end in ((2, 3), (3, 4), (2, 5), (4, 5)):
        for net in (False, True):
            changes = changed(spark, path, begin, end, net=net)
            assert applied(rows_at(path, begin - 1), changes) == rows_at(path, end)
    assert changed(spark, path, 2, 3, net=True) == []
