# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Spark appends packed structs, dictionaries, blobs, and other special types to pylance tables."""

from pathlib import Path

import lance
import pyarrow as pa
import pytest
from kit.exchange import assert_same_rows, to_spark
from kit.lines import LINE
from kit.releases import Release

import pyspark_lance

pytestmark = pytest.mark.one_case

ROWS = 2100
PACKED = {"lance-encoding:packed": "true"}
BLOB = {"lance-encoding:blob": "true"}
LEGACY = pa.field("c", pa.large_binary(), metadata=BLOB)
SMALL = lance.blob_field("c", inline_size_threshold=8, dedicated_size_threshold=100)


def some(of, every=7):
    """Values for all rows but some."""
    return [None if i % every == 3 else of(i) for i in range(ROWS)]


def word(i: int) -> str:
    return f"word {i * i % 1013}"


def packed(*members):
    return pa.struct([pa.field(f"m{i}", kind) for i, kind in enumerate(members)])


def dictionary(index, kind):
    return pa.dictionary(index, kind)


FIXED = packed(pa.int32(), pa.int8(), pa.float64(), pa.binary(5))
FIXED_VALUES = some(lambda i: {"m0": i * 7919, "m1": i % 100, "m2": i / 7, "m3": b"%05d" % i})
VARIABLE = packed(pa.int64(), pa.string(), pa.large_binary(), pa.list_(pa.float32(), 3))
VARIABLE_VALUES = some(
    lambda i: {"m0": -i, "m1": word(i), "m2": b"\x00" * (i % 5), "m3": [i, i + 0.5, -i]}
)

# name: field, values
COLUMNS = {
    "packed": (pa.field("c", FIXED, metadata=PACKED), FIXED_VALUES),
    "packed and never null": (
        pa.field("c", FIXED, metadata=PACKED),
        [v or FIXED_VALUES[0] for v in FIXED_VALUES],
    ),
    "packed in lists": (
        pa.field("c", pa.list_(pa.field("item", FIXED, metadata=PACKED))),
        some(lambda i: FIXED_VALUES[i : i + i % 4], every=11),
    ),
    "all null and packed": (pa.field("c", FIXED, metadata=PACKED), [None] * ROWS),
    "dictionary of strings": (
        pa.field("c", dictionary(pa.int16(), pa.string())),
        some(lambda i: f"word {i % 300}"),
    ),
    "dictionary of few": (
        pa.field("c", dictionary(pa.int8(), pa.large_string())),
        some(lambda i: f"{i % 128}"),
    ),
    "dictionary of numbers": (
        pa.field("c", dictionary(pa.uint8(), pa.int64())),
        some(lambda i: i % 256 * 10**12),
    ),
    "dictionary of doubles": (
        pa.field("c", dictionary(pa.uint32(), pa.float64())),
        some(lambda i: i / 3),
    ),
    "dictionary of booleans": (
        pa.field("c", dictionary(pa.int32(), pa.bool_())),
        some(lambda i: i % 3 == 0),
    ),
    "dictionary of null": (pa.field("c", dictionary(pa.int8(), pa.string())), [None] * ROWS),
    "dictionary in lists": (
        pa.field("c", pa.list_(pa.field("item", dictionary(pa.int16(), pa.string())))),
        some(lambda i: [None if k == 2 else f"{i % 50}{k}" for k in range(i % 5)]),
    ),
    "struct without members": (pa.field("c", pa.struct([]), nullable=False), [{}] * ROWS),
    "struct without members in a struct": (
        pa.field("c", pa.struct([("a", pa.int32()), ("e", pa.struct([]))])),
        [{"a": None if i % 5 == 0 else i, "e": {}} for i in range(ROWS)],
    ),
} | {
    f"binary of {n}": (
        pa.field("c", pa.binary(n)),
        some(lambda i, n=n: (i * 2654435761).to_bytes(8, "big").ljust(n, b"x")[-n:]),
    )
    for n in (1, 2, 3, 4, 5, 7, 8, 9, 16, 33, 300)
}
SINCE_2_2 = {
    "packed of any width": (pa.field("c", VARIABLE, metadata=PACKED), VARIABLE_VALUES),
    "packed of any width in structs": (
        pa.field("c", pa.struct([pa.field("p", VARIABLE, metadata=PACKED)])),
        some(lambda i: {"p": VARIABLE_VALUES[i]}, every=9),
    ),
    "packed of any width in lists": (
        pa.field("c", pa.list_(pa.field("item", VARIABLE, metadata=PACKED))),
        some(lambda i: VARIABLE_VALUES[i : i + i % 4], every=11),
    ),
}
CASES = [(n, v) for n in COLUMNS for v in ("2.1", "2.2", "2.3")] + [
    (n, v) for n in SINCE_2_2 for v in ("2.2", "2.3")
]


