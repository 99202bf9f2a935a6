# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""One Spark session for all tests, made as users make it: by `pyspark_lance.configure`."""

import os
import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import pyspark_lance


@pytest.fixture(scope="session")
def spark_folder(tmp_path_factory):
    """The folder in which Spark's JVM starts: relative paths count from there while it runs."""
    return tmp_path_factory.mktemp("relative")


@pytest.fixture
def in_spark_folder(spark, spark_folder, monkeypatch):
    """Runs a test in an empty folder where Python and the JVM agree on relative paths."""
    for left in spark_folder.iterdir():
        shutil.rmtree(left)
    monkeypatch.chdir(spark_folder)


@pytest.fixture(scope="session")
def spark(tmp_path_factory, spark_folder):
    """A local session with the built jar, in UTC."""
    folder = tmp_path_factory.mktemp("spark")
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("pyspark-lance tests")
        .config("spark.driver.memory", "2g")
        .config("spark.driver.host", "localhost")
        .config("spark.driver.extraJavaOptions", f"-Dderby.system.home={folder}")
        .config("spark.local.dir", str(folder / "local"))
        .config("spark.log.level", "ERROR")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", str(folder / "spark-warehouse"))
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    started_in = Path.cwd()
    os.chdir(spark_folder)
    session = pyspark_lance.configure(builder, root=folder / "lance-warehouse").getOrCreate()
    os.chdir(started_in)
    yield session
    session.stop()


@pytest.fixture(params=["2.1", "2.2"])
def file_version(request):
    """The file versions that both sides write."""
    return request.param
