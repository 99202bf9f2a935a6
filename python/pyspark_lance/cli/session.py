# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Spark sessions of commands."""

import argparse
from collections.abc import Generator
from contextlib import contextmanager

from pyspark.sql import SparkSession

from pyspark_lance.session import configure


@contextmanager
def session(options: argparse.Namespace) -> Generator[SparkSession]:
    """Provides the active session, or a new one from the options, which is stopped at the end.

    In a new session, the current catalog is `lance`.
    """
    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    builder = SparkSession.builder.appName("pyspark-lance")
    if options.remote:
        spark = builder.remote(options.remote).getOrCreate()
    else:
        spark = _local(builder, options).getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


def _local(builder: SparkSession.Builder, options: argparse.Namespace) -> SparkSession.Builder:
    configuration = {
        "spark.log.level": "ERROR",
        "spark.sql.defaultCatalog": "lance",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **dict(options.conf),
    }
    if options.master:
        builder.master(options.master)
    if options.packages:
        configuration["spark.jars.packages"] = options.packages
    for key, value in configuration.items():
        builder.config(key, value)
    return configure(builder, root=options.root)
