# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Random nested schemas with random rows; the seed is the test's name."""

import lance
import pyarrow as pa
import pytest
from kit.exchange import assert_same_rows, to_spark
from kit.schemas import random_schema
from kit.values import Draw

import pyspark_lance


@pytest.mark.parametrize("seed", range(12))
def test_random_schema_in_both_directions(spark, tmp_path, file_version, seed):
    draw = Draw(seed)
    source = draw.table(random_schema(seed), rows=draw.random.choice((1, 77, 700)))
    ours, theirs = tmp_path / "ours.lance", tmp_path / "theirs.lance"
    dataset = lance.write_dataset(source, str(theirs), data_storage_version=file_version)

    pyspark_lance.write(to_spark(spark, source, tmp_path), ours, fileVersion=file_version)

    written = lance.dataset(str(ours))
    written.validate()
    assert_same_rows(source, written.to_table())
    assert_same_rows(dataset.to_table(), pyspark_lance.read(spark, theirs))


@pytest.mark.parametrize("structural", ["default", "sparse"])
@pytest.mark.parametrize("seed", range(8))
def test_random_schema_of_2_3(spark, tmp_path, structural, seed):
    """Version 2.3 is read, not written, and has a way of its own to store nesting."""
    draw = Draw(seed)
    source = draw.table(random_schema(seed), rows=draw.random.choice((1, 77, 700)))
    if structural == "sparse":
        key = {"lance-encoding:structural-encoding": "sparse"}
        fields = [f.with_metadata({**(f.metadata or {}), **key}) for f in source.schema]
        source = source.cast(pa.schema(fields))
    theirs = str(tmp_path / "theirs.lance")
    dataset = lance.write_dataset(source, theirs, data_storage_version="2.3")

    assert_same_rows(dataset.to_table(), pyspark_lance.read(spark, theirs))
