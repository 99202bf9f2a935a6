# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Encodings of files of version 2.0, which pylance and an early release of it read."""

import struct
from pathlib import Path

import lance
import pyarrow as pa
import pytest
from kit.exchange import assert_same_rows, to_spark, values
from kit.lines import LINE
from kit.messages import TEXT, decode, footer
from kit.releases import Release
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException

import pyspark_lance
from pyspark_lance.arrow_tables import to_arrow

ROWS = 4000
URLS = [None if i % 9 == 4 else f"https://example.org/{i * 7919}/view" for i in range(ROWS)]
PLAIN = "binary(no_nulls(flat64),flat8)"
FLAT = {1: ("bits", None), 3: ("compression", {1: ("scheme", TEXT), 2: ("level", None)})}
NODES = {
    2: ("nullable", {1: ("no_nulls", None), 2: ("some_nulls", None), 3: ("all_nulls", None)}),
    3: ("fixed_size_list", {2: ("items", None)}),
    4: ("list", {1: ("offsets", None)}),
    5: ("struct", {}),
    6: ("binary", {1: ("indices", None), 2: ("bytes", None)}),
    7: ("dictionary", {1: ("indices", None), 2: ("items", None)}),
    8: ("fsst", {1: ("binary", None)}),
    9: ("packed_struct", {1: ("inner", None)}),
}


@pytest.fixture(scope="module")
def early():
    return Release("0.30.0")


def tree(encoding):
    """The nodes of a page's `ArrayEncoding` by name."""
    ((tag, value),) = ((t, v[0]) for t, v in decode(encoding, {}).items())
    if tag == 1:
        flat = decode(value, FLAT)
        compression = flat.get("compression", [{}])[0]
        scheme = compression.get("scheme", [""])[0]
        return f"flat{flat['bits'][0]}{scheme}{compression.get('level', [''])[0]}"
    name, fields = NODES[tag]
    found = decode(value, fields)
    if name == "nullable":
        (variant, inner), *_ = found.items()
        if variant == "all_nulls":
            return variant
        below = decode(inner[0], {1: ("first", None), 2: ("second", None)})
        name, below = variant, (below["second"] if variant == "some_nulls" else below["first"])
    else:
        below = [b for n, _ in fields.values() for b in found.get(n, [])]
    return f"{name}({','.join(map(tree, below))})" if below else name


def pages(path):
    """The encodings of the pages of each column of a table's only file."""
    (file,) = Path(path, "data").iterdir()
    data, columns = file.read_bytes(), []
    _, table, _, _, count, *_ = footer(file)
    page = {
        2: ("pages", {3: ("length", None), 4: ("encoding", {2: ("direct", {1: ("any", None)})})})
    }
    for i in range(count):
        at, length = struct.unpack_from("<QQ", data, table + 16 * i)
        found = decode(data[at : at + length], page).get("pages", [])
        anys = [p["encoding"][0]["direct"][0]["any"][0] for p in found]
        columns.append([tree(decode(a, {2: ("value", None)})["value"][0]) for a in anys])
    return columns


@pytest.mark.parametrize(
    ("column_options", "expected"),
    [
        ({}, PLAIN),
        ({"compression": "none"}, PLAIN),
        ({"compression": "zstd"}, "binary(no_nulls(flat64),flat8zstd)"),
        (
            {"compression": "zstd", "compression-level": "9"},
            "binary(no_nulls(flat64),flat8zstd9)",
        ),
        ({"compression": "lz4"}, "binary(no_nulls(flat64),flat8lz4)"),
        ({"compression": "fsst"}, f"fsst({PLAIN})"),
    ],
    ids=str,
)
def test_a_string_column_is_compressed_as_configured(
    spark, tmp_path, early, column_options, expected
):
    source = pa.table({"s": URLS})
    path = tmp_path / "table.lance"
    options = {f"column.s.lance-encoding:{k}": v for k, v in column_options.items()}

    pyspark_lance.write(to_spark(spark, source, tmp_path), path, fileVersion="2.0", **options)

    assert pages(path) == [[expected]]
    assert_same_rows(source, lance.dataset(str(path)).to_table())
    assert_same_rows(source, pyspark_lance.read(spark, path))
    if column_options.get("compression") != "lz4":  # supported by later releases only
        assert_same_rows(source, early.read(path)[0])


