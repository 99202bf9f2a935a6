# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Types of Spark or Lance only, set by metadata, options, and properties of columns."""

import datetime
import json
from decimal import Decimal

import lance
import lance.arrow  # registers bfloat16
import pyarrow as pa
import pytest
from kit.exchange import assert_same_rows
from kit.lines import LINE
from pyspark.errors import PySparkException
from pyspark.ml.linalg import Vectors, VectorUDT
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StructType

import pyspark_lance
from pyspark_lance.arrow_tables import to_arrow

pytestmark = pytest.mark.one_case


@pytest.fixture(params=["2.0", "2.1", "2.2"])
def file_version(request):
    return request.param


SPARK_TYPES = """SELECT * FROM VALUES
  (1, INTERVAL '1-2' YEAR TO MONTH, INTERVAL '3' DAY, INTERVAL '1 02:03:04.000005' DAY TO SECOND,
   TIME'12:34:56.789', TIME'23:59:59.999999', parse_json('{"a": [1, null]}'),
   array(INTERVAL '5' MONTH, NULL), named_struct('v', parse_json('7'), 't', TIME'00:00:01')),
  (2, INTERVAL '-3' YEAR, INTERVAL '-1' DAY, INTERVAL '-5' SECOND,
   TIME'00:00:00', TIME'00:00:00.000001', parse_json('null'), array(), NULL),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, named_struct('v', NULL, 't', NULL))
AS t(id, months, days, span, milli, micro, variant, list, struct)"""


has_times = pytest.mark.skipif(LINE < (4, 1), reason="the type TIME is in Spark since 4.1")


@pytest.fixture
def spark_types(spark):
    spark.conf.set("spark.sql.timeType.enabled", "true")
    yield (
        spark.sql(SPARK_TYPES)
        .withColumn("days", F.col("days").cast("interval day"))
        .withColumn("milli", F.col("milli").cast("time(3)"))
        .coalesce(1)
    )
    spark.conf.unset("spark.sql.timeType.enabled")


def as_text(rows):
    """The rows with every value as Spark's text: PySpark cannot take intervals of months."""
    return rows.selectExpr(*(f"cast({c} as string) AS {c}" for c in rows.columns)).collect()


@has_times
def test_spark_types_round_trip(spark, tmp_path, file_version, spark_types):
    path = tmp_path / "t.lance"
    if file_version == "2.0":  # has no null structs
        spark_types = spark_types.where("variant is not null and struct is not null")

    pyspark_lance.write(spark_types, path, fileVersion=file_version)

    found = pyspark_lance.read(spark, path)
    assert found.dtypes == spark_types.dtypes
    assert as_text(found) == as_text(spark_types)
    pyspark_lance.write(spark_types, path, mode="append")
    assert pyspark_lance.read(spark, path).count() == 2 * spark_types.count()


@has_times
def test_pylance_reads_the_storage_types(tmp_path, spark_types):
    path = tmp_path / "t.lance"

    pyspark_lance.write(spark_types, path)

    table = lance.dataset(str(path)).to_table()
    assert table.schema.field("months").metadata == {b"spark.type": b"interval year to month"}
    binaries = [pa.field(n, pa.binary(), nullable=False) for n in ("value", "metadata")]
    assert dict(zip(table.schema.names, table.schema.types, strict=True)) == {
        "id": pa.int32(),
        "months": pa.int32(),
        "days": pa.duration("us"),
        "span": pa.duration("us"),
        "milli": pa.time64("us"),
        "micro": pa.time64("us"),
        "variant": pa.struct(binaries),
        "list": pa.list_(pa.field("item", pa.int32(), metadata={"spark.type": "interval month"})),
        "struct": pa.struct([("v", pa.struct(binaries)), ("t", pa.time64("us"))]),
    }
    assert table["months"].to_pylist() == [14, -36, None]
    day = datetime.timedelta(days=1)
    assert table["days"].to_pylist() == [3 * day, -day, None]
    assert table["span"].to_pylist()[1] == datetime.timedelta(seconds=-5)
    assert table["micro"].to_pylist()[0] == datetime.time(23, 59, 59, 999999)
    assert table["list"].to_pylist() == [[5, None], [], None]
    assert table["variant"].to_pylist()[2] is None


