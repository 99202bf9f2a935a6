# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Finds the jars of the connector."""

import os
import re
from pathlib import Path
from typing import Final

import pyspark

from pyspark_lance._version import PACKAGE, REPOSITORY, __version__, in_source_tree
from pyspark_lance.exceptions import JarNotFoundError

JAR_VARIABLE: Final = "PYSPARK_LANCE_JAR"
_LATEST_SCALA: Final = "2.13"
_SCALA_OF_PYPI: Final = {"3.5": "2.12"}  # Spark versions with an older one
_LINE_OF_JAR: Final = re.compile(r"pyspark-lance-(\d+\.\d+)_(\d+\.\d+)-.*")


def jar_paths(spark_version: str | None = None) -> list[Path]:
    """Returns the paths of the jars for a Spark version. A session needs all of them.

    The wheel has two jars for each Spark version: one for Spark, and one for the format. Spark
    versions with the same Scala version share the latter. In a clone of the repository, it is the
    single jar in `target`. The environment variable `PYSPARK_LANCE_JAR`, the path of one complete
    jar, takes precedence.

    Args:
        spark_version: A version such as `4.1.3`; the installed PySpark by default. For another
            minor version than the installed one, the jars have the Scala version of PySpark on
            PyPI.

    Raises:
        JarNotFoundError: There is no jar for this Spark version.

    Examples:
        >>> from pyspark_lance import jar_paths
        >>> jars = ",".join(str(path) for path in jar_paths())  # the value of spark.jars
        >>> jars.endswith(".jar")
        True
    """
    line = line_of(spark_version or pyspark.__version__)
    if override := os.environ.get(JAR_VARIABLE):
        return [_checked(Path(override), line)]
    folder = REPOSITORY / "target" if in_source_tree() else PACKAGE
    of_line = sorted(folder.glob(f"*/pyspark-lance-{line}_*-{__version__}.jar"))
    if not of_line:
        raise JarNotFoundError(_absent(folder, line))
    scala = _scala_of(line)
    of_scala = [jar for jar in of_line if f"-{line}_{scala}-" in jar.name]
    jar = (of_scala or of_line)[-1].resolve()
    shared = jar.with_name(re.sub(r"-[\d.]+_", "-format_", jar.name, count=1))
    return [jar, shared] if shared.is_file() else [jar]


def line_of(spark_version: str) -> str:
    """Returns the minor version of a Spark version: `4.1` for `4.1.3`."""
    return ".".join(spark_version.split(".")[:2])


def spark_home() -> Path:
    """Returns the folder of the Spark that PySpark starts."""
    return Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent)


def spark_core_of(home: Path) -> tuple[str, str] | None:
    """Returns the Spark version and the binary Scala version; `None` if there are no jars.

    Args:
        home: The Spark folder.
    """
    for file in sorted((home / "jars").glob("spark-core_*.jar")):
        _, scala, version = re.split("[_-]", file.stem.removeprefix("spark-"), maxsplit=2)
        return version, scala
    return None


def _scala_of(line: str) -> str:
    """Returns the Scala version of the Spark that PySpark starts, or of PySpark on PyPI."""
    found = spark_core_of(spark_home())
    if found and line_of(found[0]) == line:
        return found[1]
    return _SCALA_OF_PYPI.get(line, _LATEST_SCALA)


def _checked(jar: Path, line: str) -> Path:
    if not jar.is_file():
        raise JarNotFoundError(f"{JAR_VARIABLE}={jar}: no such file")
    built = _LINE_OF_JAR.fullmatch(jar.name)
    if built and built[1] != line:
        raise JarNotFoundError(
            f"{JAR_VARIABLE}={jar} is for Spark {built[1]}, but PySpark is {line}: "
            f'use another jar, or pip install "pyspark=={built[1]}.*"'
        )
    return jar.resolve()


def _absent(folder: Path, line: str) -> str:
    if in_source_tree():
        return f"no jar for Spark {line} in {folder}: run `make jar LINE={line}`"
    names = [_LINE_OF_JAR.fullmatch(jar.name) for jar in folder.glob("*/*.jar")]
    lines = sorted({name[1] for name in names if name})
    have = ", ".join(lines) or "none"
    return (
        f"pyspark-lance {__version__} has no jar for Spark {line}, only for: {have}. "
        f'Install a matching Spark: pip install "pyspark=={lines[-1] if lines else line}.*"'
    )