def test_pages_have_the_layouts_of_the_reference(spark, tmp_path, early):
    few = [None if i % 11 == 0 else f"word {i % 90}" for i in range(ROWS)]
    source = pa.table(
        {
            "number": pa.array(range(ROWS), pa.int32()),
            "nulls": pa.array([None if i % 3 else i for i in range(ROWS)], pa.float64()),
            "none": pa.nulls(ROWS, pa.int64()),
            "flag": pa.array([i % 2 == 0 for i in range(ROWS)]),
            "few": few,
            "many": URLS,
            "list": pa.array([[i] * (i % 3) if i % 5 else None for i in range(ROWS)]),
            "struct": pa.array([{"a": i, "b": [str(i)]} for i in range(ROWS)]),
        }
    )
    ours, theirs = tmp_path / "ours.lance", tmp_path / "theirs.lance"

    pyspark_lance.write(to_spark(spark, source, tmp_path), ours, fileVersion="2.0")
    lance.write_dataset(source, str(theirs), data_storage_version="2.0")

    assert pages(ours) == pages(theirs)
    (file,), (other,) = (list(Path(p, "data").iterdir()) for p in (ours, theirs))
    assert file.stat().st_size <= other.stat().st_size
    assert_same_rows(source, lance.dataset(str(ours)).to_table())
    assert_same_rows(source, early.read(ours)[0])


