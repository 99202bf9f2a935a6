# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Older releases of pylance read the tables that Spark writes in their file version."""

import pyarrow as pa
import pytest
from kit.exchange import assert_same_rows, to_spark
from kit.releases import Release
from kit.schemas import random_schema
from kit.values import LEAVES, NESTED, Draw, patterns_table

import pyspark_lance

pytestmark = pytest.mark.one_case

RELEASES = {"2.0": "0.30.0", "2.1": "6.1.0", "2.2": "12.0.0"}
MAPS = {
    "map": pa.map_(pa.string(), pa.int64()),
    "map_list": pa.map_(pa.int32(), pa.list_(pa.struct([("x", pa.float64())]))),
}


@pytest.fixture(scope="module", params=RELEASES, ids=lambda v: f"{v} by {RELEASES[v]}")
def version(request):
    return request.param


@pytest.fixture(scope="module")
def release(version):
    return Release(RELEASES[version])


def check(spark, folder, release, version, sources):
    """Writes the tables, has the release read them, and compares."""
    paths = [folder / f"{name}.lance" for name in sources]
    for path, source in zip(paths, sources.values(), strict=True):
        rows = to_spark(spark, source, folder / "rows" / path.stem)
        pyspark_lance.write(rows, path, file_version=version)
    for source, found in zip(sources.values(), release.read(*paths), strict=True):
        assert_same_rows(source, found)


def test_all_types(spark, tmp_path, release, version):
    kinds = LEAVES | NESTED | (MAPS if version == "2.2" else {})
    structs = version != "2.0"
    sources = {n: patterns_table(k, 1500, n, null_structs=structs) for n, k in kinds.items()}
    check(spark, tmp_path, release, version, sources)


def test_random_schemas(spark, tmp_path, release, version):
    sources = {}
    for seed in range(100, 115):
        draw = Draw(seed, null_structs=version != "2.0")
        schema = random_schema(seed, maps=version == "2.2")
        sources[f"seed{seed}"] = draw.table(schema, draw.random.choice((1, 77, 700, 5000)))
    check(spark, tmp_path, release, version, sources)


def test_columns_for_each_encoding(spark, tmp_path, release, version):
    rows = 20_000
    r = Draw("kinds").random
    words = [f"word-{i}" for i in range(100)]
    text = [" ".join(r.choice(words) for _ in range(12)) for _ in range(rows)]
    sources = {
        "runs": pa.table({"n": pa.array([i // 97 for i in range(rows)], pa.int32())}),
        "constant": pa.table({"n": pa.array([7] * rows), "s": pa.array(["same"] * rows)}),
        "nulls": pa.table({"n": pa.nulls(rows, pa.int64()), "s": pa.nulls(rows, pa.string())}),
        "small": pa.table({"n": pa.array([r.randrange(9) for _ in range(rows)], pa.int64())}),
        "random": pa.table({"n": pa.array([r.getrandbits(63) for _ in range(rows)], pa.int64())}),
        "floats": pa.table({"d": pa.array([r.gauss(0, 1) for _ in range(rows)])}),
        "prices": pa.table({"d": pa.array([float(r.randrange(9999)) / 100 for _ in range(rows)])}),
        "flags": pa.table({"b": pa.array([r.random() < 0.01 for _ in range(rows)])}),
        "words": pa.table({"s": pa.array([r.choice(words) for _ in range(rows)])}),
        "text": pa.table({"s": pa.array(text)}),
        "decimals": pa.table(
            {"d": pa.array([r.randrange(10**7) for _ in range(rows)]).cast(pa.decimal128(38, 2))}
        ),
        "times": pa.table(
            {"t": pa.array(range(10**15, 10**15 + rows * 1000, 1000), pa.timestamp("us"))}
        ),
        "long": pa.table({"s": pa.array([r.choice("ab") * 70_000 for _ in range(60)])}),
        "vectors": pa.table(
            {"v": pa.array([[r.random() for _ in range(32)] for _ in range(2000)])}
        ),
    }
    check(spark, tmp_path, release, version, sources)


def test_values_as_long_as_pages(spark, tmp_path, release, version):
    texts = ["x" * (9 << 20), "ab" * (5 << 20), None, "short"]
    check(spark, tmp_path, release, version, {"long": pa.table({"c": pa.array(texts)})})