def plain(kind):
    """The type that Spark has the values in."""
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_struct(kind):
        return pa.struct([f.with_type(plain(f.type)).remove_metadata() for f in kind])
    if pa.types.is_list(kind):
        item = kind.value_field
        return pa.list_(item.with_type(plain(item.type)).remove_metadata())
    if pa.types.is_fixed_size_list(kind):
        item = kind.value_field
        return pa.list_(item.with_type(plain(item.type)).remove_metadata())
    return pa.binary() if pa.types.is_fixed_size_binary(kind) else kind


def empty(path: Path, field: pa.Field, version: str) -> None:
    schema = pa.schema([pa.field("id", pa.int64()), field])
    if field.type == pa.struct([SMALL]):  # pyarrow cannot create an empty one.
        none = pa.StructArray.from_arrays([lance.blob_array([])], fields=[SMALL])
        nothing = pa.table([pa.array([], pa.int64()), none], schema)
    else:
        nothing = schema.empty_table()
    lance.write_dataset(nothing, str(path), data_storage_version=version)


def appended(spark, folder: Path, field: pa.Field, values: list, version: str) -> pa.Table:
    """Appends rows with Spark to a table of pylance. Returns the rows."""
    path = folder / "t.lance"
    empty(path, field, version)
    kept = field.with_type(plain(field.type)).remove_metadata()
    schema = pa.schema([pa.field("id", pa.int64()), kept])
    columns = [pa.array(range(len(values)), pa.int64()), pa.array(values, kept.type)]
    rows = pa.table(columns, schema)
    if pa.types.is_struct(kept.type) and "{}" in str(values[0]):
        frame = without_members(spark, rows, kept)
    else:
        frame = to_spark(spark, rows, folder)
    pyspark_lance.write(frame, path, mode="append")
    return rows


def without_members(spark, rows: pa.Table, field: pa.Field):
    """Parquet has no structs without members, so Spark makes them from nothing."""
    if len(field.type) == 0:
        # Spark 3.5 fails where such a struct cannot be null.
        return to_spark_ids(spark, rows).selectExpr("id", "if(id < 0, null, named_struct()) c")
    numbers = "if(id % 5 = 0, cast(null as int), cast(id as int))"
    return to_spark_ids(spark, rows).selectExpr(
        "id", f"named_struct('a', {numbers}, 'e', named_struct()) c"
    )


def to_spark_ids(spark, rows: pa.Table):
    return spark.range(0, rows.num_rows, 1, 1)


@pytest.mark.parametrize(("name", "version"), CASES)
def test_pylance_reads_what_spark_appended(spark, tmp_path, name, version):
    field, values = (COLUMNS | SINCE_2_2)[name]

    rows = appended(spark, tmp_path, field, values, version)

    dataset = lance.dataset(str(tmp_path / "t.lance"))
    dataset.validate()
    assert dataset.schema.field("c").type == field.type
    assert_same_rows(rows, dataset.to_table())
    # Spark 3.5 cannot read a column of such structs that is NOT NULL.
    if LINE >= (4, 0) or name != "struct without members":
        assert_same_rows(rows, pyspark_lance.read(spark, tmp_path / "t.lance"))
    taken = [0, 3, 1024, ROWS - 1]
    assert_same_rows(rows.take(taken), dataset.take(taken))


