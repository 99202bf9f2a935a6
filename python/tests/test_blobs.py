# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Blobs of every kind that pylance writes, as bytes, descriptors and sizes."""

from pathlib import Path
from urllib.parse import quote

import lance
import pyarrow as pa
import pytest

import pyspark_lance
from pyspark_lance.arrow_tables import to_arrow

LEGACY = pa.field("b", pa.large_binary(), metadata={"lance-encoding:blob": "true"})
# Small blobs are inline, medium ones in a shared side file, large ones in separate files.
SMALL = lance.blob_field("b", inline_size_threshold=8, dedicated_size_threshold=100)
VALUES = [
    None if i % 7 == 3 else bytes((i * 31 + k) % 256 for k in range(i * 13 % 150))
    for i in range(300)
]


def without_marks(row: dict) -> dict:
    """pylance returns the marker of nulls in 2.0 files unchanged."""
    return {k: None if v == {"position": 1, "size": 0} else v for k, v in row.items()}


def same_as_pylance(spark, path: Path, **revision: object) -> None:
    """Compares every blob mode with pylance's two modes, in batches of two sizes."""
    dataset = lance.dataset(str(path), **revision)
    for size in (64, 4096):
        options = {"batchSize": size, **revision}
        content = pyspark_lance.read(spark, path, **options)
        expected = dataset.to_table(blob_handling="all_binary").to_pylist()
        assert to_arrow(content).to_pylist() == expected
        descriptors = pyspark_lance.read(spark, path, blobMode="descriptor", **options)
        described = [without_marks(row) for row in dataset.to_table().to_pylist()]
        assert to_arrow(descriptors).to_pylist() == described


def table(field: pa.Field, values: pa.Array) -> pa.Table:
    schema = pa.schema([("id", pa.int64()), field])
    return pa.table([pa.array(range(len(values)), pa.int64()), values], schema)


def blobs(version: str) -> pa.Table:
    if version in ("2.0", "2.1"):
        return table(LEGACY, pa.array(VALUES, pa.large_binary()))
    return table(SMALL, lance.blob_array(VALUES))


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2", "2.3"])
def test_every_file_version(spark, tmp_path, version):
    path = tmp_path / "t.lance"
    source = blobs(version)
    lance.write_dataset(source, str(path), data_storage_version=version, max_rows_per_file=130)
    dataset = lance.dataset(str(path))
    dataset.delete("id % 3 = 1 or (id > 100 and id < 140)")

    same_as_pylance(spark, path)
    same_as_pylance(spark, path, version=1)
    sizes = to_arrow(pyspark_lance.read(spark, path, blobMode="size").where("b > 140")).to_pylist()
    kept = [i for i in range(300) if i % 3 != 1 and not 100 < i < 140]
    lengths = {i: len(VALUES[i] or b"") for i in kept}
    assert sizes == [{"id": i, "b": n} for i, n in lengths.items() if n > 140]


@pytest.mark.parametrize("version", ["2.1", "2.2", "2.3"])
def test_blobs_of_shallow_clones_are_in_the_source(spark, tmp_path, version):
    source = str(tmp_path / "source.lance")
    lance.write_dataset(blobs(version), source, data_storage_version=version)
    lance.dataset(source).shallow_clone(str(tmp_path / "clone.lance"), 1)

    same_as_pylance(spark, tmp_path / "clone.lance")


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_blobs_in_structs(spark, tmp_path, version):
    blob = LEGACY if version == "2.1" else SMALL
    values = blobs(version)["b"].combine_chunks()
    numbers = pa.array(range(len(VALUES)), pa.int32())
    nulls = pa.array([i % 5 == 0 for i in range(len(VALUES))])
    fields = [blob, pa.field("n", pa.int32())]
    structs = pa.StructArray.from_arrays([values, numbers], fields=fields, mask=nulls)
    path = tmp_path / "t.lance"
    source = table(pa.field("s", structs.type), structs)
    lance.write_dataset(source, str(path), data_storage_version=version)

    found = to_arrow(pyspark_lance.read(spark, path, batchSize=64)).to_pylist()

    assert found == [
        {"id": i, "s": None if i % 5 == 0 else {"b": VALUES[i], "n": i}} for i in range(len(VALUES))
    ]


