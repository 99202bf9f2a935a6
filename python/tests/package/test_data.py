# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Round trips of pandas, Arrow, and NumPy rows, with the types and bits of pylance."""

import datetime
import types
from decimal import Decimal
from uuid import uuid4

import lance
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from kit.lines import LINE
from pyspark.errors import AnalysisException
from pyspark.sql.types import (
    ArrayType,
    DoubleType,
    FloatType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructField,
    StructType,
)

import pyspark_lance
from pyspark_lance import blob_field, vector_field

NOON = datetime.datetime(2024, 2, 29, 12, 0, 0, tzinfo=datetime.timezone.utc)
VECTOR = pa.list_(pa.float32(), 2)
COLUMNS = {
    "uint8": (pa.uint8(), [0, None, 255]),
    "uint32": (pa.uint32(), [0, None, 2**32 - 1]),
    "uint64": (pa.uint64(), [0, None, 2**64 - 1]),
    "half": (pa.float16(), [np.float16(0.5), None, np.float16("inf")]),
    "large": (pa.large_string(), ["", None, "ä"]),
    "fixed": (pa.binary(3), [b"abc", None, b"xyz"]),
    "decimal": (pa.decimal128(10, 2), [Decimal("1.25"), None, Decimal("-3.00")]),
    "date": (pa.date64(), [NOON.date(), None, NOON.date()]),
    "second": (pa.timestamp("s", "UTC"), [NOON, None, NOON]),
    "nano": (pa.timestamp("ns"), [NOON.replace(tzinfo=None), None, None]),
    "zone": (pa.timestamp("us", "Europe/Berlin"), [NOON, None, NOON]),
    "time32": (pa.time32("s"), [datetime.time(1, 2, 3), None, datetime.time(0)]),
    "time64": (pa.time64("us"), [datetime.time(1, 2, 3, 4), None, datetime.time(0)]),
    "duration": (pa.duration("ms"), [datetime.timedelta(1), None, datetime.timedelta(0)]),
    "dictionary": (pa.dictionary(pa.int16(), pa.string()), ["a", None, "b"]),
    "vector": (VECTOR, [[0.5, -0.0], None, [1.5, float("inf")]]),
    "bytes": (pa.list_(pa.uint8(), 3), [[0, 1, 255], None, [2, 3, 4]]),
    "halves": (pa.list_(pa.float16(), 2), [[np.float16(0.5), np.float16(2)], None, None]),
    "matrix": (pa.list_(VECTOR, 2), [[[1, 2], [3, 4]], None, [[5, 6], [7, 8]]]),
    "list": (pa.list_(pa.uint16()), [[1, None], None, []]),
    "large_list": (pa.large_list(pa.string()), [["a"], None, []]),
    "vectors": (pa.list_(VECTOR), [[[1, 2], [3, 4]], None, []]),
    "struct": (
        pa.struct([("n", pa.uint8()), ("v", VECTOR)]),
        [{"n": 1, "v": [1, 2]}, None, {"n": None, "v": None}],
    ),
    "map": (pa.map_(pa.string(), pa.uint16()), [[("a", 1)], None, []]),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.lance"


@pytest.fixture
def namespace(any_spark):
    """A separate namespace."""
    name = f"lance.data_{uuid4().hex[:8]}"
    any_spark.sql(f"CREATE NAMESPACE {name}")
    return name


def test_arrow_types_round_trip(any_spark, path):
    table = pa.table({name: pa.array(values, kind) for name, (kind, values) in COLUMNS.items()})

    pyspark_lance.write(table, path, spark=any_spark)

    dataset = lance.dataset(str(path))
    assert {f.name: f.type for f in dataset.schema} == {f.name: f.type for f in table.schema}
    assert dataset.to_table().to_pydict() == table.to_pydict()
    back = pyspark_lance.to_arrow(pyspark_lance.read(any_spark, path))
    assert {f.name: f.type for f in back.schema} == {f.name: f.type for f in table.schema}
    assert back.to_pydict() == table.to_pydict()


def test_maps_without_nulls_keep_their_arrow_types(any_spark):
    numbers = MapType(StringType(), ShortType(), False)
    vectors = MapType(StringType(), ArrayType(FloatType()), False)
    schema = StructType(
        [
            StructField("n", numbers, True, {"value.lance.type": "uint8"}),
            StructField("v", vectors, True, {"value.arrow.fixed-size-list.size": 2}),
        ]
    )
    rows = any_spark.createDataFrame([({"a": 1}, {"b": [1.0, 2.0]}), (None, {})], schema)
    table = pyspark_lance.to_arrow(rows)
    values = pa.field("value", pa.uint8(), False), pa.field("value", VECTOR, False)
    assert table.schema.types == [pa.map_(pa.string(), value) for value in values]
    assert table.to_pylist() == [{"n": [("a", 1)], "v": [("b", [1, 2])]}, {"n": None, "v": []}]


@pytest.mark.parametrize("dtype", ["float32", "float16", "uint8"])
def test_numpy_vectors_keep_every_bit(any_spark, path, dtype):
    bits = np.random.default_rng(7).integers(0, 256, (50, 4 * np.dtype(dtype).itemsize), np.uint8)
    vectors = bits.view(dtype)
    if vectors.dtype.kind == "f":  # a NaN may change its payload on the way from 16 to 32 bits
        vectors = np.where(np.isnan(vectors), np.array(-0.0, dtype), vectors)

    pyspark_lance.write({"id": np.arange(50), "v": vectors}, path, spark=any_spark)

    stored = lance.dataset(str(path)).to_table().sort_by("id")["v"]
    assert stored.type == pa.list_(pa.from_numpy_dtype(np.dtype(dtype)), 4)
    assert stored.combine_chunks().values.to_numpy().tobytes() == vectors.tobytes()
    frame = pyspark_lance.to_pandas(pyspark_lance.read(any_spark, path)).sort_values("id")
    assert np.stack(list(frame["v"])).tobytes() == vectors.tobytes()
    assert frame["v"].iloc[0].dtype == dtype


def test_pandas_with_vectors_in_cells(any_spark, path):
    frame = pd.DataFrame(
        {
            "id": [1, 2, 3],
            "v": [np.float32([1, 2]), None, np.float32([3, 4])],
            "ragged": [np.float32([1]), np.float32([]), None],
            "text": ["a", None, "c"],
            "at": pd.to_datetime(["2024-01-01", None, "2024-01-02"]),
        },
        index=[7, 8, 9],
    )

    pyspark_lance.write(frame, path, spark=any_spark)

    table = lance.dataset(str(path)).to_table().sort_by("id")
    assert table.column_names == ["id", "v", "ragged", "text", "at"]
    assert table.schema.field("v").type == VECTOR
    assert table.schema.field("ragged").type == pa.list_(pa.float32())
    assert table["v"].to_pylist() == [[1, 2], None, [3, 4]]
    assert table["ragged"].to_pylist() == [[1], [], None]
    assert table["text"].to_pylist() == ["a", None, "c"]
    back = pyspark_lance.to_pandas(pyspark_lance.read(any_spark, path)).sort_values("id")
    assert back["v"].iloc[0].tolist() == [1, 2]
    assert back["v"].iloc[1] is None
    assert back["at"].isna().tolist() == [False, True, False]


def test_batches_readers_and_empty_tables(any_spark, path):
    table = pa.table({"v": pa.array([[1.0, 2.0]], VECTOR)})
    pyspark_lance.write(table.schema.empty_table(), path, spark=any_spark)
    pyspark_lance.write(table.to_batches()[0], path, "append", spark=any_spark)
    pyspark_lance.write(table.to_reader(), path, "append", spark=any_spark)

    dataset = lance.dataset(str(path))
    assert dataset.schema.field("v").type == VECTOR
    assert dataset.count_rows() == 2


@pytest.mark.parametrize("sizes", [[0, 0, 20, 40, 40], [33, 0, 60], [5, 0], [0], [0, 0, 0, 1]])
def test_rows_after_empty_chunks(any_spark, path, sizes):
    ids = iter(range(sum(sizes)))
    chunks = [pa.array([next(ids) for _ in range(size)], pa.int64()) for size in sizes]
    # Chunks of columns need not begin at the same rows.
    names = pa.chunked_array([pa.array([str(i) for i in range(sum(sizes))], pa.string())])
    table = pa.table({"id": pa.chunked_array(chunks), "name": names})
    batches = [pa.record_batch({"id": c, "name": c.cast(pa.string())}) for c in chunks]
    expected = list(range(sum(sizes)))

    pyspark_lance.write(table, path, spark=any_spark)
    read = lance.dataset(str(path)).to_table()
    assert sorted(read["id"].to_pylist()) == expected
    assert sorted(map(int, read["name"].to_pylist())) == expected

    reader = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
    lance_table = pyspark_lance.LanceTable.forPath(any_spark, path)
    lance_table.insert(reader, mode="overwrite")
    assert sorted(lance.dataset(str(path)).to_table()["id"].to_pylist()) == expected

    counts = (
        lance_table.merge_insert("id")
        .when_matched_update_all()
        .when_not_matched_insert_all()
        .execute(table)
    )
    assert counts["num_updated_rows"] == sum(sizes)


def test_slices_of_nested_values(any_spark, path):
    lists = pa.array([[[1]], None, [[2], None, [3, 4]], []])
    table = pa.table({"a": lists, "m": pa.StructArray.from_arrays([lists], ["x"])}).slice(1)
    inner = pa.StructArray.from_arrays([lists.slice(1)], ["x"])
    table = table.append_column("inner", inner)
    pyspark_lance.write(table, path, spark=any_spark)
    assert lance.dataset(str(path)).to_table().to_pylist() == table.to_pylist()


def test_pandas_backed_by_arrow_with_empty_chunks(any_spark, path):
    parts = [pd.Series(v, dtype=pd.ArrowDtype(pa.int64())) for v in ([1], [], [2, 3])]
    ids = pd.Series(
        pd.arrays.ArrowExtensionArray(
            pa.chunked_array([p.array.__arrow_array__().combine_chunks() for p in parts])
        )
    )
    pyspark_lance.write(pd.DataFrame({"id": ids}), path, spark=any_spark)
    assert sorted(lance.dataset(str(path)).to_table()["id"].to_pylist()) == [1, 2, 3]


@pytest.mark.skipif(LINE < (4, 0), reason="frames of Arrow tables come another way")
def test_a_dataframe_with_missing_rows_is_not_written(any_spark, path, monkeypatch):
    def losing(self, data, schema=None, **kwargs):
        return make(self, data.slice(0, 2), schema, **kwargs)

    make = type(any_spark).createDataFrame
    pyspark_lance.write({"id": np.arange(1)}, path, spark=any_spark)
    table = pyspark_lance.LanceTable.forPath(any_spark, path)
    monkeypatch.setattr(type(any_spark), "createDataFrame", losing)
    with pytest.raises(pyspark_lance.LanceError, match=r"2 rows.*expectedRows says 5"):
        table.insert({"id": np.arange(5)})
    with pytest.raises(pyspark_lance.LanceError, match=r"the data has 5 rows.*has 2"):
        table.merge_insert("id").when_not_matched_insert_all().execute({"id": np.arange(5)})
    assert lance.dataset(str(path)).count_rows() == 1


def test_extension_types_keep_their_names(any_spark, path):
    kind = pa.uuid()
    table = pa.table({"u": pa.array([bytes(range(16))], pa.binary(16)).cast(kind)})

    pyspark_lance.write(table, path, spark=any_spark)

    assert lance.dataset(str(path)).to_table()["u"].to_pylist() == table["u"].to_pylist()
    assert lance.dataset(str(path)).schema.field("u").type == kind
    shown = pyspark_lance.to_arrow(pyspark_lance.read(any_spark, path))
    assert shown.schema == lance.dataset(str(path)).schema
    assert shown["u"].to_pylist() == table["u"].to_pylist()


@pytest.mark.parametrize("kind", [pa.decimal32(5, 2), pa.decimal64(12, 3)])
def test_narrow_decimals_are_widened(any_spark, path, kind):
    values = pa.array([Decimal("1.25"), None, Decimal("-3")], pa.decimal128(5, 2)).cast(kind)
    table = pa.table(
        {"d": values, "l": pa.array([[v] for v in values.to_pylist()], pa.list_(kind))}
    )

    pyspark_lance.write(table, path, spark=any_spark)

    found = lance.dataset(str(path)).to_table()
    assert found.schema.field("d").type == pa.decimal128(kind.precision, kind.scale)
    assert found.to_pylist() == table.to_pylist()


@pytest.mark.on("connect")
def test_vectors_keep_their_type_through_spark(any_spark, path, tmp_path):
    pyspark_lance.write({"id": [1, 2], "v": np.ones((2, 3), np.float32)}, path, spark=any_spark)
    rows = pyspark_lance.read(any_spark, path).where("id = 2").select("v", "id")
    copy = tmp_path / "copy.lance"

    pyspark_lance.write(rows, copy)

    assert rows.schema["v"].metadata == {"arrow.fixed-size-list.size": 3}
    assert lance.dataset(str(copy)).schema.field("v").type == pa.list_(pa.float32(), 3)
    assert pyspark_lance.to_arrow(rows).schema.field("v").type == pa.list_(pa.float32(), 3)


def test_fields_of_vectors_and_blobs(any_spark, path):
    schema = StructType(
        [
            StructField("id", LongType()),
            vector_field("v", 2, DoubleType(), comment="of two"),
            blob_field("b", nullable=False),
        ]
    )
    rows = any_spark.createDataFrame([(1, [0.5, 1.5], b"x" * 100)], schema)

    pyspark_lance.write(rows, path)

    dataset = lance.dataset(str(path))
    assert dataset.schema.field("v").type == pa.list_(pa.float64(), 2)
    assert dataset.take_blobs("b", indices=[0])[0].read() == b"x" * 100
    shown = pyspark_lance.read(any_spark, path).schema
    assert shown["v"].metadata == {"arrow.fixed-size-list.size": 2, "comment": "of two"}


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("v", "3"), TypeError, "'3'"),
        (("v", 0), ValueError, "at least 1"),
        (("v", 3, "float"), TypeError, "FloatType"),
    ],
    ids=str,
)
def test_invalid_fields(arguments, error, words):
    with pytest.raises(error, match=words):
        vector_field(*arguments)