@pytest.mark.parametrize(
    ("sql", "column_options", "arrow", "expected"),
    [
        (
            "array(n, n + 1)",
            {"arrow.fixed-size-list.size": "2"},
            pa.list_(pa.int32(), 2),
            [["no_nulls(fixed_size_list(no_nulls(flat32)))"]],
        ),
        (
            "array(n % 2 = 0, true, null)",
            {"arrow.fixed-size-list.size": "3"},
            pa.list_(pa.bool_(), 3),
            [["no_nulls(fixed_size_list(some_nulls(flat1)))"]],
        ),
        (
            "if(n % 7 = 3, null, concat('word ', n % 50))",
            {"lance.type": "dictionary"},
            pa.dictionary(pa.int32(), pa.string()),
            [[f"dictionary(no_nulls(flat32),{PLAIN})"]],
        ),
        (
            "named_struct('a', n, 'b', n * 0.5D)",
            {"lance-encoding:packed": "true"},
            pa.struct([("a", pa.int32()), ("b", pa.float64())]),
            [["packed_struct(no_nulls(flat32),no_nulls(flat64))"]],
        ),
        (
            "cast(concat('bytes ', n % 5000) AS binary)",
            {"lance-encoding:compression": "zstd"},
            pa.binary(),
            [["binary(no_nulls(flat64),flat8zstd)"]],
        ),
        ("cast(null AS int)", {}, pa.int32(), [["all_nulls"]]),
        ("cast(n AS float)", {"lance.type": "float16"}, pa.float16(), [["no_nulls(flat16)"]]),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_types_and_options(spark, tmp_path, early, sql, column_options, arrow, expected):
    rows = spark.range(0, 1000, 1, 1).selectExpr("cast(id AS int) AS n").selectExpr(f"{sql} AS x")
    path = tmp_path / "table.lance"
    options = {f"column.x.{k}": v for k, v in column_options.items()}

    pyspark_lance.write(rows, path, fileVersion="2.0", **options)

    found = lance.dataset(str(path)).to_table()
    plain = found.schema.field("x").type
    assert (
        [f.type for f in plain] == [f.type for f in arrow]
        if pa.types.is_struct(arrow)
        else plain == arrow
    )
    assert pages(path) == expected
    source = to_arrow(rows)
    assert values(found["x"]) == values(source["x"])
    assert values(early.read(path)[0]["x"]) == values(source["x"])
    assert_same_rows(source, pyspark_lance.read(spark, path))


def test_blobs(spark, tmp_path, early):
    rows = spark.range(0, 300, 1, 1).selectExpr(
        "if(id % 5 = 1, null, cast(repeat(chr(65 + id % 26), int(id % 40) * 50) AS binary)) AS b"
    )
    path = tmp_path / "table.lance"

    pyspark_lance.write(rows, path, fileVersion="2.0", **{"column.b.lance-encoding:blob": "true"})

    expected = to_arrow(rows)["b"].to_pylist()
    assert pages(path) == [["packed_struct(no_nulls(flat64),no_nulls(flat64))"]]
    dataset = lance.dataset(str(path))
    wanted = [0, 2, 3, 40, 299]
    for i, blob in zip(wanted, dataset.take_blobs("b", indices=wanted), strict=True):
        assert blob.readall() == expected[i]
    assert [r.b and bytes(r.b) for r in pyspark_lance.read(spark, path).collect()] == expected
    descriptors = early.read(path)[0]["b"].to_pylist()
    assert [d["size"] for d in descriptors] == [len(e or b"") for e in expected]


@pytest.mark.parametrize(
    ("sql", "column_options", "problem"),
    [
        ("map('k', 1)", {}, "map"),
        ("if(id = 7, null, named_struct('a', 1))", {}, "null struct"),
        (
            "array(named_struct('a', 1))",
            {"arrow.fixed-size-list.size": "1"},
            "fixed-size list of structs",
        ),
        ("named_struct('a', 'text')", {"lance-encoding:packed": "true"}, "packed member 'a'"),
        ("cast('a' AS binary)", {"ARROW:extension:name": "lance.blob.v2"}, "blob v2"),
        ("'text'", {"lance-encoding:compression": "gzip"}, "gzip"),
    ],
    ids=str,
)
def test_values_that_version_2_0_cannot_store(spark, tmp_path, sql, column_options, problem):
    path = tmp_path / "table.lance"
    options = {f"column.x.{k}": v for k, v in column_options.items()}

    with pytest.raises(Exception, match=problem):
        # One task: another would take a moment to remove its file.
        rows = spark.range(0, 10, 1, numPartitions=1).selectExpr(f"{sql} AS x")
        pyspark_lance.write(rows, path, fileVersion="2.0", **options)

    assert not list(path.rglob("*.lance")), "a rejected write leaves no files"


def test_a_null_struct_fails_in_one_line(spark, tmp_path):
    path = tmp_path / "table.lance"
    rows = spark.range(0, 10, 1, 2).selectExpr("named_struct('a', id) AS x")
    pyspark_lance.write(rows, path, fileVersion="2.0")

    # Before 4.0, SQL raises Spark's own error of the job.
    with pytest.raises(AnalysisException if LINE >= (4, 0) else Py4JJavaError) as raised:
        spark.sql(f"INSERT INTO lance.`{path}` SELECT NULL FROM range(3)")
    assert f"{path}/data/" in str(raised.value)
    assert 'column "x": unsupported: a null struct in a data file' in str(raised.value)
    if LINE >= (4, 0):
        assert raised.value.getCondition() == "LANCE_UNSUPPORTED_FEATURE"
        assert len(str(raised.value).splitlines()) == 1
    with pytest.raises(pyspark_lance.UnsupportedFeatureError) as raised:
        pyspark_lance.write(spark.sql("SELECT NULL AS x"), path, mode="append")
    assert raised.value.path.startswith(f"{path}/data/")
    assert raised.value.column == "x"
