# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""lance-spark, the connector that calls the native library.

It requires Spark 3.5, so it has its own virtual environment, and its jars come from Maven.
"""

import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks import maven

VERSION: Final = "0.4.0"
PYSPARK: Final = "3.5.7"
_SPARK_HAS: Final = (
    "org.apache.spark",
    "org.apache.hadoop",
    "org.scala-lang",
    "com.fasterxml.jackson.core",
)
"""Groups of jars of Spark that must have the same version."""


class Home(NamedTuple):
    """The installation.

    Attributes:
        python: An interpreter with PySpark 3.5.
        jars: Jars for the class path, before Spark's.
    """

    python: Path
    jars: Path


def install(data: Path) -> Home:
    """Creates the environment and downloads the jars, unless they exist.

    Raises:
        CalledProcessError: pip or Maven failed.
    """
    folder = data / f"lance-spark-{VERSION}"
    home = Home(folder / "venv" / "bin" / "python", folder / "jars" / "*")
    ready = folder / "ready"
    if not ready.exists():
        print(f"[bench] installing lance-spark {VERSION}", flush=True)
        folder.mkdir(parents=True, exist_ok=True)
        pip = [str(home.python), "-m", "pip", "install", "--quiet"]
        for command in (
            [sys.executable, "-m", "venv", str(folder / "venv")],
            [*pip, f"pyspark=={PYSPARK}", "setuptools"],
        ):
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        maven.copy(f"org.lance:lance-spark-3.5_2.12:{VERSION}", folder, without=_SPARK_HAS)
        ready.touch()
    return home