def test_fixed_size_lists_of_structs(spark, tmp_path):
    """pylance reads them one column at a time."""
    item = pa.struct([("a", pa.int32()), ("b", pa.string())])
    field = pa.field("c", pa.list_(item, 2))
    values = some(
        lambda i: [None if i % 5 == 0 else {"a": i, "b": None}, {"a": None, "b": word(i)}]
    )

    rows = appended(spark, tmp_path, field, values, "2.2")

    dataset = lance.dataset(str(tmp_path / "t.lance"))
    dataset.validate()
    assert_same_rows(rows.select(["c"]), dataset.to_table(columns=["c"]))
    assert_same_rows(rows, pyspark_lance.read(spark, tmp_path / "t.lance"))


@pytest.mark.parametrize(("version", "release"), [("2.1", "6.1.0"), ("2.2", "12.0.0")])
def test_older_pylance_reads_them(spark, tmp_path, version, release):
    kinds = COLUMNS | (SINCE_2_2 if version == "2.2" else {})
    rows = [appended(spark, tmp_path / n, *kinds[n], version) for n in kinds]

    found = Release(release).read(*(tmp_path / n / "t.lance" for n in kinds))

    for expected, table in zip(rows, found, strict=True):
        assert_same_rows(expected, table)


def blob_values() -> list:
    lengths = [0, 5, None, 8, 9, 70, 101, 300, 40, 1]
    return [
        None if n is None else bytes((i + k) % 256 for k in range(n))
        for i, n in enumerate(lengths * 20)
    ]


@pytest.mark.parametrize(
    ("blob", "version"),
    [(LEGACY, "2.1"), (LEGACY, "2.2"), (SMALL, "2.2"), (SMALL, "2.3")],
    ids=["legacy 2.1", "legacy 2.2", "small 2.2", "small 2.3"],
)
@pytest.mark.parametrize("nested", [False, True])
def test_blobs(spark, tmp_path, blob, version, nested):
    field = pa.field("c", pa.struct([blob])) if nested else blob
    path = tmp_path / "t.lance"
    empty(path, field, version)
    values = [({"c": v} if i % 11 else None) if nested else v for i, v in enumerate(blob_values())]
    kind = pa.large_binary()
    column = pa.array(values, pa.struct([("c", kind)]) if nested else kind)
    rows = pa.table({"id": pa.array(range(len(values)), pa.int64()), "c": column})

    pyspark_lance.write(to_spark(spark, rows, tmp_path), path, mode="append")

    dataset = lance.dataset(str(path))
    dataset.validate()
    assert_same_rows(rows, dataset.to_table(blob_handling="all_binary"))
    assert_same_rows(rows, pyspark_lance.read(spark, path))
    if not nested:
        there = [i for i, v in enumerate(values) if v is not None]
        found = [blob.readall() for blob in dataset.take_blobs("c", indices=there)]
        assert found == [values[i] for i in there]
    if blob is SMALL:
        described = dataset.to_table().column("c").to_pylist()
        if nested:
            described = [row and row["c"] for row in described]
        kinds = {row["kind"] for row in described if row}
        assert kinds >= {0, 1, 2}
        assert len(list(path.glob("data/*/*.blob"))) > 1


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_blobs_of_a_table_created_by_spark(spark, tmp_path, version):
    values = blob_values()
    rows = pa.table({"c": pa.array(values, pa.large_binary())})
    path = tmp_path / "t.lance"
    column_options = {
        "column.c.blob": "true",
        "column.c.blob-inline-size-threshold": "8",
        "column.c.blob-dedicated-size-threshold": "100",
    }

    pyspark_lance.write(
        to_spark(spark, rows, tmp_path),
        path,
        fileVersion=version,
        maxRowsPerFile=60,
        **column_options,
    )

    dataset = lance.dataset(str(path))
    dataset.validate()
    assert_same_rows(rows, dataset.to_table(blob_handling="all_binary"))
    assert_same_rows(rows, pyspark_lance.read(spark, path))
    theirs = str(tmp_path / "theirs.lance")
    metadata = BLOB | {
        f"lance-encoding:blob-{key}-size-threshold": value
        for key, value in (("inline", "8"), ("dedicated", "100"))
    }
    schema = pa.schema([pa.field("c", pa.large_binary(), metadata=metadata)])
    lance.write_dataset(rows.cast(schema), theirs, data_storage_version=version)
    expected = lance.dataset(theirs)
    assert dataset.schema.field("c").type == expected.schema.field("c").type
    assert dataset.schema.field("c").metadata == expected.schema.field("c").metadata
    assert bool(list(path.glob("data/*/*.blob"))) == (version == "2.2")


