# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The rows of the interoperability fixtures, written by Spark and read by pylance.

Each distinct set of rows is written in each file version by the long tests, and in one of them,
which its name decides, by every run.
"""

import zlib

import lance
import pyarrow.parquet as pq
import pytest
from kit.exchange import assert_same_rows
from kit.fixtures import expected_rows, refusal, require

import pyspark_lance

VERSIONS = ("2.0", "2.1", "2.2")


def cases():
    for name, file in expected_rows().items():
        chosen = zlib.crc32(name.encode()) % (2 * len(VERSIONS))
        for i, version in enumerate(VERSIONS):
            marks = () if i == chosen else pytest.mark.long
            yield pytest.param(file, version, id=f"{name} in {version}", marks=marks)


def test_fixtures_are_there():
    require()
    assert len(expected_rows()) > 250


def test_a_long_run_fails_without_fixtures(tmp_path):
    with pytest.raises(pytest.skip.Exception, match="PYSPARK_LANCE_FIXTURES"):
        require(tmp_path, is_long=False)
    with pytest.raises(pytest.fail.Exception, match="PYSPARK_LANCE_FIXTURES"):
        require(tmp_path, is_long=True)


@pytest.mark.every_case
@pytest.mark.parametrize(("file", "version"), list(cases()))
def test_pylance_reads_the_rows_of_a_fixture(spark, tmp_path, file, version):
    expected = pq.read_table(file)
    path = tmp_path / "table.lance"
    rows = spark.read.parquet(str(file)).coalesce(1)
    missing = refusal(expected, version)

    if missing:
        with pytest.raises(Exception, match=missing):
            pyspark_lance.write(rows, path, file_version=version)
        assert not list(path.rglob("*.*")), "a rejected write leaves no files"
        return
    pyspark_lance.write(rows, path, file_version=version)

    dataset = lance.dataset(str(path))
    dataset.validate()
    assert dataset.data_storage_version == version
    assert dataset.count_rows() == expected.num_rows
    assert_same_rows(expected, dataset.to_table())
    assert_same_rows(expected, pyspark_lance.read(spark, path))
