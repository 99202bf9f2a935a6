# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The TPC-H queries on Lance tables of a catalog return the results of the Parquet files.

Each table has several fragments. Each `ORDER BY` is complete, so results are compared row by row.
Sums of decimals are exact.
"""

from pathlib import Path

import pytest
from kit.cases import IS_LONG

import benchmarks
from pyspark_lance.demo import tpch

QUERIES = sorted((Path(benchmarks.__file__).parent / "tpch").glob("q*.sql"))
SCALE = 0.2 if IS_LONG else 0.01
FRAGMENT_ROWS = 100_000 if IS_LONG else 20_000
ORACLE = (
    {}
    if IS_LONG
    else {
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.shuffle.partitions": "1",
    }
)
"""For small tables, Spark spends most time compiling code; the results are the same without it."""


@pytest.fixture(scope="module")
def sides(spark, tmp_path_factory):
    """Two sessions in which the names of the tables mean Parquet files and Lance tables."""
    files = tpch.generate(SCALE, tmp_path_factory.mktemp("tpch") / "parquet")
    parquet, lance = spark.newSession(), spark.newSession()
    for key, value in ORACLE.items():
        parquet.conf.set(key, value)
    lance.sql("CREATE NAMESPACE lance.tpch")
    lance.sql("USE lance.tpch")
    for name in tpch.TABLES:
        frame = parquet.read.parquet(str(files / f"{name}.parquet"))
        frame.createOrReplaceTempView(name)
        writer = frame.repartition(2).writeTo(f"lance.tpch.{name}").using("lance")
        writer.option("maxRowsPerFile", FRAGMENT_ROWS).create()
    yield parquet, lance
    lance.sql("DROP NAMESPACE lance.tpch CASCADE")


def test_all_queries_are_there():
    assert [file.stem for file in QUERIES] == [f"q{n:02}" for n in range(1, 23)]


@pytest.mark.parametrize("file", QUERIES, ids=lambda file: file.stem)
def test_answers(sides, file):
    sql = file.read_text()
    expected, found = (side.sql(sql).collect() for side in sides)
    assert found == expected
    assert expected, "a query without rows tests nothing"