def test_blobs_in_lists(spark, tmp_path):
    items = lance.blob_array(VALUES)
    kind = pa.list_(lance.blob_field("item", inline_size_threshold=8))
    ends = [min(300, n * (n % 4)) for n in range(80)]
    offsets = pa.array([0, *sorted(ends)[:-1], 300], pa.int32())
    lists = pa.Array.from_buffers(kind, 80, [None, offsets.buffers()[1]], children=[items])
    path = tmp_path / "t.lance"
    lance.write_dataset(table(pa.field("l", kind), lists), str(path), data_storage_version="2.2")
    lance.dataset(str(path)).delete("id % 4 = 2")

    same_as_pylance(spark, path)


def test_external_blobs(spark, tmp_path):
    media = tmp_path / "médiä %20 files"
    media.mkdir()
    (media / "a.bin").write_bytes(bytes(range(200)))
    uri = "file://" + quote(str(media / "a.bin"))
    slice_of_it = lance.Blob.from_uri(uri, position=5, size=7)
    values = [lance.Blob.from_uri(uri), slice_of_it, b"inline", None, lance.Blob.empty()]
    path = tmp_path / "t.lance"
    lance.write_dataset(
        table(lance.blob_field("b"), lance.blob_array(values)),
        str(path),
        data_storage_version="2.2",
        allow_external_blob_outside_bases=True,
    )

    same_as_pylance(spark, path)
    sizes = to_arrow(pyspark_lance.read(spark, path, blobMode="size")).to_pydict()["b"]
    assert sizes == [200, 7, 6, None, 0]


def test_blobs_below_a_base_path(spark, tmp_path):
    base = tmp_path / "base"
    (base / "sub dir").mkdir(parents=True)
    (base / "sub dir" / "a.bin").write_bytes(bytes(range(200)))
    uri = (base / "sub dir" / "a.bin").as_uri()
    values = [lance.Blob.from_uri(uri), lance.Blob.from_uri(uri, position=190, size=10), b"inline"]
    path = tmp_path / "t.lance"
    lance.write_dataset(
        table(lance.blob_field("b"), lance.blob_array(values)),
        str(path),
        data_storage_version="2.2",
        initial_bases=[lance.DatasetBasePath(str(base), name="media", is_dataset_root=False)],
    )

    same_as_pylance(spark, path)
    (base / "sub dir" / "a.bin").unlink()
    assert pyspark_lance.read(spark, path, blobMode="descriptor").count() == 3
    with pytest.raises(Exception, match=r"a\.bin.*not found: file"):
        pyspark_lance.read(spark, path).collect()


def test_json_reads_like_in_pylance(spark, tmp_path):
    texts = ['{"b": [1, 2.50, {"a": null}], "a": "é\\n"}', "[]", '"x"', "null", None]
    texts += ["1e21", "-0.5", "12345678901234567890"]
    source = pa.table({"j": pa.array(texts * 40, pa.json_())})
    for version in ("0.1", "2.0", "2.1", "2.2", "2.3"):
        path = tmp_path / f"{version}.lance"
        lance.write_dataset(source, str(path), data_storage_version=version)
        expected = lance.dataset(str(path)).to_table().to_pylist()
        assert to_arrow(pyspark_lance.read(spark, path)).to_pylist() == expected, version


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_statistics_and_tasks_count_blobs(spark, tmp_path, version):
    """In the data file, and in side files."""
    path, size = tmp_path / "t.lance", 1 << 20
    values = [i.to_bytes(2, "big") * (size // 2) for i in range(40)]
    field, array = LEGACY, pa.array(values, pa.large_binary())
    if version == "2.2":
        field, array = lance.blob_field("b"), lance.blob_array(values)
    lance.write_dataset(table(field, array), str(path), data_storage_version=version)

    def bytes_of(frame):
        return int(str(frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()))

    frame = pyspark_lance.read(spark, path)
    assert 40 * size <= bytes_of(frame) < 44 * size
    assert bytes_of(frame.select("id")) < size
    assert bytes_of(pyspark_lance.read(spark, path, blobMode="size")) < size
    spark.conf.set("spark.sql.files.maxPartitionBytes", 8 * size)
    try:
        assert 5 <= pyspark_lance.read(spark, path).rdd.getNumPartitions() <= 12
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")
    detail = spark.sql(f"DESCRIBE DETAIL lance.`{path}`").head()
    assert 40 * size <= detail.size_bytes < 44 * size
    assert "data files: 1, 40." in repr(pyspark_lance.LanceTable.forPath(spark, path))