def test_char_and_varchar_are_checked_and_kept(spark, tmp_path):
    spark.sql("CREATE NAMESPACE IF NOT EXISTS lance.chars")
    collation = " collate UTF8_LCASE" if LINE >= (4, 0) else ""
    spark.sql(f"CREATE TABLE lance.chars.t (c CHAR(4), v VARCHAR(3), s STRING{collation})")
    spark.sql("INSERT INTO lance.chars.t VALUES ('ab', 'abc', 'Straße')")

    described = {r.col_name: r.data_type for r in spark.sql("DESCRIBE lance.chars.t").collect()}
    assert described == {"c": "char(4)", "v": "varchar(3)", "s": f"string{collation}"}
    assert [tuple(r) for r in spark.table("lance.chars.t").collect()] == [("ab  ", "abc", "Straße")]
    if collation:
        same = "s = 'STRASSE' or s = 'STRAßE'"
        assert spark.table("lance.chars.t").where(same).count() == 1
    with pytest.raises(Exception, match="EXCEED_LIMIT_LENGTH"):
        spark.sql("INSERT INTO lance.chars.t VALUES ('ab', 'abcd', '')")
    spark.sql("DROP TABLE lance.chars.t")


UNSIGNED = [0, 255, None, 7]
KINDS = {
    # Spark type and values, the column option, and the type in pylance
    "uint8": ("smallint", UNSIGNED, "lance.type", "uint8", pa.uint8()),
    "uint16": ("int", [0, 65535, None], "lance.type", "uint16", pa.uint16()),
    "uint32": ("bigint", [0, 2**32 - 1, None], "lance.type", "uint32", pa.uint32()),
    "uint64": (
        "decimal(20,0)",
        [Decimal(0), Decimal(2**64 - 1), None],
        "lance.type",
        "uint64",
        pa.uint64(),
    ),
    "half": ("float", [0.5, -65504.0, None, 1e-7], "arrow.float16", "true", pa.float16()),
    "large_string": (
        "string",
        ["a", "", None, "é" * 50],
        "arrow.large_var_char",
        "true",
        pa.large_string(),
    ),
    "large_binary": (
        "binary",
        [b"a", b"", None],
        "arrow.large_var_binary",
        "true",
        pa.large_binary(),
    ),
    **{
        f"binary{n}": (
            "binary",
            [bytes(range(n)), None, b"\xff" * n],
            "arrow.fixed-size-binary.byte-width",
            str(n),
            pa.binary(n),
        )
        for n in (1, 2, 3, 4, 7, 8, 16, 33)
    },
    "nanoseconds": (
        "timestamp_ntz",
        [datetime.datetime(2024, 1, 2, 3, 4, 5, 6), None],
        "lance.type",
        "timestamp:ns:-",
        pa.timestamp("ns"),
    ),
    "date64": ("date", [datetime.date(1969, 7, 20), None], "lance.type", "date64", pa.date64()),
    "large_list": ("array<int>", [[1, None], [], None], "lance.type", "large_list", None),
    "vector": (
        "array<float>",
        [[1.0, 2.0], None, [0.5, -1.0]],
        "arrow.fixed-size-list.size",
        "2",
        pa.list_(pa.float32(), 2),
    ),
    "half_vector": (
        "array<float>",
        [[1.0, 2.0], None, [0.5, -1.0]],
        "lance.type",
        "fixed_size_list:halffloat:2",
        pa.list_(pa.float16(), 2),
    ),
}


ROWS = 4


@pytest.fixture
def lance_types(spark):
    """A column of each kind, padded with nulls."""
    columns = [values + [None] * (ROWS - len(values)) for _, values, *_ in KINDS.values()]
    kinds = ", ".join(f"{name} {sql}" for name, (sql, *_) in KINDS.items())
    rows = zip(range(ROWS), *columns, strict=True)
    return spark.createDataFrame(list(rows), f"id int, {kinds}").coalesce(1)


