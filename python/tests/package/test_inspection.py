# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Storage of a table: the metadata table `pages`, and `inspect`."""

import lance
import numpy as np
import pyarrow as pa
import pytest
from kit.exchange import to_spark
from lance.file import LanceFileReader

import pyspark_lance
from pyspark_lance.inspection import inspect
from pyspark_lance.plain_size import bits_of
from pyspark_lance.table import lance_table

ROWS = 3000
TEXTS = [f"text number {i * i}" for i in range(ROWS)]
TAGS = [[f"tag{j}" for j in range(i % 4)] or None for i in range(ROWS)]
SOURCE = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "flag": pa.array([i % 3 == 0 for i in range(ROWS)]),
        "text": TEXTS,
        "tags": pa.array(TAGS, pa.list_(pa.string())),
        "sizes": pa.array([[i, i + 1] for i in range(ROWS)], pa.list_(pa.int32())),
        "who": [{"name": "Ada" if i % 2 else None, "age": i % 90} for i in range(ROWS)],
        "counts": pa.array([{"a": i} for i in range(ROWS)], pa.map_(pa.string(), pa.int64())),
    }
)
# a value takes its width, a string its bytes and 4, a list its items and 4
PLAIN = {
    "id": 8 * ROWS,
    "flag": round(ROWS / 8),
    "text": sum(len(t) + 4 for t in TEXTS),
    "tags": sum(4 + sum(len(t) + 4 for t in tags or ()) for tags in TAGS),
    "sizes": (4 + 8) * ROWS,
    "who.name": (3 + 4) * (ROWS // 2) + 4 * (ROWS - ROWS // 2),
    "who.age": 8 * ROWS,
    "counts.key": (4 + 1 + 4) * ROWS,
    "counts.value": (4 + 8) * ROWS,
}


@pytest.fixture(scope="module")
def stored(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored")
    path = folder / "table.lance"
    rows = to_spark(spark, SOURCE, folder)
    pyspark_lance.write(rows, path, mode="overwrite", max_rows_per_file=2000)
    return lance_table(spark, str(path)), lance.dataset(str(path))


def _column(path):
    """Returns the path without the names of items of lists and maps."""
    names = path.replace("entries.", "").split(".")
    return ".".join(n for n in names if n not in ("element", "item"))


def test_pages_equal_those_of_pylance(stored):
    table, dataset = stored
    ours = table.metadata_table("pages").collect()
    files = [f for fragment in dataset.get_fragments() for f in fragment.data_files()]
    assert len(files) == 2

    for file in files:
        metadata = LanceFileReader(f"{dataset.uri}/data/{file.path}").metadata()
        for field_id, column in zip(
            [f for f, c in zip(file.fields, file.column_indices, strict=True) if c >= 0],
            metadata.columns,
            strict=True,
        ):
            found = [p for p in ours if p.file.endswith(file.path) and p.field_id == field_id]
            assert [p.page for p in found] == list(range(len(column.pages)))
            assert [p.buffers for p in found] == [len(p.buffers) for p in column.pages]
            assert [p.bytes for p in found] == [
                sum(b.size for b in p.buffers) for p in column.pages
            ]
    by_field = {f.id: f.bytes_on_disk for f in dataset.stats.data_stats().fields}
    sums = {i: sum(p.bytes for p in ours if p.field_id == i) for i in {p.field_id for p in ours}}
    assert sums == {i: by_field[i] for i in sums}
    assert sum(by_field.values()) == sum(sums.values())
    texts = [p for p in ours if p.column == "text"]
    assert [(p.fragment_id, p.first_row, p.rows) for p in texts] == [(0, 0, 2000), (1, 0, 1000)]
    assert {p.layout for p in texts} == {"mini_block"}
    assert {p.encoding for p in texts} <= {"fsst(variable)", "variable"}  # the last page is small
    assert texts[0].encoding == "fsst(variable)"


def test_inspect_has_sizes_and_ratios_by_column(stored):
    table, _ = stored
    pages = table.metadata_table("pages").collect()

    found = {_column(row.column): row for row in inspect(table, sample_rows=None).collect()}

    assert {name: row.plain_bytes for name, row in found.items()} == PLAIN
    assert list(found) == list(PLAIN)  # in the order of the schema
    assert not any(row.is_estimate for row in found.values())
    for name, row in found.items():
        own = [p for p in pages if p.column == row.column]
        assert (row.pages, row.bytes) == (len(own), sum(p.bytes for p in own)), name
        assert set(row.encodings) == {p.encoding for p in own}
        assert set(row.layouts) == {p.layout for p in own}
        assert row.compression_ratio == row.plain_bytes / row.bytes
    assert found["text"].type == "string"
    assert found["text"].compression_ratio > 1.5


def test_inspect_estimates_from_a_sample(stored):
    table, _ = stored
    found = {_column(row.column): row for row in inspect(table, sample_rows=600).collect()}

    assert {name for name, row in found.items() if not row.is_estimate} == {
        "id",
        "flag",
        "who.age",
    }
    for name, plain in PLAIN.items():
        assert found[name].plain_bytes == pytest.approx(plain, rel=0.2), name
    with pytest.raises(ValueError, match="sample_rows=0: at least 1"):
        inspect(table, sample_rows=0)


@pytest.mark.parametrize("version", ["0.1", "2.0", "2.1", "2.3"])
def test_files_of_every_version(spark, tmp_path, version):
    path = tmp_path / "table.lance"
    wanted = SOURCE.select(["id", "text", "sizes"])
    pyspark_lance.write(to_spark(spark, wanted, tmp_path), path, file_version=version)
    table = lance_table(spark, str(path))

    found = {_column(row.column): row for row in inspect(table, sample_rows=None).collect()}

    size = table.metadata_table("files").head().bytes or (
        sum(f.stat().st_size for f in (path / "data").iterdir())
    )
    total = table.metadata_table("pages").groupBy().sum("bytes").head()[0]
    assert 0.8 * size < total < size
    assert found["id"].plain_bytes == PLAIN["id"]
    assert found["text"].plain_bytes == PLAIN["text"]
    assert found["text"].encodings == [
        {"0.1": "var_binary", "2.0": found["text"].encodings[0]}.get(version, "fsst(variable)")
    ]
    assert (found["text"].layouts[0] in ("batch", "array")) == (version in ("0.1", "2.0"))


@pytest.mark.on("connect")
def test_vectors_and_blobs(any_spark, tmp_path):
    path = str(tmp_path / "table.lance")
    vectors = np.random.default_rng(7).random((100, 16), np.float32)
    lance.write_dataset(
        pa.table(
            {
                "vector": pa.FixedSizeListArray.from_arrays(vectors.ravel(), 16),
                "image": pa.array([b"x" * 1000] * 100, pa.large_binary()),
            },
            pa.schema(
                [
                    pa.field("vector", pa.list_(pa.float32(), 16)),
                    pa.field("image", pa.large_binary(), metadata={"lance-encoding:blob": "true"}),
                ]
            ),
        ),
        path,
        data_storage_version="2.1",
    )

    found = {row.column: row for row in inspect(lance_table(any_spark, path)).collect()}

    assert found["vector"].plain_bytes == 100 * 16 * 4
    assert not found["vector"].is_estimate
    assert found["image"].plain_bytes is None
    assert found["image"].layouts == ["blob"]


def test_widths_of_types():
    assert bits_of("fixed_size_list:fixed_size_list:halffloat:4:3") == 16 * 12
    assert bits_of("fixed_size_binary:3") == 24
    assert bits_of("decimal:128:10:2") == 128
    assert bits_of("timestamp:us:UTC") == 64
    assert bits_of("uint16") == 16
    assert bits_of("string") is None
    assert bits_of("list") is None