@pytest.mark.on("connect")
def test_tables_by_name(any_spark, namespace):
    name = f"{namespace}.people"
    vectors = {"id": [1, 2], "v": np.ones((2, 2), np.float32)}
    pyspark_lance.write(vectors, name, spark=any_spark)
    pyspark_lance.write(vectors, name, "append", spark=any_spark)
    pyspark_lance.write(vectors, name, "ignore", spark=any_spark)
    assert pyspark_lance.read(any_spark, name).count() == 4
    with pytest.raises(AnalysisException, match="ALREADY_EXISTS"):
        pyspark_lance.write(vectors, name, spark=any_spark)

    pyspark_lance.write({"id": [5]}, name, "overwrite", overwrite_schema=True, spark=any_spark)
    pyspark_lance.write(any_spark.range(6, 7), name, "overwrite")

    any_spark.sql(f"ALTER TABLE {name} CREATE TAG first AS OF VERSION 1")
    now = pyspark_lance.read(any_spark, name)
    assert [tuple(row) for row in now.collect()] == [(6,)]
    assert pyspark_lance.read(any_spark, name, 2).count() == 4
    assert pyspark_lance.read(any_spark, name, tag="first").count() == 2
    first = pyspark_lance.read(any_spark, name, version=1)
    assert first.schema["v"].metadata == {"arrow.fixed-size-list.size": 2}