def test_lance_specific_types(spark, tmp_path, file_version, lance_types):
    by_option, by_metadata, again = (tmp_path / f"{n}.lance" for n in "oma")
    options = {f"column.{name}.{key}": v for name, (_, _, key, v, _) in KINDS.items()}
    marked = lance_types
    for name, (_, _, key, value, _) in KINDS.items():
        marked = marked.withMetadata(name, {key: value})

    pyspark_lance.write(lance_types, by_option, fileVersion=file_version, **options)
    pyspark_lance.write(marked, by_metadata, fileVersion=file_version)
    read = pyspark_lance.read(spark, by_metadata)
    pyspark_lance.write(read, again, fileVersion=file_version)
    pyspark_lance.write(lance_types, again, mode="append")

    dataset = lance.dataset(str(by_option))
    dataset.validate()
    shown = {f.name: f.type for f in dataset.schema}
    expected = {name: arrow for name, (*_, arrow) in KINDS.items() if arrow is not None}
    assert {name: shown[name] for name in expected} == expected
    assert read.dtypes == lance_types.dtypes
    source = to_arrow(lance_types.drop("half"))
    for path, copies in ((by_option, 1), (by_metadata, 1), (again, 2)):
        found = lance.dataset(str(path))
        assert found.schema == dataset.schema
        assert_same_rows(
            pa.concat_tables([dataset.to_table()] * copies), pyspark_lance.read(spark, path)
        )
        assert_same_rows(
            pa.concat_tables([source] * copies), pyspark_lance.read(spark, path).drop("half")
        )


def test_bfloat16(spark, tmp_path, file_version):
    path = tmp_path / "t.lance"
    rows = spark.createDataFrame(
        [(1.0, [1.0, -2.5]), (None, None), (3.140625, [0.0, 256.0])], "c float, v array<float>"
    ).coalesce(1)
    column_options = {
        "column.c.lance.type": "bfloat16",
        "column.v.arrow.fixed-size-list.size": "2",
        "column.v.element.lance.type": "bfloat16",
    }

    pyspark_lance.write(rows, path, fileVersion=file_version, **column_options)

    schema = lance.dataset(str(path)).schema
    assert schema.field("c").type.extension_name == "lance.bfloat16"
    assert schema.field("v").type.value_type.extension_name == "lance.bfloat16"
    table = lance.dataset(str(path)).to_table()
    assert table["c"].combine_chunks().storage.to_pylist() == [b"\x80\x3f", None, b"\x49\x40"]
    assert pyspark_lance.read(spark, path).collect() == rows.collect()


@pytest.mark.parametrize("name", ["arrow.json", "lance.json"])
def test_json(spark, tmp_path, file_version, name):
    texts = [
        None,
        '{"b": [1, 2.5, -3], "a": {"é": "\\u00fc\\n", "n": null}}',
        '"text"',
        "[]",
        "123456789012345678901234567890",
        "[true, false, 18446744073709551615, -9223372036854775808, 1e-7]",
    ]
    ours, theirs = tmp_path / "ours.lance", tmp_path / "theirs.lance"
    rows = spark.createDataFrame([(t,) for t in texts], "j string").coalesce(1)

    pyspark_lance.write(
        rows.withMetadata("j", {"ARROW:extension:name": name}), ours, fileVersion=file_version
    )

    source = pa.table({"j": pa.array(texts, pa.json_())})
    reference = lance.write_dataset(source, str(theirs), data_storage_version=file_version)
    found = lance.dataset(str(ours))
    assert found.schema == reference.schema
    assert found.to_table() == reference.to_table()
    shown = [r.j for r in pyspark_lance.read(spark, ours).collect()]
    assert shown == [r.j for r in pyspark_lance.read(spark, theirs).collect()]
    assert json.loads(shown[1]) == json.loads(texts[1])
    broken = spark.createDataFrame([("{",)], "j string")
    with pytest.raises(Exception, match=r'column "j".*not valid JSON'):
        pyspark_lance.write(broken, ours, mode="append")
    assert found.latest_version == 1


