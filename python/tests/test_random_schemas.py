# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Random nested schemas with random rows; the seed is the test's name."""

import os

import lance
import pyarrow as pa
import pytest
from kit.exchange import assert_same_rows, to_spark
from kit.schemas import random_schema
from kit.values import LEAVES, PYLANCE_LEAVES, Draw

import pyspark_lance

VERSIONS = ("2.0", "2.1", "2.2", "2.3")
FIRST = int(os.environ.get("PYSPARK_LANCE_SEED", "0"))


def seeds(short, long):
    """Seeds of short and long runs, starting with `PYSPARK_LANCE_SEED`."""
    return [
        pytest.param(FIRST + i, marks=() if i < short else pytest.mark.long)
        for i in range(short + long)
    ]


def draw(seed, version, leaves):
    """Returns a table that a file version can store."""
    new = version not in ("0.1", "2.0")
    maps = version in ("2.2", "2.3")
    schema = random_schema(seed, leaves=leaves, maps=maps, required=new)
    source = Draw(seed, null_structs=new)
    return source.table(schema, rows=source.random.choice((1, 77, 700, 4500)))


@pytest.mark.parametrize("seed", seeds(8, 64))
@pytest.mark.parametrize("version", VERSIONS)
def test_schemas_written_by_spark(spark, tmp_path, version, seed):
    source = draw(seed, version, LEAVES)
    path = tmp_path / "ours.lance"
    rows = to_spark(spark, source, tmp_path)

    # Other modes take every column as nullable, as Spark does wherever a query makes a table.
    pyspark_lance.write(rows, path, mode="append", file_version=version)

    written = lance.dataset(str(path))
    written.validate()
    assert [f.nullable for f in written.schema] == [f.nullable for f in source.schema]
    assert_same_rows(source, written.to_table())
    assert_same_rows(source, pyspark_lance.read(spark, path))


@pytest.mark.parametrize("seed", seeds(5, 43))
def test_schemas_written_by_spark_in_0_1(spark, tmp_path, seed):
    """Rows without the nulls that the legacy format cannot store, which Spark rejects."""
    source = draw(seed, "0.1", LEAVES)
    ours, theirs = tmp_path / "ours.lance", tmp_path / "theirs.lance"
    kept = lance.write_dataset(source, str(theirs), data_storage_version="legacy").to_table()

    pyspark_lance.write(to_spark(spark, kept, tmp_path), ours, mode="append", file_version="legacy")

    assert_same_rows(kept, lance.dataset(str(ours)).to_table())
    assert_same_rows(kept, pyspark_lance.read(spark, ours))


@pytest.mark.parametrize("seed", seeds(8, 64))
@pytest.mark.parametrize("version", VERSIONS)
def test_schemas_written_by_pylance(spark, tmp_path, version, seed):
    source = draw(seed, version, LEAVES | PYLANCE_LEAVES)
    path = str(tmp_path / "theirs.lance")
    dataset = lance.write_dataset(source, path, data_storage_version=version)

    assert_same_rows(dataset.to_table(), pyspark_lance.read(spark, path))


@pytest.mark.parametrize("structural", ["default", "sparse"])
@pytest.mark.parametrize("seed", seeds(5, 43))
def test_schemas_written_by_pylance_in_2_3(spark, tmp_path, structural, seed):
    """Version 2.3 stores nesting differently."""
    source = draw(seed, "2.3", LEAVES)
    if structural == "sparse":
        key = {"lance-encoding:structural-encoding": "sparse"}
        fields = [f.with_metadata({**(f.metadata or {}), **key}) for f in source.schema]
        source = source.cast(pa.schema(fields))
    path = str(tmp_path / "theirs.lance")
    dataset = lance.write_dataset(source, path, data_storage_version="2.3")

    assert_same_rows(dataset.to_table(), pyspark_lance.read(spark, path))
