# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`LanceTable.changes` and `LanceTable.delta`."""

import lance
import pyarrow as pa
import pytest

from pyspark_lance import (
    InvalidRequestError,
    LanceTable,
    NotFoundError,
    errors_translated,
    write,
)


def test_delta_has_the_rows_of_pylance(any_spark, tmp_path):
    path = str(tmp_path / "t")
    data = pa.table({"id": [1, 2, 3, 4], "v": [1, 2, 3, 4]})
    lance.write_dataset(data, path, enable_stable_row_ids=True)
    lance.write_dataset(pa.table({"id": [5, 6], "v": [5, 6]}), path, mode="append")
    lance.dataset(path).update({"v": "v * 10"}, where="id in (2, 5)")
    lance.dataset(path).delete("id = 3")
    delta = LanceTable.forPath(any_spark, path).delta(1)
    theirs = lance.dataset(path).delta(compared_against=1)

    def ours(frame):
        return sorted(tuple(row) for row in frame.collect())

    def of(reader):
        table = reader.read_all()
        return table.column_names, sorted(zip(*table.to_pydict().values(), strict=True))

    for mine, other in (
        (delta.get_inserted_rows(), theirs.get_inserted_rows()),
        (delta.get_updated_rows(), theirs.get_updated_rows()),
    ):
        names, expected = of(other)
        assert ours(mine.select(*names)) == expected
    assert [r["_rowid"] for r in delta.get_deleted_row_ids().collect()] == [2]
    # pylance reads the version that is open, whatever the end is.
    earlier = LanceTable.forPath(any_spark, path).delta(begin_version=1, end_version=3)
    assert earlier.get_deleted_row_ids().count() == 0


def test_delta_needs_stable_row_ids(any_spark, tmp_path):
    path = str(tmp_path / "t")
    write(any_spark.range(3), path)
    with pytest.raises(InvalidRequestError, match="no stable row ids"):
        LanceTable.forPath(any_spark, path).delta(1)


def test_delta_without_an_end_compares_the_version_of_its_construction(any_spark, tmp_path):
    path = str(tmp_path / "t")
    write(any_spark.range(3), path, enable_stable_row_ids=True)
    table = LanceTable.forPath(any_spark, path)
    delta = table.delta(1)
    assert delta.end == 1
    table.insert(any_spark.range(7, 8))
    assert delta.get_inserted_rows().count() == 0
    assert table.delta(1).get_inserted_rows().count() == 1


def test_the_time_of_a_commit_selects_it(any_spark, tmp_path):
    path = str(tmp_path / "t")
    write(any_spark.range(3), path)
    table = LanceTable.forPath(any_spark, path)
    table.insert(any_spark.range(7, 9))
    time = table.changes(2).select("_commit_timestamp").first()[0]
    assert table.changes(time, time).count() == 2


def test_added_columns_and_compactions_are_not_changes(any_spark, tmp_path):
    path = str(tmp_path / "t")
    lance.write_dataset(
        pa.table({"id": range(10)}), path, max_rows_per_file=3, enable_stable_row_ids=True
    )
    lance.dataset(path).add_columns({"twice": "id * 2"})
    lance.dataset(path).optimize.compact_files()
    lance.dataset(path).alter_columns({"path": "twice", "name": "double"})
    table = LanceTable.forPath(any_spark, path)
    assert table.changes(2).count() == 0
    assert table.delta(1).get_updated_rows().count() == 0
    first = table.changes(1, 1)
    assert first.columns[:2] == ["id", "_change_type"]
    assert table.changes(1).columns[:2] == ["id", "double"]


def test_removed_versions_are_named(any_spark, tmp_path):
    path = str(tmp_path / "t")
    for _ in range(5):
        write(any_spark.range(1), path, mode="append")
    table = LanceTable.forPath(any_spark, path)
    table.tags.create("kept", 2)
    table.cleanup_old_versions(retain_versions=2, error_if_tagged_old_versions=False)
    assert table.changes(5).count() == 1
    gone = table.changes(3)
    named = pytest.raises(NotFoundError, match="first version whose changes can be read is 5")
    with named, errors_translated():
        gone.count()


def test_arguments(any_spark, tmp_path):
    path = str(tmp_path / "t")
    write(any_spark.range(3), path)
    table = LanceTable.forPath(any_spark, path)
    with pytest.raises(TypeError, match="list of names"):
        table.changes(1, identifier_columns="id")
    with pytest.raises(InvalidRequestError, match="is empty"):
        table.changes(1, identifier_columns=[])
    with pytest.raises(InvalidRequestError, match="give the first"):
        table.delta()
    assert table.changes("2001-01-01").count() == 3
    for end, problem in (("soon", "which is not a time"), ("1", "without quotes")):
        with pytest.raises(InvalidRequestError, match=problem), errors_translated():
            table.changes(1, end).count()
    assert table.checkout_version(1).changes(1).count() == 3
