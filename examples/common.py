# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""What the examples share: options, a session, lines that say how far they are."""

import argparse
import time
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

import pyspark_lance

FOLDER = Path(__file__).parents[1] / "target" / "examples"
"""Where the examples leave their data, each in a folder of its own."""


def options(name: str, about: str | None) -> argparse.ArgumentParser:
    """The parser of an example, with `--path`; the example itself adds the others."""
    parser = argparse.ArgumentParser(
        prog=f"{name}.py", description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--path",
        type=Path,
        default=FOLDER / name,
        help="folder for the data and the tables, which are made anew (default: %(default)s)",
    )
    return parser


@contextmanager
def session(given: SparkSession | None, warehouse: Path) -> Generator[SparkSession, None, None]:
    """The session that is given; else one of this machine, which is stopped in the end.

    Args:
        given: A session made with `pyspark_lance.configure`.
        warehouse: Where the catalog `lance` of a new one keeps its tables.
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
        # pylance warns of the fork that starts Spark's JVM; that child never comes back to Python
        warnings.filterwarnings("ignore", message="lance is not fork-safe")
        spark = pyspark_lance.configure(builder, root=warehouse.absolute()).getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


@contextmanager
def step(title: str) -> Generator[None, None, None]:
    """Says what is done now, and in the end how long it took."""
    print(f"{title} ...", flush=True)
    start = time.perf_counter()
    yield
    print(f"  {time.perf_counter() - start:.1f} s", flush=True)
