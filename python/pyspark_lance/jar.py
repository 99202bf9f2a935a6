# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Where the connector's jars are."""

import os
import re
from pathlib import Path

import pyspark

from pyspark_lance._version import PACKAGE, REPOSITORY, __version__, in_source_tree
from pyspark_lance.exceptions import JarNotFoundError

JAR_VARIABLE = "PYSPARK_LANCE_JAR"


def jar_path(spark_version: str | None = None) -> Path:
    """Returns the path of the jar for a Spark version.

    The environment variable `PYSPARK_LANCE_JAR` takes precedence. Otherwise it is the jar in the
    wheel for this line of Spark, or, in a clone of the repository, the jar in `target`.

    Args:
        spark_version: Such as `4.1.3`; the installed PySpark's if omitted.

    Raises:
        JarNotFoundError: There is no jar for this Spark version.

    Examples:
        >>> from pyspark_lance import jar_path
        >>> jar_path().suffix
        '.jar'
    """
    line = ".".join((spark_version or pyspark.__version__).split(".")[:2])
    if override := os.environ.get(JAR_VARIABLE):
        return _checked(Path(override), line)
    folders = REPOSITORY / "target" if in_source_tree() else PACKAGE
    pattern = f"*/pyspark-lance-{line}_*-{__version__}.jar"
    jars = sorted(folders.glob(pattern))
    if not jars:
        raise JarNotFoundError(_absent(folders, line))
    return jars[-1].resolve()


def _checked(jar: Path, line: str) -> Path:
    if not jar.is_file():
        raise JarNotFoundError(f"{JAR_VARIABLE}={jar}: no such file")
    built = re.match(r"pyspark-lance-(\d+\.\d+)_", jar.name)
    if built and built[1] != line:
        raise JarNotFoundError(
            f"{JAR_VARIABLE}={jar} is for Spark {built[1]}, PySpark here is of {line}: "
            f'name another jar, or pip install "pyspark=={built[1]}.*"'
        )
    return jar.resolve()


def _absent(folder: Path, line: str) -> str:
    if in_source_tree():
        return f"no jar for Spark {line} in {folder}: run `make jar LINE={line}`"
    lines = sorted({jar.name.split("-")[2].split("_")[0] for jar in folder.glob("*/*.jar")})
    have = ", ".join(lines) or "none"
    return (
        f"pyspark-lance {__version__} has no jar for Spark {line}, only for: {have}. "
        f'Install a Spark that matches: pip install "pyspark=={lines[-1] if lines else line}.*"'
    )
