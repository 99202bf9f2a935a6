# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The Spark session of all tests, created by `pyspark_lance.configure`, as users create it.

Tests of the package use `any_spark`, and run on Spark Connect as well. The marker
`pytest.mark.on("connect")` restricts a module or test to one of the two.
"""

import os
import shutil
import sys
import time
from pathlib import Path

import pytest
from kit.cases import sample
from kit.connect import url_of_server
from kit.lines import LINE
from kit.warehouse import Warehouse
from pyspark.sql import SparkSession

import pyspark_lance

# Tests run much code only a few times, and compiling it well took 40% of the CPU time. With one
# compiler, the JVM would reserve 48 MB for compiled code, which a complete test run fills.
# JVMs that tests start have this option as well.
os.environ.setdefault(
    "SPARK_SUBMIT_OPTS",
    "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC",
)
os.environ.setdefault(
    "PYSPARK_PYTHON", sys.executable
)  # Python workers import the same modules as the tests.


@pytest.fixture(scope="session")
def spark_folder(tmp_path_factory):
    """The folder in which Spark's JVM starts, which resolves relative paths against it."""
    return tmp_path_factory.mktemp("relative")


@pytest.fixture
def in_spark_folder(spark, spark_folder, monkeypatch):
    """Runs a test in an empty folder where Python and the JVM agree on relative paths."""
    for left in spark_folder.iterdir():
        shutil.rmtree(left)
    monkeypatch.chdir(spark_folder)


def checkpoint_files():
    """A class that writes checkpoints. Spark's default starts processes to rename local files."""
    package = "streaming.checkpointing" if LINE >= (4, 1) else "streaming"
    return f"org.apache.spark.sql.execution.{package}.FileSystemBasedCheckpointFileManager"


def lance_builder(folder):
    """Configuration of a local session with the built jar and files in a folder, in UTC."""
    builder = (
        SparkSession.Builder()
        .appName("pyspark-lance tests")
        .config("spark.master", "local[2]")
        .config("spark.driver.memory", "2g")
        .config("spark.driver.host", "localhost")
        .config("spark.driver.extraJavaOptions", f"-Dderby.system.home={folder}")
        .config("spark.local.dir", str(folder / "local"))
        .config("spark.log.level", "ERROR")
        .config("spark.sql.session.timeZone", "UTC")
        # Before 4.0, Spark requires the calendar of dates before 1900 in Parquet files.
        .config("spark.sql.parquet.datetimeRebaseModeInRead", "CORRECTED")
        .config("spark.sql.parquet.int96RebaseModeInRead", "CORRECTED")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.streaming.checkpointFileManagerClass", checkpoint_files())
        .config("spark.sql.warehouse.dir", str(folder / "spark-warehouse"))
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    return pyspark_lance.configure(builder, root=folder / "lance-warehouse")


@pytest.fixture(scope="session")
def spark(tmp_path_factory, spark_folder):
    """A local session with the built jar, in UTC."""
    builder = lance_builder(tmp_path_factory.mktemp("spark"))
    started_in = Path.cwd()
    os.chdir(spark_folder)
    session = builder.getOrCreate()
    os.chdir(started_in)
    yield session
    session.stop()


@pytest.fixture(scope="session")
def connect_server(tmp_path_factory):
    """The address of the Spark Connect server of the test run, which is started on first use."""
    if LINE < (4, 0):
        pytest.skip("PySpark 3.5 has no jar of the Spark Connect server")
    folder, owner = tmp_path_factory.getbasetemp(), os.getpid()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder, owner = folder.parent, os.getppid()
    folder /= "connect"
    return url_of_server(folder, lance_builder(folder)._options, owner)


@pytest.fixture(scope="session")
def connect_spark(connect_server):
    """A session of Spark Connect, next to the session of classic Spark.

    An environment variable selects the session of PySpark's own functions: see `any_spark`.
    """
    from pyspark.sql.connect.session import SparkSession as RemoteSession

    session = RemoteSession.builder.remote(connect_server).create()
    yield session
    session.stop()


def pytest_addoption(parser):
    """Adds the number of cases of a test."""
    parser.addoption("--cases", type=int, metavar="N", help="run at most N cases of each test")


@pytest.hookimpl(tryfirst=True)  # before fixtures start sessions
def pytest_runtest_setup():
    """Skips tests after the time of a limited run. `count-tests` counts them by the reason."""
    if (until := os.environ.get("PYSPARK_LANCE_TEST_UNTIL")) and time.time() > float(until):
        pytest.skip("the time of the run is over")


@pytest.hookimpl(trylast=True)  # after the selection of markers
def pytest_collection_modifyitems(config, items):
    """Leaves out the cases that are not in the sample."""
    if limit := config.getoption("--cases"):
        kept = sample(items, limit)
        config.hook.pytest_deselected(items=list(set(items).difference(kept)))
        items[:] = kept


def pytest_generate_tests(metafunc):
    """Runs tests with `any_spark` on classic Spark and on Spark Connect, or on the one in `on`."""
    if "any_spark" in metafunc.fixturenames:
        on = metafunc.definition.get_closest_marker("on")
        kinds = on.args if on else ("classic", "connect")
        metafunc.parametrize("any_spark", kinds, indirect=True)


@pytest.fixture
def any_spark(request, monkeypatch):
    """A session for tests of the package, which uses only SQL and DataFrames."""
    if request.param == "connect":
        session = request.getfixturevalue("connect_spark")
        monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
        return session
    return activated(request.getfixturevalue("spark"))


@pytest.fixture
def warehouse(spark, tmp_path):
    """A separate namespace for tables in SQL."""
    session = spark.newSession()
    yield Warehouse(session, tmp_path / "warehouse")
    session.catalog.setCurrentCatalog("spark_catalog")


@pytest.fixture(autouse=True)
def active_session(request):
    """Spark reads the configuration of the active session of the thread."""
    if "spark" in request.fixturenames:
        activated(request.getfixturevalue("spark"))


def activated(spark):
    """Activates a session of classic Spark in the thread."""
    spark._jvm.SparkSession.setActiveSession(spark._jsparkSession)
    return spark


@pytest.fixture(params=["2.1", "2.2"])
def file_version(request):
    """The file versions that Spark and pylance write."""
    return request.param
