# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`pyspark-lance demo`: the connector at work on TPC-H."""

import argparse
import os
from pathlib import Path

from pyspark_lance.cli.parsers import Commands


def add(commands: Commands) -> argparse.ArgumentParser:
    """Declares the command."""
    parser = commands.add_parser(
        "demo", help="load TPC-H into Lance with Spark, query it, compare with Parquet and pylance"
    )
    parser.add_argument(
        "--scale-factor",
        type=float,
        default=float(os.environ.get("SF", "0.1")),
        help="size of the data, 1 is about 1 GB of text (default: $SF, else 0.1)",
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=_cache() / "pyspark-lance",
        help="folder for the data, kept between runs, and the tables (default: %(default)s)",
    )
    return parser


def run(options: argparse.Namespace) -> int:
    """Runs it; 1 when two results differ."""
    from pyspark_lance import demo  # imports pylance, which only the demo needs

    return 0 if demo.run(options.scale_factor, options.data) else 1


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