@pytest.mark.on("connect")
def test_versions_tags_and_branches_by_path(any_spark, path):
    pyspark_lance.write(any_spark.range(3), path)
    pyspark_lance.write(any_spark.range(2), str(path), "append", max_rows_per_file=1, tag=None)
    dataset = lance.dataset(str(path))
    dataset.tags.create("first", 1)
    dataset.create_branch("side", 1)

    assert pyspark_lance.read(any_spark, path).count() == 5
    assert pyspark_lance.read(any_spark, path, version=1).count() == 3
    assert pyspark_lance.read(any_spark, path, tag="first").count() == 3
    assert pyspark_lance.read(any_spark, path, branch="side").count() == 3


@pytest.mark.on("connect")
def test_parquet_is_converted_to_a_table(any_spark, path, tmp_path):
    source = tmp_path / "parquet"
    rows = "id", "array(float(id), float(1)) AS v", "id % 2 AS part"
    any_spark.range(10).selectExpr(*rows).write.partitionBy("part").parquet(str(source))

    pyspark_lance.convert.from_parquet(any_spark, source, path, vectors={"v": 2})

    table = lance.dataset(str(path)).to_table().sort_by("id")
    assert table.schema.field("v").type == VECTOR
    assert table["part"].to_pylist() == [i % 2 for i in range(10)]
    assert table["v"].to_pylist() == [[i, 1] for i in range(10)]
    with pytest.raises(pyspark_lance.InvalidRequestError, match='"w"'):
        pyspark_lance.convert.from_parquet(any_spark, source, path, vectors={"w": 2})