def test_dictionary(spark, tmp_path, file_version):
    path = tmp_path / "t.lance"
    values = ["red", "green", None, "red", ""] * 100
    rows = spark.createDataFrame([(v,) for v in values], "c string").coalesce(1)

    pyspark_lance.write(
        rows, path, **{"column.c.lance.type": "dictionary", "file_version": file_version}
    )

    dataset = lance.dataset(str(path))
    assert dataset.schema.field("c").type == pa.dictionary(pa.int32(), pa.string())
    assert dataset.to_table()["c"].to_pylist() == values
    assert [r.c for r in pyspark_lance.read(spark, path).collect()] == values


def test_options_of_nested_fields_as_table_properties(spark):
    spark.sql("CREATE NAMESPACE IF NOT EXISTS lance.options")
    spark.sql(
        """CREATE TABLE lance.options.t (
          id BIGINT COMMENT 'the key',
          s STRUCT<`a.b`: ARRAY<BIGINT>, v: ARRAY<FLOAT>>,
          w ARRAY<DOUBLE>
        ) TBLPROPERTIES (
          'column.s.`a.b`.element.lance.type' = 'uint32',
          'column.s.`a.b`.element.compression' = 'zstd',
          'column.s.v.arrow.fixed-size-list.size' = '2',
          'w.arrow.fixed-size-list.size' = '1',
          'id.lance.compression' = 'none',
          'column.id.lance-encoding:bss' = 'off')"""
    )
    spark.sql(
        "INSERT INTO lance.options.t VALUES "
        "(1, named_struct('a.b', array(4294967295), 'v', array(1, 2)), array(3))"
    )

    path = next(
        r.data_type
        for r in spark.sql("DESCRIBE EXTENDED lance.options.t").collect()
        if r.col_name == "Location"
    )
    dataset = lance.dataset(path.removeprefix("file:"))
    schema = dataset.schema
    items = schema.field("s").type.field("a.b").type.value_field
    assert items.type == pa.uint32()
    assert items.metadata == {b"lance-encoding:compression": b"zstd"}
    assert schema.field("s").type.field("v").type == pa.list_(pa.float32(), 2)
    assert schema.field("w").type == pa.list_(pa.float64(), 1)
    assert schema.field("id").metadata == {
        b"comment": b"the key",
        b"lance-encoding:compression": b"none",
        b"lance-encoding:bss": b"off",
    }
    assert dataset.to_table().to_pylist() == [
        {"id": 1, "s": {"a.b": [2**32 - 1], "v": [1.0, 2.0]}, "w": [3.0]}
    ]
    spark.sql("DROP TABLE lance.options.t")


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("column.d.compression", "zstd", '"d"'),
        ("column.c.lance.type", "uint8", "needs a column of type SMALLINT"),
        ("column.c.lance.type", "nothing", "lance.type is 'nothing'"),
        ("column.c.arrow.fixed-size-list.size", "0", "a number above 0"),
        ("column.c.compression", "gzip", "gzip"),
        ("column.c.lance-encoding:compresion", "zstd", "lance-encoding:compresion"),
        ("column.c", "zstd", "is not a column option"),
        ("column.c.blob", "true", "needs a column of type BINARY, not BIGINT"),
    ],
)
def test_invalid_options_are_rejected_before_anything_is_written(
    spark, tmp_path, option, value, words
):
    path = tmp_path / "t.lance"
    rows = spark.range(3).withColumnRenamed("id", "c")

    with pytest.raises(PySparkException) as refused:
        pyspark_lance.write(rows, path, **{option: value})

    assert words in str(refused.value)
    assert not path.exists()


def test_a_value_that_does_not_fit_fails_the_write(spark, tmp_path):
    path = tmp_path / "t.lance"
    rows = spark.createDataFrame([(70000.0,)], "c float")
    with pytest.raises(Exception, match=r'column "c".*70000.0 does not fit.*halffloat'):
        pyspark_lance.write(rows, path, **{"column.c.lance.type": "float16"})
    assert not (path / "_versions").exists()


def test_an_append_can_set_other_encodings(spark, tmp_path):
    path = tmp_path / "t.lance"
    rows = spark.range(100).coalesce(1)
    pyspark_lance.write(rows, path)

    pyspark_lance.write(rows, path, mode="append", **{"column.id.compression": "zstd"})

    dataset = lance.dataset(str(path))
    assert dataset.schema.field("id").metadata is None
    assert dataset.count_rows() == 200
    with pytest.raises(PySparkException, match=r"lance\.type"):
        pyspark_lance.write(rows, path, mode="append", **{"column.id.lance.type": "uint32"})
    with pytest.raises(PySparkException, match='"x"'):
        pyspark_lance.write(rows, path, mode="append", **{"column.x.compression": "zstd"})


