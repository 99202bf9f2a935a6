# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""pylance reads default and configured encodings, and the pages have them."""

import re
from decimal import Decimal
from pathlib import Path

import lance
import numpy as np
import pyarrow as pa
import pytest
from kit.exchange import assert_same_rows, to_spark
from lance.file import LanceFileReader

import pyspark_lance

ROWS = 20_000
RANDOM = np.random.default_rng(20_240_229)
WORDS = ["".join(map(chr, RANDOM.integers(97, 123, n))) for n in RANDOM.integers(3, 12, 500)]


def _texts(words, rows=ROWS, of=WORDS):
    return [" ".join(of[w] for w in RANDOM.integers(0, len(of), words)) for _ in range(rows)]


COLUMNS = {
    "runs": pa.array(np.arange(ROWS, dtype=np.int32) // 100),
    "small": pa.array(RANDOM.integers(0, 1000, ROWS, dtype=np.int64)),
    "any": pa.array(RANDOM.integers(-(2**62), 2**62, ROWS, dtype=np.int64)),
    "sorted": pa.array(np.arange(ROWS, dtype=np.int64) * 1_000_000 + 1_700_000_000_000_000),
    "price": pa.array(
        [Decimal(int(cents)).scaleb(-2) for cents in RANDOM.integers(1, 10**6, ROWS)],
        pa.decimal128(15, 2),
    ),
    "flag": pa.array(RANDOM.choice(["A", "N", "R"], ROWS)),
    "city": pa.array([f"the city of {w}" for w in RANDOM.choice(WORDS[:40], ROWS)]),
    "text": pa.array(_texts(5)),
    "long": pa.array(_texts(60, ROWS // 10) * 10),
    "page": pa.array(_texts(200, 60, of=_texts(12, 50))),
    "nulls": pa.array([None if i % 7 == 0 else i for i in range(ROWS)], pa.int32()),
}


def _data_file(path):
    (file,) = Path(path, "data").iterdir()
    return LanceFileReader(str(file)).metadata()


def _names(page):
    """Returns the messages of a page from the outermost inwards, without repetitions."""
    text = re.sub(r'symbol_table: (b?"(\\.|[^"\\])*"|\[[^\]]*\])', "", str(page.encoding))
    found = re.findall(
        r"(MiniBlock|FullZip|Constant|General|Flat|Variable|Fsst|Rle|InlineBitpacking"
        r"|ByteStreamSplit|Lz4|Zstd|dictionary: Some)",
        text,
    )
    names = []
    for name in found:
        if not names or names[-1] != name:
            names.append(name)
    return names


def _write(spark, folder, column, version, **options):
    source = pa.table({"c": COLUMNS[column]})
    path = folder / "table.lance"
    pyspark_lance.write(to_spark(spark, source, folder), path, fileVersion=version, **options)
    dataset = lance.dataset(str(path))
    dataset.validate()
    assert_same_rows(source, dataset.to_table())
    rows = [source.num_rows - 1, 5, 17]
    assert dataset.take(rows).column("c").to_pylist() == source["c"].take(rows).to_pylist()
    assert_same_rows(source, pyspark_lance.read(spark, path))
    (first, *_) = _data_file(path).columns[0].pages
    return _names(first)


CHOSEN = {
    "runs": ["Rle"],
    "small": ["InlineBitpacking"],
    "any": ["Flat"],
    "sorted": ["General", "ByteStreamSplit", "Lz4"],
    "price": ["General", "Flat", "Lz4"],
    "flag": ["dictionary: Some", "InlineBitpacking"],
    "city": ["dictionary: Some", "InlineBitpacking"],
    "text": ["Fsst", "Variable"],
    "page": ["FullZip", "General", "Zstd"],
}


@pytest.mark.parametrize("column", CHOSEN)
def test_the_writer_chooses(spark, tmp_path, file_version, column):
    found = _write(spark, tmp_path, column, file_version)

    assert set(CHOSEN[column]) <= set(found)
    assert ("FullZip" in found) == ("FullZip" in CHOSEN[column])


ASKED = [
    ("small", {"compression": "none"}, ["MiniBlock", "Flat"], ["InlineBitpacking", "General"]),
    ("small", {"compression": "lz4"}, ["General", "Lz4"], []),
    ("small", {"compression": "zstd", "compression-level": "9"}, ["General", "Zstd"], []),
    ("small", {"compression": "zstd", "bss": "on"}, ["General", "ByteStreamSplit"], []),
    ("sorted", {"compression": "zstd", "bss": "off"}, ["General"], ["ByteStreamSplit"]),
    ("sorted", {"bss": "off"}, [], ["ByteStreamSplit"]),
    ("runs", {"rle-threshold": "0.001"}, [], ["Rle"]),
    ("runs", {"rle-threshold": "0.9"}, ["Rle"], []),
    ("price", {"compression": "none"}, ["Flat"], ["General"]),
    ("price", {"compression": "zstd"}, ["General", "Zstd"], []),
    ("text", {"compression": "none"}, ["Variable"], ["Fsst", "General"]),
    ("text", {"compression": "fsst"}, ["Fsst"], []),
    ("text", {"compression": "lz4"}, ["General", "Lz4", "Variable"], ["Fsst"]),
    ("text", {"compression": "zstd"}, ["General", "Zstd", "Variable"], ["Fsst"]),
    ("text", {"compression": "zstd", "minichunk-size": "16384"}, ["General", "Zstd"], []),
    ("text", {"structural-encoding": "fullzip"}, ["FullZip"], ["MiniBlock"]),
    ("small", {"structural-encoding": "fullzip"}, ["FullZip", "Flat"], ["MiniBlock"]),
    ("nulls", {"structural-encoding": "fullzip"}, ["FullZip", "Flat"], ["MiniBlock"]),
    ("long", {"structural-encoding": "miniblock", "dict-divisor": "100"}, ["MiniBlock"], []),
    ("long", {"compression": "none", "dict-divisor": "100"}, ["FullZip", "Variable"], ["Fsst"]),
    ("long", {"compression": "lz4", "dict-divisor": "100"}, ["FullZip", "General", "Lz4"], []),
    ("long", {"compression": "zstd", "dict-divisor": "100"}, ["FullZip", "General", "Zstd"], []),
    ("city", {"dict-divisor": "10000"}, ["Fsst"], ["dictionary: Some"]),
    ("city", {"dict-size-ratio": "0.0001"}, ["Fsst"], ["dictionary: Some"]),
    ("city", {"dict-max-size": "100"}, ["Fsst"], ["dictionary: Some"]),
]


@pytest.mark.parametrize(("column", "keys", "there", "absent"), ASKED, ids=str)
def test_a_column_uses_its_options(spark, tmp_path, file_version, column, keys, there, absent):
    options = {f"column.c.lance-encoding:{key}": value for key, value in keys.items()}

    found = _write(spark, tmp_path, column, file_version, **options)

    assert set(there) <= set(found)
    assert not set(absent) & set(found)


@pytest.mark.parametrize(
    ("keys", "there", "absent"),
    [
        ({"dict-values-compression": "none"}, ["Variable"], ["Lz4", "Zstd"]),
        ({"dict-values-compression": "lz4"}, ["General", "Lz4"], ["Zstd"]),
        (
            {"dict-values-compression": "zstd", "dict-values-compression-level": "9"},
            ["General", "Zstd"],
            ["Lz4"],
        ),
    ],
    ids=str,
)
def test_items_of_dictionaries_are_compressed_as_configured(spark, tmp_path, keys, there, absent):
    options = {f"column.c.lance-encoding:{key}": value for key, value in keys.items()}

    found = _write(spark, tmp_path, "city", "2.2", **options)

    assert {"dictionary: Some", *there} <= set(found)
    assert not set(absent) & set(found)


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("structural-encoding", "packed", "one of miniblock, fullzip, sparse"),
        ("structural-encoding", "sparse", "requires file version 2.3"),
        ("compression", "snappy", "one of none, lz4, zstd, fsst"),
        ("rle-threshold", "2", "a number from 0 to 1"),
        ("bss", "maybe", "one of off, on, auto"),
        ("minichunk-size", "4k", "a whole number from 1"),
        ("dict-divisor", "0", "a whole number from 1"),
        ("dict-size-ratio", "0", "a number above 0, at most 1"),
        ("dict-max-size", "-1", "a whole number from 1"),
        ("dict-values-compression", "fsst", "one of none, lz4, zstd"),
    ],
)
def test_invalid_values_are_rejected_before_anything_is_written(
    spark, tmp_path, key, value, expected
):
    path = tmp_path / "table.lance"
    option = {f"column.id.lance-encoding:{key}": value}

    with pytest.raises(Exception, match=re.escape(f"lance-encoding:{key} '{value}'")) as e:
        pyspark_lance.write(spark.range(5), path, fileVersion="2.2", **option)

    assert expected in str(e.value)
    assert not path.exists() or not list(path.rglob("*.lance"))


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2", "2.3"])
def test_values_as_long_as_pages_are_compressed(spark, tmp_path, version):
    texts = ["x" * (9 << 20), "y" * (9 << 20), "ab" * (5 << 20), None, "short"]
    source = pa.table({"c": pa.array(texts)})
    path = tmp_path / "long.lance"

    pyspark_lance.write(to_spark(spark, source, tmp_path), path, fileVersion=version)

    assert sum(f.stat().st_size for f in Path(path, "data").iterdir()) < 1 << 16
    dataset = lance.dataset(str(path))
    dataset.validate()
    assert_same_rows(source, dataset.to_table())
    assert dataset.take([2, 4]).column("c").to_pylist() == [texts[2], texts[4]]
    assert_same_rows(source, pyspark_lance.read(spark, path))
