# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`pyspark-lance demo`: a demo with TPC-H."""

import argparse
import os
from pathlib import Path

from pyspark_lance.cli.parsers import Commands
from pyspark_lance.exceptions import LanceError


def add(commands: Commands) -> argparse.ArgumentParser:
    """Declares the command."""
    parser = commands.add_parser(
        "demo", help="load TPC-H into Lance with Spark, query it, compare with Parquet and pylance"
    )
    parser.add_argument(
        "--scale-factor",
        type=float,
        default=os.environ.get("SF", "0.1"),  # as text, so that this command reports invalid values
        help="scale factor; 1 is about 1 GB of text (default: $SF, or 0.1)",
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=_cache() / "pyspark-lance",
        help="folder for the tables, and for the data, which is kept (default: %(default)s)",
    )
    return parser


def run(options: argparse.Namespace) -> int:
    """Runs the demo. Returns 1 if two results differ.

    Raises:
        LanceError: A dependency of the demo is not installed.
    """
    try:
        from pyspark_lance import demo  # imports pylance
    except ImportError as error:
        raise LanceError(
            f'the demo needs more than is installed ({error}): pip install "pyspark-lance[demo]"'
        ) from error
    return 0 if demo.run(options.scale_factor, options.data) else 1


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