@pytest.mark.parametrize(
    ("version", "key", "value"),
    [
        ("2.0", "blob", "true"),
        ("2.1", "lance-encoding:blob", "true"),
        ("2.2", "lance-encoding:blob", "true"),
        ("2.2", "ARROW:extension:name", "lance.blob.v2"),
    ],
)
def test_blobs_and_their_copies(spark, tmp_path, version, key, value):
    values = [b"abc", None, b"", bytes(range(256)) * 300]
    rows = spark.createDataFrame(list(enumerate(values)), "id int, b binary").coalesce(1)
    path, copy = tmp_path / "t.lance", tmp_path / "copy.lance"

    pyspark_lance.write(rows, path, **{f"column.b.{key}": value, "fileVersion": version})
    pyspark_lance.write(pyspark_lance.read(spark, path), copy, fileVersion=version)

    for written in (path, copy):
        dataset = lance.dataset(str(written))
        field = dataset.schema.field("b")
        if version == "2.2":  # pylance writes all blobs as version 2 there.
            assert field.type.extension_name == "lance.blob.v2"
        else:
            assert field.metadata == {b"lance-encoding:blob": b"true"}
        found = dataset.to_table(blob_handling="all_binary").to_pylist()
        assert [bytes(r["b"]) if r["b"] is not None else None for r in found] == values
        assert len(dataset.take_blobs("b", indices=[0])) == 1


def test_spark_ml_vectors_round_trip(spark, tmp_path):
    path = tmp_path / "t.lance"
    vectors = [Vectors.dense([1.0, -2.5]), Vectors.sparse(4, [1, 3], [0.5, 7.0]), None]
    schema = StructType().add("id", IntegerType()).add("v", VectorUDT())
    rows = spark.createDataFrame(list(enumerate(vectors)), schema).coalesce(1)

    pyspark_lance.write(rows, path)

    found = pyspark_lance.read(spark, path)
    assert found.schema["v"].dataType == VectorUDT()
    assert [r.v for r in found.collect()] == vectors
    stored = lance.dataset(str(path)).schema.field("v")
    assert [f.name for f in stored.type] == ["type", "size", "indices", "values"]


@has_times
def test_times_and_intervals_are_appended_to_columns_of_other_units(spark, tmp_path):
    path = tmp_path / "t.lance"
    span = datetime.timedelta(days=1, seconds=5)
    source = pa.table(
        {
            "t": pa.array([datetime.time(1, 2, 3)], pa.time64("ns")),
            "d": pa.array([span], pa.duration("s")),
        }
    )
    lance.write_dataset(source, str(path))
    native = {"nativeTimeTypes": True}
    rows = pyspark_lance.read(spark, path, **native)
    assert rows.dtypes == [("t", "time(6)"), ("d", "interval day to second")]

    pyspark_lance.write(rows, path, mode="append", **native)

    assert lance.dataset(str(path)).to_table() == pa.concat_tables([source] * 2)
    fine = spark.sql("SELECT TIME'00:00:00' AS t, INTERVAL '0.5' SECOND AS d")
    fine = fine.withColumn("d", F.col("d").cast("interval day to second"))
    with pytest.raises(Exception, match=r'column "d".*duration:s'):
        pyspark_lance.write(fine, path, mode="append", **native)


def test_packed_structs(spark, tmp_path):
    path = tmp_path / "t.lance"
    rows = spark.range(500).selectExpr("named_struct('a', id, 'b', id / 7) AS s").coalesce(1)

    pyspark_lance.write(rows, path, **{"column.s.packed": "true"})

    dataset = lance.dataset(str(path))
    assert dataset.schema.field("s").metadata == {b"lance-encoding:packed": b"true"}
    assert_same_rows(dataset.to_table(), rows)
    assert pyspark_lance.read(spark, path).collect() == rows.collect()