def test_a_failed_write_leaves_no_side_files(spark, tmp_path):
    path = tmp_path / "t.lance"
    blob = "cast(repeat('x', 1000) as binary)"
    rows = spark.range(0, 9000, 1, 1).selectExpr(f"if(id = 8999, raise_error('stop'), {blob}) c")
    column_options = {"column.c.blob": "true", "column.c.blob-inline-size-threshold": "10"}

    with pytest.raises(Exception, match="stop"):
        pyspark_lance.write(rows, path, file_version="2.2", **column_options)

    assert not list(path.rglob("*.*"))


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_packed_structs_of_a_table_created_by_spark(spark, tmp_path, version):
    members = {"a": pa.int32(), "b": pa.string() if version == "2.2" else pa.int64()}
    kind = pa.struct(list(members.items()))
    values = some(lambda i: {"a": i, "b": word(i) if version == "2.2" else i * i})
    rows = pa.table({"c": pa.array(values, kind)})
    path = tmp_path / "t.lance"
    column_options = {"column.c.packed": "true"}
    if version == "2.2":
        column_options["column.c.b.compression"] = "fsst"

    pyspark_lance.write(
        to_spark(spark, rows, tmp_path), path, fileVersion=version, **column_options
    )

    dataset = lance.dataset(str(path))
    dataset.validate()
    assert len(dataset.get_fragments()[0].metadata.files[0].fields) == 1
    assert_same_rows(rows, dataset.to_table())
    assert_same_rows(rows, pyspark_lance.read(spark, path))
    with pytest.raises(Exception, match="is 'few', expected a number of bytes of at least 0"):
        pyspark_lance.write(
            to_spark(spark, pa.table({"c": [b""]}), tmp_path / "bad"),
            tmp_path / "bad.lance",
            **{"column.c.blob": "true", "column.c.blob-inline-size-threshold": "few"},
        )
    assert not (tmp_path / "bad.lance").exists()


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_unsupported_values_are_rejected(spark, tmp_path, version):
    values = [{"m0": 1, "m1": True}]
    field = pa.field("c", packed(pa.int32(), pa.bool_()), metadata=PACKED)
    with pytest.raises(Exception, match="booleans in packed structs"):
        appended(spark, tmp_path / "bool", field, values, version)
    field = pa.field("c", packed(pa.int32(), pa.int32()), metadata=PACKED)
    with pytest.raises(Exception, match='the member "m1" of the packed struct "c" is null'):
        appended(spark, tmp_path / "null", field, [{"m0": 1, "m1": None}], version)
    field = pa.field("c", dictionary(pa.int8(), pa.string()))
    with pytest.raises(Exception, match="129 distinct values"):
        appended(spark, tmp_path / "many", field, [str(i) for i in range(129)], version)
    if version == "2.1":
        field = pa.field("c", packed(pa.int32(), pa.string()), metadata=PACKED)
        with pytest.raises(Exception, match="packed structs with strings"):
            appended(spark, tmp_path / "string", field, [{"m0": 1, "m1": "x"}], version)
    for table in tmp_path.glob("*/t.lance"):
        assert not list(table.glob("data/*"))
