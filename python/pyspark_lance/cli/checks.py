# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Checks of `doctor` that do not start Spark."""

import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Final, Literal, NamedTuple

import pyspark

from pyspark_lance._version import __version__
from pyspark_lance.exceptions import LanceError
from pyspark_lance.jar import JAR_VARIABLE, jar_paths, line_of, spark_core_of, spark_home
from pyspark_lance.session import CATALOG_CLASS

MINIMUM_JAVA: Final = 17  # for Spark 4
MINIMUM_JAVA_OF_SPARK_3: Final = 11  # for the classes of the connector
_JAVA_VERSION: Final = re.compile(r'version "(?:1\.)?(\d+)')
_JAR_NAME: Final = re.compile(r"pyspark-lance-(\d+\.\d+)_(\d+\.\d+)-(.+)\.jar")


class Finding(NamedTuple):
    """Result of a check.

    Args:
        check: Name of the check.
        status: Status of the check.
        found: The result.
        way_out: The remedy if the status is not `ok`.
    """

    check: str
    status: Literal["ok", "warning", "failure"]
    found: str
    way_out: str = ""

    @classmethod
    def ok(cls, check: str, found: str) -> "Finding":
        """Returns a passed check."""
        return cls(check, "ok", found)

    @classmethod
    def failure(cls, check: str, found: str, way_out: str) -> "Finding":
        """Returns a failed check."""
        return cls(check, "failure", found, way_out)

    @property
    def is_failure(self) -> bool:
        """Whether the check failed."""
        return self.status == "failure"

    def render(self) -> str:
        """Formats the result as a line, followed by the remedy."""
        mark = {"ok": "ok  ", "warning": "warn", "failure": "FAIL"}[self.status]
        hint = "".join(f"\n      {line}" for line in self.way_out.splitlines())
        return f"{mark}  {self.check}: {self.found}{hint}"


def java() -> Finding:
    """Checks the Java that Spark would use: from `JAVA_HOME`, or the first on the path."""
    install = "install OpenJDK 17 and set JAVA_HOME to its folder: export JAVA_HOME=/path/to/jdk-17"
    home = os.environ.get("JAVA_HOME")
    command = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if command is None or not shutil.which(command):
        where = f"none at JAVA_HOME={home}" if home else "none on the PATH, and no JAVA_HOME"
        return Finding.failure("java", where, install)
    try:
        done = subprocess.run([command, "-version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding.failure("java", f"{command} does not run: {error}", install)
    said = (done.stderr + done.stdout).strip()
    version = _JAVA_VERSION.search(said)
    if version is None:
        first = said.splitlines()[0] if said else f"exit code {done.returncode}"
        return Finding.failure("java", f"{command} prints no version: {first}", install)
    found = f"Java {version[1]} ({command})"
    line = line_of(pyspark.__version__)
    minimum = MINIMUM_JAVA_OF_SPARK_3 if line.startswith("3.") else MINIMUM_JAVA
    if int(version[1]) < minimum:
        needs = f"{found}, pyspark-lance for Spark {line} needs {minimum} or later"
        return Finding.failure("java", needs, install)
    return Finding.ok("java", found)


def spark() -> Finding:
    """Checks the installed PySpark, and whether `SPARK_HOME` is another Spark."""
    found = f"PySpark {pyspark.__version__}"
    home = os.environ.get("SPARK_HOME")
    if not home:
        return Finding.ok("spark", f"{found} in {Path(pyspark.__file__).parent}")
    in_home = spark_core_of(Path(home))
    if in_home is None:
        return Finding.failure(
            "spark", f"no Spark at SPARK_HOME={home}", "remove it: unset SPARK_HOME"
        )
    version = in_home[0]
    if line_of(version) != line_of(pyspark.__version__):
        return Finding.failure(
            "spark",
            f"{found}, but SPARK_HOME={home} is Spark {version}",
            "remove it: unset SPARK_HOME\n"
            f'or install the same version: pip install "pyspark=={version}"',
        )
    return Finding.ok("spark", f"{found}, Spark {version} in SPARK_HOME={home}")


def jar() -> Finding:
    """Checks the jar that `configure` adds against the installed PySpark."""
    try:
        path, *others = jar_paths()
    except LanceError as error:
        return Finding.failure("jar", "not found", str(error))
    override = os.environ.get(JAR_VARIABLE)
    way_out = (
        f"use the jar of the package: unset {JAR_VARIABLE}"
        if override
        else "reinstall the package: pip install --force-reinstall pyspark-lance"
    )
    if not _holds_connector(path):
        return Finding.failure("jar", f"{path} is not a jar of pyspark-lance", way_out)
    name = _JAR_NAME.fullmatch(path.name)
    if name is None:
        return Finding(
            "jar", "warning", f"{path}: its name does not contain a Spark version", way_out
        )
    line, scala, version = name.groups()
    if line != line_of(pyspark.__version__):
        return Finding.failure(
            "jar",
            f"{path} is for Spark {line}, PySpark is {pyspark.__version__}",
            f'{way_out}\nor install a matching Spark: pip install "pyspark=={line}.*"',
        )
    installed = spark_core_of(spark_home())
    if installed and installed[1] != scala:
        return Finding.failure(
            "jar", f"{path} is for Scala {scala}, Spark's is {installed[1]}", way_out
        )
    if version != __version__:
        return Finding("jar", "warning", f"{path}, the package is {__version__}", way_out)
    names = " and ".join(str(jar) for jar in (path, *others))
    return Finding.ok("jar", f"{names}, for Spark {line} and Scala {scala}")


def hadoop_version() -> str:
    """Returns the Hadoop version of the installed Spark."""
    for file in sorted((spark_home() / "jars").glob("hadoop-client-api-*.jar")):
        return file.stem.removeprefix("hadoop-client-api-")
    return "3.4.2"


def _holds_connector(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            archive.getinfo(CATALOG_CLASS.replace(".", "/") + ".class")
    except (OSError, KeyError, zipfile.BadZipFile):
        return False
    return True
