# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Prepares a Spark session for Lance tables."""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pyspark.sql import SparkSession

from pyspark_lance.jar import jar_paths, spark_home

CATALOG_CLASS: Final = "io.github.pysparklance.spark.LanceCatalog"
EXTENSIONS_CLASS: Final = "io.github.pysparklance.spark.LanceSparkSessionExtensions"
MAVEN_GROUP: Final = "io.github.pysparklance"
_ENTRY: Final = re.compile(r"^\s*([^\s=:#!]+)[ \t]*[=: \t][ \t]*(.*?)\s*$", re.MULTILINE)


def configure(
    builder: SparkSession.Builder,
    extra_packages: Iterable[str] = (),
    *,
    root: str | Path | None = None,
    catalog: str = "lance",
) -> SparkSession.Builder:
    """Adds the connector to the builder of a session.

    Adds the jars to `spark.jars` (unless `spark.jars.packages` names the connector), the SQL
    extensions to `spark.sql.extensions`, and a catalog for the folder `root`, unless there is one
    with that name. Existing configuration on the builder or in `spark-defaults.conf` is kept. Call
    it last, because later configuration on the builder can overwrite these values.

    A Spark Connect server, `builder.remote("sc://host:15002")`, gets its jars and extensions
    when it starts. For such a builder, only the catalog is added, and only if `root` is given.

    Args:
        builder: A builder, usually `SparkSession.builder`.
        extra_packages: Maven coordinates of other packages, as for `spark.jars.packages`:
            `["org.apache.hadoop:hadoop-aws:3.4.2"]` for S3.
        root: The root folder of the catalog: a local path or a URI. Default: `lance-warehouse` in
            the current directory.
        catalog: The name of the catalog in SQL.

    Returns:
        The same builder, for `getOrCreate()`.

    Raises:
        JarNotFoundError: This package has no jar for the installed Spark.
        TypeError: `builder` is not a builder but, for instance, a session; or `extra_packages`
            is a string.

    Examples:
        >>> from pyspark.sql import SparkSession
        >>> from pyspark_lance import configure
        >>> spark = configure(SparkSession.builder.appName("tour")).getOrCreate()
    """
    if not isinstance(builder, SparkSession.Builder):
        raise TypeError(
            f"configure takes a SparkSession.Builder, not {type(builder).__name__}: "
            "spark = pyspark_lance.configure(SparkSession.builder).getOrCreate()"
        )
    if isinstance(extra_packages, str):
        raise TypeError(f"extra_packages is a list: extra_packages=[{extra_packages!r}]")
    if _is_of_a_server(builder):
        if root is not None:
            _add_catalog(builder, catalog, root)
        return builder
    for package in extra_packages:
        _append(builder, "spark.jars.packages", package)
    if f"{MAVEN_GROUP}:" not in _option(builder, "spark.jars.packages"):
        for jar in jar_paths():
            _append(builder, "spark.jars", str(jar))
    _append(builder, "spark.sql.extensions", EXTENSIONS_CLASS)
    _add_catalog(builder, catalog, root)
    return builder


def _is_of_a_server(builder: SparkSession.Builder) -> bool:
    """Returns whether the builder connects to a running Spark Connect server."""
    url = _option(builder, "spark.remote") or os.environ.get("SPARK_REMOTE", "")
    return url.startswith("sc://")


def _add_catalog(builder: SparkSession.Builder, name: str, root: str | Path | None) -> None:
    key = f"spark.sql.catalog.{name}"
    if (_option(builder, key) or CATALOG_CLASS) != CATALOG_CLASS:
        return  # the user configured this catalog
    builder.config(key, CATALOG_CLASS)
    if root is not None or not _option(builder, f"{key}.root"):
        builder.config(f"{key}.root", str(root or Path("lance-warehouse").absolute()))


def _append(builder: SparkSession.Builder, key: str, entry: str) -> None:
    """Adds an entry to a comma-separated value if it is missing."""
    entries = [e for e in _option(builder, key).split(",") if e.strip()]
    if entry not in entries:
        builder.config(key, ",".join([*entries, entry]))


def _option(builder: SparkSession.Builder, key: str) -> str:
    """Returns a configuration value of the builder, or the default that it would override."""
    value = builder._options.get(key)  # pyright: ignore[reportPrivateUsage]
    return str(value if value is not None else _defaults().get(key, ""))


def _defaults() -> dict[str, str]:
    """Returns the configuration in `spark-defaults.conf`, which has a key and a value per line."""
    folder = Path(os.environ.get("SPARK_CONF_DIR") or spark_home() / "conf")
    file = folder / "spark-defaults.conf"
    text = file.read_text() if file.is_file() else ""
    return dict(_ENTRY.findall(text))