def test_a_stopped_session(path):
    stopped = types.SimpleNamespace(createDataFrame=None, _sc=types.SimpleNamespace(_jsc=None))
    with pytest.raises(pyspark_lance.InvalidRequestError, match="session was stopped"):
        pyspark_lance.read(stopped, path)
    with pytest.raises(pyspark_lance.InvalidRequestError, match="session was stopped"):
        pyspark_lance.write({"id": np.arange(1)}, path, spark=stopped)


@pytest.mark.on("connect")
def test_a_stopped_session_of_connect(any_spark, connect_server, path):
    other = type(any_spark).builder.remote(connect_server).create()
    other.stop()
    with pytest.raises(pyspark_lance.InvalidRequestError, match="session was stopped"):
        pyspark_lance.LanceTable.forPath(other, path)


def test_invalid_arguments_suggest_alternatives(any_spark, path):
    rows = any_spark.range(1)
    with pytest.raises(TypeError, match=r"not set: spark\.createDataFrame"):
        pyspark_lance.write({1, 2}, path, spark=any_spark)
    with pytest.raises(TypeError, match="not DataFrame"):
        pyspark_lance.write(path, rows)
    with pytest.raises(TypeError, match=r"read\(spark, source\): spark is a SparkSession, not str"):
        pyspark_lance.read(str(path), any_spark)
    with pytest.raises(pyspark_lance.InvalidRequestError, match='"create", "append"'):
        pyspark_lance.write(rows, path, mode="w")
    with pytest.raises(TypeError, match=r'column "m".*month_day_nano'):
        months = pa.array([(1, 2, 3)], pa.month_day_nano_interval())
        pyspark_lance.write(pa.table({"m": months}), path, spark=any_spark)
    finer = pa.array([1001], pa.timestamp("ns"))
    with pytest.raises(pyspark_lance.InvalidRequestError, match="safe=False"):
        pyspark_lance.write(pa.table({"t": finer}), path, spark=any_spark)
    assert not path.exists()
