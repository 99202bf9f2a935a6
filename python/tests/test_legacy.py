# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Files of version 0.1: pylance reads what Spark writes and appends, and writes the same bytes."""

import lance
import pyarrow as pa
import pytest
from kit.exchange import assert_same_rows, to_spark
from kit.values import LEAVES, NESTED, Draw

import pyspark_lance

KINDS = LEAVES | NESTED


def holdable(value, kind):
    """The value with the limits of the version: empty strings read as null."""
    is_ = pa.types
    if is_.is_struct(kind):
        return {f.name: holdable(value[f.name], f.type) for f in kind}
    if is_.is_list(kind):
        return [holdable(v, kind.value_type) for v in value]
    return None if value in ("", b"") else value


def table(kinds, rows, seed="legacy"):
    """Columns of these types, with nulls only in strings."""
    draw = Draw(seed)
    return pa.table(
        {
            name: pa.array([holdable(draw.value(kind, 0), kind) for _ in range(rows)], kind)
            for name, kind in kinds.items()
        }
    )


def data_files(path):
    return sorted((path / "data").glob("*.lance"))


@pytest.mark.parametrize("rows", [1, 1000, 10_000])
def test_pylance_reads_every_type(spark, tmp_path, rows):
    source, path = table(KINDS, rows), tmp_path / "table.lance"

    pyspark_lance.write(to_spark(spark, source, tmp_path), path, fileVersion="legacy")

    dataset = lance.dataset(str(path))
    dataset.validate()
    assert dataset.data_storage_version == "0.1"
    assert_same_rows(source, dataset.to_table())
    assert_same_rows(source, pyspark_lance.read(spark, path))
    middle = rows // 2
    assert_same_rows(source.slice(middle, 1), dataset.take([middle]))
    fragment = dataset.get_fragments()[0].metadata
    file = fragment.files[0]
    assert (file.file_major_version, file.file_minor_version) == (0, 2)
    assert file.column_indices == [] and file.fields == sorted(file.fields)
    assert file.file_size_bytes == data_files(path)[0].stat().st_size
    assert fragment.physical_rows == rows


def test_pages_tables_and_statistics_equal_the_bytes_of_pylance(spark, tmp_path):
    source = table(KINDS, 10_000)
    ours, theirs = tmp_path / "ours.lance", tmp_path / "theirs.lance"
    rows = to_spark(spark, source, tmp_path)
    pyspark_lance.write(rows, ours, fileVersion="0.1")
    lance.write_dataset(source, str(theirs), data_storage_version="legacy", max_rows_per_group=8192)

    a, b = (data_files(p)[0].read_bytes() for p in (ours, theirs))

    # The manifests contain the names of their writers.
    end = manifest_position(a)
    assert end == manifest_position(b)
    assert next((i for i in range(end) if a[i] != b[i]), None) is None
    assert a[-8:] == b[-8:]


def manifest_position(file):
    """The first field of the metadata, to which the end of the file points."""
    at = int.from_bytes(file[-16:-8], "little") + 4
    assert file[at] == 0x08
    position = shift = 0
    while True:
        at += 1
        position |= (file[at] & 0x7F) << shift
        shift += 7
        if file[at] < 0x80:
            return position


def test_appends_to_tables_of_pylance_and_back(spark, tmp_path):
    first, second, third = (table(KINDS, 500, seed) for seed in "abc")
    path = tmp_path / "table.lance"
    lance.write_dataset(first, str(path), data_storage_version="legacy")

    pyspark_lance.write(to_spark(spark, second, tmp_path), path, mode="append")
    lance.write_dataset(third, str(path), mode="append")

    dataset = lance.dataset(str(path))
    assert dataset.data_storage_version == "0.1"
    assert_same_rows(pa.concat_tables([first, second, third]), dataset.to_table())
    assert_same_rows(dataset.to_table(), pyspark_lance.read(spark, path))
    dataset.delete("int32 % 2 = 0")
    dataset.optimize.compact_files()
    assert_same_rows(lance.dataset(str(path)).to_table(), pyspark_lance.read(spark, path))


def test_appended_rows_use_the_dictionaries_of_the_table(spark, tmp_path):
    path = tmp_path / "table.lance"
    kinds = pa.array(["a", "b", None, "b"]).dictionary_encode()
    first = pa.table({"id": range(4), "kind": kinds})
    lance.write_dataset(first, str(path), data_storage_version="legacy")

    pyspark_lance.write(
        spark.sql("select id, if(id % 2 = 0, 'b', 'a') as kind from range(4, 8)").coalesce(1),
        path,
        mode="append",
    )

    found = lance.dataset(str(path)).to_table().to_pydict()
    assert found["id"] == list(range(8))
    assert found["kind"][4:] == ["b", "a", "b", "a"]
    assert_same_rows(lance.dataset(str(path)).to_table(), pyspark_lance.read(spark, path))
    with pytest.raises(Exception, match="dictionary of the table"):
        pyspark_lance.write(spark.sql("select 9L as id, 'c' as kind"), path, mode="append")
    assert len(data_files(path)) == 2


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("if(id = 7, null, id)", "a null in a field of type int64"),
        ("if(id = 7, '', 'x')", "an empty value in a field of type string"),
        ("if(id = 7, null, array(id))", "a null in a field of type list"),
        ("if(id = 7, null, named_struct('a', id))", "a null in a field of type struct"),
        ("map(id, id)", "map"),
    ],
)
def test_values_that_would_read_differently_are_rejected(spark, tmp_path, sql, words):
    path = tmp_path / "table.lance"

    with pytest.raises(Exception, match=words):
        rows = spark.range(10).selectExpr(f"{sql} as x").coalesce(1)
        pyspark_lance.write(rows, path, fileVersion="legacy")

    assert not path.exists() or not data_files(path)
