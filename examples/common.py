# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Shared code of the examples: options, a session, and progress output."""

import argparse
import time
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

import pyspark_lance

FOLDER = Path(__file__).parents[1] / "target" / "examples"
"""Folder of the examples, with a subfolder for each."""


def options(name: str, about: str | None) -> argparse.ArgumentParser:
    """Returns the parser of an example with `--path`. The example adds other options."""
    parser = argparse.ArgumentParser(
        prog=f"{name}.py", description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--path",
        type=Path,
        default=FOLDER / name,
        help="folder for the data and the tables, which are replaced (default: %(default)s)",
    )
    return parser


@contextmanager
def session(given: SparkSession | None, warehouse: Path) -> Generator[SparkSession, None, None]:
    """Provides the given session, or a new local session, which is stopped at the end.

    Args:
        given: A session created with `pyspark_lance.configure`.
        warehouse: Folder of the catalog `lance` of a new session.
    """
    if given is not None:
        yield given
        return
    builder = (
        SparkSession.builder.master("local[*]")
        .appName("pyspark-lance example")
        .config("spark.driver.memory", "2g")
        .config("spark.log.level", "ERROR")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    with warnings.catch_warnings():
        # pylance warns about the fork that starts Spark's JVM, which does not return to Python
        warnings.filterwarnings("ignore", message="lance is not fork-safe")
        spark = pyspark_lance.configure(builder, root=warehouse.absolute()).getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


@contextmanager
def step(title: str) -> Generator[None, None, None]:
    """Prints the name of a step, and its duration at the end."""
    print(f"{title} ...", flush=True)
    start = time.perf_counter()
    yield
    print(f"  {time.perf_counter() - start:.1f} s", flush=True)
