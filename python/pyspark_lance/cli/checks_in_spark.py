# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Checks of `doctor` in a Spark session."""

import platform
import re
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from pyspark_lance.cli.checks import Finding, hadoop_version
from pyspark_lance.exceptions import LanceError, first_line
from pyspark_lance.io import read, write
from pyspark_lance.progress import is_connect

CHECK_ROWS: Final = 10
_VERSIONS: Final = re.compile(
    r"\[PYTHON_VERSION_MISMATCH\][^\n]*|Cannot run program [^\n]*|No module named [^\n]*"
)
_NO_FILE_SYSTEM: Final = re.compile(
    r"No FileSystem for scheme|ClassNotFoundException: Class \S*FileSystem|UNSUPPORTED_FILE_SYSTEM"
)
_NO_ACCESS: Final = re.compile(
    r"AccessDenied|Access Denied|AccessControlException|Permission denied|Forbidden|[Cc]redential"
)
_NO_HOST: Final = re.compile(r"UnknownHost|ConnectException|Connection refused|ConnectTimeout")
_ABSENT: Final = re.compile(r"PATH_NOT_FOUND|FileNotFoundException")
_PACKAGES: Final = {
    "s3": "org.apache.hadoop:hadoop-aws:{hadoop}",
    "s3a": "org.apache.hadoop:hadoop-aws:{hadoop}",
    "abfs": "org.apache.hadoop:hadoop-azure:{hadoop}",
    "abfss": "org.apache.hadoop:hadoop-azure:{hadoop}",
}


def no_session(error: Exception) -> Finding:
    """Returns the result for a session that did not start."""
    return Finding.failure(
        "session",
        f"Spark does not start: {first_line(error)}",
        "see the output of Java above; to find the cause, remove configuration one by one\n"
        "(--conf, --packages, spark-defaults.conf)",
    )


def session(spark: SparkSession) -> Finding:
    """Checks that the session can write and read a table."""
    start = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="pyspark-lance-doctor-"))
    try:
        if is_connect(spark):  # the server may not have access to this folder
            spark.sql("SHOW PROCEDURES IN lance.system").take(1)
            done = "the connector responds"
        else:
            _round_trip(spark, str(folder / "check.lance"))
            done = "a table written and read"
    except Exception as error:
        return Finding.failure(
            "session",
            f"Spark {spark.version} runs, but not with Lance tables: {first_line(error)}",
            "create the session with pyspark_lance.configure(SparkSession.builder).getOrCreate()",
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    seconds = time.monotonic() - start
    return Finding.ok("session", f"Spark {spark.version}, {done} in {seconds:.1f} s")


def python(spark: SparkSession) -> Finding:
    """Checks that the workers use the Python version of this process."""
    here = platform.python_version()
    way_out = (
        f"set PYSPARK_PYTHON, or spark.pyspark.python, to a Python {here} that all workers have,\n"
        "and PYSPARK_DRIVER_PYTHON to the Python of this process"
    )
    try:
        there = spark.range(1).select(F.udf(platform.python_version)().alias("v")).first()
    except Exception as error:
        # Spark itself compares the minor versions, and fails if they differ.
        said = _VERSIONS.search(str(error))
        found = said[0] if said else first_line(error)
        return Finding.failure("workers", f"Python {here} here, no function runs: {found}", way_out)
    version = there["v"] if there else "unknown"
    if version == here:
        return Finding.ok("workers", f"Python {version}, as here")
    return Finding("workers", "warning", f"Python {version}, and {here} here", way_out)


def reachable(spark: SparkSession, path: str) -> Finding:
    """Checks that there is a table at the path, or that the storage is reachable."""
    try:
        latest = spark.read.format("lance").load(f"{path}#history").head()
        if latest is not None:
            return Finding.ok("storage", f"{path}: a table, version {latest.version}")
    except Exception as no_table:
        return _folder(spark, path, no_table)
    return Finding.ok("storage", f"{path}: a table")


def writable(spark: SparkSession, path: str) -> Finding:
    """Checks that a table can be committed below the path."""
    table = f"{path.rstrip('/')}/pyspark-lance-doctor-{uuid.uuid4().hex}.lance"
    try:
        _round_trip(spark, table)
        spark.sql(f"DROP TABLE lance.`{table}`")
    except Exception as error:
        return _fault(path, error)
    return Finding.ok("writing", f"{path}: a table written, read and removed")


def _round_trip(spark: SparkSession, path: str) -> None:
    write(spark.range(CHECK_ROWS), path)
    found = read(spark, path).count()
    if found != CHECK_ROWS:
        raise LanceError(f"{CHECK_ROWS} rows written, {found} read")


def _folder(spark: SparkSession, path: str, no_table: Exception) -> Finding:
    """Checks that the storage is reachable if there is no readable table."""

    def list_files() -> int:
        files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(path)
        return len(files.select("path").take(1))

    try:
        is_empty = list_files() == 0
    except Exception as error:
        if not _ABSENT.search(str(error)):
            return _fault(path, error)
        return Finding.ok("storage", f"{path}: reachable, nothing there yet")
    if is_empty:
        return Finding.ok("storage", f"{path}: reachable, an empty folder")
    return Finding(
        "storage",
        "warning",
        f"{path}: reachable, but it has no readable table: {first_line(no_table)}",
        "pass the folder of the table, which contains _versions and data",
    )


def _fault(path: str, error: Exception) -> Finding:
    message = str(error)
    scheme = path.split(":", 1)[0] if "://" in path else "file"
    for pattern, way_out in _WAYS_OUT:
        if pattern.search(message):
            return Finding.failure("storage", f"{path}: {first_line(error)}", way_out(scheme))
    return Finding.failure(
        "storage",
        f"{path}: {first_line(error)}",
        "set options of the file system with --conf spark.hadoop.<name>=<value>",
    )


def _add_file_system(scheme: str) -> str:
    package = _PACKAGES.get(scheme, f"<Maven coordinates of the file system of {scheme}>")
    return f"add it: --packages {package.format(hadoop=hadoop_version())}"


def _give_credentials(scheme: str) -> str:
    if scheme in ("s3", "s3a"):
        return (
            "set credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or\n"
            "--conf spark.hadoop.fs.s3a.access.key=… --conf spark.hadoop.fs.s3a.secret.key=…"
        )
    return "give the account that runs Spark the right to read and write there"


def _check_endpoint(scheme: str) -> str:
    place = "fs.s3a.endpoint" if scheme in ("s3", "s3a") else "the host in the path"
    return f"check the network and {place}: --conf spark.hadoop.fs.s3a.endpoint=https://host:port"


_WAYS_OUT: Final[tuple[tuple[re.Pattern[str], Callable[[str], str]], ...]] = (
    (_NO_FILE_SYSTEM, _add_file_system),
    (_NO_ACCESS, _give_credentials),
    (_NO_HOST, _check_endpoint),
)
